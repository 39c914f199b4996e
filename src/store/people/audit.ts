/** The audit: an append-only chain of hashes over what operators, people and clients did. */
import { createHash } from 'node:crypto';
import type { KeyId, PersonId } from '../../domain/ids.ts';
import { fromJson, toJson } from '../../domain/json.ts';
import type { Connection, Row, Statements } from '../db/connection.ts';
import { integer, text } from '../db/rows.ts';

/**
 * Who acted: `operator` by a command or the admin token, a person in the console, a client by its key, or `unknown`
 * for a refused login.
 */
export type Actor = 'operator' | 'unknown' | KeyId | PersonId;

/** What is recorded, as `subject.verb`. */
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
  | 'delivery.test'
  | 'callback_secret.rotate'
  | 'callback_secret.renew_all'
  | 'doubt.settle'
  | 'account.add'
  | 'settings.reload'
  | 'account.pause'
  | 'account.resume'
  | 'project.create'
  | 'money.limit'
  | 'money.top_up'
  | 'money.adjustment';

/** One recorded action. */
export interface AuditEntry {
  /** Epoch ms. */
  readonly at: number;
  readonly actor: Actor;
  readonly action: AuditAction;
  /** Id of the key, job, person or other thing that was changed. */
  readonly subject: string;
  /** Further facts. Never a secret, nor a part of one. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** A stored entry. */
export interface AuditRow extends Omit<AuditEntry, 'actor' | 'action'> {
  /** Counts from 1, without a gap. */
  readonly number: number;
  readonly actor: string;
  readonly action: string;
  /** Over all other columns, including the hash of the previous row. */
  readonly hash: string;
}

/** Writes an entry about what no row records. */
export const recordAudit = (db: Connection, entry: AuditEntry): Promise<void> =>
  db.transaction(tx => writeAudit(tx, entry));

/**
 * Writes an entry within the caller's transaction, so that both are committed or neither. Must be its last statement:
 * it locks the end of the chain until that transaction ends.
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

/** The hashed columns, in the order of the hash. */
const hashedColumns = ['number', 'at', 'actor', 'action', 'subject', 'details', 'previous'] as const;

/** Numbers as text, so that one beyond 2^53 is reported as a broken row instead of failing to parse. */
const hashOf = (row: Row): string =>
  createHash('sha256')
    .update(JSON.stringify(hashedColumns.map(column => String(row[column]))))
    .digest('hex');

/** Result of a verification. */
export type AuditVerdict =
  | { readonly kind: 'whole'; readonly rows: number }
  /** Number of the first row that is missing, changed or forged. */
  | { readonly kind: 'broken'; readonly number: number };

const pageRows = 500;

/** Verifies the whole chain, page by page; entries may be written meanwhile. */
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
    // Read after the rows, so its number is never below theirs.
    const [end] = await db.read('SELECT CAST(number AS TEXT) AS number, hash FROM audit_end WHERE id = 1');
    const endNumber = Number(end?.number ?? 0);
    if (endNumber === number && end?.hash === hash) return { kind: 'whole', rows: number };
    if (endNumber <= number) return { kind: 'broken', number: Math.max(1, Math.min(number, endNumber + 1)) };
    if ((await readPage(db, number)).length === 0) return { kind: 'broken', number: number + 1 };
  }
}

const readPage = (db: Statements, after: number): Promise<readonly Row[]> =>
  db.read(
    `SELECT CAST(number AS TEXT) AS number, CAST(at AS TEXT) AS at, actor, action, subject, details, previous, hash
     FROM audit WHERE audit.number > $1 ORDER BY audit.number LIMIT ${pageRows}`,
    [after],
  );

/** Newest first. */
export async function listAudit(db: Statements, limit: number): Promise<readonly AuditRow[]> {
  const rows = await db.read(`SELECT ${listedColumns} FROM audit ORDER BY number DESC LIMIT $1`, [limit]);
  return rows.map(auditFromRow);
}

/** The same without the entries about people, which contain names and addresses. */
export async function listAuditExceptPeople(db: Statements, limit: number): Promise<readonly AuditRow[]> {
  const isShown = shownSubjects.map(thing => `action LIKE '${thing}.%'`).join(' OR ');
  const rows = await db.read(
    `SELECT ${listedColumns} FROM audit WHERE ${isShown} ORDER BY number DESC LIMIT $1`,
    [limit],
  );
  return rows.map(auditFromRow);
}

const listedColumns = 'number, at, actor, action, subject, details, hash';
/** An allow list: a new kind of entry is hidden until it is known not to be about people. */
const shownSubjects = ['key', 'job', 'delivery', 'callback_secret', 'doubt', 'account', 'project', 'money'];

/** For rows of `listedColumns`. */
export const auditFromRow = (row: Row): AuditRow => ({
  number: integer(row, 'number'),
  at: integer(row, 'at'),
  actor: text(row, 'actor'),
  action: text(row, 'action'),
  subject: text(row, 'subject'),
  details: fromJson(text(row, 'details')) as Readonly<Record<string, unknown>>,
  hash: text(row, 'hash'),
});
