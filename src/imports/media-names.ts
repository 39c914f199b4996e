/** Which fields of a published schema are media, by their names: JSON Schema has no word for it. */

import type { ResolvedSchema } from './published-schema.ts';

/** The kinds of media. */
export type MediumKind = 'image' | 'video' | 'audio';

/** Words of names and descriptions, in the order in which they decide: a frame of a video is a picture. */
const wordsByKind: readonly (readonly [MediumKind, RegExp])[] = [
  [
    'image',
    /(?:^|[^a-z])(?:images?|img|photos?|pictures?|masks?|frames?|faces?|portraits?|canvas|thumbnails?)(?:[^a-z]|$)/,
  ],
  ['video', /(?:^|[^a-z])(?:videos?|clips?|movies?)(?:[^a-z]|$)/],
  ['audio', /(?:^|[^a-z])(?:audios?|sounds?|music|songs?|speech|voices?|vocals?)(?:[^a-z]|$)/],
];

/** The kind that a text is about; null for neither. */
export const kindIn = (text: string): MediumKind | null =>
  wordsByKind.find(([, words]) => words.test(text.toLowerCase().replaceAll('_', ' ')))?.[0] ?? null;

/**
 * The kind of a text field that holds the address of a medium: by `format: uri`, or by a name such as `image_url`.
 * Null for every other field, and for addresses of other things, such as weights.
 */
export function mediumKindOf(name: string, schema: ResolvedSchema): MediumKind | null {
  if (schema.type !== 'string' || schema.enum) return null;
  const isAddress = schema.format === 'uri' || /(?:^|_)ur[il]s?$/i.test(name);
  if (!isAddress) return null;
  return kindIn(name) ?? (schema.format === 'uri' ? kindIn(`${schema.title ?? ''}`) : null);
}
