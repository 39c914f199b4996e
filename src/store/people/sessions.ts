/** Sessions of the console, by the hash of their cookie's secret. */
import {
  newSessionId,
  type PersonId,
  personIdFromRow,
  type SessionId,
  sessionIdFromRow,
} from '../../domain/ids.ts';
import { type Person, type Role, roles } from '../../domain/person.ts';
import { maxSessionsPerOwner, type Session, sessionIdleMs, sessionLifeMs } from '../../domain/session.ts';
import type { Connection, Row, Statements } from '../db/connection.ts';
import { integer, oneOf, text, textOrNull } from '../db/rows.ts';
import { type Actor, writeAudit } from './audit.ts';
import { endSetup } from './setup.ts';

/** The person of a session; null for a login by the admin token. */
export type SessionOwner = Person | null;

/** A login that succeeded. */
export interface NewSession {
  readonly owner: SessionOwner;
  /** SHA-256 of the secret in the cookie. */
  readonly secretHash: string;
  /** Hash of the browser's former session, which ends; null where it had none. */
  readonly replaces: string | null;
  readonly address: string;
  readonly userAgent: string;
}

/** The sessions of one person, or of all. */
export type SessionsOf = PersonId | 'everybody';

/** Begins a session; the oldest ends where its owner has too many. The first by the admin token ends the setup. */
export function beginSession(db: Connection, wanted: NewSession, now: number): Promise<Session> {
  return db.transaction(tx => insertSession(tx, wanted, now));
}

/** The same within a transaction; must be its last statements, because they write the audit. */
export async function insertSession(
  tx: Statements,
  { owner, secretHash, replaces, address, userAgent }: NewSession,
  now: number,
): Promise<Session> {
  const id = newSessionId();
  const { role, name, login } = owner ?? { role: 'admin', name: 'admin', login: 'token' };
  const endsAt = now + sessionLifeMs;
  if (!owner) await endSetup(tx, now);
  await tx.write('DELETE FROM sessions WHERE secret_hash = $1', [replaces]);
  await tx.write(
    `INSERT INTO sessions (id, secret_hash, person_id, person_changed_at, role, began_at, seen_at, ends_at,
       address, user_agent) VALUES ($1, $2, $3, $4, $5, $6, $6, $7, $8, $9)`,
    [id, secretHash, owner?.id ?? null, owner?.changedAt ?? null, role, now, endsAt, address, userAgent],
  );
  await tx.write(
    `DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE COALESCE(person_id, '') = $1 AND id <> $2
       ORDER BY began_at DESC, id LIMIT 1000 OFFSET ${maxSessionsPerOwner - 1})`,
    [owner?.id ?? '', id],
  );
  await writeAudit(tx, {
    at: now,
    actor: owner?.id ?? 'operator',
    action: 'session.begin',
    subject: owner?.id ?? 'admin',
    details: { session: id, name, role, address },
  });
  const owned = { id, person: owner?.id ?? null, name, role, login };
  return { ...owned, beganAt: now, seenAt: now, endsAt, address, userAgent };
}

/** `$1` is now, `$2` the time since which it must have been used. Sessions from before a change of their person are over. */
const live = `sessions.ends_at > $1 AND sessions.seen_at > $2
  AND (sessions.person_id IS NULL OR people.changed_at = sessions.person_changed_at)`;
/** Columns of a `Session`; the admin token has no person, and so a name of its own. */
const columns = `sessions.id, sessions.person_id, COALESCE(people.name, 'admin') AS name,
  COALESCE(people.role, sessions.role) AS role, people.issuer, sessions.began_at, sessions.seen_at, sessions.ends_at,
  sessions.address, sessions.user_agent`;
const joined = 'sessions LEFT JOIN people ON people.id = sessions.person_id';

/** The live session of that secret; null when there is none. */
export async function findSession(db: Statements, secretHash: string, now: number): Promise<Session | null> {
  const [row] = await db.read(`SELECT ${columns} FROM ${joined} WHERE ${live} AND secret_hash = $3`, [
    now,
    now - sessionIdleMs,
    secretHash,
  ]);
  return row ? sessionFromRow(row) : null;
}

