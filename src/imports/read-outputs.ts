/** Where the answer of a published schema has its results, and of which kind they are. */

import type { Kind } from '../catalog/model.ts';
import { ImportError } from './import-error.ts';
import { kindIn, type MediumKind } from './media-names.ts';
import type { PublishedDocument, ResolvedSchema, SchemaNode } from './published-schema.ts';

/** A result that a route declares. */
export interface WrittenOutput {
  readonly at: string;
  readonly role?: 'cover';
}

/** The results of a model. */
export interface ReadOutputs {
  readonly kind: Kind;
  /** Empty where the answer itself is the result, or a list of them. */
  readonly outputs: readonly WrittenOutput[];
  readonly notes: readonly string[];
}

const kinds: Readonly<Record<MediumKind, Kind>> = { image: 'image', video: 'video', audio: 'speech' };
/** The other way round: the files of a kind. */
const mediaByKind: Readonly<Record<Kind, MediumKind>> = { image: 'image', video: 'video', speech: 'audio' };

/** The kind of results that a name or a category such as `text-to-video` promises; null where it says nothing. */
export const kindOfWords = (text: string): Kind | null => {
  const words = text.toLowerCase();
  const target = /to-(image|video|audio|speech|music)\b/.exec(words)?.[1];
  const found = kindIn(target ?? words);
  if (found) return kinds[found];
  return /\btts\b|text to speech/.test(words) ? 'speech' : null;
};

interface FoundOutput {
  readonly at: string;
  /** Null where the names say nothing. */
  readonly medium: MediumKind | null;
  readonly isExtra: boolean;
}

export interface OutputOptions {
  /** What is known of the kind otherwise: the operator's word first, then categories and descriptions. */
  readonly kind: Kind | null;
  /** Before every path: the member of the answer that the schema describes. */
  readonly prefix?: string;
  /** What is imported, for sentences. */
  readonly name: string;
}

/** Reads the results of an answer. Throws `ImportError` where it has no files, or where their kind is unknown. */
export function readOutputs(
  document: PublishedDocument,
  output: SchemaNode | undefined,
  { kind, prefix = '', name }: OutputOptions,
): ReadOutputs {
  if (!output) return kindAlone(kind, name);
  const whole = document.resolve(output);
  const found = outputsIn(document, whole, prefix, 0);
  if (found.length === 0)
    throw new ImportError(
      `the output of ${name} names no file: this gateway serves pictures, videos and sound, not ${whole.type === 'string' ? 'text' : 'data'}. A model of files whose schema does not say so is written by hand (docs/adding-a-model.md, Without a release).`,
    );
  const named = found.find(({ medium, isExtra }) => medium !== null && !isExtra)?.medium;
  const decided = kind ?? (named ? kinds[named] : null);
  if (decided === null) return kindAlone(null, name);
  if (found.every(({ at }) => at === prefix || at === `${prefix}[*]`))
    return { kind: decided, outputs: [], notes: [] };
  return { kind: decided, ...declare(found, mediaByKind[decided]) };
}

/** Without a published output the results are where the provider looks for them. */
function kindAlone(kind: Kind | null, name: string): ReadOutputs {
  if (kind === null)
    throw new ImportError(
      `whether ${name} makes images, videos or speech is not in its schema: say so with --kind image, --kind video or --kind speech.`,
    );
  return { kind, outputs: [], notes: [] };
}

/** Files of the kind are results, a thumbnail is a cover, and the rest is left out. */
function declare(found: readonly FoundOutput[], wanted: MediumKind): Pick<ReadOutputs, 'outputs' | 'notes'> {
  const results = found.filter(({ medium, isExtra }) => !isExtra && (medium === wanted || medium === null));
  // Where none is named for the kind, the first is taken: it is probed before it is stored.
  const taken = results.length > 0 ? results : found.filter(({ isExtra }) => !isExtra).slice(0, 1);
  const covers = found.filter(({ at }) => /thumbnail|cover|preview/.test(at)).slice(0, 1);
  const left = found.filter(one => !taken.includes(one) && !covers.includes(one));
  return {
    outputs: [
      ...taken.map(({ at }) => ({ at })),
      ...covers.map(({ at }) => ({ at, role: 'cover' as const })),
    ],
    notes: left.map(
      ({ at }) => `the file at ${at} of the answer is not fetched: add it to outputs to get it`,
    ),
  };
}

const maxDepth = 4;

/** The paths of all addresses in an answer. */
function outputsIn(
  document: PublishedDocument,
  schema: ResolvedSchema,
  at: string,
  depth: number,
): readonly FoundOutput[] {
  if (depth > maxDepth) return [];
  if (schema.type === 'array')
    return schema.items ? outputsIn(document, document.resolve(schema.items), `${at}[*]`, depth + 1) : [];
  if (schema.type === 'object')
    return Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
      outputsIn(document, document.resolve(member), at === '' ? name : `${at}.${name}`, depth + 1),
    );
  const name = at.split('.').at(-1) ?? '';
  const isAddress = schema.format === 'uri' || /^(?:url|uri|.*_ur[il]s?(?:\[\*\])?)$/.test(name);
  if (schema.type !== 'string' || !isAddress) return [];
  // The timestamps, masks and thumbnails beside a result are files, too.
  const isExtra = /thumbnail|cover|preview|mask|timestamp|zip|json|weights|lora/.test(at);
  return [{ at, medium: kindIn(at.replace(/[^a-z]+/gi, ' ')) ?? kindIn(schema.title ?? ''), isExtra }];
}
