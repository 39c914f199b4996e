/** Part of the overload benchmark: uploads of other users while one key floods with dry runs whose media are expensive to read. */
import { spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { figure, percentile, printRow, printTitles } from '../../testkit/figures.ts';
import { ask } from '../../testkit/gateway/gateway.ts';
import { vastPng } from '../../testkit/media/hostile-media.ts';
import { picture } from '../../testkit/media/media-maker.ts';
import { reportFigure } from '../kit/goals.ts';
import { noMedium } from './no-medium.ts';

/** Concurrent dry runs of one key. */
const concurrent = 300;
/** Uploads of a small picture by others, one after another; ten a minute are a user's limit. */
const uploadsOfUser = 10;
const users = 4;
const pauseMs = 20;
const nameWidth = 30;

/** The gateway under load, and its users. */
export interface HostileOptions {
  readonly url: string;
  /** The key that floods. */
  readonly key: string;
  /** Makes a key of a new user. */
  readonly makeKey: () => Promise<string>;
}

/** Measures uploads of others without a flood, then beside bursts of dry runs that name the largest possible media. */
export async function measureHostile({ url, key, makeKey }: HostileOptions): Promise<void> {
  console.log(
    `\n${concurrent} concurrent dry runs of one key in bursts, each with a picture of 120 megapixels nine times\n`,
  );
  printTitles('uploads of others', ['p50, ms', 'p99, ms', 'p99, of quiet', 'answers'], nameWidth);
  const small = await picture('png', 40, 30);
  async function upload(others: string): Promise<number> {
    const begun = performance.now();
    const { status } = await sendPicture(url, others, small);
    if (status !== 200) throw new Error(`expected an upload to be accepted, got ${status}`);
    return performance.now() - begun;
  }
  // Warm-up.
  await upload(key);

  const quiet: number[] = [];
  for (let user = 0; user < users; user++) {
    const others = await makeKey();
    for (let sent = 0; sent < uploadsOfUser; sent++) {
      quiet.push(await upload(others));
      await sleep(pauseMs);
    }
  }
  const quietP99 = percentile(quiet, 99);
  const print = (name: string, ms: readonly number[], answers: string) => {
    const ratio = percentile(ms, 99) / quietP99;
    printRow(
      name,
      [figure(percentile(ms, 50), 1), figure(percentile(ms, 99), 1), figure(ratio, 1), answers],
      nameWidth,
    );
    return ratio;
  };
  print('quiet', quiet, '–');

  const { body: uploaded } = await sendPicture(url, key, await vastPng());
  const ratios: number[] = [];
  // The first names no medium: the cost of as many requests that are refused for their fields alone.
  for (const [name, file] of [
    ['no medium, for comparison', noMedium],
    ['file of the same user', String(uploaded.id)],
    ['inline, different bytes each', ''],
  ] as const) {
    const keys = await Promise.all(Array.from({ length: users }, makeKey));
    const flood = await openFlood([url, key, String(concurrent), file]);
    const during: number[] = [];
    try {
      for (const others of keys)
        for (let sent = 0; sent < uploadsOfUser; sent++)
          during.push(await flood.beside(() => upload(others)));
    } finally {
      await flood.end();
    }
    const ratio = print(name, during, flood.answers());
    if (file !== noMedium) ratios.push(ratio);
  }
  reportFigure('uploadsBesideHostile', Math.max(...ratios));
}

const sendPicture = (url: string, key: string, bytes: Buffer) => {
  const body = new FormData();
  body.append('file', new Blob([new Uint8Array(bytes)], { type: 'image/png' }), 'a.png');
  return ask(url, 'POST', '/v1/files', { key, body });
};

/** Dry runs in bursts, sent by another process. */
interface Flood {
  /** Runs `work` while a burst is unanswered; starts one where none is. */
  beside<T>(work: () => Promise<T>): Promise<T>;
  /** How often each HTTP status was answered. */
  answers(): string;
  end(): Promise<void>;
}

/** Starts the sender of dry runs; resolves once it is ready. */
async function openFlood(args: readonly string[]): Promise<Flood> {
  const program = fileURLToPath(new URL('./send-dry-runs.ts', import.meta.url));
  const child = spawn(process.execPath, [program, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  const lines = on(createInterface(child.stdout), 'line');
  await lines.next();
  const byStatus: Record<string, number> = {};
  let burst: Promise<void> | null = null;

  async function flood(): Promise<void> {
    child.stdin.write('now\n');
    const { value } = await lines.next();
    const statuses: readonly number[] = JSON.parse(String(value?.[0]));
    for (const status of statuses) byStatus[status] = (byStatus[status] ?? 0) + 1;
    burst = null;
  }

  return {
    beside(work) {
      burst ??= flood();
      return work();
    },
    answers: () =>
      Object.entries(byStatus)
        .map(([status, count]) => `${figure(count)} × ${status}`)
        .join(', '),
    async end() {
      await burst;
      child.kill();
      await closed;
    },
  };
}
