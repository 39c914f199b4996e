/** Expands `{a,b}` in a prompt into its variants (Contract 2.4). */

/** A code point of a prompt and where it stood before its braces were expanded, from 1. */
export interface PromptCharacter {
  readonly text: string;
  readonly at: number;
}

/** The variants of a prompt, or why its braces are malformed. */
export type ExpandedPrompt =
  | { readonly kind: 'expanded'; readonly variants: readonly (readonly PromptCharacter[])[] }
  /** A reason that follows the name of the field. */
  | { readonly kind: 'broken'; readonly reason: string };

/** Deeper is never meant, and would go as deep into the stack. */
const maxDepth = 10;

/** A character, or a place where one of several runs stands. */
type Piece = PromptCharacter | Choice;

/** `{a,b}`: one of several runs of pieces. */
interface Choice {
  readonly options: readonly (readonly Piece[])[];
}

/** Braces, not a character. */
const isChoice = (piece: Piece): piece is Choice => 'options' in piece;

/**
 * Contract 2.4: `{a,b}` stands for two prompts, one with each; braces may be nested.
 * `\{`, `\}`, `\,` and `\\` mean the character itself.
 */
export function expandBraces(prompt: string, maxVariants: number): ExpandedPrompt {
  const characters = Array.from(prompt, (text, index) => ({ text, at: index + 1 }));
  const read = readRun(characters, 0, null, 0);
  if ('reason' in read) return { kind: 'broken', reason: read.reason };
  // Counted before anything is expanded: a few dozen braces stand for more prompts than fit in memory.
  const count = countVariants(read.pieces);
  return count > maxVariants
    ? {
        kind: 'broken',
        reason: `must make at most ${maxVariants} jobs, found ${formatCount(count)} variants`,
      }
    : { kind: 'expanded', variants: variantsOf(read.pieces) };
}

/** What was read up to a mark that ends it. */
interface Run {
  readonly pieces: readonly Piece[];
  /** The index of what ended it: a comma, a closing brace or the end of the prompt. */
  readonly end: number;
}

/** Why braces are malformed; follows the name of the field. */
interface BraceError {
  readonly reason: string;
}

/** Pieces up to the end of an option; up to the end of the prompt outside every brace. */
function readRun(
  characters: readonly PromptCharacter[],
  start: number,
  opening: PromptCharacter | null,
  depth: number,
): Run | BraceError {
  const pieces: Piece[] = [];
  for (let index = start; index < characters.length; index++) {
    const character = characters[index]!;
    switch (character.text) {
      case '\\': {
        const next = characters[index + 1];
        const isEscape = next !== undefined && '{},\\'.includes(next.text);
        pieces.push(isEscape ? { text: next.text, at: character.at } : character);
        if (isEscape) index++;
        break;
      }
      case '{': {
        if (depth === maxDepth)
          return {
            reason: `braces must be at most ${maxDepth} deep, found another at character ${character.at}`,
          };
        const choice = readChoice(characters, index, depth + 1);
        if ('reason' in choice) return choice;
        pieces.push(choice.choice);
        index = choice.end;
        break;
      }
      case '}':
        if (opening) return { pieces, end: index };
        return { reason: `found } without { at character ${character.at}` };
      case ',':
        if (opening) return { pieces, end: index };
        pieces.push(character);
        break;
      default:
        pieces.push(character);
    }
  }
  return opening
    ? { reason: `found { without } at character ${opening.at}` }
    : { pieces, end: characters.length };
}

/** From an opening brace to its closing one, whose index is `end`. */
function readChoice(
  characters: readonly PromptCharacter[],
  start: number,
  depth: number,
): { readonly choice: Choice; readonly end: number } | BraceError {
  const options: (readonly Piece[])[] = [];
  const opening = characters[start]!;
  for (let index = start + 1; ; ) {
    const run = readRun(characters, index, opening, depth);
    if ('reason' in run) return run;
    options.push(run.pieces);
    if (characters[run.end]!.text === '}') {
      const isEmpty = options.length === 1 && run.pieces.length === 0;
      return isEmpty
        ? { reason: `found empty braces at character ${opening.at}` }
        : { choice: { options }, end: run.end };
    }
    index = run.end + 1;
  }
}

/** A product over braces beside each other, a sum over the options of one. */
const countVariants = (pieces: readonly Piece[]): number =>
  pieces
    .filter(isChoice)
    .reduce(
      (product, { options }) => product * options.reduce((sum, option) => sum + countVariants(option), 0),
      1,
    );

/** A figure for the error sentence, which may be astronomical. */
const formatCount = (count: number): string => (count > 1e6 ? 'more than a million' : String(count));

/** In the order of writing, the last braces changing fastest. */
function variantsOf(pieces: readonly Piece[]): readonly (readonly PromptCharacter[])[] {
  let variants: PromptCharacter[][] = [[]];
  for (const piece of pieces) {
    const options = isChoice(piece) ? piece.options.flatMap(variantsOf) : [[piece]];
    const [only] = options;
    // The common case adds in place: copying each variant for each character would be quadratic.
    if (only && options.length === 1) for (const variant of variants) variant.push(...only);
    else variants = variants.flatMap(variant => options.map(option => [...variant, ...option]));
  }
  return variants;
}
