import type { Blobs } from '../domain/blobs.ts';
import { QueueClosed, QueueFull } from '../domain/fair-queue.ts';
import type { StoredFile } from '../domain/file.ts';
import type { KnownFacts } from '../domain/media.ts';
import { refuse } from '../domain/refusal.ts';
import { knownFacts, type Lend, type Probe, type Prober } from '../media/prober.ts';
import { type Statements, StoreUnavailable } from '../store/connection.ts';
import { writeFacts } from '../store/files.ts';
import { laterSeconds } from './later.ts';
import type { Sender } from './sender.ts';
import type { Spool, Spooled } from './spool.ts';

export interface LookParts {
  readonly db: Statements;
  readonly blobs: Blobs;
  readonly prober: Prober;
  readonly spool: Spool;
}

/** Finds out what files hold, for one request: whatever it names twice is looked at once. */
export interface Look {
  /** `gone`: its bytes are not there, or not all of them. */
  ownFile(file: StoredFile): Promise<KnownFacts | 'gone'>;
  received(spooled: Pick<Spooled, 'path' | 'sha256'>): Promise<KnownFacts>;
}

export function openLook(parts: LookParts, sender: Sender): Look {
  const known = new Map<string, KnownFacts>();

  async function look(file: string | Lend, sha256: string): Promise<Probe> {
    const probe = await probeForRequest(parts.prober, file, { sender, sha256 });
    known.set(sha256, probe.kind === 'read' ? probe.facts : 'unreadable');
    return probe;
  }

  return {
    async ownFile(file) {
      const found = file.facts ?? known.get(file.sha256);
      if (found) return found;
      try {
        const probe = await look(() => lendBlob(parts, file, sender), file.sha256);
        const facts = knownFacts(probe);
        if (facts) await writeFacts(parts.db, file.id, facts).catch(unlessAway);
        return facts ?? 'unreadable';
      } catch (failure) {
        if (failure instanceof BlobGone) return 'gone';
        throw failure;
      }
    },
    async received({ path, sha256 }) {
      return known.get(sha256) ?? knownFacts(await look(path, sha256)) ?? 'unreadable';
    },
  };
}

class BlobGone extends Error {
  override readonly name = 'BlobGone';
}

/** The bytes where they lie; a copy of them only where that is another machine. */
async function lendBlob(
  { blobs, spool }: LookParts,
  { blobKey, bytes }: StoredFile,
  { principal }: Sender,
): ReturnType<Lend> {
  const content = await blobs.open(blobKey, undefined, bytes);
  if (!content) throw new BlobGone(`expected ${bytes} bytes of blob ${blobKey}`);
  const path = blobs.localPath(blobKey);
  if (path === null) return spool.receive(principal.keyId, content, { maxBytes: bytes });
  content.destroy();
  return { path, drop: async () => {} };
}

/** What cannot be written now is found out again the next time. */
function unlessAway(failure: unknown): void {
  if (!(failure instanceof StoreUnavailable)) throw failure;
}

/** What a file holds, in the turn of its sender's key; throws the 429 or 503 when too much waits. */
export async function probeForRequest(
  prober: Prober,
  file: string | Lend,
  { sender, sha256 }: { readonly sender: Sender; readonly sha256: string },
): Promise<Probe> {
  const { principal, signal } = sender;
  try {
    return await prober.probe(file, { share: principal.keyId, kind: 'request', sha256, signal });
  } catch (cause) {
    if (cause instanceof QueueFull)
      throw refuse(cause.scope === 'share' ? 'probes_of_key_full' : 'probes_full', {
        ...laterSeconds(),
        cause,
      });
    if (cause instanceof QueueClosed) throw refuse('probes_full', { ...laterSeconds(), cause });
    throw cause;
  }
}
