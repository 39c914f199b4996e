/** API keys: creation, listing, change, revocation and lookup by their hash. */
import {
  hashApiKey,
  type KeyId,
  keyIdFromRow,
  newApiKeySecret,
  newKeyId,
  newUserId,
  userIdFromRow,
} from '../../domain/ids.ts';
import { type ApiKey, isScope, type Principal, type Quota, type Scope } from '../../domain/key.ts';
import { consoleUserName } from '../../domain/user-name.ts';
import { type Connection, keysTopic, type Row, type Statements } from '../db/connection.ts';
import { integer, integerOrNull, text, textOrNull } from '../db/rows.ts';
import { defaultProject } from '../money/accounts.ts';
import { type BudgetLimit, writeLimit } from '../money/projects.ts';
import { type Actor, writeAudit } from './audit.ts';
import { quotaFromRow } from './key-quota.ts';

/** What an operator chooses for a key. */
export interface NewKey {
  readonly userName: string;
  readonly name: string | null;
  /** Model ids; null: every model. */
  readonly models: readonly string[] | null;
  /** Absent or null: not limited to scopes. */
  readonly scopes?: readonly Scope[] | null;
  /** Epoch ms; null: never. */
  readonly expiresAt: number | null;
  /** The project that pays for its jobs; absent or null: the default project. */
  readonly projectId?: string | null;
  /** What it may spend; absent or null: no limit of its own. */
  readonly budget?: BudgetLimit | null;
}

/** Creates a key, and its user where the name is new. The secret is returned once and not stored. */
export function createKey(
  db: Connection,
  key: NewKey,
  now: number,
  actor: Actor = 'operator',
): Promise<{ readonly key: ApiKey; readonly secret: string }> {
  const secret = newApiKeySecret();
  const id = newKeyId();
  return db.transaction(async tx => {
    await tx.write(
      `INSERT INTO users (id, name, callback_secret, created_at) VALUES ($1, $2, '', $3) ON CONFLICT DO NOTHING`,
      [newUserId(), key.userName, now],
    );
    await tx.write(
      `INSERT INTO keys (id, user_id, name, hash, hint, models, scopes, created_at, expires_at, project_id)
       SELECT $1, id, $3, $4, $5, $6, $7, $8, $9, $10 FROM users WHERE name = $2`,
      [
        id,
        key.userName,
        key.name,
        hashApiKey(secret),
        `${secret.slice(0, 8)}…${secret.slice(-4)}`,
        jsonOrNull(key.models),
        jsonOrNull(key.scopes ?? null),
        now,
        key.expiresAt,
        key.projectId ?? null,
      ],
    );
    if (key.budget && key.budget.limit !== null)
      await writeLimit(tx, { kind: 'key', id }, key.budget, { actor, now });
    const [row] = await tx.read(`${selectKeys} WHERE keys.id = $1`, [id]);
    const details = {
      user: key.userName,
      name: key.name,
      models: key.models,
      ...(key.scopes && { scopes: key.scopes }),
      ...(key.projectId && { project: key.projectId }),
      ...(key.budget && { limit: key.budget.limit, monthly: key.budget.monthly }),
      expires_at: key.expiresAt,
    };
    await writeAudit(tx, { at: now, actor, action: 'key.create', subject: id, details });
    return { key: keyFromRow(row!), secret };
  });
}

/** All keys, also expired and revoked ones, oldest first. */
export async function listKeys(db: Statements): Promise<readonly ApiKey[]> {
  const rows = await db.read(`${selectKeys} ORDER BY keys.created_at, keys.id`);
  return rows.map(keyFromRow);
}

/** False when there is no such key. Revoking twice changes nothing. Announced, so that every process rejects the key. */
export async function revokeKey(
  db: Connection,
  id: KeyId,
  now: number,
  actor: Actor = 'operator',
): Promise<boolean> {
  const isKnown = await db.transaction(async tx => {
    const [revoked] = await tx.write(
      'UPDATE keys SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL RETURNING id',
      [id, now],
    );
    if (!revoked) return (await tx.read('SELECT id FROM keys WHERE id = $1', [id])).length > 0;
    await writeAudit(tx, { at: now, actor, action: 'key.revoke', subject: id, details: {} });
    return true;
  });
  db.announce(keysTopic);
  return isKnown;
}

/** False on a new installation. */
export async function anyKeyExists(db: Statements): Promise<boolean> {
  return (await db.read('SELECT id FROM keys LIMIT 1')).length > 0;
}

/** The principal of a secret, by its hash; null when it is unknown, expired or revoked. */
export async function findPrincipal(db: Statements, hash: string, now: number): Promise<Principal | null> {
  const [row] = await db.read(
    `SELECT ${principalColumns} FROM keys
     WHERE hash = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)`,
    [hash, now],
  );
  return row ? principalFromRow(row) : null;
}

/** What may be changed of a key; absent members stay unchanged. */
export interface KeyChange {
  readonly name?: string | null;
  readonly models?: readonly string[] | null;
  readonly scopes?: readonly Scope[] | null;
  readonly expiresAt?: number | null;
  readonly quota?: Partial<Quota>;
}

