/** Writes the media and the references of an input as an upstream reads them. */

import { readFile, stat } from 'node:fs/promises';
import type { Catalog } from '../../catalog/catalog.ts';
import { isForeignAsset } from '../../catalog/foreign-jobs.ts';
import { replaceMedia } from '../../catalog/media.ts';
import type { Model } from '../../catalog/model.ts';
import { parseFileId } from '../../domain/ids.ts';
import type { MediaFacts } from '../../domain/media.ts';
import type { Pinned, ProviderError, ProviderTask } from '../../domain/provider.ts';
import type { BodyRoute } from './body-route.ts';
import type { ProviderDependencies } from './definition.ts';

/**
 * How a medium is written into a JSON body. `link`: an address, never bytes. `link-or-data-url`: an address where
 * the upstream can fetch one. `data-url`, `base64`: its bytes.
 */
export type MediaEncoding = 'link' | 'link-or-data-url' | 'data-url' | 'base64';

/** How the media of one input are written. */
export interface EncodingOptions {
  readonly linkTo: ProviderDependencies['linkTo'];
  readonly encoding: MediaEncoding | ((facts: MediaFacts) => MediaEncoding);
  /** Most bytes of a medium that are written into a body. */
  readonly maxInlineBytes: number;
}

/** An input with encoded media, or why it cannot be sent. */
export type EncodedInput =
  | { readonly kind: 'encoded'; readonly input: unknown }
  | { readonly kind: 'refused'; readonly error: ProviderError };

/** The input with every medium encoded. For sending, not for storing: it may be large. */
export async function encodeMedia(
  model: Model,
  task: ProviderTask,
  { linkTo, encoding, maxInlineBytes }: EncodingOptions,
): Promise<EncodedInput> {
  let { input } = task.job;
  for (const { path, value } of model.media(input)) {
    if (isForeignAsset(value)) continue;
    const field = path.join('.');
    const facts = task.facts[field];
    const local = task.media[value];
    if (!facts || local === undefined) throw new Error(`expected input media ${field} to be fetched`);
    const wanted = typeof encoding === 'function' ? encoding(facts) : encoding;
    const link = fetchUrlOf(value, facts, linkTo);
    if (wanted.startsWith('link') && link !== null) {
      input = replaceMedia(input, path, link);
      continue;
    }
    if (wanted === 'link') return refused(field, 'this gateway has no public address to fetch it from');
    const { size } = await stat(local);
    if (size > maxInlineBytes) return refused(field, `has more than ${maxInlineBytes} bytes`);
    const base64 = (await readFile(local)).toString('base64');
    input = replaceMedia(
      input,
      path,
      wanted === 'base64' ? base64 : `data:${facts.mimeType};base64,${base64}`,
    );
  }
  return { kind: 'encoded', input };
}

/** How a medium of these facts is written into the body. */
export function encodingOf(media: BodyRoute['media'], facts: MediaFacts): MediaEncoding {
  if (typeof media === 'string') return media;
  const kind = facts.image ? 'image' : facts.video ? 'video' : 'audio';
  return media[kind] ?? 'link-or-data-url';
}

/** The encoded input, changed further; a refusal stays. */
export const mapEncoded = (encoded: EncodedInput, change: (input: unknown) => unknown): EncodedInput =>
  encoded.kind === 'refused' ? encoded : { kind: 'encoded', input: change(encoded.input) };

/** Most bytes of each medium of a job, where a body may have so many for all of them. */
export const inlineBytesPerMedium = ({ facts }: Pick<ProviderTask, 'facts'>, bytesInAll: number): number =>
  Math.floor(bytesInAll / Math.max(1, Object.keys(facts).length));

/** Where an upstream can fetch a medium: the client's address, else a signed one of a stored file; null for neither. */
function fetchUrlOf(
  value: string,
  { mimeType }: MediaFacts,
  linkTo: ProviderDependencies['linkTo'],
): string | null {
  const fileId = parseFileId(value);
  return fileId ? linkTo(fileId, mimeType) : value;
}

/** A medium that cannot be written for the upstream: the sentence names its field. */
const refused = (field: string, why: string): EncodedInput => ({
  kind: 'refused',
  error: {
    code: 'invalid_input',
    message: `${field}: cannot be sent to the upstream: ${why}`,
    retry: false,
  },
});

/** The input with other names for its media, by reference; those without one stay as they are. */
export function renameMedia(model: Model, input: unknown, names: Readonly<Record<string, string>>): unknown {
  return model
    .media(input)
    .reduce((renamed, { path, value }) => replaceMedia(renamed, path, names[value] ?? value), input);
}

/** The input with the upstream's ids of the earlier jobs and files that it refers to; `nameOf` returns null where it has none. */
export function withUpstreamIds(
  model: Model,
  { pinned }: Pick<ProviderTask, 'pinned'>,
  input: unknown,
  nameOf: (pinned: Pinned, kind: 'image' | 'draft' | 'video') => string | null,
): unknown {
  return model.references(input).reduce((named, { path, kind }) => {
    const found = pinned[path];
    const name = found ? nameOf(found, kind) : null;
    return name === null ? named : replaceMedia(named, pathKeys(path), name);
  }, input);
}

/**
 * The input without the content that it inherited from its draft, which the upstream knows: only the item that names
 * the draft is left.
 */
export function withDraftOnly(model: Model, input: unknown): unknown {
  const draft = model.references(input).find(({ kind }) => kind === 'draft');
  const [list = '', place] = pathKeys(draft?.path ?? '');
  if (!draft || typeof place !== 'number' || typeof input !== 'object' || input === null) return input;
  const items: unknown = Reflect.get(input, list);
  return Array.isArray(items) ? { ...input, [list]: [items[place]] } : input;
}

/** A dotted path as keys and array indexes. */
const pathKeys = (path: string): readonly (string | number)[] =>
  path.split('.').map(key => (/^\d+$/.test(key) ? Number(key) : key));

/** The model of a task; an error where the catalog lacks it. */
export function modelOf(catalog: Catalog, { modelId }: Pick<ProviderTask, 'modelId'>): Model {
  const model = catalog.find(modelId);
  if (!model) throw new Error(`expected a model, got ${modelId}`);
  return model;
}
