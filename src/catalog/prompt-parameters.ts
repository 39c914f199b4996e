/** Reads prompts with weights and parameters such as `--no text --seed 7` (Contract 2.4). */

import type { PromptParameters } from '../../engine/src/render-plan.ts';
import { expandBraces, type PromptCharacter } from './prompt-variants.ts';

/** Jobs that one prompt may make by variants and --repeat together; Contract 2.4 bounds --repeat alone by it. */
const maxBilledJobs = 40;
/** Of a segment and of a style reference, in either direction. The contract bounds the sum alone. */
const maxWeight = 1000;

/** One of the prompts that the braces of a prompt stand for. */
export interface PromptVariant {
  /** The prompt itself, with its parameters but for --repeat. */
  readonly text: string;
  /** The names of its parameters in small letters, unknown ones too. */
  readonly names: readonly string[];
  /** The parts between `::`; the weights add up to more than 0. None where the prompt is parameters alone. */
  readonly segments: readonly { readonly text: string; readonly weight: number }[];
  readonly parameters: PromptParameters;
}

/** A prompt as it was read, or why it is malformed. */
export type ReadPrompt =
  | {
      readonly kind: 'read';
      /** At least one. */
      readonly variants: readonly PromptVariant[];
      /** Contract 2.4: variants are billed separately, and so is each repetition. */
      readonly billedJobs: number;
    }
  /** A reason that follows the name of the field. */
  | { readonly kind: 'broken'; readonly reason: string };

/** Reads words, weights, variants and parameters; positions count code points, from 1. */
export function readPrompt(prompt: string, { needsWords = false } = {}): ReadPrompt {
  const expanded = expandBraces(prompt, maxBilledJobs);
  if (expanded.kind === 'broken') return expanded;
  const variants: PromptVariant[] = [];
  for (const characters of expanded.variants) {
    const read = readVariant(characters, needsWords);
    if ('reason' in read) return { kind: 'broken', reason: read.reason };
    variants.push(read);
  }
  const billedJobs = variants.reduce((sum, { parameters }) => sum + (parameters.repeat ?? 1), 0);
  return billedJobs > maxBilledJobs
    ? { kind: 'broken', reason: `must make at most ${maxBilledJobs} jobs, found ${billedJobs}` }
    : { kind: 'read', variants, billedJobs };
}

/** Why a prompt is malformed. */
interface PromptError {
  readonly reason: string;
}

/** A run of characters without spaces, and where it begins. */
interface Token {
  readonly text: string;
  readonly at: number;
}

const promptErrorAt = (reason: string, at: number): PromptError => ({
  reason: `${reason} at character ${at}`,
});

/** Words end at the first parameter: Contract 2.4 wants parameters at the end of the prompt. */
function readVariant(
  characters: readonly PromptCharacter[],
  needsWords: boolean,
): PromptVariant | PromptError {
  const tokens = tokensOf(characters);
  const first = tokens.findIndex(isName);
  const startsAt = first === -1 ? Number.POSITIVE_INFINITY : tokens[first]!.index;
  const words = characters.slice(0, startsAt);
  const segments = readSegments(words, needsWords);
  if ('reason' in segments) return segments;
  const written = first === -1 ? [] : tokens.slice(first);
  const read = readParameters(written);
  if ('reason' in read) return read;
  const names = written.filter(isName).map(({ text }) => text.toLowerCase());
  const text = [textOf(words), ...withoutRepeat(written)].filter(part => part !== '').join(' ');
  return { text, names, segments, parameters: read.parameters };
}

const textOf = (characters: readonly PromptCharacter[]): string =>
  characters
    .map(({ text }) => text)
    .join('')
    .trim();

/** The tokens without --repeat, because each repetition is a variant. */
const withoutRepeat = (tokens: readonly Token[]): readonly string[] => {
  let isRepeat = false;
  return tokens.flatMap(token => {
    if (isName(token)) isRepeat = byName.get(token.text.toLowerCase())?.names.includes('--repeat') ?? false;
    return isRepeat ? [] : token.text;
  });
};

/**
 * The runs between spaces. Each knows its place in the prompt, for errors, and among the characters, to cut
 * there.
 */
function tokensOf(
  characters: readonly PromptCharacter[],
): readonly (Token & { /** Place among the characters. */ readonly index: number })[] {
  const tokens: { text: string; at: number; index: number }[] = [];
  let open: (typeof tokens)[number] | null = null;
  for (const [index, { text, at }] of characters.entries()) {
    if (/\s/u.test(text)) open = null;
    else if (open) open.text += text;
    else {
      open = { text, at, index };
      tokens.push(open);
    }
  }
  return tokens;
}

/** `--5` and a dash between words are none. */
const isName = ({ text }: Token): boolean => /^--[a-z]/i.test(text);

