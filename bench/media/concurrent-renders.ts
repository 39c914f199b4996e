/**
 * Concurrent jobs of every model on a gateway that renders two at a time: whether all of them succeed, the memory of the
 * process tree, the latency of a status, and how soon a cancel frees a slot.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { models } from '../../src/catalog/index.ts';
import { minutes } from '../../src/domain/clock.ts';
import { exampleBody, uploadExampleMedia } from '../../testkit/clients/example-jobs.ts';
import { type Created, create, longVideo, untilRunning, video } from '../../testkit/clients/worker-jobs.ts';
import { figure, machine, percentile, printRow, printTitles, spread } from '../../testkit/figures.ts';
import { type AskOptions, ask } from '../../testkit/gateway/gateway.ts';
import { serve } from '../../testkit/gateway/program.ts';
import { watchDescendants } from '../kit/descendants.ts';

const concurrentJobs = 50;
const slots = 2;
const pollEveryMs = 20;
const quietPolls = 500;
const sampleEveryMs = 200;
const longestRunMs = 30 * minutes;
const cancels = 5;
/** By then a render that is cancelled has begun to draw. */
const drawsAfterMs = 2000;
const nameWidth = 44;

/** Milliseconds from a status request to its answer. */
type Latencies = number[];

const folder = await mkdtemp(join(tmpdir(), 'atelier-bench-'));
console.log(machine());
const settings = join(folder, 'atelier.yaml');
await writeFile(settings, 'limits: { queue: { per_second: 1000000, burst: 10000000 } }\n');
const served = await serve({
  env: {
    ATELIER_DATA_DIR: join(folder, 'data'),
    ATELIER_CONFIG: settings,
    ATELIER_LOCAL_CONCURRENCY: String(slots),
    ATELIER_LOG_LEVEL: 'error',
  },
});
const key = served.firstKey();
const gateway = {
  ask: (method: string, path: string, options?: AskOptions) => ask(served.url, method, path, options),
};
try {
  await printRenders();
  await printCancels();
} finally {
  await served.end('SIGTERM');
  await rm(folder, { recursive: true, force: true });
}

/** Creates all jobs, polls statuses until the last one starts, and prints errors, duration and memory. */
async function printRenders(): Promise<void> {
  const media = await uploadExampleMedia(gateway, key);
  const pictures = await createJob('gamma-v2-image', { prompt: 'A fox asleep in tall grass', n: 1 });
  await pictures.ended();
  // On a quiet gateway no job waits: the status of an ended job is polled.
  const quiet: Latencies = [];
  while (quiet.length < quietPolls) await poll(pictures, quiet);

  const watch = watchDescendants(sampleEveryMs);
  const begun = performance.now();
  const wanted = Array.from({ length: concurrentJobs }, (_, n) => models[n % models.length]).flatMap(
    model => model ?? [],
  );
  const jobs = await Promise.all(
    wanted.map(model => createJob(model.id, exampleBody(model, media, pictures.id))),
  );
  const ending = Promise.all(jobs.map(job => job.ended(longestRunMs)));
  const [ofWaiting, ofEnded] = await pollWhileAnyWaits(jobs, pictures);
  const errors = (await ending).map(answer => answer.body.error);
  const seconds = (performance.now() - begun) / 1000;
  const statuses = await Promise.all(jobs.map(async job => (await job.status()).body.status));
  const { peakMb, cpuSeconds } = watch.stop();

  const good = errors.filter((error, n) => error === null && statuses[n] === 'COMPLETED').length;
  console.log(`${concurrentJobs} jobs of ${models.length} models, ${slots} rendered at a time\n`);
  printRow('COMPLETED without an error', [`${good} of ${concurrentJobs}`], nameWidth);
  for (const [n, error] of errors.entries()) if (error) console.log(wanted[n]?.id, JSON.stringify(error));
  printRow('duration, seconds', [figure(seconds, 1)], nameWidth);
  printRow('CPU seconds', [cpuSeconds === null ? '–' : figure(cpuSeconds, 1)], nameWidth);
  printRow('peak of the process tree, MB', [peakMb === null ? '–' : figure(peakMb)], nameWidth);
  console.log();
  printTitles('status, ms', ['p50', 'p99', 'p99 / quiet p99', 'polls'], nameWidth);
  printLatencies('of an ended job, quiet gateway', quiet, quiet);
  printLatencies('of an ended job, under load', ofEnded, quiet);
  printLatencies('of a waiting job, under load', ofWaiting, quiet);
}

function createJob(modelId: string, body: unknown): Promise<Created> {
  return create(gateway, `/v1/queue/${modelId}`, { key, body });
}

/** Alternates between the newest job that still waits and an ended one, until none waits. */
async function pollWhileAnyWaits(
  jobs: readonly Created[],
  ended: Created,
): Promise<readonly [ofWaiting: Latencies, ofEnded: Latencies]> {
  const ofWaiting: Latencies = [];
  const ofEnded: Latencies = [];
  const waiting = [...jobs];
  for (let newest = waiting.pop(); newest; newest = waiting.pop()) {
    while ((await poll(newest, ofWaiting)) === 'IN_QUEUE') await poll(ended, ofEnded);
  }
  return [ofWaiting, ofEnded];
}

/** The status; its latency is added to the list. */
async function poll(job: Created, latencies: Latencies): Promise<string> {
  const begun = performance.now();
  const { status, body } = await job.status();
  latencies.push(performance.now() - begun);
  if (status !== 200) throw new Error(`expected a status, got ${JSON.stringify(body)}`);
  await sleep(pollEveryMs);
  return body.status;
}

/** Prints p50 and p99, and p99 compared with the quiet gateway. */
function printLatencies(name: string, latencies: Latencies, quiet: Latencies): void {
  const p99 = percentile(latencies, 99);
  const ratio = p99 / percentile(quiet, 99);
  const cells = [figure(percentile(latencies, 50), 1), figure(p99, 1), figure(ratio, 2)];
  printRow(name, [...cells, figure(latencies.length)], nameWidth);
}

/** Prints the time from the cancel of a running render to the answer that the next job runs. */
async function printCancels(): Promise<void> {
  const videos: Created[] = [];
  for (let n = 0; n < slots + cancels; n++) {
    videos.push(await create(gateway, video, { key, body: longVideo }));
  }
  const took: number[] = [];
  for (const [n, next] of videos.slice(slots).entries()) {
    const running = videos[n];
    if (!running) throw new Error('expected a video for every cancel');
    await untilRunning(running);
    await sleep(drawsAfterMs);
    const path = `${video}/requests/${next.id}/status`;
    const waiting = gateway.ask('GET', path, { key, headers: { prefer: 'wait=60' } });
    const begun = performance.now();
    const { status, body } = await running.cancel();
    if (status !== 202) throw new Error(`expected a cancel, got ${JSON.stringify(body)}`);
    const answer = await waiting;
    took.push(performance.now() - begun);
    if (answer.body.status !== 'IN_PROGRESS')
      throw new Error(`expected it to run, got ${answer.body.status}`);
  }
  for (const job of videos.slice(-slots)) await job.cancel();
  console.log();
  printRow('from a cancel to the next start, ms', [spread(took)], nameWidth);
}
