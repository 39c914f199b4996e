import { createHash } from 'node:crypto';
import type { KeyId, PersonId } from '../../domain/ids.ts';
import { fromJson, toJson } from '../../domain/json.ts';
import type { Row, Statements } from '../db/connection.ts';
import { integer, text } from '../db/rows.ts';

/**
 * Who acts: the operator by a command or the admin token, somebody in the console, a client by a key, or somebody
 * who was refused.
 */
export type Actor = 'operator' | 'unknown' | KeyId | PersonId;

/** What is kept for ever, as `thing.verb`. */
export type AuditAction =
  | 'key.create'
  | 'key.edit'
  | 'key.revoke'
  | 'job.cancel'
  | 'job.cancel_many'
  | 'job.run'
  | 'job.run_again'
  | 'person.create'
  | 'person.edit'
  | 'person.remove'
  | 'session.begin'
  | 'session.end'
  | 'session.refused'
  | 'setup.link'
  | 'delivery.resend'
  | 'callback_secret.rotate'
  | 'callback_secret.renew_all'
  | 'doubt.settle'
  | 'account.pause'
  | 'account.resume';

/** One thing that was done. */
export interface AuditEntry {
  /** Epoch ms. */
  readonly at: number;
  readonly actor: Actor;
  readonly action: AuditAction;
  /** The id of what it was done to. */
  readonly subject: string;
  /** Whatever else explains it. Never a secret, nor a part of one. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** A kept entry. */
export interface AuditRow extends Omit<AuditEntry, 'actor' | 'action'> {
  /** Counts from 1, without a gap. */
  readonly number: number;
  readonly actor: string;
  readonly action: string;
  /** Over all other columns, the hash of the row before among them. */
  readonly hash: string;
}

/**
 * Writes an entry within the caller's transaction: the two are kept together or not at all. It is to be
 * the last statement: whoever else writes here waits from now on until that transaction ends.
 */
export async function writeAudit(tx: Statements, entry: AuditEntry): Promise<void> {
  const [end] = await tx.write(
    'UPDATE audit_end SET number = number + 1 WHERE id = 1 RETURNING number, hash AS previous',
  );
  if (!end) throw new Error('expected the end of the audit chain');
  const { at, actor, action, subject } = entry;
  const row: Row = { ...end, at, actor, action, subject, details: toJson(entry.details) };
  const hash = hashOf(row);
  await tx.write(
    `INSERT INTO audit (${hashedColumns.join(', ')}, hash) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [...hashedColumns.map(column => row[column] ?? null), hash],
  );
  await tx.write('UPDATE audit_end SET hash = $1 WHERE id = 1', [hash]);
}

/** The columns under the hash, in the order in which it takes them up. */
const hashedColumns = ['number', 'at', 'actor', 'action', 'subject', 'details', 'previous'] as const;

/** Numbers as their digits, so that one too large for us is a wrong one and not a failure to read. */
const hashOf = (row: Row): string =>
  createHash('sha256')
    .update(JSON.stringify(hashedColumns.map(column => String(row[column]))))
    .digest('hex');

export type AuditVerdict =
  | { readonly kind: 'whole'; readonly rows: number }
  /** The first row that is missing, changed, or was never written by us. */
  | { readonly kind: 'broken'; readonly number: number };

const pageRows = 500;

/** Reads the whole chain, page by page; entries may be written meanwhile. */
export async function verifyAudit(db: Statements): Promise<AuditVerdict> {
  let number = 0;
  let hash = '';
  for (;;) {
    const rows = await readPage(db, number);
    for (const row of rows) {
      const isNext = row.number === String(number + 1) && row.previous === hash && row.hash === hashOf(row);
      if (!isNext) return { kind: 'broken', number: number + 1 };
      number++;
      hash = text(row, 'hash');
    }
    if (rows.length > 0) continue;
    // Read after the rows, so it never names fewer of them than there are.
    const [end] = await db.read('SELECT CAST(number AS TEXT) AS number, hash FROM audit_end WHERE id = 1');
    const told = Number(end?.number ?? 0);
    if (told === number && end?.hash === hash) return { kind: 'whole', rows: number };
    if (told <= number) return { kind: 'broken', number: Math.max(1, Math.min(number, told + 1)) };
    if ((await readPage(db, number)).length === 0) return { kind: 'broken', number: number + 1 };
  }
}

const readPage = (db: Statements, after: number): Promise<readonly Row[]> =>
  db.read(
    `SELECT CAST(number AS TEXT) AS number, CAST(at AS TEXT) AS at, actor, action, subject, details, previous, hash
     FROM audit WHERE audit.number > $1 ORDER BY audit.number LIMIT ${pageRows}`,
    [after],
  );

/** The newest entries first. */
export async function listAudit(db: Statements, limit: number): Promise<readonly AuditRow[]> {
  const rows = await db.read(`SELECT ${listedColumns} FROM audit ORDER BY number DESC LIMIT $1`, [limit]);
  return rows.map(auditFromRow);
}

/** The same without the entries about people, which hold their names and addresses. */
export async function listAuditExceptPeople(db: Statements, limit: number): Promise<readonly AuditRow[]> {
  const isShown = shownSubjects.map(thing => `action LIKE '${thing}.%'`).join(' OR ');
  const rows = await db.read(
    `SELECT ${listedColumns} FROM audit WHERE ${isShown} ORDER BY number DESC LIMIT $1`,
    [limit],
  );
  return rows.map(auditFromRow);
}

const listedColumns = 'number, at, actor, action, subject, details, hash';
/** What is not named here is about people: a new kind of entry is hidden until it is known to be about none. */
const shownSubjects = ['key', 'job', 'delivery', 'callback_secret', 'doubt', 'account'];

export const auditFromRow = (row: Row): AuditRow => ({
  number: integer(row, 'number'),
  at: integer(row, 'at'),
  actor: text(row, 'actor'),
  action: text(row, 'action'),
  subject: text(row, 'subject'),
  details: fromJson(text(row, 'details')) as Readonly<Record<string, unknown>>,
  hash: text(row, 'hash'),
});
