/** Accounts of the console: people with a role, who log in by a password or by an identity provider. */
import { newPersonId, type PersonId, personIdFromRow } from '../../domain/ids.ts';
import { type Person, type Role, roles } from '../../domain/person.ts';
import type { Session } from '../../domain/session.ts';
import type { Connection, Row, Statements } from '../db/connection.ts';
import { integer, oneOf, text, textOrNull } from '../db/rows.ts';
import { type Actor, writeAudit } from './audit.ts';
import { insertSession, type NewSession, removeSessions } from './sessions.ts';
import { endSetup } from './setup.ts';

/** Of a `Person`. */
export const personColumns = 'id, name, role, issuer, created_at, changed_at';
const maxListedPeople = 500;

/** A person to be created. */
export interface NewPerson {
  readonly name: string;
  readonly role: Role;
  readonly passwordHash: string;
}

/** Null when the name is taken. The first person ends the setup. */
export function createPerson(
  db: Connection,
  person: NewPerson,
  { actor, now }: { readonly actor: Actor; readonly now: number },
): Promise<Person | null> {
  return db.transaction(async tx => {
    await endSetup(tx, now);
    return insertPerson(tx, person, { actor, now });
  });
}

/** Creates the first admin during the setup. Null when the setup is over. */
export function createFirstPerson(
  db: Connection,
  { name, passwordHash }: Pick<NewPerson, 'name' | 'passwordHash'>,
  now: number,
): Promise<Person | null> {
  return db.transaction(async tx => {
    if (!(await endSetup(tx, now))) return null;
    return insertPerson(tx, { name, role: 'admin', passwordHash }, { actor: 'operator', now });
  });
}

/** Null when the name is taken. */
async function insertPerson(
  tx: Statements,
  { name, role, passwordHash }: NewPerson,
  { actor, now }: { readonly actor: Actor; readonly now: number },
): Promise<Person | null> {
  const id = newPersonId();
  const [row] = await tx.write(
    `INSERT INTO people (id, name, role, password_hash, created_at, changed_at)
     VALUES ($1, $2, $3, $4, $5, $5) ON CONFLICT DO NOTHING RETURNING ${personColumns}`,
    [id, name, role, passwordHash, now],
  );
  if (!row) return null;
  await writeAudit(tx, { at: now, actor, action: 'person.create', subject: id, details: { name, role } });
  return personFromRow(row);
}

/**
 * Absent members stay unchanged. Ends the person's sessions. Null when there is no such person; `of_provider` when
 * role and login are those of an identity provider.
 */
export function editPerson(
  db: Connection,
  id: PersonId,
  change: { readonly role?: Role; readonly passwordHash?: string },
  { actor, now }: { readonly actor: Actor; readonly now: number },
): Promise<Person | 'of_provider' | null> {
  return db.transaction(async tx => {
    const [row] = await tx.write(
      `UPDATE people SET role = COALESCE($2, role), password_hash = COALESCE($3, password_hash), changed_at = $4
       WHERE id = $1 AND issuer IS NULL RETURNING ${personColumns}`,
      [id, change.role ?? null, change.passwordHash ?? null, now],
    );
    if (!row) {
      const [other] = await tx.read('SELECT id FROM people WHERE id = $1', [id]);
      return other ? 'of_provider' : null;
    }
    const details = {
      ...(change.role && { role: change.role }),
      password: change.passwordHash !== undefined,
    };
    await writeAudit(tx, { at: now, actor, action: 'person.edit', subject: id, details });
    await removeSessions(tx, id, null, { actor, now });
    return personFromRow(row);
  });
}

/**
 * Changes a password at the person's own request: all sessions end, and a new one begins. `before` and `after` are
 * hashes; null when `before` is no longer the stored one.
 */
export function changeOwnPassword(
  db: Connection,
  { id, before, after }: { readonly id: PersonId; readonly before: string; readonly after: string },
  session: Omit<NewSession, 'owner'>,
  now: number,
): Promise<Session | null> {
  return db.transaction(async tx => {
    const [row] = await tx.write(
      `UPDATE people SET password_hash = $3, changed_at = $4 WHERE id = $1 AND password_hash = $2
       RETURNING ${personColumns}`,
      [id, before, after, now],
    );
    if (!row) return null;
    const details = { password: true };
    await writeAudit(tx, { at: now, actor: id, action: 'person.edit', subject: id, details });
    await removeSessions(tx, id, null, { actor: id, now });
    return insertSession(tx, { ...session, owner: personFromRow(row) }, now);
  });
}

/** Stores the same password hashed with the present parameters; no session ends. */
export async function upgradePasswordHash(
  db: Statements,
  { id, before, after }: { readonly id: PersonId; readonly before: string; readonly after: string },
): Promise<void> {
  await db.write('UPDATE people SET password_hash = $3 WHERE id = $1 AND password_hash = $2', [
    id,
    before,
    after,
  ]);
}

/** Ends the person's sessions, too. False when there is no such person. */
export function removePerson(
  db: Connection,
  id: PersonId,
  { actor, now }: { readonly actor: Actor; readonly now: number },
): Promise<boolean> {
  return db.transaction(async tx => {
    const [row] = await tx.write('DELETE FROM people WHERE id = $1 RETURNING name', [id]);
    if (!row) return false;
    const details = { name: text(row, 'name') };
    await writeAudit(tx, { at: now, actor, action: 'person.remove', subject: id, details });
    await removeSessions(tx, id, null, { actor, now });
    return true;
  });
}

/** Whether anybody logs in by name and password. */
export async function hasPasswords(db: Statements): Promise<boolean> {
  return (await db.read('SELECT id FROM people WHERE issuer IS NULL LIMIT 1')).length === 1;
}

/** By name. */
export async function listPeople(db: Statements): Promise<readonly Person[]> {
  const rows = await db.read(`SELECT ${personColumns} FROM people ORDER BY name LIMIT ${maxListedPeople}`);
  return rows.map(personFromRow);
}

/** What verifying a password needs. */
export interface Login {
  readonly person: Person;
  readonly passwordHash: string;
}

/** For a login: the person of that name who has a password, and its stored hash. */
export async function readLogin(db: Statements, name: string): Promise<Login | null> {
  const [row] = await db.read(
    `SELECT ${personColumns}, password_hash FROM people WHERE name = $1 AND issuer IS NULL`,
    [name],
  );
  return row ? { person: personFromRow(row), passwordHash: text(row, 'password_hash') } : null;
}

/** For rows of `personColumns`. */
export const personFromRow = (row: Row): Person => ({
  id: personIdFromRow(text(row, 'id')),
  name: text(row, 'name'),
  role: oneOf(row, 'role', roles),
  createdAt: integer(row, 'created_at'),
  changedAt: integer(row, 'changed_at'),
  login: textOrNull(row, 'issuer') === null ? 'password' : 'oidc',
});
