/** Templates of bodies and paths: placeholders such as `{input.prompt}`, checked at the start and filled per job. */

import { z } from 'zod';
import type { ProviderAttempt } from '../../domain/provider.ts';
import { isJsonPath, valuesAt } from './json-path.ts';

/** JSON whose texts may contain placeholders; everything else in it is sent as it is. */
type Template = unknown;

/** What a placeholder may name; `input` is followed by a path. */
type PlaceholderName = 'input' | 'model' | 'key' | 'id';

/** A part of a text in a template. */
type Piece =
  | { readonly kind: 'text'; readonly text: string }
  /** `path` is null except for the input. */
  | { readonly kind: 'placeholder'; readonly name: string; readonly path: string | null }
  | { readonly kind: 'stray' };

/** Matches in linear time whatever an operator writes: each character belongs to one token. */
const token = /\{\{|\}\}|\{([^{}]*)\}|[{}]|[^{}]+/g;

/** A text without placeholders is one piece, and is sent as it is. */
const piecesOf = (text: string): readonly Piece[] => [...text.matchAll(token)].map(pieceOf);

function pieceOf([text, named]: RegExpMatchArray): Piece {
  if (text === '{{' || text === '}}') return { kind: 'text', text: text.slice(1) };
  if (text === '{' || text === '}') return { kind: 'stray' };
  if (named === undefined) return { kind: 'text', text };
  return named.startsWith('input.')
    ? { kind: 'placeholder', name: 'input', path: named.slice('input.'.length) }
    : { kind: 'placeholder', name: named, path: null };
}

/** A text of a template, and where it stands. */
interface Text {
  readonly path: readonly (string | number)[];
  readonly pieces: readonly Piece[];
}

/** Every text of a template, names of members excluded: those are never filled. */
function textsIn(template: Template, path: readonly (string | number)[] = []): readonly Text[] {
  if (typeof template === 'string') return [{ path, pieces: piecesOf(template) }];
  if (Array.isArray(template)) return template.flatMap((item, place) => textsIn(item, [...path, place]));
  if (typeof template !== 'object' || template === null) return [];
  return Object.entries(template).flatMap(([name, member]) => textsIn(member, [...path, name]));
}

/** A path below the base of an account. */
export const pathTemplate = (...names: readonly PlaceholderName[]) =>
  z
    .string()
    .max(1000)
    .regex(/^\/[^\s#]*$/, { error: 'must begin with / and have no spaces and no #' })
    .superRefine((path, context) => reportFaults(context, path, names));

/** A record whose invalid names are reported with the given sentence. */
export const recordOf = <Value extends z.ZodType>(name: z.ZodString, value: Value, sentence: string) =>
  z.record(name, value, {
    error: ({ code }) => (code === 'invalid_key' ? sentence : undefined),
  });

/** Reports what is wrong with the placeholders of a template, each at its path. */
export function reportFaults(
  context: z.RefinementCtx<unknown>,
  template: Template,
  names: readonly PlaceholderName[],
): void {
  for (const { path, pieces } of textsIn(template))
    for (const piece of pieces) {
      const message = pieceFault(piece, pieces.length === 1, names);
      if (message !== null) context.addIssue({ code: 'custom', message, path: [...path] });
    }
}

/** Why a piece cannot work, as the end of a sentence; null where it can. */
function pieceFault(piece: Piece, isWhole: boolean, names: readonly PlaceholderName[]): string | null {
  if (piece.kind === 'text') return null;
  if (piece.kind === 'stray') return 'a literal brace must be doubled';
  const { name, path } = piece;
  const isKnown = names.some(known => known === name) && (name === 'input') === (path !== null);
  if (!isKnown) return `unknown placeholder {${path === null ? name : `input.${path}`}}`;
  if (path === null) return null;
  if (!isJsonPath(path)) return `{input.${path}} is not a valid path`;
  return isWhole || !path.includes('[*]') ? null : `{input.${path}} cannot be a part of a text`;
}

/** A placeholder for a field of the input, and where it stands. */
interface InputPlaceholder {
  readonly path: readonly (string | number)[];
  readonly inputPath: string;
  /** Whether it is all of its text: then it may be replaced by a list or an object. */
  readonly isWholeText: boolean;
}

/** The placeholders of a template that name a path of the input. */
export const inputPlaceholdersIn = (template: Template): readonly InputPlaceholder[] =>
  textsIn(template).flatMap(({ path, pieces }) =>
    pieces.flatMap(piece =>
      piece.kind === 'placeholder' && piece.path !== null
        ? [{ path, inputPath: piece.path, isWholeText: pieces.length === 1 }]
        : [],
    ),
  );

/** Replacements for values of the input, by path and then by value. */
type ValueNames = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The values of the placeholders for one job. */
export interface PlaceholderValues {
  readonly input?: unknown;
  readonly words?: ValueNames;
  readonly model: string;
  readonly key: string;
  readonly id?: string;
}

/** Fills a template. A text whose placeholder has no value in the input is left out. */
export function fillTemplate(template: Template, values: PlaceholderValues): unknown {
  if (typeof template === 'string') return fillText(piecesOf(template), values);
  if (Array.isArray(template))
    return template.map(item => fillTemplate(item, values)).filter(item => item !== undefined);
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(
    Object.entries(template)
      .map(([name, member]) => [name, fillTemplate(member, values)] as const)
      .filter(([, value]) => value !== undefined),
  );
}

/** A text that is one placeholder keeps the type of its value; in longer texts values become text. */
function fillText(pieces: readonly Piece[], values: PlaceholderValues): unknown {
  const filled = pieces.map(piece => valueFor(piece, values));
  if (filled.length === 1) return filled[0];
  return filled.includes(undefined) ? undefined : filled.map(String).join('');
}

/** Undefined where the input lacks the field: the member is then left out. */
function valueFor(piece: Piece, values: PlaceholderValues): unknown {
  if (piece.kind !== 'placeholder') return piece.kind === 'text' ? piece.text : '';
  const { name, path } = piece;
  if (path === null) return values[z.enum(['model', 'key', 'id']).parse(name)];
  const words = new Map(Object.entries(values.words?.[path] ?? {}));
  const found = valuesAt(values.input, path).map(value =>
    words.has(String(value)) ? words.get(String(value)) : value,
  );
  if (path.includes('[*]')) return found.length > 0 ? found : undefined;
  return found[0];
}

/** The values that every job has for placeholders. */
export const placeholderValuesOf = ({ upstreamModel, dedupeKey }: ProviderAttempt): PlaceholderValues => ({
  model: upstreamModel,
  key: dedupeKey,
});

/** Fills the body of a route with the input of a job, whose media are encoded. */
export const fillBody = (
  { body, words }: { readonly body: Readonly<Record<string, unknown>>; readonly words: ValueNames },
  attempt: ProviderAttempt,
  input: unknown,
): Readonly<Record<string, unknown>> =>
  filledObject.parse(fillTemplate(body, { ...placeholderValuesOf(attempt), input, words }));

const filledObject = z.record(z.string(), z.unknown());

/** Fills the template of a path; every value is percent-encoded. */
export const fillPath = (template: string, { model, ...given }: PlaceholderValues): string =>
  String(
    fillTemplate(template, {
      ...given,
      model: model.split('/').map(encodeURIComponent).join('/'),
      ...(given.id !== undefined && { id: encodeURIComponent(given.id) }),
    }),
  );
