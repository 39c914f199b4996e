/** Messages between the processes that share a port, relayed by the primary that started them: readiness and metrics. */
import cluster, { type Worker } from 'node:cluster';
import { z } from 'zod';
import { seconds } from '../domain/clock.ts';
import type { MetricSnapshot, SiblingProcesses } from '../telemetry/metrics.ts';

/** Made by this code on the other side, so the outer shape is enough. */
const snapshotSchema = z.custom<MetricSnapshot>(Array.isArray);

/** From a worker to the primary. */
const workerMessage = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready'), url: z.string() }),
  z.object({ kind: z.literal('metrics_requested'), requestId: z.number() }),
  z.object({ kind: z.literal('settings_changed') }),
  z.object({ kind: z.literal('worker_metrics'), requestId: z.number(), snapshot: snapshotSchema }),
]);
/** From the primary to a worker. */
const primaryMessage = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('collect_metrics'), requestId: z.number() }),
  z.object({ kind: z.literal('reload') }),
  z.object({ kind: z.literal('all_metrics'), requestId: z.number(), snapshots: z.array(snapshotSchema) }),
]);

/** Environment variable that the primary sets for each worker: its index, from 1. */
export const processIndexVariable = 'ATELIER_PLACE';

/** A worker that is busy or exiting is left out after this time: a scrape shows who answered. */
const collectTimeoutMs = 1 * seconds;

/** The siblings of a worker, as its metrics endpoint uses them. */
export function openSiblingProcesses(processIndex: number): SiblingProcesses {
  const pending = new Map<number, (all: readonly MetricSnapshot[]) => void>();
  let lastRequestId = 0;
  return {
    processIndex,
    snapshots: () =>
      new Promise(resolve => {
        pending.set(++lastRequestId, resolve);
        sendToPrimary({ kind: 'metrics_requested', requestId: lastRequestId });
      }),
    registerSource(snapshotOfThisProcess) {
      process.on('message', async (received: unknown) => {
        const message = primaryMessage.parse(received);
        switch (message.kind) {
          // Heard by `onReloadAnnounced`.
          case 'reload':
            return;
          case 'collect_metrics':
            return sendToPrimary({
              kind: 'worker_metrics',
              requestId: message.requestId,
              snapshot: await snapshotOfThisProcess(),
            });
          case 'all_metrics':
            pending.get(message.requestId)?.(message.snapshots);
            pending.delete(message.requestId);
        }
      });
    },
  };
}

/** Reports to the primary that this worker serves. */
export const sendReady = (url: string): void => sendToPrimary({ kind: 'ready', url });

/** In a worker: has the others read the settings again. Does nothing in a single process. */
export const announceReload = (): void => sendToPrimary({ kind: 'settings_changed' });

/** In a worker: runs when another one has changed the settings. */
export function onReloadAnnounced(reload: () => void): void {
  if (cluster.isWorker)
    process.on('message', received => {
      if (primaryMessage.parse(received).kind === 'reload') reload();
    });
}

/** In the primary: passes a change of the settings on to all workers but the one that made it. */
export function relayReloads(): void {
  cluster.on('message', (from: Worker, received: unknown) => {
    if (workerMessage.parse(received).kind !== 'settings_changed') return;
    for (const worker of connectedWorkers()) if (worker !== from) sendToWorker(worker, { kind: 'reload' });
  });
}

/** In the primary: resolves with the address once the worker serves, with null when it exited before. */
export function waitUntilReady(worker: Worker): Promise<string | null> {
  return new Promise(resolve => {
    worker.on('message', (received: unknown) => {
      const message = workerMessage.parse(received);
      if (message.kind === 'ready') resolve(message.url);
    });
    worker.on('exit', () => resolve(null));
  });
}

/** In the primary: collects the metrics of all workers whenever one of them requests them. */
export function relayMetrics(): void {
  const pending = new Map<number, (from: Worker, snapshot: MetricSnapshot) => void>();
  let lastRequestId = 0;

  async function collect(): Promise<readonly MetricSnapshot[]> {
    const requestId = ++lastRequestId;
    const workers = connectedWorkers();
    const received = new Map<Worker, MetricSnapshot>();
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, collectTimeoutMs);
      pending.set(requestId, (from, snapshot) => {
        received.set(from, snapshot);
        if (received.size < workers.length) return;
        clearTimeout(timer);
        resolve();
      });
      for (const worker of workers) sendToWorker(worker, { kind: 'collect_metrics', requestId });
    });
    pending.delete(requestId);
    return [...received.values()];
  }

  cluster.on('message', async (from: Worker, received: unknown) => {
    const message = workerMessage.parse(received);
    if (message.kind === 'worker_metrics') pending.get(message.requestId)?.(from, message.snapshot);
    if (message.kind === 'metrics_requested') {
      const { requestId } = message;
      sendToWorker(from, { kind: 'all_metrics', requestId, snapshots: [...(await collect())] });
    }
  });
}

/** Workers that can still receive messages. */
const connectedWorkers = (): readonly Worker[] =>
  Object.values(cluster.workers ?? {}).flatMap(worker => (worker?.isConnected() ? [worker] : []));

/** A worker that is exiting receives nothing; that is no error. */
function sendToWorker(worker: Worker, message: z.infer<typeof primaryMessage>): void {
  if (worker.isConnected()) worker.send(message, () => {});
}

/** The callback keeps a lost channel from being reported as an error event. */
function sendToPrimary(message: z.infer<typeof workerMessage>): void {
  process.send?.(message, undefined, undefined, () => {});
}
