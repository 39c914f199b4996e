/** Arguments that several MCP tools share. */

import { z } from 'zod';
import { toJson } from '../../domain/json.ts';
import { ToolFailed } from './tool-failed.ts';

/** Arguments that several tools take, with the words that a model reads. */
export const modelId = z.string().min(1).max(200).describe('The id of a model, from list_models.');
export const requestId = z.string().min(1).max(200).describe('The id of a job, from submit_job or generate.');

/** As text it keeps every digit, which an object of JSON does not in every program on the way. */
export const inputOfModel = z
  .union([z.looseObject({}), z.string()])
  .describe(
    'What describe_model says. An object, or the same as JSON text: for whole numbers beyond 2^53, whose digits an object would lose.',
  );

export const idempotencyKey = z
  .string()
  // As the header takes it.
  .regex(/^[\x21-\x7e]{1,255}$/, { error: 'must be 1 to 255 printable ASCII characters' })
  .optional()
  .describe(
    'Any text of your own, of printable ASCII characters. The same one with the same input gives the first job again, so a call whose answer was lost can be repeated.',
  );

/** The JSON text of an input; a number that came without its digits is never sent on. */
export function jsonOf(input: z.output<typeof inputOfModel>): string {
  if (typeof input === 'string') return input;
  refuseLostDigits(input);
  return toJson(input);
}

/** Throws for integers beyond 2^53, which JSON parsing has already rounded. */
function refuseLostDigits(value: unknown): void {
  if (typeof value === 'object' && value !== null)
    for (const member of Object.values(value)) refuseLostDigits(member);
  if (typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value)) return;
  throw new ToolFailed(`input: the digits of ${value} were lost on the way here`, {
    next: 'Send the input as JSON text instead of an object.',
  });
}
