import { z } from 'zod';
import { isJsonPath, valuesAt } from '../kit/json-path.ts';

/** JSON whose texts may hold placeholders; whatever else is in it is sent as it stands. */
type Template = unknown;

/** What a placeholder may name; `input` stands for its places. */
type PlaceholderName = 'input' | 'model' | 'key' | 'id';

type Piece =
  | { readonly kind: 'text'; readonly text: string }
  /** `place` is there for the input alone. */
  | { readonly kind: 'placeholder'; readonly name: string; readonly place: string | null }
  | { readonly kind: 'stray' };

/** Linear whatever an operator writes: each character belongs to one token. */
const token = /\{\{|\}\}|\{([^{}]*)\}|[{}]|[^{}]+/g;

const piecesOf = (text: string): readonly Piece[] => [...text.matchAll(token)].map(pieceOf);

function pieceOf([text, named]: RegExpMatchArray): Piece {
  if (text === '{{' || text === '}}') return { kind: 'text', text: text.slice(1) };
  if (text === '{' || text === '}') return { kind: 'stray' };
  if (named === undefined) return { kind: 'text', text };
  return named.startsWith('input.')
    ? { kind: 'placeholder', name: 'input', place: named.slice('input.'.length) }
    : { kind: 'placeholder', name: named, place: null };
}

interface Text {
  readonly path: readonly (string | number)[];
  readonly pieces: readonly Piece[];
}

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

/** A record whose wrong names are told with a sentence of their own. */
export const recordOf = <Value extends z.ZodType>(name: z.ZodString, value: Value, sentence: string) =>
  z.record(name, value, {
    error: ({ code }) => (code === 'invalid_key' ? sentence : undefined),
  });

/** Tells what is wrong with the placeholders of a template, each at its own path. */
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

function pieceFault(piece: Piece, isWhole: boolean, names: readonly PlaceholderName[]): string | null {
  if (piece.kind === 'text') return null;
  if (piece.kind === 'stray') return 'a brace that is meant as such is written twice';
  const { name, place } = piece;
  const isKnown = names.some(known => known === name) && (name === 'input') === (place !== null);
  if (!isKnown) return `there is no {${place === null ? name : `input.${place}`}} here`;
  if (place === null) return null;
  if (!isJsonPath(place)) return `{input.${place}} is no place in an input`;
  return isWhole || !place.includes('[*]') ? null : `{input.${place}} cannot be a part of a text`;
}

interface InputPlaceholder {
  readonly path: readonly (string | number)[];
  readonly inputPath: string;
  /** Whether it is all of its text: then it may stand for more than a word. */
  readonly isWholeText: boolean;
}

/** The places of the input that a template writes. */
export const inputPlaceholdersIn = (template: Template): readonly InputPlaceholder[] =>
  textsIn(template).flatMap(({ path, pieces }) =>
    pieces.flatMap(piece =>
      piece.kind === 'placeholder' && piece.place !== null
        ? [{ path, inputPath: piece.place, isWholeText: pieces.length === 1 }]
        : [],
    ),
  );

/** Other words for values of the input, by their place and then by themselves. */
type ValueNames = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** What the placeholders stand for. */
export interface PlaceholderValues {
  readonly input?: unknown;
  readonly words?: ValueNames;
  readonly model: string;
  readonly key: string;
  readonly id?: string;
}

/** The template with what is given. What the input does not say is left out, with the whole of its text. */
export function fillTemplate(template: Template, given: PlaceholderValues): unknown {
  if (typeof template === 'string') return fillText(piecesOf(template), given);
  if (Array.isArray(template))
    return template.map(item => fillTemplate(item, given)).filter(item => item !== undefined);
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(
    Object.entries(template)
      .map(([name, member]) => [name, fillTemplate(member, given)] as const)
      .filter(([, value]) => value !== undefined),
  );
}

function fillText(pieces: readonly Piece[], given: PlaceholderValues): unknown {
  const values = pieces.map(piece => valueFor(piece, given));
  if (values.length === 1) return values[0];
  return values.includes(undefined) ? undefined : values.map(String).join('');
}

function valueFor(piece: Piece, given: PlaceholderValues): unknown {
  if (piece.kind !== 'placeholder') return piece.kind === 'text' ? piece.text : '';
  const { name, place } = piece;
  if (place === null) return given[z.enum(['model', 'key', 'id']).parse(name)];
  const words = new Map(Object.entries(given.words?.[place] ?? {}));
  const found = valuesAt(given.input, place).map(value =>
    words.has(String(value)) ? words.get(String(value)) : value,
  );
  if (place.includes('[*]')) return found.length > 0 ? found : undefined;
  return found[0];
}

/** The same in an address, where every value is a part of one. */
export const fillPath = (template: string, { model, ...given }: PlaceholderValues): string =>
  String(
    fillTemplate(template, {
      ...given,
      model: model.split('/').map(encodeURIComponent).join('/'),
      ...(given.id !== undefined && { id: encodeURIComponent(given.id) }),
    }),
  );
