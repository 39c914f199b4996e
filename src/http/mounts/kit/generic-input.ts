/** Translates the generic words of other protocols (`size`, `seconds`, `n`) into the fields of a model, by what each field means. */

import type { JsonObject } from '../../../body/json-body.ts';
import { formatFaults } from '../../../catalog/faults.ts';
import { type FieldMeaning, valueAt } from '../../../catalog/field-meaning.ts';
import type { Model } from '../../../catalog/model.ts';
import { type Refusal, refuse } from '../../../domain/refusal.ts';
import { withWantedSize } from './find-size.ts';
import { buildAround, faultsAt, schemaAt, withValue } from './schema-fields.ts';
import { spellings, withSpelledTexts } from './spellings.ts';

type RenderPlan = ReturnType<Model['render']>;

/** What a word of another protocol means. */
export type GenericWord =
  | 'prompt'
  | 'pictures'
  | 'negative_prompt'
  | 'seed'
  | 'sound'
  | 'seconds'
  | 'count'
  | 'voice'
  | 'speed'
  | 'format'
  | 'size'
  | 'aspect_ratio';

/** A picture in the request itself. */
export class GivenPicture {
  readonly bytes: Buffer;
  readonly mimeType: string;

  constructor(bytes: Buffer, mimeType: string) {
    this.bytes = bytes;
    this.mimeType = mimeType;
  }
}

/** The words of one endpoint of another protocol. */
export interface GenericWords {
  /** Its names, and what they mean. */
  readonly meanings: Readonly<Record<string, GenericWord>>;
  /** Values that ask for what happens anyway, by name; `any` for what has no effect here and is documented so. */
  readonly withoutEffect: Readonly<Record<string, readonly unknown[] | 'any'>>;
}

/**
 * The input of a model for the body of another protocol. Fields of the model itself pass through at the top level; a
 * value that is null or empty is read as omitted. Throws a 422 that names the first word that is neither.
 */
export function readGenericInput(model: Model, body: JsonObject, words: GenericWords): JsonObject {
  refuseLongAddresses(body);
  let input: JsonObject = {};
  const generic: { readonly param: string; readonly word: GenericWord; readonly value: unknown }[] = [];
  for (const [param, value] of Object.entries(body)) {
    if (value === null || value === '' || isWithoutEffect(words, param, value)) continue;
    const word = Object.hasOwn(words.meanings, param) ? words.meanings[param] : undefined;
    const own = ownValue(model, param, value, word !== undefined);
    if (own !== undefined) input = { ...input, [param]: own };
    else if (word !== undefined) generic.push({ param, word, value });
    else throw refuseWord(param, `${model.id} has no such field`);
  }
  // The size comes last: it is found by the plan of all the rest.
  generic.sort((a, b) => order.indexOf(a.word) - order.indexOf(b.word));
  const checks: PlanCheck[] = [];
  for (const { param, word, value } of generic)
    input = place({ model, input, checks }, { param, word, value });
  refuseUnmet(model, input, checks);
  return input;
}

/** Finding a size parses an input many times, and each time matches its addresses against patterns. */
const maxAddressLength = 16 * 1024;

function refuseLongAddresses(body: JsonObject): void {
  const [param] = Object.entries(body).find(([, value]) => hasLongAddress(value)) ?? [];
  if (param !== undefined)
    throw refuseWord(param, `an address may have at most ${maxAddressLength} characters`);
}

function hasLongAddress(value: unknown): boolean {
  if (typeof value === 'string') return value.length > maxAddressLength && /^(?:https?|asset):/i.test(value);
  if (typeof value !== 'object' || value === null || value instanceof GivenPicture) return false;
  return Object.values(value).some(hasLongAddress);
}

const order: readonly GenericWord[] = [
  ...(['prompt', 'pictures', 'negative_prompt', 'seed', 'sound', 'seconds', 'count'] as const),
  ...(['voice', 'speed', 'format', 'size', 'aspect_ratio'] as const),
];

const isWithoutEffect = ({ withoutEffect }: GenericWords, param: string, value: unknown): boolean => {
  const values = Object.hasOwn(withoutEffect, param) ? withoutEffect[param] : undefined;
  return values === 'any' || (values?.includes(value) ?? false);
};

