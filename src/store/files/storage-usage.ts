/** Stored bytes of users and keys: sums kept beside the rows of files, and their limits. */
import type { StoredFile } from '../../domain/file.ts';
import type { KeyId, UserId } from '../../domain/ids.ts';
import type { StorageLimits } from '../../domain/storage-limits.ts';
import type { Row, Statements } from '../db/connection.ts';
import { integer, text } from '../db/rows.ts';

/** The storage limit of a key or user that more bytes would exceed. */
export interface StorageExceeded {
  readonly kind: 'storage_used';
  readonly owner: 'key' | 'user';
  readonly limit: number;
  /** Bytes stored already. */
  readonly bytes: number;
}

/** Limits in bytes. */
export type StorageBounds = Pick<StorageLimits, 'perKey' | 'perUser'>;

/** Serialises the inserts of files of one user until this transaction ends, so that no two count the same free bytes. */
export async function lockFilesOfUser(tx: Statements, userId: UserId): Promise<void> {
  await tx.write('UPDATE users SET name = name WHERE id = $1', [userId]);
}

/** Null while `bytes` more fit. */
export async function findExceededStorage(
  db: Statements,
  { userId, keyId }: { readonly userId: UserId; readonly keyId: KeyId },
  bytes: number,
  { perKey, perUser }: StorageBounds,
): Promise<StorageExceeded | null> {
  const [row] = await db.read(
    `SELECT COALESCE(SUM(CASE WHEN key_id = $2 THEN bytes ELSE 0 END), 0) AS of_key,
       COALESCE(SUM(bytes), 0) AS of_user FROM stored_bytes WHERE user_id = $1`,
    [userId, keyId],
  );
  const [ofKey, ofUser] = [integer(row!, 'of_key'), integer(row!, 'of_user')];
  if (ofKey + bytes > perKey) return { kind: 'storage_used', owner: 'key', limit: perKey, bytes: ofKey };
  if (ofUser + bytes > perUser) return { kind: 'storage_used', owner: 'user', limit: perUser, bytes: ofUser };
  return null;
}

/** Sum over all users. */
export async function readStoredBytes(db: Statements): Promise<number> {
  const [row] = await db.read('SELECT COALESCE(SUM(bytes), 0) AS bytes FROM stored_bytes');
  return integer(row!, 'bytes');
}

/** Stored bytes of one user. */
export interface UserStorage {
  readonly name: string;
  readonly bytes: number;
}

/** The users who store the most, largest first. */
export async function listLargestUsers(db: Statements, limit: number): Promise<readonly UserStorage[]> {
  const rows = await db.read(
    `SELECT users.name AS name, SUM(stored_bytes.bytes) AS bytes
     FROM stored_bytes JOIN users ON users.id = stored_bytes.user_id
     GROUP BY users.id, users.name HAVING SUM(stored_bytes.bytes) > 0
     ORDER BY SUM(stored_bytes.bytes) DESC, users.name LIMIT $1`,
    [limit],
  );
  return rows.map(row => ({ name: text(row, 'name'), bytes: integer(row, 'bytes') }));
}

/** Call it in the transaction that inserts the rows. Files of one transaction belong to one key. */
export async function addStoredBytes(tx: Statements, files: readonly StoredFile[]): Promise<void> {
  const [first] = files;
  if (!first) return;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  await changeStoredBytes(tx, {
    ...first,
    part: first.id.charCodeAt(first.id.length - 1) % counterShards,
    bytes,
  });
}

/** Call it in the transaction that deletes them, with their `user_id`, `key_id` and `bytes`. */
export async function subtractStoredBytes(tx: Statements, rows: readonly Row[]): Promise<void> {
  const byKey = Map.groupBy(rows, row => `${text(row, 'user_id')} ${text(row, 'key_id')}`);
  // Always in the same order: two processes that remove files of the same keys must not deadlock.
  for (const key of [...byKey.keys()].toSorted()) {
    const [userId, keyId] = key.split(' ') as [string, string];
    const bytes = byKey.get(key)!.reduce((sum, row) => sum + integer(row, 'bytes'), 0);
    await changeStoredBytes(tx, { userId, keyId, part: 0, bytes: -bytes });
  }
}

/** Rows per key, so that concurrent inserts rarely lock the same one. */
const counterShards = 8;

/** `bytes` may be negative. */
async function changeStoredBytes(
  tx: Statements,
  {
    userId,
    keyId,
    part,
    bytes,
  }: { readonly userId: string; readonly keyId: string; readonly part: number; readonly bytes: number },
): Promise<void> {
  await tx.write(
    `INSERT INTO stored_bytes (user_id, key_id, part, bytes) VALUES ($1, $2, $3, $4)
     ON CONFLICT (user_id, key_id, part) DO UPDATE SET bytes = stored_bytes.bytes + EXCLUDED.bytes`,
    [userId, keyId, part, bytes],
  );
}
