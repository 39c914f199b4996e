import { Worker } from 'node:worker_threads';
import { seconds } from '../../domain/clock.ts';

/** Boot and all; a machine that is busy takes its time. */
const takeOutMs = 60 * seconds;

/** The script of the API pages, packed by gzip: taken out when it is first asked for, and then kept. */
export function openScalarBundle(): () => Promise<Buffer> {
  let taken: Promise<Buffer> | null = null;
  return () => {
    taken ??= takeOut().catch(failure => {
      taken = null;
      throw failure;
    });
    return taken;
  };
}

/** In a thread of its own: the package takes half a second to load, and much memory, which ends with the thread. */
function takeOut(): Promise<Buffer> {
  const worker = new Worker(new URL('./bundle-worker.ts', import.meta.url), { env: {} });
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const timer = setTimeout(() => reject(new Error('the script of the API pages took too long')), takeOutMs);
  worker.once('message', (gzipped: Uint8Array) => resolve(Buffer.from(gzipped)));
  worker.once('error', reject);
  worker.once('exit', () => reject(new Error('the script of the API pages did not come')));
  return promise.finally(() => {
    clearTimeout(timer);
    void worker.terminate();
  });
}
