/** The words that most protocols have in common, for models without a table of their own, by what their fields mean. */

import type { FieldMeaning } from '../../../catalog/field-meaning.ts';
import type { Model } from '../../../catalog/model.ts';
import { schemaAt } from './schema-fields.ts';
import { listOf, numberOf, type Translation, type Word, without } from './translate.ts';

/** What a word means, and the kinds of fields that take its value as it is. */
interface CommonWord {
  readonly means: FieldMeaning;
  readonly types: readonly string[];
  readonly as?: Word['as'];
}

const texts = ['string', 'enum', 'union'];
const numbers = ['number', 'int', 'enum', 'union', 'literal'];
const count: CommonWord = { means: 'count', types: numbers };
const picture: CommonWord = { means: 'media', types: ['string', 'array'] };

const commonWords: Readonly<Record<string, CommonWord>> = {
  prompt: { means: 'words', types: texts },
  text: { means: 'words', types: texts },
  negative_prompt: { means: 'negative_prompt', types: texts },
  duration: { means: 'length', types: numbers, as: numberOf },
  seed: { means: 'seed', types: numbers },
  voice: { means: 'voice', types: texts },
  voice_id: { means: 'voice', types: texts },
  num_images: count,
  num_outputs: count,
  image: picture,
  image_url: picture,
};

/** Words for one: a model without a field for the number makes one. */
const ofOne = { num_images: 1, num_outputs: 1 };

/** The words that a model has a field for and does not use itself. Every other name goes on as it is. */
export function genericWords(model: Model): Translation {
  const words = Object.entries(commonWords).flatMap(([name, { means, types, as }]) => {
    if (Object.hasOwn(model.schema.shape, name)) return [];
    const to = model.fieldsFor(means).find(path => types.includes(typeAt(model, path)));
    if (to === undefined) return [];
    const isList = typeAt(model, to) === 'array';
    return [[name, { to, ...(isList ? { as: listOf } : as && { as }) }] as const];
  });
  const known = new Set(words.map(([name]) => name));
  const always = Object.fromEntries(Object.entries(ofOne).filter(([name]) => !known.has(name)));
  return { words: Object.fromEntries(words), prepare: input => without(input, always) };
}

/** The kind of the field at a path, as the schema library names it; empty where there is none. */
const typeAt = ({ schema }: Model, path: string): string => schemaAt(schema, path)?._zod.def.type ?? '';
