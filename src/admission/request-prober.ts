/** Probes the media of one request, each file once, in the fair queue of the prober. */
import { jitteredRetryAfter } from '../body/retry-after.ts';
import type { Blobs } from '../domain/blobs.ts';
import { QueueClosed, QueueFull } from '../domain/fair-queue.ts';
import type { StoredFile } from '../domain/file.ts';
import type { KnownFacts } from '../domain/media.ts';
import { refuse } from '../domain/refusal.ts';
import { type OpenLocalCopy, type Probe, type Prober, storableFacts } from '../media/prober.ts';
import { type Statements, StoreUnavailable } from '../store/db/connection.ts';
import { writeFacts } from '../store/files/files.ts';
import type { Sender } from './sender.ts';
import type { Spool, Spooled } from './spool.ts';

export interface RequestProberDependencies {
  readonly db: Statements;
  readonly blobs: Blobs;
  readonly prober: Prober;
  readonly spool: Spool;
}

/** The facts of files, for one request: a file that is named twice is probed once. */
export interface RequestProber {
  /** `gone`: its bytes are missing or incomplete. Facts found now are stored with the file. */
  probeStored(file: StoredFile): Promise<KnownFacts | 'gone'>;
  probeSpooled(spooled: Pick<Spooled, 'path' | 'sha256'>): Promise<KnownFacts>;
}

export function openRequestProber(context: RequestProberDependencies, sender: Sender): RequestProber {
  const known = new Map<string, KnownFacts>();

  async function probe(file: string | OpenLocalCopy, sha256: string): Promise<Probe> {
    const result = await probeForRequest(context.prober, file, { sender, sha256 });
    known.set(sha256, result.kind === 'read' ? result.facts : 'unreadable');
    return result;
  }

  return {
    async probeStored(file) {
      const found = file.facts ?? known.get(file.sha256);
      if (found) return found;
      try {
        const facts = storableFacts(await probe(() => openLocally(context, file, sender), file.sha256));
        if (facts) await writeFacts(context.db, file.id, facts).catch(ignoreStoreUnavailable);
        return facts ?? 'unreadable';
      } catch (failure) {
        if (failure instanceof BlobMissing) return 'gone';
        throw failure;
      }
    },
    async probeSpooled({ path, sha256 }) {
      return known.get(sha256) ?? storableFacts(await probe(path, sha256)) ?? 'unreadable';
    },
  };
}

class BlobMissing extends Error {
  override readonly name = 'BlobMissing';
}

/** The file itself; a copy in the spool where the blobs are on another machine. */
async function openLocally(
  { blobs, spool }: RequestProberDependencies,
  { blobKey, bytes }: StoredFile,
  { principal }: Sender,
): ReturnType<OpenLocalCopy> {
  const content = await blobs.open(blobKey, undefined, bytes);
  if (!content) throw new BlobMissing(`expected ${bytes} bytes of blob ${blobKey}`);
  const path = blobs.localPath(blobKey);
  if (path === null) return spool.receive(principal.keyId, content, { maxBytes: bytes });
  content.destroy();
  return { path, drop: async () => {} };
}

/** Facts that cannot be written now are probed again the next time. */
function ignoreStoreUnavailable(failure: unknown): void {
  if (!(failure instanceof StoreUnavailable)) throw failure;
}

/** Probes a file in the fair turn of the sender's key; throws the 429 or 503 when the queue is full. */
export async function probeForRequest(
  prober: Prober,
  file: string | OpenLocalCopy,
  { sender, sha256 }: { readonly sender: Sender; readonly sha256: string },
): Promise<Probe> {
  const { principal, signal } = sender;
  try {
    return await prober.probe(file, { share: principal.keyId, kind: 'request', sha256, signal });
  } catch (cause) {
    if (cause instanceof QueueFull)
      throw refuse(cause.scope === 'share' ? 'probes_of_key_full' : 'probes_full', {
        ...jitteredRetryAfter(),
        cause,
      });
    if (cause instanceof QueueClosed) throw refuse('probes_full', { ...jitteredRetryAfter(), cause });
    throw cause;
  }
}
