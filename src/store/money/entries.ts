/** The journal of money accounts: append-only entries, each of which carries the hash of the one before it. */
import { createHash } from 'node:crypto';
import type { JobId } from '../../domain/ids.ts';
import type { Micros } from '../../domain/money.ts';
import { type EntryKind, entryKinds } from '../../domain/money-entry.ts';
import type { Row, Statements } from '../db/connection.ts';
import { integer, integerOrNull, oneOf, text, textOrNull } from '../db/rows.ts';
import type { Actor } from '../people/audit.ts';
import { alertColumns, lowerAlert, raiseAlert } from './alerts.ts';

/** What an entry moves, in millionths of the currency; positive: it raises the limit, or what was spent. */
export interface NewEntry {
  /** Epoch ms. */
  readonly at: number;
  readonly kind: EntryKind;
  readonly amount: Micros;
  /** Of a charge: what the job cost the house; absent or null: unknown. */
  readonly cost?: Micros | null;
  readonly actor: Actor;
  readonly jobId?: JobId;
  readonly reason?: string;
  /** Unique in its account. */
  readonly idempotencyKey?: string;
}

/** A stored entry. */
export interface Entry extends Omit<NewEntry, 'cost' | 'actor' | 'jobId' | 'reason' | 'idempotencyKey'> {
  readonly account: string;
  /** Counts from 1 in its account, without a gap. */
  readonly number: number;
  /** The other side: the account of the house of that kind. */
  readonly counter: string;
  readonly cost: Micros | null;
  readonly actor: string;
  readonly jobId: string | null;
  readonly reason: string | null;
  readonly hash: string;
}

/** The column of the balance that an entry of each kind changes; null: none. */
const balanceColumns: Readonly<Record<EntryKind, 'limit_micros' | 'posted' | null>> = {
  limit: 'limit_micros',
  top_up: 'limit_micros',
  charge: 'posted',
  overrun: 'posted',
  adjustment: 'posted',
  written_off: null,
};
/** The kinds whose sum is that column. */
export const kindsOf = (column: 'limit_micros' | 'posted'): readonly EntryKind[] =>
  entryKinds.filter(kind => balanceColumns[kind] === column);

