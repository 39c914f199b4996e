/** Gate: every medium exists, is readable and within the model's limits; one refusal names the faults of all. */
import type { Fault } from '../../catalog/faults.ts';
import { isForeignAsset } from '../../catalog/foreign-jobs.ts';
import type { FoundMedia } from '../../catalog/media.ts';
import type { MediaFacts } from '../../domain/media.ts';
import type { AdmissionContext, MediaDraft, ReferencesDraft } from '../draft.ts';
import type { Gate } from '../gate-list.ts';
import { inputRefusal } from '../input-refusal.ts';
import {
  inspectMedium,
  isFetchedLater,
  type ValidatedMedia,
  type ValidatedMedium,
} from '../inspect-media.ts';
import { openRequestProber } from '../request-prober.ts';
import { senderOf } from '../sender.ts';

/**
 * 422 of every fault; 429 or 503 where the spool or the queue of the prober is full. Inline media stay in the spool
 * until they are stored with the job, or the request ends.
 */
export const inspectMedia: Gate<ReferencesDraft, Pick<MediaDraft, 'media'>> = (context, draft) => {
  const found = draft.model.media(draft.input);
  const items: ValidatedMedium[] = [];
  for (const each of found) {
    if (!isFetchedLater(context.media, each))
      return inspectAll(context, draft, found).then(media => ({ ...draft, media }));
    items.push({ found: each, kind: 'unchanged' });
  }
  // Nothing has to be read: there is no medium, or each is a web address.
  refuseFaults(draft, draft.references.faults, draft.references.facts);
  return { ...draft, media: mediaOf(items, draft) };
};

/** One medium after the other: a request occupies one place in the queue of the prober. */
async function inspectAll(
  { media: context }: AdmissionContext,
  draft: ReferencesDraft,
  found: readonly FoundMedia[],
): Promise<ValidatedMedia> {
  const { model, foreignKinds, references, request } = draft;
  const sender = senderOf(request.message, request.principal);
  const prober = openRequestProber(context, sender);
  const inspection = { model, sender, foreignKinds, prober, files: new Map() };
  const items: ValidatedMedium[] = [];
  draft.resources.defer(() => dropSpooled(items));
  const faults: Fault[] = [...references.faults];
  const facts: Record<string, MediaFacts> = { ...references.facts };
  for (const each of found) {
    const path = each.path.join('.');
    const inspecting = inspectMedium(context, each, inspection);
    const inspected = inspecting instanceof Promise ? await inspecting : inspecting;
    if (typeof inspected === 'string') {
      faults.push({ path, reason: inspected });
      continue;
    }
    items.push(inspected);
    if (inspected.kind !== 'unchanged') facts[path] = inspected.facts;
  }
  refuseFaults(draft, faults, facts);
  return mediaOf(items, draft);
}

/** The rules between media are checked once each medium by itself is valid. */
function refuseFaults(
  { model, input }: ReferencesDraft,
  faults: readonly Fault[],
  facts: Readonly<Record<string, MediaFacts>>,
): void {
  const all = faults.length > 0 ? faults : model.mediaFaults(input, path => facts[path] ?? null);
  if (all.length > 0) throw inputRefusal(all);
}

const mediaOf = (items: ValidatedMedium[], { references }: ReferencesDraft): ValidatedMedia => ({
  items,
  isForeign:
    references.hasForeign ||
    items.some(({ found, kind }) => kind === 'unchanged' && isForeignAsset(found.value)),
  inlineBytes: items.reduce((sum, item) => sum + (item.kind === 'inline' ? item.spooled.bytes : 0), 0),
  [Symbol.asyncDispose]: () => dropSpooled(items),
});

/** Empties the list, so that a second call finds nothing to remove. */
async function dropSpooled(items: ValidatedMedium[]): Promise<void> {
  for (const item of items.splice(0)) if (item.kind === 'inline') await item.spooled.drop();
}