/** Records that a session is in use. */
export async function touchSession(db: Statements, id: SessionId, now: number): Promise<void> {
  await db.write('UPDATE sessions SET seen_at = $2 WHERE id = $1 AND seen_at < $2', [id, now]);
}

/** Live sessions, newest first. */
export async function listSessions(
  db: Statements,
  of: SessionsOf,
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<readonly Session[]> {
  const rows = await db.read(
    `SELECT ${columns} FROM ${joined} WHERE ${live} AND ($3 = '' OR sessions.person_id = $3)
     ORDER BY sessions.began_at DESC, sessions.id LIMIT $4`,
    [now, now - sessionIdleMs, personOf(of), limit],
  );
  return rows.map(sessionFromRow);
}

/** Who ends sessions, and when (epoch ms). */
export interface Ending {
  readonly actor: Actor;
  readonly now: number;
}

/** Ends one session; false when it is not one of `of`. */
export function endSession(
  db: Connection,
  id: SessionId,
  of: SessionsOf,
  { actor, now }: Ending,
): Promise<boolean> {
  return db.transaction(async tx => {
    const [row] = await tx.write(
      `DELETE FROM sessions WHERE id = $1 AND ($2 = '' OR person_id = $2) AND ends_at > $3 RETURNING person_id`,
      [id, personOf(of), now],
    );
    if (!row) return false;
    const details = { owner: textOrNull(row, 'person_id') ?? 'admin' };
    await writeAudit(tx, { at: now, actor, action: 'session.end', subject: id, details });
    return true;
  });
}

/** Ends all sessions but one; returns how many of them were live. */
export function endOtherSessions(
  db: Connection,
  of: SessionsOf,
  but: SessionId | null,
  ending: Ending,
): Promise<number> {
  return db.transaction(tx => removeSessions(tx, of, but, ending));
}

/** The same within a transaction; must be among its last statements, because it writes the audit. */
export async function removeSessions(
  tx: Statements,
  of: SessionsOf,
  but: SessionId | null,
  { actor, now }: Ending,
): Promise<number> {
  const rows = await tx.write(
    `DELETE FROM sessions WHERE ($1 = '' OR person_id = $1) AND id <> $2 RETURNING ends_at, seen_at`,
    [personOf(of), but ?? ''],
  );
  const ended = rows.filter(
    row => integer(row, 'ends_at') > now && integer(row, 'seen_at') > now - sessionIdleMs,
  ).length;
  if (ended > 0)
    await writeAudit(tx, {
      at: now,
      actor,
      action: 'session.end',
      subject: of,
      details: { sessions: ended },
    });
  return ended;
}

/** Deletes up to `limit` expired sessions; returns how many. */
export async function pruneSessions(db: Statements, now: number, limit: number): Promise<number> {
  const rows = await db.write(
    `DELETE FROM sessions WHERE id IN (
       SELECT id FROM sessions WHERE ends_at <= $1 OR seen_at <= $2 LIMIT $3) RETURNING id`,
    [now, now - sessionIdleMs, limit],
  );
  return rows.length;
}

/** Empty for the sessions of all people. */
const personOf = (of: SessionsOf): string => (of === 'everybody' ? '' : of);

function sessionFromRow(row: Row): Session {
  const person = textOrNull(row, 'person_id');
  const role: Role = oneOf(row, 'role', roles);
  return {
    id: sessionIdFromRow(text(row, 'id')),
    person: person === null ? null : personIdFromRow(person),
    name: text(row, 'name'),
    role,
    login: person === null ? 'token' : textOrNull(row, 'issuer') === null ? 'password' : 'oidc',
    beganAt: integer(row, 'began_at'),
    seenAt: integer(row, 'seen_at'),
    endsAt: integer(row, 'ends_at'),
    address: text(row, 'address'),
    userAgent: text(row, 'user_agent'),
  };
}
