/** Holds: what a job may cost at most, taken from every account of its path in the transaction that inserts the job. */
import type { JobId, KeyId, UserId } from '../../domain/ids.ts';
import { jobIdFromRow, keyIdFromRow, userIdFromRow } from '../../domain/ids.ts';
import { fromJson, toJson } from '../../domain/json.ts';
import type { Micros } from '../../domain/money.ts';
import type { Quote, QuoteLine } from '../../domain/prices.ts';
import { textOfTagId } from '../../domain/tags.ts';
import type { Connection, Row, Statements, Value } from '../db/connection.ts';
import { integer, integerOrNull, oneOf, text, textOrNull } from '../db/rows.ts';
import { accountColumns, accountFromRow, defaultProject, type MoneyAccount, openPath } from './accounts.ts';
import { alertColumns, raiseAlert } from './alerts.ts';
import { type AccountOwner, tagOwners } from './owners.ts';

/** Who pays for a job. */
export interface Payer {
  readonly projectId: string;
  readonly keyId: KeyId;
}

/** What the creation of a job wants to reserve; `quote` is null where its model has no price. */
export interface Reservation {
  readonly payer: Payer;
  readonly quote: Quote | null;
  /** What happens to a job without a price under an account with a limit. */
  readonly unpriced: 'refuse' | 'free';
}

/** No job is inserted: an account has too little left, or a limit and no price to hold it by. */
export type BudgetExceeded =
  | {
      readonly kind: 'budget_exceeded';
      readonly account: NamedAccount;
      readonly available: Micros;
      readonly amount: Micros;
      readonly currency: string;
    }
  | { readonly kind: 'price_missing'; readonly account: NamedAccount };

/** The owner of an account as sentences name it. */
export interface NamedAccount {
  readonly kind: AccountOwner['kind'];
  /** Name of the project, key or tag; the id of a key without a name. */
  readonly name: string;
}

/** Thrown inside a transaction, so that what was reserved before is rolled back with it. */
export class BudgetError extends Error {
  override readonly name = 'BudgetError';
  readonly exceeded: BudgetExceeded;

  constructor(exceeded: BudgetExceeded) {
    super(exceeded.kind);
    this.exceeded = exceeded;
  }
}

/** The job of a new hold. */
export interface HeldJob {
  readonly id: JobId;
  readonly userId: UserId;
  readonly modelId: string;
  readonly createdAt: number;
  readonly tags: string | null;
}

/**
 * Reserves the amount of a job in every account of its path; throws `BudgetError` where one has too little left. Each
 * statement is guarded by the balance itself, so concurrent creations never pass a limit together.
 */
export async function reserve(tx: Statements, job: HeldJob, reservation: Reservation): Promise<void> {
  const { payer, quote, unpriced } = reservation;
  if (!quote) {
    if (unpriced === 'refuse')
      await refuseLimited(tx, await openPath(tx, ownersOf(payer, job.tags), job.createdAt));
    return;
  }
  const path: string[] = [];
  // One owner after the other: to open a month locks the account of its owner, and all do so in the same order.
  for (const owner of ownersOf(payer, job.tags)) {
    const accounts = await openPath(tx, [owner], job.createdAt);
    for (const account of accounts) await reserveIn(tx, account, quote);
    path.push(...accounts);
  }
  await insertHold(tx, { job, payer, quote, path });
}

/** For a job that was copied a moment ago: its payer is the key of the original. */
export async function reserveForCopy(
  tx: Statements,
  jobId: JobId,
  price: Omit<Reservation, 'payer'>,
): Promise<void> {
  const [row] = await tx.read(
    `SELECT jobs.user_id, jobs.key_id, jobs.model_id, jobs.created_at, jobs.tags, keys.project_id
     FROM jobs JOIN keys ON keys.id = jobs.key_id WHERE jobs.id = $1`,
    [jobId],
  );
  if (!row) throw new Error(`expected the copied job ${jobId}`);
  const payer = {
    projectId: textOrNull(row, 'project_id') ?? defaultProject,
    keyId: keyIdFromRow(text(row, 'key_id')),
  };
  const job = {
    id: jobId,
    userId: userIdFromRow(text(row, 'user_id')),
    modelId: text(row, 'model_id'),
    createdAt: integer(row, 'created_at'),
    tags: textOrNull(row, 'tags'),
  };
  await reserve(tx, job, { ...price, payer });
}

