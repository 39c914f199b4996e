/** What clients see of money: quotes, costs and balances. Amounts are decimal strings. */

import { z } from 'zod';
import { usageUnits } from '../domain/usage.ts';
import { amount } from './values.ts';

const currency = z.string().describe('ISO 4217.');
/** One line of a quote or a cost; `price` is an amount. */
const line = { unit: z.enum(usageUnits), quantity: z.number(), price: z.string().describe('Of one unit.') };

/** Operations, "Money": the answer of a dry run has it. */
export const quoteSchema = z
  .object({ amount, currency, lines: z.array(z.object(line)), price_version: z.string() })
  .meta({ id: 'Quote', description: 'What a job may cost at most.' });

/** Operations, "Money": results, callbacks and `GET /v1/jobs/{id}` have it once the job is settled. */
export const costSchema = z
  .object({
    amount,
    currency,
    lines: z.array(
      z.object({
        ...line,
        basis: z.enum(['reported', 'computed']).describe('By the upstream, or here from input and files.'),
      }),
    ),
  })
  .meta({ id: 'Cost', description: 'What a job cost, once it is settled.' });

/** Operations, "Money": an object of texts, wherever it is shown. */
export const tagsSchema = z
  .record(z.string(), z.string())
  .describe('Names and values of the `Atelier-Tags` header of the creation.');

/** What is left is what neither was spent nor is held for a job. */
const balanceSchema = z
  .object({
    name: z.string(),
    limit: amount.nullable().describe('Null: no limit.'),
    spent: amount,
    held: amount.describe('What unfinished jobs may cost at most.'),
    uncertain: amount.describe('Held for submissions whose outcome is unknown.'),
    available: amount.nullable().describe('limit - spent - held - uncertain; null: no limit.'),
  })
  .meta({ id: 'AccountBalance', description: 'The budget of a project or a key.' });

/** The balance of the project, and of the key where it has a limit of its own. */
export const balancesSchema = z
  .object({
    currency: currency.nullable().describe('Null: no prices are set.'),
    project: balanceSchema,
    key: balanceSchema.nullable().describe('Null: the key has no limit of its own.'),
  })
  .meta({ id: 'Balance', description: 'What a key may still spend.' });
