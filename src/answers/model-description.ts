/** What clients learn of a model: the line of a list, the whole description, and the verdict of a dry run. */

import { z } from 'zod';
import { quoteSchema } from './money.ts';
import { anyObject } from './values.ts';

/** What a list of models needs; the input is described apart, since its schema may be long. */
export const modelSummarySchema = z
  .object({
    id: z.string(),
    object: z.literal('model'),
    owned_by: z.string(),
    kind: z.enum(['video', 'image', 'speech']),
    family: z.string(),
    title: z.string(),
    summary: z.string(),
    accepts_callback: z.boolean(),
  })
  .meta({ id: 'ModelSummary', description: 'A model in the list of models.' });

/** `input_schema` is JSON Schema of what a creation accepts, made from the same schema that reads it. */
export const modelDescriptionSchema = z
  .object({
    ...modelSummarySchema.shape,
    limits: z.object({ max_body_bytes: z.int() }),
    input_schema: anyObject.describe('JSON Schema with hints for forms.'),
    rules: z
      .array(z.object({ says: z.string(), fields: z.array(z.string()) }))
      .describe('Constraints between fields, a sentence each.'),
    examples: z.array(z.unknown()),
  })
  .meta({ id: 'Model', description: 'All that a form, a document or a typed client needs of a model.' });

/** Models that the key may use. There are few, so the list has no pages. */
export const modelListSchema = z
  .object({ object: z.literal('list'), data: z.array(modelSummarySchema) })
  .meta({ id: 'ModelList', description: 'Every model that clients may use.' });

/** With the schema of every input, for tools that generate forms or types. */
export const modelCatalogSchema = z
  .object({ object: z.literal('list'), data: z.array(modelDescriptionSchema) })
  .meta({ id: 'ModelCatalog', description: 'Every model with its whole description.' });

/** An input that was checked and not run. `billed_jobs` is how many jobs a creation would count as. */
export const validationSchema = z
  .object({
    object: z.literal('validation'),
    model: z.string(),
    valid: z.literal(true),
    billed_jobs: z.int().describe('Jobs that the caller would pay for.'),
    quote: quoteSchema.nullable().describe('What it may cost at most; null: the model has no price.'),
  })
  .meta({ id: 'Validation', description: 'An input that would be accepted.' });