/** In the order in which their accounts are locked. */
export const ownersOf = ({ projectId, keyId }: Payer, tags: string | null): readonly AccountOwner[] => [
  { kind: 'project', id: projectId },
  { kind: 'key', id: keyId },
  ...tagOwners(tags),
];

/** The condition is part of the statement: of two creations only those that fit pass. */
async function reserveIn(tx: Statements, account: string, quote: Quote): Promise<void> {
  const [reserved] = await tx.write(
    `UPDATE money_accounts SET held = held + $2
     WHERE id = $1 AND (limit_micros IS NULL OR posted + held + uncertain + $2 <= limit_micros)
     RETURNING ${alertColumns}`,
    [account, quote.amount],
  );
  if (reserved) return raiseAlert(tx, reserved);
  const [row] = await tx.read(`SELECT ${accountColumns} FROM money_accounts WHERE id = $1`, [account]);
  const { limit, posted, held, uncertain, ...owner } = accountFromRow(row!);
  throw new BudgetError({
    kind: 'budget_exceeded',
    account: await nameOf(tx, owner),
    available: (limit ?? 0) - posted - held - uncertain,
    amount: quote.amount,
    currency: quote.currency,
  });
}

/** Without a price only accounts without a limit can be charged. */
async function refuseLimited(tx: Statements, path: readonly string[]): Promise<void> {
  for (const id of path) {
    const [row] = await tx.read(`SELECT ${accountColumns} FROM money_accounts WHERE id = $1`, [id]);
    const account = accountFromRow(row!);
    if (account.limit !== null)
      throw new BudgetError({ kind: 'price_missing', account: await nameOf(tx, account) });
  }
}

/** The name of the owner of an account; the id of a key without a name; a tag as people write it. */
export async function nameOf(
  db: Statements,
  { kind, owner }: Pick<MoneyAccount, 'kind' | 'owner'>,
): Promise<NamedAccount> {
  if (kind === 'tag') return { kind, name: textOfTagId(owner) };
  const table = kind === 'project' ? 'projects' : 'keys';
  const [row] = await db.read(`SELECT name FROM ${table} WHERE id = $1`, [owner]);
  return { kind, name: (row && textOrNull(row, 'name')) ?? owner };
}

/** A hold that is written in this transaction. */
export interface NewHold {
  readonly job: Omit<HeldJob, 'tags'> & { readonly tags?: string | null };
  readonly payer: Payer;
  readonly quote: Quote;
  /** Ids of its accounts, in the order in which they are locked. */
  readonly path: readonly string[];
}

/** The columns that an insert fills, and their types in a JSON record set. */
const newHoldColumns = {
  job_id: 'TEXT',
  project_id: 'TEXT',
  key_id: 'TEXT',
  user_id: 'TEXT',
  model_id: 'TEXT',
  path: 'TEXT',
  amount: 'BIGINT',
  currency: 'TEXT',
  lines: 'TEXT',
  version: 'TEXT',
  costs: 'TEXT',
  tags: 'TEXT',
  created_at: 'BIGINT',
} as const;
type NewHoldColumn = keyof typeof newHoldColumns;
const newHoldNames = Object.keys(newHoldColumns) as NewHoldColumn[];

const rowOfHold = ({ job, payer, quote, path }: NewHold): Readonly<Record<NewHoldColumn, Value>> => ({
  job_id: job.id,
  project_id: payer.projectId,
  key_id: payer.keyId,
  user_id: job.userId,
  model_id: job.modelId,
  path: path.map(account => `${account} `).join(''),
  amount: quote.amount,
  currency: quote.currency,
  lines: toJson(quote.lines),
  version: quote.version,
  costs: quote.houseCost && toJson(quote.houseCost),
  tags: job.tags ?? null,
  created_at: job.createdAt,
});

const insertOne = `INSERT INTO money_holds (${newHoldNames}, state)
  VALUES (${newHoldNames.map((_, index) => `$${index + 1}`)}, 'open')`;
const insertMany = `INSERT INTO money_holds (${newHoldNames}, state) SELECT ${newHoldNames}, 'open'
  FROM json_to_recordset(CAST($1 AS JSON)) AS fresh(${newHoldNames.map(name => `${name} ${newHoldColumns[name]}`)})`;

/** Only together with the balances of its path. */
export async function insertHold(tx: Statements, hold: NewHold): Promise<void> {
  await tx.write(insertOne, Object.values(rowOfHold(hold)));
}

