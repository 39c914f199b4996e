import { readFile, stat } from 'node:fs/promises';
import type { Catalog } from '../../catalog/catalog.ts';
import { isForeignAsset } from '../../catalog/foreign-jobs.ts';
import { replaceMedia } from '../../catalog/media.ts';
import type { Model } from '../../catalog/model.ts';
import { parseFileId } from '../../domain/ids.ts';
import type { MediaFacts } from '../../domain/media.ts';
import type { Pinned, ProviderError, ProviderTask } from '../../domain/provider.ts';
import type { ProviderDependencies } from './definition.ts';

/**
 * How a medium stands in a JSON body. `link`: an address, never bytes. `link-or-data-url`: an address where
 * there is one. `data-url`, `base64`: its bytes.
 */
export type MediaEncoding = 'link' | 'link-or-data-url' | 'data-url' | 'base64';

export interface EncodingOptions {
  readonly linkTo: ProviderDependencies['linkTo'];
  readonly encoding: MediaEncoding | ((facts: MediaFacts) => MediaEncoding);
  /** More bytes than this are never written into a body. */
  readonly maxInlineBytes: number;
}

export type EncodedInput =
  | { readonly kind: 'formed'; readonly input: unknown }
  | { readonly kind: 'refused'; readonly error: ProviderError };

/** The input with every medium in the form that the upstream reads. To be sent, not to be kept: it may be large. */
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
    if (!facts || local === undefined) throw new Error(`expected the medium at ${field} to be gathered`);
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
  return { kind: 'formed', input };
}

/** What each medium of a job may have, where a body has so many bytes for all of them. */
export const inlineBytesPerMedium = ({ facts }: Pick<ProviderTask, 'facts'>, bytesInAll: number): number =>
  Math.floor(bytesInAll / Math.max(1, Object.keys(facts).length));

/** Where an upstream can fetch it: the client's own address, else one of ours. */
function fetchUrlOf(
  value: string,
  { mimeType }: MediaFacts,
  linkTo: ProviderDependencies['linkTo'],
): string | null {
  const fileId = parseFileId(value);
  return fileId ? linkTo(fileId, mimeType) : value;
}

const refused = (field: string, why: string): EncodedInput => ({
  kind: 'refused',
  error: {
    code: 'invalid_input',
    message: `${field}: the upstream cannot be given it: ${why}`,
    retry: false,
  },
});

/** The input with other names for its media; those without one stay as they are. */
export function renameMedia(model: Model, input: unknown, names: Readonly<Record<string, string>>): unknown {
  return model
    .media(input)
    .reduce((renamed, { path, value }) => replaceMedia(renamed, path, names[value] ?? value), input);
}

/** The input with the upstream's own names for the earlier jobs and files that it points at; null: it has none. */
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
 * The input without what it took over from its draft, which the upstream knows by itself: the item that names
 * the draft is all there is.
 */
export function withDraftOnly(model: Model, input: unknown): unknown {
  const draft = model.references(input).find(({ kind }) => kind === 'draft');
  const [list = '', place] = pathKeys(draft?.path ?? '');
  if (!draft || typeof place !== 'number' || typeof input !== 'object' || input === null) return input;
  const items: unknown = Reflect.get(input, list);
  return Array.isArray(items) ? { ...input, [list]: [items[place]] } : input;
}

/** A path as faults write it, as keys and places. */
const pathKeys = (path: string): readonly (string | number)[] =>
  path.split('.').map(key => (/^\d+$/.test(key) ? Number(key) : key));

export function modelOf(catalog: Catalog, { modelId }: Pick<ProviderTask, 'modelId'>): Model {
  const model = catalog.find(modelId);
  if (!model) throw new Error(`expected a model, got ${modelId}`);
  return model;
}
