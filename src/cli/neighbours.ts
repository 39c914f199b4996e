import cluster, { type Worker } from 'node:cluster';
import { z } from 'zod';
import { seconds } from '../domain/clock.ts';
import type { Figures, Neighbours } from '../metrics.ts';

/** What the processes of one port tell each other, through the one that started them. */

const figures = z.custom<Figures>(Array.isArray);

/** From a process to the one that started it. */
const upward = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready'), url: z.string() }),
  z.object({ kind: z.literal('figures_wanted'), ask: z.number() }),
  z.object({ kind: z.literal('own_figures'), ask: z.number(), figures }),
]);
/** And back. */
const downward = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('tell_figures'), ask: z.number() }),
  z.object({ kind: z.literal('all_figures'), ask: z.number(), figures: z.array(figures) }),
]);

/** Set for a process that shares its port, by the one that starts it. */
export const placeVariable = 'ATELIER_PLACE';

/** How long one that is busy, or just dying, is waited for: a scrape shows who is there. */
const patienceMs = 1 * seconds;

/** In a process that shares its port. */
export function openNeighbours(place: number): Neighbours {
  const waiting = new Map<number, (all: readonly Figures[]) => void>();
  let asked = 0;
  return {
    place,
    figures: () =>
      new Promise(resolve => {
        waiting.set(++asked, resolve);
        say({ kind: 'figures_wanted', ask: asked });
      }),
    tell(own) {
      process.on('message', async (message: unknown) => {
        const heard = downward.parse(message);
        switch (heard.kind) {
          case 'tell_figures':
            return say({ kind: 'own_figures', ask: heard.ask, figures: await own() });
          case 'all_figures':
            waiting.get(heard.ask)?.(heard.figures);
            waiting.delete(heard.ask);
        }
      });
    },
  };
}

/** Tells whoever started this process that it serves. */
export const sayReady = (url: string): void => say({ kind: 'ready', url });

/** Resolves with the address once that process serves, with null when it ended before. */
export function untilReady(child: Worker): Promise<string | null> {
  return new Promise(resolve => {
    child.on('message', (message: unknown) => {
      const heard = upward.parse(message);
      if (heard.kind === 'ready') resolve(heard.url);
    });
    child.on('exit', () => resolve(null));
  });
}

/** In the one that started them: carries figures from all to whoever wants them. */
export function passFigures(): void {
  const gathering = new Map<number, (from: Worker, told: Figures) => void>();
  let asks = 0;

  async function gather(): Promise<readonly Figures[]> {
    const ask = ++asks;
    const all = living();
    const told = new Map<Worker, Figures>();
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, patienceMs);
      gathering.set(ask, (from, own) => {
        told.set(from, own);
        if (told.size < all.length) return;
        clearTimeout(timer);
        resolve();
      });
      for (const child of all) order(child, { kind: 'tell_figures', ask });
    });
    gathering.delete(ask);
    return [...told.values()];
  }

  cluster.on('message', async (from: Worker, message: unknown) => {
    const heard = upward.parse(message);
    if (heard.kind === 'own_figures') gathering.get(heard.ask)?.(from, heard.figures);
    if (heard.kind === 'figures_wanted')
      order(from, { kind: 'all_figures', ask: heard.ask, figures: [...(await gather())] });
  });
}

const living = (): readonly Worker[] =>
  Object.values(cluster.workers ?? {}).flatMap(child => (child?.isConnected() ? [child] : []));

/** One that is just going hears nothing more. */
function order(child: Worker, message: z.infer<typeof downward>): void {
  if (child.isConnected()) child.send(message, () => {});
}

function say(message: z.infer<typeof upward>): void {
  process.send?.(message, undefined, undefined, () => {});
}
