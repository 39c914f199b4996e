/** What an earlier result can be in an input of a model: its first frame, the picture to edit, a reference, a sound. */

import type { MediaLimits } from './media.ts';

/** What a result becomes, in the order in which people look for it. */
export const useRoles = [
  'first_frame',
  'edit',
  'enlarge',
  'extend',
  'motion',
  'reference',
  'style',
  'last_frame',
  'sound',
] as const;
/** One of them. */
export type UseRole = (typeof useRoles)[number];

/** One way to use a file. */
export interface ResultUse {
  readonly role: UseRole;
  /** The kind of the file. */
  readonly kind: MediaLimits['kind'];
  /**
   * Where the id of the file goes, joined by dots. `-` is a further item of a list, as in JSON Pointer. The field may
   * also take the job that made the picture: its widget is `job`.
   */
  readonly path: string;
  /** Members that stand beside it in its item, such as the role of a frame. */
  readonly beside?: Readonly<Record<string, string>>;
}

/** What the definition of a model lists: the role, the kind and the place, and what stands beside it in its item. */
export const use = (
  role: UseRole,
  kind: MediaLimits['kind'],
  path: string,
  beside?: ResultUse['beside'],
): ResultUse => ({ role, kind, path, ...(beside && { beside }) });

/** A picture as an item of `content` of the alpha family, with its role there. */
export const useInContent = (role: 'first_frame' | 'last_frame' | 'reference'): ResultUse =>
  use(role, 'image', 'content.-.image_url.url', {
    type: 'image_url',
    role: role === 'reference' ? 'reference_image' : role,
  });

/** Names of fields of custom models that say which frame they take. */
const lastFrameName = /last|end|tail/i;
/** Pictures that say where to paint or that are printed on a result: nothing is made from them. */
const notASource = /mask|watermark|logo|^wm_/i;

/** `made`: the kind of what the model makes. The uses of a model that lists none, from the names and kinds of its top-level media fields. */
export function usesByName(
  made: string,
  fields: readonly { readonly name: string; readonly kind: MediaLimits['kind']; readonly isList: boolean }[],
): readonly ResultUse[] {
  return fields
    .filter(({ name }) => !notASource.test(name))
    .map(({ name, kind, isList }) => use(roleByName(made, kind, name), kind, isList ? `${name}.-` : name));
}

/** A film begins with a picture; a picture follows one. */
function roleByName(made: string, kind: MediaLimits['kind'], name: string): UseRole {
  if (kind === 'audio') return 'sound';
  if (kind === 'video' || made !== 'video') return 'reference';
  if (lastFrameName.test(name)) return 'last_frame';
  return /refer/i.test(name) ? 'reference' : 'first_frame';
}
