/** The secrets that sign users' callbacks, encrypted in their rows by the master secret. */
import { newCallbackSecret, secretOverlapMs } from '../../domain/delivery.ts';
import type { UserId } from '../../domain/ids.ts';
import type { Connection, Row, Statements } from '../db/connection.ts';
import { integerOrNull, text, textOrNull } from '../db/rows.ts';
import { isSealed, openSeal, type Seal } from '../db/seal.ts';
import { writeAudit } from '../people/audit.ts';

/** The secrets that sign callbacks: one a user, encrypted with the master secret. */
export interface CallbackSecrets {
  /** The secrets that sign now: the present one first, and during a rotation the previous one. Created when first read. */
  read(userId: UserId, now: number): Promise<readonly [present: string, ...before: string[]]>;
  /** Gives a user a new secret; the previous one signs, too, for a day. Null when there is no such user. */
  rotate(userName: string, now: number): Promise<Rotation | null>;
  /** Whether the rows are encrypted with this master secret; the first call on a database determines which. */
  matchesMasterSecret(): Promise<boolean>;
  /** Encrypts what an older version stored in plain text; returns the number of users. Safe at any time, in any process. */
  sealPlaintext(): Promise<number>;
  /** Removes every secret after a change of the master secret: each user gets a new one when it is first needed. */
  renewAll(now: number): Promise<void>;
}

/** What a rotation made. */
export interface Rotation {
  readonly secret: string;
  /** Until when the previous secret signs, too, epoch ms. */
  readonly previousEndsAt: number;
}

/** Encrypted once per database, to verify the master secret at a start. */
const proof = { plain: 'atelier', owner: 'seal_proof' } as const;
/** Rows that are read at a time. */
const usersPerBatch = 200;

/** `masterSecret` must be the same in every process of a database. */
export function openCallbackSecrets(db: Connection, masterSecret: string): CallbackSecrets {
  const sealing = openSeal(masterSecret);
  const { seal, open } = sealing;
  const sealProof = () => seal(proof.plain, proof.owner);
  return {
    async read(userId, now) {
      const row = await readRow(db, sealing, userId);
      const previous = textOrNull(row, 'previous_callback_secret');
      const isInForce = (integerOrNull(row, 'previous_callback_secret_ends_at') ?? 0) > now;
      return [
        unseal(sealing, text(row, 'callback_secret'), userId),
        ...(previous !== null && isInForce ? [unseal(sealing, previous, userId)] : []),
      ];
    },
    rotate: (userName, now) => db.transaction(tx => rotate(tx, sealing, userName, now)),
    async matchesMasterSecret() {
      await db.write('INSERT INTO seal_proof (id, sealed) VALUES (1, $1) ON CONFLICT DO NOTHING', [
        sealProof(),
      ]);
      const [row] = await db.read('SELECT sealed FROM seal_proof WHERE id = 1');
      return row !== undefined && open(text(row, 'sealed'), proof.owner) === proof.plain;
    },
    async sealPlaintext() {
      let users = 0;
      for (let after = ''; ; ) {
        const rows = await readPlaintextRows(db, after);
        for (const row of rows) await sealRow(db, sealing, row);
        users += rows.length;
        const last = rows.at(-1);
        if (!last) return users;
        after = text(last, 'id');
      }
    },
    renewAll: now =>
      db.transaction(async tx => {
        await tx.write(
          `UPDATE users SET callback_secret = '', previous_callback_secret = NULL,
             previous_callback_secret_ends_at = NULL`,
        );
        await tx.write('DELETE FROM seal_proof');
        await tx.write('INSERT INTO seal_proof (id, sealed) VALUES (1, $1)', [sealProof()]);
        const action = 'callback_secret.renew_all';
        await writeAudit(tx, { at: now, actor: 'operator', action, subject: 'users', details: {} });
      }),
  };
}

/** A row of an older version is plain text until the next start. */
function unseal({ open }: Seal, stored: string, userId: string): string {
  const plain = isSealed(stored) ? open(stored, userId) : stored;
  if (plain === null)
    throw new Error(`expected the webhook secret of ${userId} to be encrypted with this master secret`);
  return plain;
}

/** The row of a user, with a new secret where there was none. */
async function readRow(db: Statements, { seal }: Seal, userId: UserId): Promise<Row> {
  const read = async () => {
    const [row] = await db.read(
      `SELECT callback_secret, previous_callback_secret, previous_callback_secret_ends_at FROM users WHERE id = $1`,
      [userId],
    );
    if (!row) throw new Error(`expected user ${userId} to exist`);
    return row;
  };
  const row = await read();
  if (text(row, 'callback_secret') !== '') return row;
  // Of two concurrent writers one changes nothing.
  await db.write(`UPDATE users SET callback_secret = $2 WHERE id = $1 AND callback_secret = ''`, [
    userId,
    seal(newCallbackSecret(), userId),
  ]);
  return read();
}

/** The previous secret is encrypted, too, if an older version stored it as plain text. */
async function rotate(
  tx: Statements,
  { seal }: Seal,
  userName: string,
  now: number,
): Promise<Rotation | null> {
  const [user] = await tx.read('SELECT id FROM users WHERE name = $1', [userName]);
  if (!user) return null;
  const id = text(user, 'id');
  const secret = newCallbackSecret();
  const previousEndsAt = now + secretOverlapMs;
  const [row] = await tx.write(
    `UPDATE users SET previous_callback_secret = NULLIF(callback_secret, ''),
       previous_callback_secret_ends_at = $3, callback_secret = $2 WHERE id = $1
     RETURNING previous_callback_secret`,
    [id, seal(secret, id), previousEndsAt],
  );
  const previous = row ? textOrNull(row, 'previous_callback_secret') : null;
  if (previous !== null && !isSealed(previous))
    await tx.write('UPDATE users SET previous_callback_secret = $2 WHERE id = $1', [id, seal(previous, id)]);
  const details = { user: userName, previous_ends_at: previousEndsAt };
  const action = 'callback_secret.rotate';
  await writeAudit(tx, { at: now, actor: 'operator', action, subject: id, details });
  return { secret, previousEndsAt };
}

const readPlaintextRows = (db: Statements, after: string): Promise<readonly Row[]> =>
  db.read(
    `SELECT id, callback_secret, previous_callback_secret FROM users WHERE id > $1 AND
       ((callback_secret <> '' AND callback_secret NOT LIKE 'v1.%') OR previous_callback_secret NOT LIKE 'v1.%')
     ORDER BY id LIMIT ${usersPerBatch}`,
    [after],
  );

/** Updates each column by itself, and only where it is unchanged since it was read: a rotation may be concurrent. */
async function sealRow(db: Statements, { seal }: Seal, row: Row): Promise<void> {
  const id = text(row, 'id');
  for (const column of ['callback_secret', 'previous_callback_secret'] as const) {
    const plain = textOrNull(row, column);
    if (plain === null || plain === '' || isSealed(plain)) continue;
    await db.write(`UPDATE users SET ${column} = $3 WHERE id = $1 AND ${column} = $2`, [
      id,
      plain,
      seal(plain, id),
    ]);
  }
}
