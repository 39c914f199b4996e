/**
 * The bodies that are most expensive to validate: how long they block the event loop, and how much memory the gateway
 * has after all of them.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { figure, machine, printRow, printTitles } from '../../testkit/figures.ts';
import { type AskOptions, ask } from '../../testkit/gateway/gateway.ts';
import { serve } from '../../testkit/gateway/program.ts';
import { padTo, picture } from '../../testkit/media/media-maker.ts';
import { residentMbOf } from '../kit/descendants.ts';

const megabyte = 1024 * 1024;
const large = 64 * megabyte;
const settleMs = 6000;
const nameWidth = 52;

/** A body and the model that it is sent to; made when it is sent, as many take 64 MB. */
interface Case {
  readonly name: string;
  readonly model: string;
  readonly body: () => string;
  readonly headers?: AskOptions['headers'];
}

const repeat = (text: string, bytes: number): string => text.repeat(Math.floor(bytes / text.length));
const prompt = (text: string): string => `{"prompt":"${text}"}`;
const image = (await picture('png', 640, 640)).toString('base64');
const largeImage = padTo(await picture('png', 640, 640), 9 * megabyte).toString('base64');

const cases: readonly Case[] = [
  { name: 'small', model: 'gamma-v2-image', body: () => prompt('A lighthouse') },
  {
    name: 'a picture in base64',
    model: 'gamma-v2-image',
    body: () => JSON.stringify({ prompt: 'A lighthouse', image }),
  },
  { name: '30,000 unknown fields', model: 'gamma-v3-image', body: () => `{${fields(29_000)}}` },
  {
    name: '30,000 empty shots',
    model: 'gamma-v3-omni-video',
    body: () => `{"multi_prompt":[${repeat('{},', 87_000)}{}]}`,
  },
  { name: '1 MB of values', model: 'gamma-v3-image', body: () => `{"prompt":[${repeat('0,', megabyte)}0]}` },
  { name: '1 MB of escapes', model: 'gamma-v3-image', body: () => prompt(repeat('\\u0041', megabyte)) },
  { name: '1 MB of brackets', model: 'gamma-v3-image', body: () => repeat('[', megabyte) },
  { name: '64 MB of letters', model: 'gamma-v3-image', body: () => prompt(repeat('a', large - 20)) },
  {
    name: '64 MB of letters of two UTF-16 units',
    model: 'gamma-v3-image',
    body: () => prompt(repeat('😀', large / 2 - 20)),
  },
  { name: '64 MB of escapes', model: 'gamma-v3-image', body: () => prompt(repeat('\\n', large - 20)) },
  {
    name: '64 MB of values',
    model: 'gamma-v3-image',
    body: () => `{"prompt":[${repeat('0,', large - 20)}0]}`,
  },
  { name: '64 MB of spaces', model: 'gamma-v3-image', body: () => `${repeat(' ', large - 20)}{}` },
  { name: '64 MB of digits', model: 'gamma-v3-image', body: () => `{"n":${repeat('1', large - 20)}}` },
  {
    name: 'a picture of 9 MB in base64, Idempotency-Key',
    model: 'gamma-v2-image',
    body: () => JSON.stringify({ prompt: 'A lighthouse', image: largeImage }),
    headers: { 'idempotency-key': 'a' },
  },
  {
    name: 'four pictures of 9 MB in base64',
    model: 'gamma-v2-multi-image2image',
    body: () =>
      JSON.stringify({
        prompt: 'A lighthouse',
        subject_image_list: [1, 2, 3, 4].map(() => ({ subject_image: largeImage })),
      }),
    headers: { 'idempotency-key': 'b' },
  },
];

function fields(count: number): string {
  return Array.from({ length: count }, (_, n) => `"a_field_of_no_model_${n}":0`).join(',');
}

const folder = await mkdtemp(join(tmpdir(), 'atelier-bench-'));
const settings = join(folder, 'atelier.yaml');
await writeFile(
  settings,
  'limits: { queue: { per_second: 1000000, burst: 10000000 }, connections_per_address: 10000 }\n',
);
console.log(machine());
const served = await serve({
  env: {
    ATELIER_DATA_DIR: join(folder, 'data'),
    ATELIER_CONFIG: settings,
    ATELIER_ROLE: 'api',
    ATELIER_LOG_LEVEL: 'error',
  },
});
const key = served.firstKey();
try {
  // Warm-up: the first requests, with a picture and without, load and compile modules.
  for (const one of cases.slice(0, 2)) await send(one);
  await sleep(settleMs);
  const before = residentMbOf(served.pid);
  printTitles('', ['MB', 'answer', 'seconds', 'event loop blocked, ms'], nameWidth);
  for (const one of cases) await print(one);
  await sleep(settleMs);
  const after = residentMbOf(served.pid);
  console.log(
    `\nResident memory before and after: ${figure(before)} and ${figure(after)} MB (${figure(after / before, 2)})`,
  );
} finally {
  await served.end('SIGTERM');
  await rm(folder, { recursive: true, force: true });
}

/** Prints the row of one body; the event loop's longest delay is reset before it. */
async function print(one: Case): Promise<void> {
  await longestDelayMs();
  const begun = performance.now();
  const { status, bytes } = await send(one);
  const seconds = (performance.now() - begun) / 1000;
  const cells = [figure(bytes / megabyte, 1), String(status), figure(seconds, 1)];
  printRow(one.name, [...cells, figure(await longestDelayMs())], nameWidth);
}

/** The HTTP status, most often a refusal, and the length of the body. */
async function send({ model, body, headers = {} }: Case): Promise<{ status: number; bytes: number }> {
  const text = body();
  const { status } = await ask(served.url, 'POST', `/v1/queue/${model}`, { key, body: text, headers });
  return { status, bytes: Buffer.byteLength(text) };
}

/** The longest block of the event loop since the last call. */
async function longestDelayMs(): Promise<number> {
  const { body } = await ask(served.url, 'GET', '/metrics');
  return Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(String(body))?.[1]) * 1000;
}
