/** The script of the API pages as a cached document. */

import { Worker } from 'node:worker_threads';
import { seconds } from '../../domain/clock.ts';
import { environmentOfThreads } from '../../domain/worker-threads.ts';
import { documentOf, type SharedDocument } from '../shared-document.ts';

/** Boot and all; a machine that is busy takes its time. */
const extractTimeoutMs = 60 * seconds;

/** The script of the API pages: extracted at the first request, then cached, plain and compressed. */
export function openScalarBundle(): () => Promise<SharedDocument> {
  let taken: Promise<SharedDocument> | null = null;
  return () => {
    taken ??= extractBundle().catch(failure => {
      taken = null;
      throw failure;
    });
    return taken;
  };
}

/** What the worker thread sends. */
interface ExtractedBundle {
  readonly plain: Uint8Array;
  readonly gzipped: Uint8Array;
}

/** A view of the same bytes: what a worker posts arrives as a plain array of bytes. */
const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

/** In a thread of its own: the package takes half a second to load, and much memory, which ends with the thread. */
function extractBundle(): Promise<SharedDocument> {
  const worker = new Worker(new URL('./bundle-worker.ts', import.meta.url), {
    env: environmentOfThreads(),
  });
  const { promise, resolve, reject } = Promise.withResolvers<SharedDocument>();
  const timer = setTimeout(
    () => reject(new Error('the script of the API pages took too long')),
    extractTimeoutMs,
  );
  worker.once('message', ({ plain, gzipped }: ExtractedBundle) =>
    resolve(documentOf('text/javascript; charset=utf-8', asBuffer(plain), asBuffer(gzipped))),
  );
  worker.once('error', reject);
  worker.once('exit', () => reject(new Error('the script of the API pages did not come')));
  return promise.finally(() => {
    clearTimeout(timer);
    void worker.terminate();
  });
}