/** Appends an entry and changes the balance with it. Its account stays locked until the transaction ends. */
export async function appendEntry(tx: Statements, account: string, entry: NewEntry): Promise<void> {
  const column = balanceColumns[entry.kind];
  const change = column === null ? '' : `, ${column} = COALESCE(${column}, 0) + $2`;
  const [end] = await tx.write(
    `UPDATE money_accounts SET entries = entries + 1${change} WHERE id = $1
     RETURNING entries AS number, hash AS previous, kind AS owner_kind, ${alertColumns}`,
    column === null ? [account] : [account, entry.amount],
  );
  if (!end) throw new Error(`expected the money account ${account}`);
  const row: Row = {
    account,
    number: integer(end, 'number'),
    at: entry.at,
    kind: entry.kind,
    amount: entry.amount,
    counter: `house:${text(end, 'owner_kind')}`,
    job_id: entry.jobId ?? null,
    actor: entry.actor,
    reason: entry.reason ?? null,
    idempotency_key: entry.idempotencyKey ?? null,
    previous: text(end, 'previous'),
    cost: entry.cost ?? null,
  };
  const hash = hashOf(row);
  await tx.write(
    `INSERT INTO money_entries (${columns}, hash)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [...hashedColumns.map(name => row[name] ?? null), row.cost ?? null, hash],
  );
  await tx.write('UPDATE money_accounts SET hash = $2 WHERE id = $1', [account, hash]);
  if (column === 'posted') await raiseAlert(tx, end);
  if (column === 'limit_micros') await lowerAlert(tx, end);
}

/** The hashed columns, in the order of the hash. */
const hashedColumns = [
  'account',
  'number',
  'at',
  'kind',
  'amount',
  'counter',
  'job_id',
  'actor',
  'reason',
  'idempotency_key',
  'previous',
] as const;

const columns = [...hashedColumns, 'cost'].join(', ');

/** The cost is hashed where there is one: entries had none at first, and keep their hashes. */
function hashOf(row: Row): string {
  const hashed = hashedColumns.map(column => row[column] ?? null);
  const cost = row.cost ?? null;
  return createHash('sha256')
    .update(JSON.stringify(cost === null ? hashed : [...hashed, cost]))
    .digest('hex');
}

/** Whether that key was used before in an account of that owner: a repetition may come in another month. */
export async function isEntryKnown(
  db: Statements,
  { kind, owner }: { readonly kind: string; readonly owner: string },
  idempotencyKey: string,
): Promise<boolean> {
  const rows = await db.read(
    `SELECT number FROM money_entries WHERE idempotency_key = $3
       AND account IN (SELECT id FROM money_accounts WHERE kind = $1 AND owner = $2)`,
    [kind, owner, idempotencyKey],
  );
  return rows.length > 0;
}

/** Null members do not filter. */
export interface EntryQuery {
  readonly account: string | null;
  readonly jobId: string | null;
  /** Only entries after this cursor, as `cursorOf` makes it. */
  readonly after: string | null;
  readonly limit: number;
}

/** Oldest first, by time. */
export async function listEntries(db: Statements, query: EntryQuery): Promise<readonly Entry[]> {
  const values: (string | number)[] = [query.limit];
  const bind = (value: string | number) => `$${values.push(value)}`;
  const conditions = ['1 = 1'];
  if (query.account !== null) conditions.push(`account = ${bind(query.account)}`);
  if (query.jobId !== null) conditions.push(`job_id = ${bind(query.jobId)}`);
  const after = query.after === null ? null : readCursor(query.after);
  if (after) conditions.push(`(at, account, number) > (${after.map(part => bind(part)).join(', ')})`);
  const rows = await db.read(
    `SELECT ${columns}, hash FROM money_entries WHERE ${conditions.join(' AND ')}
     ORDER BY at, account, number LIMIT $1`,
    values,
  );
  return rows.map(entryFromRow);
}

/** Names an entry in a list, for the page after it. */
export const cursorOf = ({ at, account, number }: Entry): string => `${at}.${number}.${account}`;

function readCursor(cursor: string): readonly [number, string, number] | null {
  const found = /^(\d{1,15})\.(\d{1,15})\.(.{1,200})$/.exec(cursor);
  return found && [Number(found[1]), found[3]!, Number(found[2])];
}

/** Whether a text is a cursor of a list of entries. */
export const isCursor = (text: string): boolean => readCursor(text) !== null;

const entryFromRow = (row: Row): Entry => ({
  account: text(row, 'account'),
  number: integer(row, 'number'),
  at: integer(row, 'at'),
  kind: oneOf(row, 'kind', entryKinds),
  amount: integer(row, 'amount'),
  counter: text(row, 'counter'),
  cost: integerOrNull(row, 'cost'),
  jobId: textOrNull(row, 'job_id'),
  actor: text(row, 'actor'),
  reason: textOrNull(row, 'reason'),
  hash: text(row, 'hash'),
});

const pageRows = 500;

/** The number of the first entry of an account that is missing, changed or forged; null while the chain is whole. */
export async function findBrokenEntry(db: Statements, account: string): Promise<number | null> {
  let [number, hash] = [0, ''];
  for (;;) {
    const rows = await db.read(
      `SELECT ${columns}, hash FROM money_entries WHERE account = $1 AND number > $2
       ORDER BY number LIMIT ${pageRows}`,
      [account, number],
    );
    for (const row of rows) {
      const isNext = row.number === number + 1 && row.previous === hash && row.hash === hashOf(row);
      if (!isNext) return number + 1;
      number++;
      hash = text(row, 'hash');
    }
    if (rows.length > 0) continue;
    const [end] = await db.read('SELECT entries, hash FROM money_accounts WHERE id = $1', [account]);
    if (end && integer(end, 'entries') <= number) return end.hash === hash ? null : number;
    // An entry was appended meanwhile, or the end is missing.
    const [next] = await db.read('SELECT number FROM money_entries WHERE account = $1 AND number = $2', [
      account,
      number + 1,
    ]);
    if (!next) return number + 1;
  }
}
