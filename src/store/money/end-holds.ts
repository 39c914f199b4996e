/** How a hold ends, in the transaction that ends its job: settled, released, or kept while a submission is uncertain. */
import type { JobId } from '../../domain/ids.ts';
import { toJson } from '../../domain/json.ts';
import type { Micros } from '../../domain/money.ts';
import type { EntryKind } from '../../domain/money-entry.ts';
import { type Cost, costBody, costOf, type Quote, wholeCostOf } from '../../domain/prices.ts';
import { type Usage, usageUnits } from '../../domain/usage.ts';
import type { Statements } from '../db/connection.ts';
import { integer, oneOf } from '../db/rows.ts';
import { availableOf, lockAccount } from './accounts.ts';
import { appendEntry } from './entries.ts';
import { insertHold, type OpenHold, readOpenHold } from './holds.ts';

/** What a job that ended is charged for. */
export type Charge =
  /** What it used. */
  | { readonly kind: 'used'; readonly usage: readonly Usage[] }
  /** All of it: what its upstream reports, and what was quoted of every other unit. */
  | { readonly kind: 'whole'; readonly usage: readonly Usage[] }
  | { readonly kind: 'nothing' };

/**
 * Ends the hold of a job that became final; nothing where it has none. A hold whose submission is uncertain stays, shown
 * apart, until an operator resolves it. Call it after `markUncertain`.
 */
export async function endHold(
  tx: Statements,
  jobId: JobId | string,
  charge: Charge,
  now: number,
): Promise<void> {
  const hold = await readOpenHold(tx, jobId);
  if (!hold) return;
  if (await isSubmissionUncertain(tx, jobId)) await keepUncertain(tx, hold);
  else if (charge.kind === 'nothing') await releaseHold(tx, hold, now);
  else await settleHold(tx, hold, charge, now);
}

/** An operator found out that an uncertain submission was charged, or that it was not. */
export async function resolveHold(
  tx: Statements,
  jobId: string,
  wasCharged: boolean,
  now: number,
): Promise<void> {
  const hold = await readOpenHold(tx, jobId);
  if (hold?.state !== 'uncertain') return;
  if (wasCharged)
    await settleHold(tx, hold, { kind: 'whole', usage: await readReportedUsage(tx, jobId) }, now);
  else await releaseHold(tx, hold, now);
}

/** The upstream refused the uncertain submission after all, once its job had ended. */
export async function releaseCertainHold(tx: Statements, jobId: string, now: number): Promise<void> {
  const hold = await readOpenHold(tx, jobId);
  if (hold?.state !== 'uncertain' || (await isSubmissionUncertain(tx, jobId))) return;
  await releaseHold(tx, hold, now);
}

/** An uncertain submission is sent again as a new job, which takes over the hold of the old one. */
export async function moveHold(
  tx: Statements,
  { from, to }: { readonly from: JobId; readonly to: JobId },
  now: number,
): Promise<void> {
  const hold = await readOpenHold(tx, from);
  if (hold?.state !== 'uncertain') return;
  for (const account of hold.path)
    await tx.write('UPDATE money_accounts SET uncertain = uncertain - $2, held = held + $2 WHERE id = $1', [
      account,
      hold.quote.amount,
    ]);
  await markEnded(tx, hold, { state: 'released', charged: 0, cost: 0 }, now);
  await insertHold(tx, { ...hold, job: { ...hold, id: to, createdAt: now } });
}

/** Whether an attempt of the job was marked as uncertain and is not resolved yet. */
async function isSubmissionUncertain(tx: Statements, jobId: string): Promise<boolean> {
  const rows = await tx.read(
    'SELECT number FROM attempts WHERE job_id = $1 AND doubted_at IS NOT NULL AND doubt_settled_at IS NULL LIMIT 1',
    [jobId],
  );
  return rows.length > 0;
}

/** The amount moves from `held` to `uncertain`, so that the account shows why it is missing. */
async function keepUncertain(tx: Statements, hold: OpenHold): Promise<void> {
  if (hold.state === 'uncertain') return;
  for (const account of hold.path)
    await tx.write('UPDATE money_accounts SET held = held - $2, uncertain = uncertain + $2 WHERE id = $1', [
      account,
      hold.quote.amount,
    ]);
  await tx.write(`UPDATE money_holds SET state = 'uncertain' WHERE job_id = $1`, [hold.jobId]);
}

/** Nothing was charged: the amount is available again, and the job's cost is 0. */
async function releaseHold(tx: Statements, hold: OpenHold, now: number): Promise<void> {
  for (const account of hold.path) await freeIn(tx, account, hold);
  await markEnded(tx, hold, { state: 'released', charged: 0, cost: 0 }, now);
  await writeCost(tx, hold, { amount: 0, currency: hold.quote.currency, lines: [] });
}

