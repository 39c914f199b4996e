import { newPersonId, type PersonId, personIdFromRow } from '../domain/ids.ts';
import { type Person, type Role, roles } from '../domain/person.ts';
import { type Actor, writeAudit } from './audit.ts';
import type { Connection, Row, Statements } from './connection.ts';
import { integer, oneOf, text } from './rows.ts';

const columns = 'id, name, role, created_at, changed_at';
const most = 500;

export interface NewPerson {
  readonly name: string;
  readonly role: Role;
  readonly passwordHash: string;
}

/** Null when the name is taken. Whoever is the first ends the setup. */
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

/** An admin who needs nobody to let him in. Null when there was somebody before: this happens once. */
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

/** Whether nobody had an account yet, ever. */
export async function isSetupOpen(db: Statements): Promise<boolean> {
  return (await db.read('SELECT ended_at FROM setup')).length === 0;
}

/** False when it had ended before. */
const endSetup = async (tx: Statements, now: number): Promise<boolean> =>
  (
    await tx.write('INSERT INTO setup (id, ended_at) VALUES (1, $1) ON CONFLICT DO NOTHING RETURNING id', [
      now,
    ])
  ).length === 1;

async function insertPerson(
  tx: Statements,
  { name, role, passwordHash }: NewPerson,
  { actor, now }: { readonly actor: Actor; readonly now: number },
): Promise<Person | null> {
  const id = newPersonId();
  const [row] = await tx.write(
    `INSERT INTO people (id, name, role, password_hash, created_at, changed_at)
     VALUES ($1, $2, $3, $4, $5, $5) ON CONFLICT DO NOTHING RETURNING ${columns}`,
    [id, name, role, passwordHash, now],
  );
  if (!row) return null;
  await writeAudit(tx, { at: now, actor, action: 'person.create', subject: id, details: { name, role } });
  return personFromRow(row);
}

/** What is absent stays. Null when there is no such person. */
export function editPerson(
  db: Connection,
  id: PersonId,
  change: { readonly role?: Role; readonly passwordHash?: string },
  { actor, now }: { readonly actor: Actor; readonly now: number },
): Promise<Person | null> {
  return db.transaction(async tx => {
    const [row] = await tx.write(
      `UPDATE people SET role = COALESCE($2, role), password_hash = COALESCE($3, password_hash), changed_at = $4
       WHERE id = $1 RETURNING ${columns}`,
      [id, change.role ?? null, change.passwordHash ?? null, now],
    );
    if (!row) return null;
    const details = {
      ...(change.role && { role: change.role }),
      password: change.passwordHash !== undefined,
    };
    await writeAudit(tx, { at: now, actor, action: 'person.edit', subject: id, details });
    return personFromRow(row);
  });
}

/** False when there is no such person. */
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
    return true;
  });
}

export async function listPeople(db: Statements): Promise<readonly Person[]> {
  const rows = await db.read(`SELECT ${columns} FROM people ORDER BY name LIMIT ${most}`);
  return rows.map(personFromRow);
}

export async function readPerson(db: Statements, id: PersonId): Promise<Person | null> {
  const [row] = await db.read(`SELECT ${columns} FROM people WHERE id = $1`, [id]);
  return row ? personFromRow(row) : null;
}

/** For a login: who has that name, and the hash to hold a password against. */
export async function readLogin(
  db: Statements,
  name: string,
): Promise<{ readonly person: Person; readonly passwordHash: string } | null> {
  const [row] = await db.read(`SELECT ${columns}, password_hash FROM people WHERE name = $1`, [name]);
  return row ? { person: personFromRow(row), passwordHash: text(row, 'password_hash') } : null;
}

const personFromRow = (row: Row): Person => ({
  id: personIdFromRow(text(row, 'id')),
  name: text(row, 'name'),
  role: oneOf(row, 'role', roles),
  createdAt: integer(row, 'created_at'),
  changedAt: integer(row, 'changed_at'),
});