/** The same for many, on PostgreSQL in one statement. */
export async function insertHolds(
  tx: Statements,
  dialect: Connection['dialect'],
  holds: readonly NewHold[],
): Promise<void> {
  if (dialect === 'sqlite') for (const hold of holds) await insertHold(tx, hold);
  else if (holds.length > 0) await tx.write(insertMany, [JSON.stringify(holds.map(rowOfHold))]);
}

/** A hold that has not ended. */
export interface OpenHold {
  readonly jobId: JobId;
  readonly payer: Payer;
  readonly userId: UserId;
  readonly modelId: string;
  readonly path: readonly string[];
  readonly quote: Quote;
  readonly tags: string | null;
  readonly state: 'open' | 'uncertain';
}

/** Columns of an `OpenHold`. */
const holdColumns = `job_id, project_id, key_id, user_id, model_id, path, amount, currency, lines, version, costs, tags,
  state`;

/** In a statement on `jobs`: 1 where the job has a hold that has not ended, so that others need no statement for it. */
export const hasOpenHold = `CASE WHEN EXISTS (SELECT 1 FROM money_holds
  WHERE money_holds.job_id = jobs.id AND money_holds.ended_at IS NULL) THEN 1 ELSE 0 END`;

/** Null where the job has no hold, or it has ended. */
export async function readOpenHold(db: Statements, jobId: string): Promise<OpenHold | null> {
  const [row] = await db.read(
    `SELECT ${holdColumns} FROM money_holds WHERE job_id = $1 AND ended_at IS NULL`,
    [jobId],
  );
  return row ? openHoldFromRow(row) : null;
}

/** A path is stored as ids with a space behind each. */
export const accountsOfPath = (path: string): readonly string[] => path.trim().split(' ').filter(Boolean);

/** For rows of `holdColumns`. */
const openHoldFromRow = (row: Row): OpenHold => ({
  jobId: jobIdFromRow(text(row, 'job_id')),
  payer: payerFromRow(row),
  userId: userIdFromRow(text(row, 'user_id')),
  modelId: text(row, 'model_id'),
  path: accountsOfPath(text(row, 'path')),
  quote: quoteFromRow(row),
  tags: textOrNull(row, 'tags'),
  state: oneOf(row, 'state', ['open', 'uncertain']),
});

const payerFromRow = (row: Row): Payer => ({
  projectId: text(row, 'project_id'),
  keyId: keyIdFromRow(text(row, 'key_id')),
});

const quoteFromRow = (row: Row): Quote => ({
  amount: integer(row, 'amount'),
  currency: text(row, 'currency'),
  // Written by `insertHold` alone, from typed values.
  lines: fromJson(text(row, 'lines')) as readonly QuoteLine[],
  version: text(row, 'version'),
  houseCost: linesFromText(textOrNull(row, 'costs')),
});

const linesFromText = (lines: string | null): readonly QuoteLine[] | null =>
  lines === null ? null : (fromJson(lines) as readonly QuoteLine[]);

/** The price versions of open holds, the most frequent first. */
export async function countHeldVersions(
  db: Statements,
): Promise<readonly { readonly version: string; readonly jobs: number }[]> {
  const rows = await db.read(
    `SELECT version, count(*) AS jobs FROM money_holds WHERE ended_at IS NULL
     GROUP BY version ORDER BY 2 DESC, 1 LIMIT 100`,
  );
  return rows.map(row => ({ version: text(row, 'version'), jobs: integer(row, 'jobs') }));
}

/** The hold of a job as operators see it. */
export interface HoldRecord {
  readonly state: 'open' | 'uncertain' | 'settled' | 'released';
  readonly amount: Micros;
  /** What was posted; null until it ends. */
  readonly charged: Micros | null;
  readonly currency: string;
  /** Of the price book. */
  readonly version: string;
}

/** Null for a job that was created without one. */
export async function readHold(db: Statements, jobId: JobId): Promise<HoldRecord | null> {
  const [row] = await db.read(
    'SELECT state, amount, charged, currency, version FROM money_holds WHERE job_id = $1',
    [jobId],
  );
  return row
    ? {
        state: oneOf(row, 'state', ['open', 'uncertain', 'settled', 'released']),
        amount: integer(row, 'amount'),
        charged: integerOrNull(row, 'charged'),
        currency: text(row, 'currency'),
        version: text(row, 'version'),
      }
    : null;
}
