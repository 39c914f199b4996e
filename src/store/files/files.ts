/** Rows of files: uploads, inputs and outputs, with their expiry and the limits of uploads. */
import { type StoredFile, uploadsPerWindow, uploadWindowMs } from '../../domain/file.ts';
import {
  type FileId,
  fileIdFromRow,
  jobIdFromRow,
  keyIdFromRow,
  type UserId,
  userIdFromRow,
} from '../../domain/ids.ts';
import type { KnownFacts } from '../../domain/media.ts';
import type { Connection, Row, Statements, Value } from '../db/connection.ts';
import { integer, integerOrNull, oneOf, text, textOrNull } from '../db/rows.ts';
import {
  addStoredBytes,
  findExceededStorage,
  lockFilesOfUser,
  type StorageBounds,
  type StorageExceeded,
  subtractStoredBytes,
} from './storage-usage.ts';

const columns = `id, user_id, key_id, source, job_id, file_name, bytes, mime_type, width, height, sha256, blob_key,
  purpose, facts, created_at, expires_at`;

/** Inserts files of one key, in the transaction of what they belong to; as its last step, because it locks the sum. */
export async function insertFiles(tx: Statements, files: readonly StoredFile[]): Promise<void> {
  for (const file of files) await insertRow(tx, file);
  await addStoredBytes(tx, files);
}