/** Contract 2.4: `words`, `words:: words`, `words::2 words::-0.5`. */
function readSegments(
  characters: readonly PromptCharacter[],
  needsWords: boolean,
): PromptVariant['segments'] | PromptError {
  const segments: { readonly text: string; readonly weight: number }[] = [];
  let words = '';
  for (let index = 0; index < characters.length; index++) {
    const { text, at } = characters[index]!;
    if (text !== ':' || characters[index + 1]?.text !== ':') {
      words += text;
      continue;
    }
    if (words.trim() === '') return promptErrorAt('must have words before ::', at);
    const weight = readWeight(characters, index + 2);
    if (weight.value === null || Math.abs(weight.value) > maxWeight)
      return promptErrorAt(
        `a weight must be a number between -${maxWeight} and ${maxWeight}, found ${weight.written}`,
        at,
      );
    segments.push({ text: words.trim(), weight: weight.value });
    words = '';
    index = weight.end - 1;
  }
  if (words.trim() !== '') segments.push({ text: words.trim(), weight: 1 });
  if (segments.length === 0)
    return needsWords ? promptErrorAt('must have words before the parameters', 1) : [];
  // Weights are decimal fractions: what is left of 0.1 + 0.2 - 0.3 is nothing.
  if (segments.reduce((sum, { weight }) => sum + weight, 0) < 1e-9)
    return { reason: 'the weights must add up to more than 0' };
  return segments;
}

/** What follows `::` up to a space, when it begins like a number; 1 when it does not. */
function readWeight(characters: readonly PromptCharacter[], start: number) {
  let end = start;
  while (end < characters.length && !/[\s:]/u.test(characters[end]!.text)) end++;
  const written = truncated(
    characters
      .slice(start, end)
      .map(({ text }) => text)
      .join(''),
  );
  return /^[-+]?\.?\d/.test(written)
    ? { value: decimalOf(written), written, end }
    : { value: 1, written, end: start };
}

/** Null: it is none, such as `1e3`, `0x1` or `1.2.3`. */
const decimalOf = (text: string): number | null =>
  /^-?(?:\d+(?:\.\d+)?|\.\d+)$/.test(text) ? Number(text) : null;

/** A value as errors repeat it: a fault must not echo a prompt of thousands of characters. */
const truncated = (text: string): string =>
  text.length > 40 ? `${text.slice(0, 40).toWellFormed()}…` : text;

/**
 * What each known parameter says. A parameter given twice, or by both of its names, is a contradiction and is
 * refused.
 */
function readParameters(tokens: readonly Token[]): { readonly parameters: PromptParameters } | PromptError {
  let parameters: PromptParameters = {};
  const given = new Map<Parameter, string>();
  for (let index = 0; index < tokens.length; ) {
    const name = tokens[index++]!;
    const start = index;
    while (index < tokens.length && !isName(tokens[index]!)) index++;
    const parameter = byName.get(name.text.toLowerCase());
    // Decisions 9: of what the contract does not name the platform decides.
    if (!parameter) continue;
    const before = given.get(parameter);
    if (before !== undefined) {
      const how = before === name.text ? 'twice' : `beside ${before}`;
      return promptErrorAt(`${name.text} is given ${how}`, name.at);
    }
    given.set(parameter, name.text);
    const read = parameter.read(tokens.slice(start, index), name);
    if ('reason' in read) return read;
    parameters = { ...parameters, ...read.parameters };
  }
  return { parameters };
}

type Read = { readonly parameters: PromptParameters } | PromptError;

/** A parameter of Contract 2.4: its names in small letters, and how its values are read. */
interface Parameter {
  readonly names: readonly string[];
  readonly read: (values: readonly Token[], name: Token) => Read;
}

/** A parameter with exactly one value; `take` gives null for what is none. */
const single = (
  names: readonly string[],
  wants: string,
  take: (value: string) => PromptParameters | null,
): Parameter => ({
  names,
  read: ([value, extra], name) => {
    if (!value) return promptErrorAt(`${name.text} must be ${wants}, found nothing`, name.at);
    const parameters = take(value.text);
    if (!parameters)
      return promptErrorAt(`${name.text} must be ${wants}, found ${truncated(value.text)}`, value.at);
    return extra
      ? promptErrorAt(`${name.text} takes one value, found also ${truncated(extra.text)}`, extra.at)
      : { parameters };
  },
});

/** A parameter with one value or more, each taken by itself. */
const several = <Value>(
  names: readonly string[],
  wants: string,
  take: (value: string) => Value | null,
  give: (values: readonly Value[]) => PromptParameters,
): Parameter => ({
  names,
  read: (values, name) => {
    if (values.length === 0) return promptErrorAt(`${name.text} must be ${wants}, found nothing`, name.at);
    const taken: Value[] = [];
    for (const { text, at } of values) {
      const value = take(text);
      if (value === null) return promptErrorAt(`${name.text} must be ${wants}, found ${truncated(text)}`, at);
      taken.push(value);
    }
    return { parameters: give(taken) };
  },
});

