/**
 * Large concurrent uploads to a gateway that was just started: growth of its memory, and the latency of a status
 * meanwhile. Gateway, sender and measuring are separate processes.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { figure, machine, percentile, printRow, printTitles } from '../../testkit/figures.ts';
import { ask } from '../../testkit/gateway/gateway.ts';
import { runProgram, type Served, serve } from '../../testkit/gateway/program.ts';
import { residentMbOf } from '../kit/descendants.ts';
import { reportFigure } from '../kit/goals.ts';

const uploads = 8;
const contentBytes = 40 * 1024 * 1024;
const pollEveryMs = 5;
const quietPolls = 1000;
const sampleEveryMs = 10;
const settleMs = 1000;
/** One burst has too few polls for a p99: those of several bursts are combined. */
const bursts = 8;
const nameWidth = 34;
const forms = ['multipart', 'json'] as const;

const folder = await mkdtemp(join(tmpdir(), 'atelier-bench-'));
const settings = join(folder, 'atelier.yaml');
await writeFile(
  settings,
  'limits: { queue: { per_second: 1000000, burst: 10000000 }, connections_per_address: 10000 }\n',
);
let mostGrowthMb = 0;
console.log(machine());
console.log(`${uploads} uploads of ${figure(contentBytes / 1024 / 1024)} MiB, concurrent\n`);
printTitles(
  `${bursts} bursts`,
  ['quiet p99, ms', 'p99 during, ms', 'ratio', 'polls', 'growth, MB', 'total, MB', 'seconds'],
  nameWidth,
);
try {
  for (const form of forms) await measure(form);
  reportFigure('uploadGrowth', mostGrowthMb);
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Measures one form of upload on a new gateway: first a quiet status, then the bursts. */
async function measure(form: (typeof forms)[number]): Promise<void> {
  const env = {
    ATELIER_DATA_DIR: join(folder, form),
    ATELIER_CONFIG: settings,
    ATELIER_LOG_LEVEL: 'error',
  };
  const served = await serve({ env });
  try {
    const status = await statusOfAJob(served);
    const quiet: number[] = [];
    while (quiet.length < quietPolls) await poll(status, quiet);
    const total = watchMemory(served.pid);
    const during: number[] = [];
    let seconds = 0;
    let growthMb = 0;
    for (let burst = 0; burst < bursts; burst++) {
      await sleep(settleMs);
      // Each burst by another user: a user may upload ten files a minute.
      const ended = await runProgram(['keys', 'create', '--user', `sender-${burst}`, '--json'], { env });
      const made: { readonly key: string } = JSON.parse(ended.stdout);
      const sender = await openSender(served.url, made.key, form);
      const memory = watchMemory(served.pid);
      const sending = sender.send();
      let isSent = false;
      void sending.then(() => (isSent = true));
      while (!isSent) await poll(status, during);
      seconds += await sending;
      growthMb = Math.max(growthMb, memory.stop());
    }
    const [before, after] = [percentile(quiet, 99), percentile(during, 99)];
    mostGrowthMb = Math.max(mostGrowthMb, growthMb);
    const latencies = [figure(before, 2), figure(after, 2), figure(after / before, 2), figure(during.length)];
    const grown = [figure(growthMb, 1), figure(total.stop(), 1)];
    printRow(form, [...latencies, ...grown, figure(seconds, 1)], nameWidth);
  } finally {
    await served.end('SIGTERM');
  }
}

/** A poll that reads the status of a cancelled job, which never changes again. */
async function statusOfAJob(served: Served): Promise<() => Promise<number>> {
  const key = served.firstKey();
  const path = '/v1/queue/gamma-v2-image';
  const made = await ask(served.url, 'POST', path, { key, body: { prompt: 'A lighthouse', n: 1 } });
  if (made.status !== 200) throw new Error(`expected a handle, got ${JSON.stringify(made.body)}`);
  await ask(served.url, 'PUT', `${path}/requests/${made.body.request_id}/cancel`, { key });
  return async () =>
    (await ask(served.url, 'GET', `${path}/requests/${made.body.request_id}/status`, { key })).status;
}

/** Adds the latency of one status request. */
async function poll(status: () => Promise<number>, latencies: number[]): Promise<void> {
  const begun = performance.now();
  const answer = await status();
  latencies.push(performance.now() - begun);
  if (answer !== 200) throw new Error(`expected a status, got ${answer}`);
  await sleep(pollEveryMs);
}

/**
 * The peak growth of a process since the call, in MB. The young generation of the runtime grows to its full size once in
 * a process, by some 25 MB, whatever the work is.
 */
function watchMemory(pid: number): { stop(): number } {
  const before = residentMbOf(pid);
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, residentMbOf(pid))), sampleEveryMs);
  return {
    stop() {
      clearInterval(timer);
      return Math.max(peak, residentMbOf(pid)) - before;
    },
  };
}

/** A sender process that is ready; `send` gives the seconds until all uploads were answered. */
async function openSender(url: string, key: string, form: string): Promise<{ send(): Promise<number> }> {
  const program = fileURLToPath(new URL('./send-uploads.ts', import.meta.url));
  const child = spawn(process.execPath, [program, url, key, form, String(uploads), String(contentBytes)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  await once(child.stdout, 'data');
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  return {
    async send() {
      child.stdin.write('now\n');
      const [code] = await closed;
      if (code !== 0) throw new Error(`expected the sender to exit with 0, got ${code}`);
      return Number(output);
    },
  };
}
