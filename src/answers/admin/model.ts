/** Models in the playground of the console, and what a run or a dry run there answers. */

import { z } from 'zod';
import { useRoles } from '../../catalog/result-uses.ts';
import { mountNames } from '../../domain/mounts.ts';
import { modelDescriptionSchema, modelSummarySchema } from '../model-description.ts';
import { quoteSchema } from '../money.ts';
import { listOf } from '../values.ts';
import { costSchema, percentilesSchema } from './usage.ts';

/** `run_ms` is what the playground shows as the usual wait. */
export const modelLineSchema = z
  .object({
    ...modelSummarySchema.shape,
    takes: z
      .array(z.string())
      .describe('Kinds of media that it makes a result from; `job`: a picture, named by its job.'),
    run_ms: percentilesSchema
      .nullable()
      .describe('Of the last seven days; null where no job of it completed.'),
    price: z
      .array(
        z.object({
          when: z
            .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
            .describe('Fields of the input.'),
          units: z.record(z.string(), z.number()).describe('Price by unit.'),
        }),
      )
      .nullable()
      .describe('Tiers, of which the first that fits counts; null where none is set.'),
    currency: z.string().nullable(),
    example_cost: costSchema.nullable().describe('What the first example would cost; null without a price.'),
    uses: z
      .array(
        z.object({
          role: z.enum(useRoles),
          kind: z.enum(['image', 'video', 'audio']).describe('Of the file.'),
          path: z.string().describe('Where its id goes; `-` is a further item of a list.'),
          beside: z.record(z.string(), z.string()).exactOptional().describe('Members beside it in its item.'),
        }),
      )
      .describe('What an earlier result can be in an input.'),
  })
  .meta({ id: 'AdminModelLine', description: 'A model in the list of the playground.' });

/** Those that are served at present. */
export const modelLineListSchema = listOf(modelLineSchema).meta({ id: 'AdminModelList' });

/** The description that clients have, and the protocols beside ours by which the model can be called. */
export const consoleModelSchema = z
  .object({
    ...modelDescriptionSchema.shape,
    mounts: z.array(z.enum(mountNames)).describe('Those that `atelier.yaml` does not switch off.'),
  })
  .meta({ id: 'AdminModel', description: 'A model in the playground.' });

/** Of a dry run: nothing is stored, and no upstream is called. */
export const runValidationSchema = z
  .object({
    object: z.literal('validation'),
    valid: z.literal(true),
    billed_jobs: z.int(),
    estimate: costSchema.nullable().exactOptional().describe('Null where the model has no price.'),
    quote: quoteSchema.nullable().describe('What a run may cost at most; null where the model has no price.'),
  })
  .meta({ id: 'AdminValidation', description: 'An input that a run would accept.' });

/** A job of the console's own key. */
export const runSchema = z
  .object({
    object: z.literal('job'),
    request_id: z.string(),
    model: z.string(),
    queue_position: z.int(),
  })
  .meta({ id: 'AdminRun', description: 'A job that the console created.' });

/** A model in the list of the playground. */
export type ModelLine = z.infer<typeof modelLineSchema>;

/** A model in the playground. */
export type ConsoleModel = z.infer<typeof consoleModelSchema>;