/**
 * The value for a field of the model with that name. A word that is generic, too, is the field only where its value is
 * valid there (`"1280x720"` is not where the model writes `1280*720`).
 */
function ownValue(model: Model, name: string, value: unknown, isGeneric: boolean): unknown {
  if (!Object.hasOwn(model.schema.shape, name) || value instanceof GivenPicture) return undefined;
  const written = typeof value === 'object' ? [withSpelledTexts(model, name, value)] : spellings(value);
  // With one spelling there is nothing to choose, and admission names every fault.
  if (!isGeneric && written.length === 1) return written[0];
  const valid = written.find(spelling => faultsAt(model, { [name]: spelling }, name).length === 0);
  return valid ?? (isGeneric ? undefined : value);
}

/** A word that the model has no field for: it is good where it asks for what the model makes anyway. */
interface PlanCheck {
  readonly param: string;
  readonly holds: (plan: RenderPlan) => boolean;
}

/** An input that is being made. */
interface Making {
  readonly model: Model;
  readonly input: JsonObject;
  readonly checks: PlanCheck[];
}

/** A word of the request. */
interface GivenWord {
  readonly param: string;
  readonly word: GenericWord;
  readonly value: unknown;
}

/** The input with one more word. */
function place(making: Making, { param, word, value }: GivenWord): JsonObject {
  const { model, input } = making;
  switch (word) {
    case 'prompt':
      return placePrompt(model, input, param, value);
    case 'pictures':
      return [value]
        .flat()
        .reduce<JsonObject>((at, picture) => placePicture(model, at, param, picture), input);
    case 'size':
    case 'aspect_ratio':
      return placeSize(model, input, { param, word, value });
    default:
      return placeValue(making, { param, word, value }, meaningOf[word]);
  }
}

type ValueWord = Exclude<GenericWord, 'prompt' | 'pictures' | 'size' | 'aspect_ratio'>;
const meaningOf: Readonly<Record<ValueWord, FieldMeaning>> = {
  negative_prompt: 'negative_prompt',
  seed: 'seed',
  sound: 'sound',
  seconds: 'length',
  count: 'count',
  voice: 'voice',
  speed: 'speed',
  format: 'format',
};

/** The fields with a meaning but for the text itself, in which some models read a speed or a seed. */
const fieldsOf = (model: Model, meaning: FieldMeaning): readonly string[] =>
  model.fieldsFor(meaning).filter(path => !model.fieldsFor('words').includes(path));

/** A value for the first field with the meaning that accepts it, in one of its spellings. */
function placeValue({ model, input, checks }: Making, given: GivenWord, meaning: FieldMeaning): JsonObject {
  const { param, value } = given;
  const placed = fieldsOf(model, meaning).flatMap(path =>
    spellings(value).map(spelling => {
      const candidate = withValue(input, path, spelling);
      return { candidate, faults: faultsAt(model, candidate, path) };
    }),
  );
  const valid = placed.find(({ faults }) => faults.length === 0);
  if (valid) return valid.candidate;
  // The last spelling is the number: its fault names the bounds.
  const fault = placed.at(-1)?.faults[0];
  if (fault) throw refuseWord(param, fault.reason);
  const holds = planCheckOf(given);
  if (!holds) throw refuseWord(param, `${model.id} has no field for it`);
  checks.push({ param, holds });
  return input;
}

/** Whether a plan has the value of a word already; null for a word that no plan shows. */
function planCheckOf({ word, value }: GivenWord): PlanCheck['holds'] | null {
  const number = Number(value);
  switch (word) {
    case 'seconds':
      return plan => plan.kind === 'video' && Math.abs(secondsOf(plan) - number) < 0.05;
    case 'count':
      return plan => (plan.kind === 'image' ? plan.count : 1) === number;
    case 'speed':
      return plan => plan.kind === 'speech' && plan.speed === number;
    case 'format':
      return plan => plan.kind === 'speech' && plan.format === value;
    case 'sound':
      return plan => plan.kind === 'video' && String(plan.sound) === String(value);
    default:
      return null;
  }
}

/** The length of a planned video. */
export const secondsOf = ({ shots }: Extract<RenderPlan, { readonly kind: 'video' }>): number =>
  shots.reduce((sum, { seconds }) => sum + seconds, 0);

