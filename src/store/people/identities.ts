/** People whom an identity provider named: a person for each issuer and subject, made by the first login. */
import { newPersonId, type PersonId, personIdFromRow } from '../../domain/ids.ts';
import type { Identity } from '../../domain/oidc.ts';
import type { Person, Role } from '../../domain/person.ts';
import type { Session } from '../../domain/session.ts';
import type { Connection, Row, Statements } from '../db/connection.ts';
import { text } from '../db/rows.ts';
import { writeAudit } from './audit.ts';
import { personColumns, personFromRow } from './people.ts';
import { insertSession, type NewSession, removeSessions } from './sessions.ts';
import { endSetup } from './setup.ts';

/** An identity whose groups have a role. */
export type AdmittedIdentity = Identity & { readonly role: Role };

/**
 * Begins a session for an identity. The person gets the role of this login; with another one than before, all earlier
 * sessions end. The first login makes the person, under the first of its names that is free.
 */
export function enterByIdentity(
  db: Connection,
  identity: AdmittedIdentity,
  session: Omit<NewSession, 'owner'>,
  now: number,
): Promise<Session> {
  return db.transaction(async tx => {
    const owner =
      (await changeRole(tx, identity, now)) ??
      (await findByIdentity(tx, identity)) ??
      (await insertByIdentity(tx, identity, now)) ??
      // Two first logins of one person at once: the other one made the row.
      (await findByIdentity(tx, identity));
    if (!owner) throw new Error('expected the id of a person to be free as a name');
    return insertSession(tx, { ...session, owner }, now);
  });
}

/** Ends the sessions of somebody without a role. Null where he never had one. */
export function leaveByIdentity(db: Connection, identity: Identity, now: number): Promise<PersonId | null> {
  return db.transaction(async tx => {
    const [row] = await tx.read('SELECT id FROM people WHERE issuer = $1 AND subject = $2', keyOf(identity));
    if (!row) return null;
    const id = personIdFromRow(text(row, 'id'));
    await removeSessions(tx, id, null, { actor: id, now });
    return id;
  });
}

/** The person, if the role of this login is another one than that of the row. */
async function changeRole(tx: Statements, identity: AdmittedIdentity, now: number): Promise<Person | null> {
  const [row] = await tx.write(
    `UPDATE people SET role = $3, changed_at = $4 WHERE issuer = $1 AND subject = $2 AND role <> $3
     RETURNING ${personColumns}`,
    [...keyOf(identity), identity.role, now],
  );
  if (!row) return null;
  const person = personFromRow(row);
  const details = { role: identity.role, by: 'groups' };
  await writeAudit(tx, { at: now, actor: person.id, action: 'person.edit', subject: person.id, details });
  await removeSessions(tx, person.id, null, { actor: person.id, now });
  return person;
}

async function findByIdentity(tx: Statements, identity: Identity): Promise<Person | null> {
  const [row] = await tx.read(
    `SELECT ${personColumns} FROM people WHERE issuer = $1 AND subject = $2`,
    keyOf(identity),
  );
  return row ? personFromRow(row) : null;
}

/** Null where another transaction made the person first. A name is never a reason to be taken for somebody else. */
async function insertByIdentity(
  tx: Statements,
  identity: AdmittedIdentity,
  now: number,
): Promise<Person | null> {
  const { names, role, issuer } = identity;
  await endSetup(tx, now);
  const id = newPersonId();
  // The id as the last name: it is free.
  for (const name of [...names, id]) {
    const [row] = await tx.write(
      `INSERT INTO people (id, name, role, password_hash, created_at, changed_at, issuer, subject)
       VALUES ($1, $2, $3, '', $4, $4, $5, $6) ON CONFLICT DO NOTHING RETURNING ${personColumns}`,
      [id, name, role, now, ...keyOf(identity)],
    );
    if (!row) continue;
    const details = { name, role, issuer };
    await writeAudit(tx, { at: now, actor: id, action: 'person.create', subject: id, details });
    return personFromRow(row);
  }
  return null;
}

const keyOf = ({ issuer, subject }: Identity): readonly NonNullable<Row[string]>[] => [issuer, subject];