/** Decisions 9: where the contract gives no bound, or only a common one, whatever is said goes through. */
const unbounded = (
  names: readonly string[],
  take: (value: string) => PromptParameters | null,
): Parameter => ({
  names,
  read: ([value, extra]) => ({ parameters: (value && !extra && take(value.text)) || {} }),
});

const unboundedNumber = (names: readonly string[], give: (value: number) => PromptParameters): Parameter =>
  unbounded(names, text => {
    const value = decimalOf(text);
    return value === null ? null : give(value);
  });

const integer = (
  names: readonly string[],
  min: number,
  max: number,
  give: (value: number) => PromptParameters,
): Parameter =>
  single(names, `an integer between ${min} and ${max}`, text =>
    /^\d+$/.test(text) && isWithin(Number(text), min, max) ? give(Number(text)) : null,
  );

const isWithin = (value: number, min: number, max: number): boolean => value >= min && value <= max;

const flag = (names: readonly string[], give: (name: string) => PromptParameters): Parameter => ({
  names,
  read: ([value], { text }) =>
    value
      ? promptErrorAt(`${text} takes no value, found ${truncated(value.text)}`, value.at)
      : { parameters: give(text) },
});

const webAddress = (text: string): string | null =>
  /^https?:\/\//i.test(text) && URL.canParse(text) ? text : null;

/** `source` or `source::weight`. */
function styleSource(text: string): { source: string; weight: number } | null {
  const mark = text.indexOf('::');
  const source = mark === -1 ? text : text.slice(0, mark);
  const weight = mark === -1 ? 1 : decimalOf(text.slice(mark + 2));
  const isSource = source === 'random' || /^\d{1,20}$/.test(source) || webAddress(source) !== null;
  return isSource && weight !== null && isWithin(weight, 0, maxWeight) ? { source, weight } : null;
}

/** Contract 2.4. */
const parameters: readonly Parameter[] = [
  unbounded(['--ar', '--aspect'], text => {
    const [, across, down] = /^([1-9]\d{0,3}):([1-9]\d{0,3})$/.exec(text) ?? [];
    return across && down ? { aspectRatio: { across: Number(across), down: Number(down) } } : null;
  }),
  unbounded(['--v', '--version'], version => ({ version })),
  unboundedNumber(['--iw'], imageWeight => ({ imageWeight })),
  flag(['--draft'], () => ({ draft: true })),
  {
    names: ['--no'],
    read: (values, name) => {
      const written = values.map(({ text }) => text).join(' ');
      const no = written.split(',').flatMap(word => word.trim() || []);
      return no.length > 0
        ? { parameters: { no } }
        : promptErrorAt('--no must be followed by what must not be seen', name.at);
    },
  },
  unboundedNumber(['--quality', '--q'], quality => ({ quality })),
  integer(['--repeat', '--r'], 1, 40, repeat => ({ repeat })),
  integer(['--seed'], 0, 4_294_967_295, seed => ({ seed })),
  integer(['--stop'], 10, 100, stop => ({ stop })),
  // Three names of one choice: a job has one speed.
  flag(['--relax', '--fast', '--turbo'], name => ({
    speed: /relax/i.test(name) ? 'relax' : /fast/i.test(name) ? 'fast' : 'turbo',
  })),
  unboundedNumber(['--stylize', '--s'], stylize => ({ stylize })),
  integer(['--chaos', '--c'], 0, 100, chaos => ({ chaos })),
  unboundedNumber(['--weird', '--w'], weird => ({ weird })),
  unbounded(['--style'], style => ({ style: style.toLowerCase() })),
  integer(['--exp'], 0, 100, exp => ({ exp })),
  flag(['--tile'], () => ({ tile: true })),
  several(
    ['--sref'],
    'image URLs, style codes or random, each with ::weight or without',
    styleSource,
    styleReferences => ({ styleReferences }),
  ),
  integer(['--sw'], 0, 1000, styleWeight => ({ styleWeight })),
  unboundedNumber(['--sv'], styleVersion => ({ styleVersion })),
  several(['--cref'], 'image URLs', webAddress, characterReferences => ({ characterReferences })),
  integer(['--cw'], 0, 100, characterWeight => ({ characterWeight })),
  single(['--oref'], 'an image URL', text => (webAddress(text) ? { omniReference: text } : null)),
  integer(['--ow'], 1, 1000, omniWeight => ({ omniWeight })),
];

const byName: ReadonlyMap<string, Parameter> = new Map(
  parameters.flatMap(parameter => parameter.names.map(name => [name, parameter] as const)),
);
