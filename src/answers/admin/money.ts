/** Money as operators see it: accounts, entries of the journal, and the check of the books. */

import { z } from 'zod';
import { accountKinds, entryKinds } from '../../domain/money-entry.ts';
import { spendBreakdowns } from '../../domain/spend.ts';
import { amount, listOf, pageOf, unixSeconds } from '../values.ts';

/** The account of a project, a key or a tag, or of one month of it. */
export const moneyAccountSchema = z
  .object({
    object: z.literal('money_account'),
    id: z.string(),
    kind: z.enum(accountKinds),
    owner: z.string().describe('Id of the project, key or tag.'),
    name: z.string(),
    period: z.string().nullable().describe('Month of UTC such as 2026-12; null: for ever.'),
    limit: amount.nullable(),
    month_limit: amount.nullable().describe('The limit of the account of each month.'),
    floor: amount,
    spent: amount,
    held: amount,
    uncertain: amount,
    available: amount.nullable(),
    entries: z.int(),
  })
  .meta({ id: 'AdminMoneyAccount', description: 'The budget of a project, a key or a tag.' });

export const moneyAccountListSchema = listOf(moneyAccountSchema).meta({ id: 'AdminMoneyAccountList' });

/** One entry. Entries of an account are numbered and chained by `hash`. */
export const moneyEntrySchema = z
  .object({
    object: z.literal('money_entry'),
    id: z.string().describe('For `after`: the page behind this entry.'),
    account: z.string(),
    number: z.int(),
    at: unixSeconds,
    kind: z.enum(entryKinds),
    amount,
    cost: amount.nullable().describe('Of a charge: what the job cost the house.'),
    counter: z.string().describe('The account on the other side.'),
    request_id: z.string().nullable(),
    actor: z.string(),
    reason: z.string().nullable(),
    hash: z.string(),
  })
  .meta({ id: 'AdminMoneyEntry', description: 'One line of the journal.' });

export const moneyEntryPageSchema = pageOf(moneyEntrySchema).meta({ id: 'AdminMoneyEntryPage' });

/** The answer to a top-up or an adjustment, also to a repeated one. */
export const postedEntrySchema = z
  .object({
    object: z.literal('money_posting'),
    repeated: z.boolean().describe('The idempotency key was used before: nothing was changed.'),
    account: z.string().exactOptional().describe('Absent of a job, which several accounts may pay for.'),
    available: amount.nullable().exactOptional(),
    request_id: z.string().exactOptional(),
    charged: amount.exactOptional().describe('What the job costs now.'),
  })
  .meta({ id: 'AdminMoneyPosting', description: 'What a top-up or adjustment did.' });

/** The verdict on the books. */
export const moneyCheckSchema = z
  .object({
    ok: z.boolean(),
    accounts: z.int(),
    entries: z.int(),
    open_holds: z.int(),
    faults: z.array(z.string()).exactOptional().describe('What does not add up; absent where all does.'),
  })
  .meta({ id: 'AdminMoneyCheck', description: 'Every balance, summed anew from entries and holds.' });

export const spendSchema = z
  .object({
    object: z.literal('money_spend'),
    by: z.enum(spendBreakdowns),
    from: unixSeconds,
    to: unixSeconds,
    data: z.array(
      z.object({
        name: z.string().describe('Id, day or `name=value`; empty: jobs without one.'),
        label: z.string(),
        jobs: z.int(),
        amount,
        cost: amount.nullable().describe('What they cost the house; null: no `cost` is set in their prices.'),
        margin: amount.nullable().describe('Charged beyond the cost, of the jobs whose cost is known.'),
        currency: z.string(),
      }),
    ),
    truncated: z.boolean().describe('There are more lines: choose fewer days.'),
  })
  .meta({ id: 'AdminMoneySpend', description: 'What jobs that ended in that time were charged.' });

/** An amount for each unit. */
const units = z.record(z.string(), z.number());

export const priceBookSchema = z
  .object({
    object: z.literal('price_book'),
    currency: z.string().nullable().describe('Null: no prices are set.'),
    hold: z.boolean().describe('Whether creations are held against limits.'),
    unpriced: z.enum(['refuse', 'free']),
    version: z.string().nullable(),
    models: z.array(
      z.object({
        model: z.string(),
        tiers: z.array(
          z.object({
            when: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
            units: units.describe('Price of one unit.'),
            max: units.describe('The most of a unit that one job can use.'),
            cost: units.nullable().describe('What a unit costs the house.'),
          }),
        ),
      }),
    ),
    held_versions: z
      .array(z.object({ version: z.string(), jobs: z.int() }))
      .describe('Versions that unfinished jobs are held under.'),
  })
  .meta({ id: 'AdminPriceBook', description: 'The prices that count now.' });

/** Limit and figures of the present period. */
const budget = {
  id: z.string(),
  name: z.string(),
  limit: amount.nullable().describe('Null: no limit.'),
  monthly: z.boolean().describe('Whether limit and figures are those of the present month of UTC.'),
  floor: amount,
  spent: amount,
  held: amount,
  uncertain: amount,
  available: amount.nullable(),
};

/** A project with the figures of its present period. */
export const projectSchema = z
  .object({ object: z.literal('project'), ...budget, created_at: unixSeconds })
  .meta({ id: 'AdminProject', description: 'A project and its budget.' });

export const projectListSchema = listOf(projectSchema).meta({ id: 'AdminProjectList' });

/** A tag such as `campaign=spring` with the figures of its present period. */
export const tagBudgetSchema = z
  .object({ object: z.literal('tag'), ...budget })
  .meta({ id: 'AdminTagBudget', description: 'The budget of a tag.' });

export const tagBudgetListSchema = listOf(tagBudgetSchema).meta({ id: 'AdminTagBudgetList' });

/** A tag and its budget. */
export type TagBudgetLine = z.infer<typeof tagBudgetSchema>;

/** A project and its budget. */
export type ProjectLine = z.infer<typeof projectSchema>;

/** One line of the journal. */
export type MoneyEntry = z.infer<typeof moneyEntrySchema>;

/** A price book tried on completed jobs. */
export const priceDryRunSchema = z
  .object({
    object: z.literal('price_dry_run'),
    from: unixSeconds,
    to: unixSeconds,
    currency: z.string(),
    version: z.string().describe('Of the candidate.'),
    present_version: z.string().nullable().describe('Null: no prices are set.'),
    jobs: z.int().describe('Completed in that time, and not pruned yet.'),
    data: z.array(
      z.object({
        model: z.string(),
        jobs: z.int(),
        unpriced_jobs: z.int().describe('Without a price in the candidate.'),
        charged: amount.describe('What they were charged.'),
        present: amount.describe('What they would be charged by the present prices.'),
        candidate: amount,
        difference: amount.describe('candidate - present'),
        cost: amount.nullable().describe('What they would cost the house; null: the candidate has no cost.'),
      }),
    ),
    truncated: z.boolean().describe('Only the newest jobs were looked at.'),
  })
  .meta({ id: 'AdminPriceDryRun', description: 'What jobs would have been charged by other prices.' });

/** What jobs would have been charged by other prices. */
export type PriceDryRun = z.infer<typeof priceDryRunSchema>;

/** What jobs that ended in a time were charged. */
export type SpendBody = z.infer<typeof spendSchema>;

/** The prices that count now. */
export type PriceBook = z.infer<typeof priceBookSchema>;
