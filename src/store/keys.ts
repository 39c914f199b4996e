import { newCallbackSecret } from '../domain/delivery.ts';
import {
  hashApiKey,
  type KeyId,
  keyIdFromRow,
  newApiKeySecret,
  newKeyId,
  newUserId,
  userIdFromRow,
} from '../domain/ids.ts';
import type { ApiKey, Principal } from '../domain/key.ts';
import { writeAudit } from './audit.ts';
import type { Connection, Row, Statements } from './connection.ts';
import { integer, integerOrNull, text, textOrNull } from './rows.ts';

export interface NewKey {
  readonly userName: string;
  readonly name: string | null;
  readonly models: readonly string[] | null;
  readonly expiresAt: number | null;
}

/** Makes a key, and its user where the name is new. The secret is returned once and not kept. */
export function createKey(
  db: Connection,
  key: NewKey,
  now: number,
): Promise<{ readonly key: ApiKey; readonly secret: string }> {
  const secret = newApiKeySecret();
  const id = newKeyId();
  return db.transaction(async tx => {
    await tx.write(
      `INSERT INTO users (id, name, callback_secret, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
      [newUserId(), key.userName, newCallbackSecret(), now],
    );
    await tx.write(
      `INSERT INTO keys (id, user_id, name, hash, hint, models, created_at, expires_at)
       SELECT $1, id, $3, $4, $5, $6, $7, $8 FROM users WHERE name = $2`,
      [
        id,
        key.userName,
        key.name,
        hashApiKey(secret),
        `${secret.slice(0, 8)}…${secret.slice(-4)}`,
        key.models === null ? null : JSON.stringify(key.models),
        now,
        key.expiresAt,
      ],
    );
    const [row] = await tx.read(`${selectKeys} WHERE keys.id = $1`, [id]);
    const details = {
      user: key.userName,
      name: key.name,
      models: key.models,
      expires_at: key.expiresAt,
    };
    await writeAudit(tx, { at: now, actor: 'operator', action: 'key.create', subject: id, details });
    return { key: keyFromRow(row!), secret };
  });
}

export async function listKeys(db: Statements): Promise<readonly ApiKey[]> {
  const rows = await db.read(`${selectKeys} ORDER BY keys.created_at, keys.id`);
  return rows.map(keyFromRow);
}

/** False when there is no such key. Revoking twice changes nothing. */
export function revokeKey(db: Connection, id: KeyId, now: number): Promise<boolean> {
  return db.transaction(async tx => {
    const [revoked] = await tx.write(
      'UPDATE keys SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL RETURNING id',
      [id, now],
    );
    if (!revoked) return (await tx.read('SELECT id FROM keys WHERE id = $1', [id])).length > 0;
    await writeAudit(tx, { at: now, actor: 'operator', action: 'key.revoke', subject: id, details: {} });
    return true;
  });
}

export async function anyKeyExists(db: Statements): Promise<boolean> {
  return (await db.read('SELECT id FROM keys LIMIT 1')).length > 0;
}

/** Who a secret speaks for; null when it is unknown, expired or revoked. */
export async function findPrincipal(db: Statements, hash: string, now: number): Promise<Principal | null> {
  const [row] = await db.read(
    `SELECT id, user_id, models FROM keys
     WHERE hash = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)`,
    [hash, now],
  );
  if (!row) return null;
  return {
    keyId: keyIdFromRow(text(row, 'id')),
    userId: userIdFromRow(text(row, 'user_id')),
    models: modelsFromRow(row),
  };
}

const selectKeys = `SELECT keys.id, keys.user_id, users.name AS user_name, keys.name, keys.hint, keys.models,
  keys.created_at, keys.expires_at, keys.revoked_at FROM keys JOIN users ON users.id = keys.user_id`;

function keyFromRow(row: Row): ApiKey {
  return {
    id: keyIdFromRow(text(row, 'id')),
    userId: userIdFromRow(text(row, 'user_id')),
    userName: text(row, 'user_name'),
    name: textOrNull(row, 'name'),
    hint: text(row, 'hint'),
    models: modelsFromRow(row),
    createdAt: integer(row, 'created_at'),
    expiresAt: integerOrNull(row, 'expires_at'),
    revokedAt: integerOrNull(row, 'revoked_at'),
  };
}

function modelsFromRow(row: Row): readonly string[] | null {
  const models = textOrNull(row, 'models');
  return models === null ? null : (JSON.parse(models) as string[]);
}
