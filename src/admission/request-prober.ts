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

/** Finds out what files hold, for one request: whatever it names twice is looked at once. */
export interface RequestProber {
  /** `gone`: its bytes are not there, or not all of them. */
  probeStored(file: StoredFile): Promise<KnownFacts | 'gone'>;
  probeSpooled(spooled: Pick<Spooled, 'path' | 'sha256'>): Promise<KnownFacts>;
}

export function openRequestProber(parts: RequestProberDependencies, sender: Sender): RequestProber {
  const known = new Map<string, KnownFacts>();

  async function look(file: string | OpenLocalCopy, sha256: string): Promise<Probe> {
    const probe = await probeForRequest(parts.prober, file, { sender, sha256 });
    known.set(sha256, probe.kind === 'read' ? probe.facts : 'unreadable');
    return probe;
  }

  return {
    async probeStored(file) {
      const found = file.facts ?? known.get(file.sha256);
      if (found) return found;
      try {
        const probe = await look(() => lendBlob(parts, file, sender), file.sha256);
        const facts = storableFacts(probe);
        if (facts) await writeFacts(parts.db, file.id, facts).catch(ignoreStoreUnavailable);
        return facts ?? 'unreadable';
      } catch (failure) {
        if (failure instanceof BlobMissing) return 'gone';
        throw failure;
      }
    },
    async probeSpooled({ path, sha256 }) {
      return known.get(sha256) ?? storableFacts(await look(path, sha256)) ?? 'unreadable';
    },
  };
}

class BlobMissing extends Error {
  override readonly name = 'BlobMissing';
}

/** The bytes where they lie; a copy of them only where that is another machine. */
async function lendBlob(
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

/** What cannot be written now is found out again the next time. */
function ignoreStoreUnavailable(failure: unknown): void {
  if (!(failure instanceof StoreUnavailable)) throw failure;
}

/** What a file holds, in the turn of its sender's key; throws the 429 or 503 when too much waits. */
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