/** Charges what was used: within the hold, then beyond it down to the floor, and the rest is written off. */
async function settleHold(
  tx: Statements,
  hold: OpenHold,
  charge: Exclude<Charge, { kind: 'nothing' }>,
  now: number,
): Promise<void> {
  const cost = costOfCharge(hold, charge);
  const within = Math.min(cost.amount, hold.quote.amount);
  for (const account of hold.path) await freeIn(tx, account, hold);
  const beyond = await overrunOf(tx, hold, cost.amount - within);
  const houseCost = houseCostOf(hold, charge);
  const entry = { at: now, actor: hold.payer.keyId, jobId: hold.jobId };
  const post = async (kind: EntryKind, amount: Micros, ofHouse: Micros | null = null) => {
    if (amount === 0 && !ofHouse) return;
    for (const account of hold.path)
      await appendEntry(tx, account, { ...entry, kind, amount, cost: ofHouse });
  };
  await post('charge', within, houseCost);
  await post('overrun', beyond.posted);
  await post('written_off', beyond.writtenOff);
  const charged = within + beyond.posted;
  await markEnded(tx, hold, { state: 'settled', charged, cost: houseCost }, now);
  await writeCost(tx, hold, cost);
}

/** By the prices of the quote, which are those of the job's creation. */
function costOfCharge(
  { quote }: { readonly quote: Pick<Quote, 'currency' | 'lines'> },
  charge: Exclude<Charge, { kind: 'nothing' }>,
): Cost {
  return charge.kind === 'used' ? costOf(quote, charge.usage) : wholeCostOf(quote, charge.usage);
}

/** What the job cost the house; null: unknown. */
function houseCostOf({ quote }: OpenHold, charge: Exclude<Charge, { kind: 'nothing' }>): Micros | null {
  const { currency, houseCost } = quote;
  return houseCost && costOfCharge({ quote: { currency, lines: houseCost } }, charge).amount;
}

/** What the upstream of a job without a readable result reported. */
async function readReportedUsage(tx: Statements, jobId: string): Promise<readonly Usage[]> {
  const rows = await tx.read(
    `SELECT unit, quantity FROM usage_lines WHERE job_id = $1 AND basis = 'reported' ORDER BY line`,
    [jobId],
  );
  return rows.map(row => ({
    unit: oneOf(row, 'unit', usageUnits),
    quantity: integer(row, 'quantity'),
    basis: 'reported',
  }));
}

/** What was used beyond the hold is posted down to the floor of each account; the house bears the rest. */
async function overrunOf(
  tx: Statements,
  { path, quote }: OpenHold,
  beyond: Micros,
): Promise<{ readonly posted: Micros; readonly writtenOff: Micros }> {
  if (beyond === 0) return { posted: 0, writtenOff: 0 };
  let posted = beyond;
  for (const id of path) {
    const account = await lockAccount(tx, id);
    const available = account && availableOf(account);
    // The charge within the hold is posted before.
    if (account && available !== null)
      posted = Math.min(posted, Math.max(0, available - quote.amount - account.floor));
  }
  return { posted, writtenOff: beyond - posted };
}

/** Takes the hold out of the balance that it is in. */
const freeIn = (tx: Statements, account: string, { state, quote }: OpenHold) => {
  const column = state === 'uncertain' ? 'uncertain' : 'held';
  return tx.write(`UPDATE money_accounts SET ${column} = ${column} - $2 WHERE id = $1`, [
    account,
    quote.amount,
  ]);
};

/** How a hold ended; `cost` is what the job cost the house. */
interface HoldEnd {
  readonly state: 'settled' | 'released';
  readonly charged: Micros;
  readonly cost: Micros | null;
}

/** Ends the row of the hold, with the upstream account that the job ran at. Without prices of the house no cost. */
const markEnded = (tx: Statements, { jobId }: OpenHold, { state, charged, cost }: HoldEnd, now: number) =>
  tx.write(
    `UPDATE money_holds SET state = $2, ended_at = $3, charged = $4, cost = CASE WHEN costs IS NULL THEN NULL ELSE CAST($5 AS BIGINT) END,
       account = (SELECT account FROM jobs WHERE jobs.id = $1) WHERE job_id = $1`,
    [jobId, state, now, charged, cost],
  );

/** As results and callbacks show it. */
const writeCost = (tx: Statements, { jobId }: OpenHold, cost: Cost) =>
  tx.write('UPDATE jobs SET cost = $2 WHERE id = $1', [jobId, toJson(costBody(cost))]);