/** Null when there is no such key. Its secret stays the same. Announced to every process. */
export async function editKey(
  db: Connection,
  id: KeyId,
  change: KeyChange,
  { actor, now }: { readonly actor: Actor; readonly now: number },
): Promise<ApiKey | null> {
  const edited = await db.transaction(async tx => {
    const [before] = await tx.read(`${selectKeys} WHERE keys.id = $1`, [id]);
    if (!before) return null;
    const present = keyFromRow(before);
    const quota = { ...(present.quota ?? { atOnce: null, perDay: null }), ...change.quota };
    const isBounded = quota.atOnce !== null || quota.perDay !== null;
    const key = { ...present, ...change, quota: isBounded ? quota : null };
    await tx.write(
      `UPDATE keys SET name = $2, models = $3, scopes = $4, expires_at = $5, jobs_at_once = $6, jobs_per_day = $7
       WHERE id = $1`,
      [
        id,
        key.name,
        jsonOrNull(key.models),
        jsonOrNull(key.scopes),
        key.expiresAt,
        key.quota?.atOnce ?? null,
        key.quota?.perDay ?? null,
      ],
    );
    await writeAudit(tx, { at: now, actor, action: 'key.edit', subject: id, details: { ...change } });
    return key;
  });
  db.announce(keysTopic);
  return edited;
}

/** The key that jobs of the console belong to. Its secret is unknown to everyone. */
const consoleKey = 'key_console';

/** The principal of jobs started in the console; created when first read, null once it is revoked. */
export async function readConsolePrincipal(db: Connection, now: number): Promise<Principal | null> {
  const read = () => db.read(`SELECT ${principalColumns}, revoked_at FROM keys WHERE id = $1`, [consoleKey]);
  const [known] = await read();
  if (!known) await makeConsoleKey(db, now);
  const [row] = known ? [known] : await read();
  return row && row.revoked_at === null ? principalFromRow(row) : null;
}

/** Safe in two processes at once: one of them inserts nothing. */
function makeConsoleKey(db: Connection, now: number): Promise<void> {
  return db.transaction(async tx => {
    await tx.write(
      `INSERT INTO users (id, name, callback_secret, created_at) VALUES ($1, $2, '', $3) ON CONFLICT DO NOTHING`,
      [newUserId(), consoleUserName, now],
    );
    await tx.write(
      `INSERT INTO keys (id, user_id, name, hash, hint, created_at)
       SELECT $1, id, 'runs of the console', $3, 'no secret', $4 FROM users WHERE name = $2 ON CONFLICT DO NOTHING`,
      [consoleKey, consoleUserName, hashApiKey(newApiKeySecret()), now],
    );
  });
}

/** Columns of a `Principal`. */
const principalColumns = 'id, user_id, project_id, models, scopes, jobs_at_once, jobs_per_day, expires_at';

/** For rows of `principalColumns`; a key of before there were projects is of the default one. */
const principalFromRow = (row: Row): Principal => ({
  keyId: keyIdFromRow(text(row, 'id')),
  userId: userIdFromRow(text(row, 'user_id')),
  projectId: textOrNull(row, 'project_id') ?? defaultProject,
  models: modelsFromRow(row),
  scopes: scopesFromRow(row),
  quota: quotaFromRow(row),
  expiresAt: integerOrNull(row, 'expires_at'),
});

/** Keys with the names of their user and project. */
const selectKeys = `SELECT keys.id, keys.user_id, users.name AS user_name, keys.name, keys.hint, keys.models, keys.scopes, keys.jobs_at_once,
  keys.jobs_per_day, keys.created_at, keys.expires_at, keys.revoked_at, COALESCE(projects.name, 'default') AS project_name
  FROM keys JOIN users ON users.id = keys.user_id LEFT JOIN projects ON projects.id = keys.project_id`;

/** For rows of `selectKeys`. */
function keyFromRow(row: Row): ApiKey {
  return {
    id: keyIdFromRow(text(row, 'id')),
    userId: userIdFromRow(text(row, 'user_id')),
    userName: text(row, 'user_name'),
    projectName: text(row, 'project_name'),
    name: textOrNull(row, 'name'),
    hint: text(row, 'hint'),
    models: modelsFromRow(row),
    scopes: scopesFromRow(row),
    quota: quotaFromRow(row),
    createdAt: integer(row, 'created_at'),
    expiresAt: integerOrNull(row, 'expires_at'),
    revokedAt: integerOrNull(row, 'revoked_at'),
  };
}

/** Model ids; null: not limited to models. */
function modelsFromRow(row: Row): readonly string[] | null {
  const models = textOrNull(row, 'models');
  return models === null ? null : (JSON.parse(models) as string[]);
}

/** Unknown scopes are ignored; a key without any known scope may do nothing. */
function scopesFromRow(row: Row): readonly Scope[] | null {
  const scopes = textOrNull(row, 'scopes');
  return scopes === null ? null : (JSON.parse(scopes) as unknown[]).filter(isScope);
}

/** Lists are stored as JSON text. */
const jsonOrNull = (list: readonly string[] | null): string | null =>
  list === null ? null : JSON.stringify(list);
