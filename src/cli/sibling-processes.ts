import cluster, { type Worker } from 'node:cluster';
import { z } from 'zod';
import { seconds } from '../domain/clock.ts';
import type { MetricSnapshot, SiblingProcesses } from '../telemetry/metrics.ts';

/** What the processes of one port tell each other, through the one that started them. */

const figuresSchema = z.custom<MetricSnapshot>(Array.isArray);

/** From a process to the one that started it. */
const workerMessage = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready'), url: z.string() }),
  z.object({ kind: z.literal('figures_wanted'), ask: z.number() }),
  z.object({ kind: z.literal('own_figures'), ask: z.number(), figures: figuresSchema }),
]);
/** And back. */
const primaryMessage = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('tell_figures'), ask: z.number() }),
  z.object({ kind: z.literal('all_figures'), ask: z.number(), figures: z.array(figuresSchema) }),
]);

/** Set for a process that shares its port, by the one that starts it. */
export const processIndexVariable = 'ATELIER_PLACE';

/** How long one that is busy, or just dying, is waited for: a scrape shows who is there. */
const collectTimeoutMs = 1 * seconds;

/** In a process that shares its port. */
export function openSiblingProcesses(processIndex: number): SiblingProcesses {
  const waiting = new Map<number, (all: readonly MetricSnapshot[]) => void>();
  let asked = 0;
  return {
    processIndex,
    snapshots: () =>
      new Promise(resolve => {
        waiting.set(++asked, resolve);
        sendToPrimary({ kind: 'figures_wanted', ask: asked });
      }),
    registerSource(own) {
      process.on('message', async (message: unknown) => {
        const heard = primaryMessage.parse(message);
        switch (heard.kind) {
          case 'tell_figures':
            return sendToPrimary({ kind: 'own_figures', ask: heard.ask, figures: await own() });
          case 'all_figures':
            waiting.get(heard.ask)?.(heard.figures);
            waiting.delete(heard.ask);
        }
      });
    },
  };
}

/** Tells whoever started this process that it serves. */
export const sendReady = (url: string): void => sendToPrimary({ kind: 'ready', url });

/** Resolves with the address once that process serves, with null when it ended before. */
export function waitUntilReady(child: Worker): Promise<string | null> {
  return new Promise(resolve => {
    child.on('message', (message: unknown) => {
      const heard = workerMessage.parse(message);
      if (heard.kind === 'ready') resolve(heard.url);
    });
    child.on('exit', () => resolve(null));
  });
}

/** In the one that started them: carries figures from all to whoever wants them. */
export function relayMetrics(): void {
  const gathering = new Map<number, (from: Worker, told: MetricSnapshot) => void>();
  let asks = 0;

  async function gather(): Promise<readonly MetricSnapshot[]> {
    const ask = ++asks;
    const all = connectedWorkers();
    const told = new Map<Worker, MetricSnapshot>();
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, collectTimeoutMs);
      gathering.set(ask, (from, own) => {
        told.set(from, own);
        if (told.size < all.length) return;
        clearTimeout(timer);
        resolve();
      });
      for (const child of all) sendToWorker(child, { kind: 'tell_figures', ask });
    });
    gathering.delete(ask);
    return [...told.values()];
  }

  cluster.on('message', async (from: Worker, message: unknown) => {
    const heard = workerMessage.parse(message);
    if (heard.kind === 'own_figures') gathering.get(heard.ask)?.(from, heard.figures);
    if (heard.kind === 'figures_wanted')
      sendToWorker(from, { kind: 'all_figures', ask: heard.ask, figures: [...(await gather())] });
  });
}

const connectedWorkers = (): readonly Worker[] =>
  Object.values(cluster.workers ?? {}).flatMap(child => (child?.isConnected() ? [child] : []));

/** One that is just going hears nothing more. */
function sendToWorker(child: Worker, message: z.infer<typeof primaryMessage>): void {
  if (child.isConnected()) child.send(message, () => {});
}

function sendToPrimary(message: z.infer<typeof workerMessage>): void {
  process.send?.(message, undefined, undefined, () => {});
}
