/** Gate: `Atelier-Tags` is well-formed: names and values that stay with the job, its callbacks, usage and cost. */
import { toJson } from '../../domain/json.ts';
import { refuse } from '../../domain/refusal.ts';
import { maxTags, parseTag } from '../../domain/tags.ts';
import { headerOf, type RequestDraft } from '../draft.ts';
import type { Gate } from '../gate-list.ts';

/** A request with its tags as JSON text; null without any. */
export interface TagsDraft {
  readonly tags: string | null;
}

/** 422, with the tag that is ill-formed. */
export const readTags: Gate<RequestDraft, TagsDraft> = (_context, draft) => {
  const header = headerOf(draft.request, 'atelier-tags');
  return { ...draft, tags: header === undefined || header.trim() === '' ? null : toJson(tagsOf(header)) };
};

function tagsOf(header: string): Readonly<Record<string, string>> {
  const tags = new Map<string, string>();
  for (const pair of header.split(',').map(written => written.trim())) {
    const tag = parseTag(pair);
    if ('fault' in tag) refuseTags(tag.fault);
    if (tags.has(tag.name)) refuseTags(`${tag.name} is given twice`);
    tags.set(tag.name, tag.value);
  }
  if (tags.size > maxTags) refuseTags(`must be at most ${maxTags} tags, found ${tags.size}`);
  return Object.fromEntries(tags);
}

function refuseTags(reason: string): never {
  throw refuse('input_invalid', { subject: `Atelier-Tags: ${reason}`, fields: ['Atelier-Tags'] });
}