/** Throws where the model makes something else than a word without a field asks for. */
function refuseUnmet(model: Model, input: JsonObject, checks: readonly PlanCheck[]): void {
  if (checks.length === 0) return;
  const parsed = model.parse(input);
  // Admission refuses an invalid input with all its faults.
  if (!parsed.ok) return;
  const plan = model.render(parsed.input);
  const unmet = checks.find(({ holds }) => !holds(plan));
  if (unmet) throw refuseWord(unmet.param, `${model.id} has no field for it, and makes something else`);
}

/** The text, in the field for it or as one more item of its list. */
function placePrompt(model: Model, input: JsonObject, param: string, value: unknown): JsonObject {
  const [path] = model.fieldsFor('words');
  if (path === undefined) throw refuseWord(param, `${model.id} takes no text`);
  if (typeof value !== 'string') throw refuseWord(param, 'must be a string');
  return placeContent({ model, input, path }, 'text', [value]) ?? withValue(input, path, value);
}

/** A picture: an address, a data URL or the id of a file, or the bytes in the spelling that the field accepts. */
function placePicture(model: Model, input: JsonObject, param: string, picture: unknown): JsonObject {
  const [path] = model.fieldsFor('media');
  if (path === undefined) throw refuseWord(param, `${model.id} takes no picture`);
  const made = picturesOf(picture, param).flatMap(text => {
    const candidate = placeContent({ model, input, path }, 'picture', [text]);
    return candidate ? [{ candidate, faults: faultsAt(model, candidate, path) }] : [];
  });
  const valid = made.find(({ faults }) => faults.length === 0) ?? made[0];
  if (!valid) throw refuseWord(param, `${model.id} takes no picture, or no more of them`);
  if (valid.faults.length > 0) throw refuseWord(param, formatFaults(valid.faults));
  return valid.candidate;
}

/** How a picture may be written in an input. */
function picturesOf(picture: unknown, param: string): readonly string[] {
  if (picture instanceof GivenPicture) {
    const base64 = picture.bytes.toString('base64');
    return [`data:${picture.mimeType};base64,${base64}`, base64];
  }
  const address = ['image_url', 'file_id', 'url'].map(name => valueAt(picture, name)).find(isText) ?? picture;
  if (!isText(address)) throw refuseWord(param, 'must be a file, an address, a data URL or the id of a file');
  const [, inner] = /^data:[^,]*;base64,(.*)$/s.exec(address) ?? [];
  return inner === undefined ? [address] : [address, inner];
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Where content is placed. */
interface Place {
  readonly model: Model;
  readonly input: JsonObject;
  readonly path: string;
}

/** The input with more content in a list, or in a field of its own; null where there is no room for it. */
function placeContent({ model, input, path }: Place, leaf: 'text' | 'picture', values: readonly string[]) {
  const schema = schemaAt(model.schema, path);
  if (!schema) return null;
  const before = valueAt(input, path);
  const { def } = schema._zod;
  if (def.type !== 'array') {
    const [only] = values;
    return before === undefined && leaf === 'picture' ? withValue(input, path, only) : null;
  }
  const items = values.map(value => buildAround(def.element, leaf, value));
  if (items.includes(undefined)) return null;
  return withValue(input, path, [...(Array.isArray(before) ? before : []), ...items]);
}

/** `1280x720` or `auto`; `16:9`. */
function placeSize(model: Model, input: JsonObject, { param, word, value }: GivenWord): JsonObject {
  if (value === 'auto') return input;
  const form = word === 'size' ? /^(\d{2,5})[x*×](\d{2,5})$/i : /^(\d{1,5}):(\d{1,5})$/;
  const [, across, down] = form.exec(String(value)) ?? [];
  if (across === undefined || Number(down) === 0)
    throw refuseWord(
      param,
      `must be ${word === 'size' ? 'WIDTHxHEIGHT in pixels' : 'such as 16:9'}, or auto`,
    );
  const [width, height] = [Number(across), Number(down)];
  return withWantedSize(
    model,
    input,
    word === 'size' ? { param, size: [width, height] } : { param, ratio: width / height },
  );
}

/** The 422 of a word. */
export const refuseWord = (param: string, reason: string): Refusal =>
  refuse('input_invalid', { subject: `${param}: ${reason}`, fields: [param] });
