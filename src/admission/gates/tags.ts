/** Gate: `Atelier-Tags` is well-formed: names and values that stay with the job, its callbacks, usage and cost. */
import { toJson } from '../../domain/json.ts';
import { refuse } from '../../domain/refusal.ts';
import { headerOf, type RequestDraft } from '../draft.ts';
import type { Gate } from '../gate-list.ts';

/** Operations, "Money": at most so many tags, of such names and lengths. */
const maxTags = 16;
const namePattern = /^[a-z0-9_.-]{1,64}$/;
const maxValueCharacters = 256;

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
    const at = pair.indexOf('=');
    const [name, value] = [pair.slice(0, Math.max(at, 0)).trim(), pair.slice(at + 1).trim()];
    if (at < 0) refuseTags(`"${pair.slice(0, 80)}" must be name=value`);
    if (!namePattern.test(name))
      refuseTags(`the name "${name.slice(0, 80)}" must be 1 to 64 of a-z, 0-9, "_", "." and "-"`);
    if (tags.has(name)) refuseTags(`${name} is given twice`);
    if (value.length > maxValueCharacters)
      refuseTags(`the value of ${name} must have at most ${maxValueCharacters} characters`);
    tags.set(name, value);
  }
  if (tags.size > maxTags) refuseTags(`must be at most ${maxTags} tags, found ${tags.size}`);
  return Object.fromEntries(tags);
}

function refuseTags(reason: string): never {
  throw refuse('input_invalid', { subject: `Atelier-Tags: ${reason}`, fields: ['Atelier-Tags'] });
}