async function insertRow(tx: Statements, file: StoredFile): Promise<void> {
  await tx.write(
    `INSERT INTO files (${columns})
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
    [
      file.id,
      file.userId,
      file.keyId,
      file.source,
      file.jobId,
      file.fileName,
      file.bytes,
      file.mimeType,
      file.width,
      file.height,
      file.sha256,
      file.blobKey,
      file.purpose,
      file.facts === null ? null : JSON.stringify(file.facts),
      file.createdAt,
      file.expiresAt,
    ],
  );
}

/** Records probed facts of a file whose row has none. */
export async function writeFacts(db: Statements, id: FileId, facts: KnownFacts): Promise<void> {
  await db.write('UPDATE files SET facts = $2 WHERE id = $1 AND facts IS NULL', [id, JSON.stringify(facts)]);
}

/** Null while another upload is allowed; otherwise milliseconds until the oldest accepted upload leaves the window. */
export async function uploadWaitMs(db: Statements, userId: UserId, now: number): Promise<number | null> {
  // Deleted files count: their rows stay until they are pruned, long after the window.
  const rows = await db.read(
    `SELECT created_at FROM files WHERE user_id = $1 AND source = 'upload' AND created_at > $2
     ORDER BY created_at DESC LIMIT ${uploadsPerWindow}`,
    [userId, now - uploadWindowMs],
  );
  const oldest = rows[uploadsPerWindow - 1];
  return oldest ? integer(oldest, 'created_at') + uploadWindowMs - now : null;
}

/** `waitMs`: after which another upload is accepted. */
export type UploadInsertion =
  | { readonly kind: 'inserted' }
  | { readonly kind: 'rate_exceeded'; readonly waitMs: number }
  | StorageExceeded;

/**
 * Inserts an upload, unless its user had ten accepted in the last 60 s or it would exceed the storage limit of its key
 * or user; exact over all processes.
 */
export function insertUpload(
  db: Connection,
  file: StoredFile,
  bounds: StorageBounds,
): Promise<UploadInsertion> {
  return db.transaction(async tx => {
    await lockFilesOfUser(tx, file.userId);
    const waitMs = await uploadWaitMs(tx, file.userId, file.createdAt);
    if (waitMs !== null) return { kind: 'rate_exceeded', waitMs };
    const used = await findExceededStorage(tx, file, file.bytes, bounds);
    if (used) return used;
    await insertFiles(tx, [file]);
    return { kind: 'inserted' };
  });
}

/** Null for a file that is missing, of another user, deleted or expired alike. */
export async function readFileOfUser(
  db: Statements,
  id: FileId,
  userId: UserId,
  now: number,
): Promise<StoredFile | null> {
  const [row] = await db.read(
    `SELECT ${columns} FROM files WHERE id = $1 AND user_id = $2 AND deleted_at IS NULL AND expires_at > $3`,
    [id, userId, now],
  );
  return row ? fileFromRow(row) : null;
}

/** For a signed URL, which needs no user. */
export async function readFile(db: Statements, id: FileId, now: number): Promise<StoredFile | null> {
  const [row] = await db.read(
    `SELECT ${columns} FROM files WHERE id = $1 AND deleted_at IS NULL AND expires_at > $2`,
    [id, now],
  );
  return row ? fileFromRow(row) : null;
}

/** Which of these files can still be read. */
export async function findLiveFiles(
  db: Statements,
  ids: readonly string[],
  now: number,
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db.read(
    `SELECT id FROM files WHERE id IN (${ids.map((_, index) => `$${index + 2}`).join(', ')})
       AND deleted_at IS NULL AND expires_at > $1`,
    [now, ...ids],
  );
  return new Set(rows.map(row => text(row, 'id')));
}

/** One page of a user's uploads. */
export interface FileQuery {
  readonly userId: UserId;
  readonly now: number;
  readonly limit: number;
  readonly order: 'asc' | 'desc';
  /** Only files after this one in the requested order. */
  readonly after: StoredFile | null;
}

/** A user's uploads, by time of creation. */
export async function listUploads(db: Statements, query: FileQuery): Promise<readonly StoredFile[]> {
  const values: Value[] = [query.userId, query.now, query.limit];
  const follows = query.order === 'asc' ? '>' : '<';
  const after = query.after ? `AND (created_at, id) ${follows} ($4, $5)` : '';
  if (query.after) values.push(query.after.createdAt, query.after.id);
  const rows = await db.read(
    `SELECT ${columns} FROM files
     WHERE user_id = $1 AND source = 'upload' AND deleted_at IS NULL AND expires_at > $2 ${after}
     ORDER BY created_at ${query.order}, id ${query.order} LIMIT $3`,
    values,
  );
  return rows.map(fileFromRow);
}

/** A file as shown to an operator. */
export interface ListedFile extends StoredFile {
  readonly userName: string;
}

/** Files of all users, newest first. */
export async function listFilesOfAllUsers(
  db: Statements,
  { source, kind, userName, nameText, after, now, limit }: FilesOfAllUsersQuery,
): Promise<readonly ListedFile[]> {
  const values: Value[] = [now, limit];
  const bind = (value: Value) => `$${values.push(value)}`;
  const conditions = ['deleted_at IS NULL', 'expires_at > $1'];
  if (kind !== null) conditions.push(`mime_type LIKE ${bind(`${kind}/%`)}`);
  // By the id, which an index has together with the source and the time.
  if (userName !== null) conditions.push(`user_id = (SELECT id FROM users WHERE name = ${bind(userName)})`);
  if (nameText !== null)
    conditions.push(`LOWER(file_name) LIKE ${bind(`%${literal(nameText.toLowerCase())}%`)} ESCAPE '!'`);
  if (after !== null) conditions.push(`(created_at, id) < (${bind(after.createdAt)}, ${bind(after.id)})`);
  // In the index of a user's files the source precedes the time: each is read by itself, so that the files of everybody
  // else in a busy installation are not.
  const chosen = source === null && userName !== null ? sources : [source];
  const newest = chosen.map(one => {
    const all = [...conditions, ...(one === null ? [] : [`source = ${bind(one)}`])];
    return `SELECT * FROM (SELECT ${columns} FROM files WHERE ${all.join(' AND ')}
      ORDER BY created_at DESC, id DESC LIMIT $2) AS newest`;
  });
  const named = columns
    .split(',')
    .map(column => `found.${column.trim()}`)
    .join(', ');
  const rows = await db.read(
    `SELECT ${named}, users.name AS user_name FROM (${newest.join(' UNION ALL ')}) AS found
     JOIN users ON users.id = found.user_id ORDER BY found.created_at DESC, found.id DESC LIMIT $2`,
    values,
  );
  return rows.map(row => ({ ...fileFromRow(row), userName: text(row, 'user_name') }));
}

/** Where files come from. */
const sources: readonly StoredFile['source'][] = ['upload', 'input', 'output'];

/** Text of a LIKE pattern that stands for itself alone. */
const literal = (searched: string): string => searched.replace(/[!%_]/g, '!$&');

/** Null members do not filter. */
export interface FilesOfAllUsersQuery {
  readonly source: StoredFile['source'] | null;
  /** First half of the media type. */
  readonly kind: 'image' | 'video' | 'audio' | null;
  readonly userName: string | null;
  /** Letters of the file name, in any case. */
  readonly nameText: string | null;
  readonly after: StoredFile | null;
  readonly now: number;
  readonly limit: number;
}

/** False when this user has no such file. Its bytes no longer count against the limits. */
export function deleteFile(db: Connection, id: FileId, userId: UserId, now: number): Promise<boolean> {
  return db.transaction(async tx => {
    const rows = await tx.write(
      `UPDATE files SET deleted_at = $3 WHERE id = $1 AND user_id = $2 AND deleted_at IS NULL AND expires_at > $3
       RETURNING user_id, key_id, bytes`,
      [id, userId, now],
    );
    await subtractStoredBytes(tx, rows);
    return rows.length > 0;
  });
}

/** Files whose bytes may be removed: deleted or expired. */
export async function findFilesToRemove(
  db: Statements,
  now: number,
  limit: number,
): Promise<readonly StoredFile[]> {
  const rows = await db.read(
    `SELECT ${columns} FROM files WHERE expires_at <= $1
     UNION ALL SELECT ${columns} FROM files WHERE deleted_at IS NOT NULL AND deleted_at <= $2 AND expires_at > $1
     LIMIT $3`,
    // The upload rate counts the rows of deleted uploads, too.
    [now, now - 2 * uploadWindowMs, limit],
  );
  return rows.map(fileFromRow);
}

/** Call it after their bytes are removed. */
export async function removeFileRows(db: Connection, ids: readonly FileId[]): Promise<void> {
  if (ids.length === 0) return;
  const places = ids.map((_, index) => `$${index + 1}`).join(', ');
  await db.transaction(async tx => {
    const rows = await tx.write(
      `DELETE FROM files WHERE id IN (${places}) RETURNING user_id, key_id, bytes, deleted_at`,
      ids,
    );
    // The bytes of deleted files were subtracted when they were deleted.
    await subtractStoredBytes(
      tx,
      rows.filter(row => row.deleted_at === null),
    );
  });
}

/** Which of these blobs belong to a file. */
export async function findReferencedBlobs(
  db: Statements,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  if (keys.length === 0) return new Set();
  const rows = await db.read(
    `SELECT blob_key FROM files WHERE blob_key IN (${keys.map((_, index) => `$${index + 1}`).join(', ')})`,
    keys,
  );
  return new Set(rows.map(row => text(row, 'blob_key')));
}

function fileFromRow(row: Row): StoredFile {
  const jobId = textOrNull(row, 'job_id');
  const facts = textOrNull(row, 'facts');
  return {
    id: fileIdFromRow(text(row, 'id')),
    userId: userIdFromRow(text(row, 'user_id')),
    keyId: keyIdFromRow(text(row, 'key_id')),
    source: oneOf(row, 'source', sources),
    jobId: jobId === null ? null : jobIdFromRow(jobId),
    fileName: text(row, 'file_name'),
    bytes: integer(row, 'bytes'),
    mimeType: text(row, 'mime_type'),
    width: integerOrNull(row, 'width'),
    height: integerOrNull(row, 'height'),
    sha256: text(row, 'sha256'),
    blobKey: text(row, 'blob_key'),
    purpose: textOrNull(row, 'purpose'),
    facts: facts === null ? null : (JSON.parse(facts) as KnownFacts),
    createdAt: integer(row, 'created_at'),
    expiresAt: integer(row, 'expires_at'),
  };
}
