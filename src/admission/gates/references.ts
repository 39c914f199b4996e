/** Gate: resolves references to earlier jobs of the same user; its faults are reported with those of the media. */
import type { Fault } from '../../catalog/faults.ts';
import { foreignRouteHint, isForeign } from '../../catalog/foreign-jobs.ts';
import { fileIdFromRow } from '../../domain/ids.ts';
import type { MediaFacts } from '../../domain/media.ts';
import type { Reference, ResolvedReference } from '../../domain/reference.ts';
import type { Statements } from '../../store/db/connection.ts';
import { readFile } from '../../store/files/files.ts';
import { resolveReference } from '../../store/jobs/references.ts';
import type { AdmissionContext, CandidatesDraft, ReferencesDraft, ResolvedReferences } from '../draft.ts';
import type { Gate } from '../gate-list.ts';

/**
 * Another user's job is as unknown as a missing one. Decisions 4: an id that cannot be ours is left to the upstream,
 * where every route of the model understands it.
 */
export const resolveReferences: Gate<CandidatesDraft, Pick<ReferencesDraft, 'references'>> = (
  context,
  draft,
) => {
  const { model, input, foreignKinds } = draft;
  const all = model.references(input);
  const ours = all.filter(reference => !foreignKinds.has(reference.kind) || !isForeign(reference));
  const hasForeign = ours.length < all.length;
  if (ours.length > 0)
    return resolveAll(context, draft, ours).then(found => ({
      ...draft,
      references: { ...found, ours, hasForeign },
    }));
  const faults = model.inheritFaults(input, draft.given, []);
  return { ...draft, references: { referred: [], faults, ours, hasForeign, facts: {} } };
};

async function resolveAll(
  { db, clock }: AdmissionContext,
  { model, input, given, request }: CandidatesDraft,
  references: readonly Reference[],
): Promise<Pick<ResolvedReferences, 'referred' | 'faults' | 'facts'>> {
  const now = clock.now();
  const referred: ResolvedReference[] = [];
  const faults: Fault[] = [];
  const facts: Record<string, MediaFacts> = {};
  for (const reference of references) {
    const found = await resolveReference(db, reference, request.principal.userId);
    const fault = faultOf(reference, found) ?? (await faultOfFile(db, reference, found, now));
    if (fault) faults.push(fault);
    else if (found) {
      referred.push(found);
      if (found.output) facts[reference.path] = factsOf(found.output);
    }
  }
  return { referred, faults: [...faults, ...model.inheritFaults(input, given, referred)], facts };
}

const notFoundReasons: Readonly<Record<Reference['kind'], string>> = {
  image: 'no finished job of yours with images has this id',
  draft: 'no finished draft of yours has this id',
  video: 'no video of a finished job of yours has this id',
};

/** A fault of the job: missing, of the wrong kind, or without the picture or video that the reference names. */
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

/** The picture or video itself may have been deleted by its user since. */
async function faultOfFile(
  db: Statements,
  { path }: Reference,
  found: ResolvedReference | null,
  now: number,
): Promise<Fault | null> {
  const output = found?.output;
  if (!output || (await readFile(db, fileIdFromRow(output.fileId), now))) return null;
  return { path, reason: 'the file of that job was deleted or has expired' };
}

/** What the media rules need to know of a referred picture or video. */
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
