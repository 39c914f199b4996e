import type { Fault, Faults } from '../catalog/faults.ts';
import { type ForeignKind, foreignRouteHint, isForeign } from '../catalog/foreign-jobs.ts';
import type { Model } from '../catalog/model.ts';
import { fileIdFromRow, type UserId } from '../domain/ids.ts';
import type { MediaFacts } from '../domain/media.ts';
import type { Reference, ResolvedReference } from '../domain/reference.ts';
import type { Statements } from '../store/db/connection.ts';
import { readFile } from '../store/files/files.ts';
import { resolveReference } from '../store/jobs/references.ts';

export interface ResolvedReferences {
  readonly referred: readonly ResolvedReference[];
  readonly faults: Faults;
  /** Those that were looked for here; what is left is for the upstream to resolve. */
  readonly ours: readonly Reference[];
  /** What is known of the referred pictures and videos, by the path of the reference. */
  readonly facts: Readonly<Record<string, MediaFacts>>;
}

export interface ResolveOptions {
  readonly userId: UserId;
  readonly takesForeign: ReadonlySet<ForeignKind>;
  /** Epoch ms: a file that has ended by then is no longer there. */
  readonly now: number;
}

/**
 * Leads every reference of an input to a job of this user. Another user's job is as unknown as none. Decisions 4: what
 * is no id of ours is left to the upstream, where every one that may get the job understands it.
 */
export async function resolveReferences(
  db: Statements,
  model: Model,
  input: unknown,
  { userId, takesForeign, now }: ResolveOptions,
): Promise<ResolvedReferences> {
  const ours = model
    .references(input)
    .filter(reference => !takesForeign.has(reference.kind) || !isForeign(reference));
  const referred: ResolvedReference[] = [];
  const faults: Fault[] = [];
  const facts: Record<string, MediaFacts> = {};
  for (const reference of ours) {
    const found = await resolveReference(db, reference, userId);
    const fault = faultOf(reference, found) ?? (await faultOfFile(db, reference, found, now));
    if (fault) faults.push(fault);
    else if (found) {
      referred.push(found);
      if (found.output) facts[reference.path] = factsOf(found.output);
    }
  }
  return { referred, faults, facts, ours };
}

const notFoundReasons: Readonly<Record<Reference['kind'], string>> = {
  image: 'no finished job of yours with images has this id',
  draft: 'no finished draft of yours has this id',
  video: 'no video of a finished job of yours has this id',
};

function faultOf(reference: Reference, found: ResolvedReference | null): Fault | null {
  const { kind, path, index } = reference;
  const missing = {
    path,
    reason: notFoundReasons[kind] + (isForeign(reference) ? foreignRouteHint(kind) : ''),
  };
  if (!found || reference.accepts?.(found) === false) return missing;
  if ((kind === 'image' && found.images === 0) || (kind === 'video' && !found.output)) return missing;
  if (kind === 'image' && !found.output) {
    return {
      path: index?.path ?? path,
      reason: `must be below ${found.images}, the number of images of that job`,
    };
  }
  return null;
}

/** The picture or video itself, which its user may have deleted since. */
async function faultOfFile(
  db: Statements,
  { path }: Reference,
  found: ResolvedReference | null,
  now: number,
): Promise<Fault | null> {
  const output = found?.output;
  if (!output || (await readFile(db, fileIdFromRow(output.fileId), now))) return null;
  return { path, reason: 'the file of that job was deleted or has ended' };
}

function factsOf({
  mimeType,
  bytes,
  width = 0,
  height = 0,
  seconds = 0,
  fps = 0,
}: NonNullable<ResolvedReference['output']>): MediaFacts {
  return mimeType.startsWith('image/')
    ? { mimeType, bytes, image: { width, height } }
    : { mimeType, bytes, video: { width, height, seconds, fps, codec: 'h264' } };
}
