/** `atelier keys`: creates, lists and revokes API keys in the database. */
import { readConfig } from '../config/config.ts';
import { systemClock } from '../domain/clock.ts';
import { keyIdFromRow } from '../domain/ids.ts';
import { isScope, type Scope, scopes } from '../domain/key.ts';
import { userNameError } from '../domain/user-name.ts';
import type { Connection } from '../store/db/connection.ts';
import { createKey, listKeys, revokeKey } from '../store/people/keys.ts';
import { readLimit } from './budgets.ts';
import { CommandError } from './command-error.ts';
import { isoTime, print } from './print.ts';
import { projectIdOf } from './projects.ts';
import { readDuration } from './read-duration.ts';
import { withStore } from './with-store.ts';

/** Options of `keys create`, as written. */
interface CreateOptions {
  /** Created where it does not exist. */
  readonly user: string;
  /** What the key is for; shown in lists. */
  readonly name?: string;
  /** Comma-separated ids; absent: all models. */
  readonly models?: string;
  /** Comma-separated; absent: all scopes. */
  readonly scopes?: string;
  /** A duration, such as 90d. */
  readonly expires?: string;
  /** Name of a project that exists. */
  readonly project?: string;
  /** Most that it may spend. */
  readonly limit?: string;
  readonly month?: true;
  readonly json?: true;
}

/** Prints the secret once; only its hash is stored. */
export async function createKeyCommand(options: CreateOptions): Promise<void> {
  const now = systemClock.now();
  const wanted = {
    userName: readName(options.user),
    name: options.name ?? null,
    models: options.models === undefined ? null : readModels(options.models),
    scopes: options.scopes === undefined ? null : readScopes(options.scopes),
    expiresAt: options.expires === undefined ? null : now + readDuration(options.expires, '--expires'),
  };
  const { key, secret } = await withStore(async db => {
    const { projectId, budget } = await readMoney(db, options);
    return createKey(db, { ...wanted, projectId, budget }, now);
  });
  if (options.json) print(JSON.stringify({ id: key.id, user: key.userName, key: secret }));
  else print(`${secret}\n\nKey ${key.id} of ${key.userName}. It is shown only once: store it.`);
}

/** The project that pays for the jobs of a key, and its own limit. */
async function readMoney(db: Connection, { project, limit, month }: CreateOptions) {
  if (month && limit === undefined)
    throw new CommandError('--month needs --limit: it makes the limit a monthly one');
  return {
    projectId: project === undefined ? null : await projectIdOf(db, project),
    budget: limit === undefined ? null : { limit: readLimit(limit, '--limit'), monthly: month === true },
  };
}

/** Prints every key of all users, revoked ones too. */
export async function listKeysCommand({ json }: { readonly json?: true }): Promise<void> {
  const keys = await withStore(listKeys);
  const rows = keys.map(key => ({
    id: key.id,
    user: key.userName,
    name: key.name,
    hint: key.hint,
    models: key.models,
    scopes: key.scopes,
    created_at: isoTime(key.createdAt),
    expires_at: isoTime(key.expiresAt),
    revoked_at: isoTime(key.revokedAt),
  }));
  if (json) return print(JSON.stringify(rows));
  if (rows.length === 0) return print('No keys yet. Create one: atelier keys create --user NAME');
  for (const row of rows) {
    const state = row.revoked_at
      ? `revoked ${row.revoked_at}`
      : row.expires_at
        ? `until ${row.expires_at}`
        : 'never expires';
    const models = row.models?.join(',') ?? 'all models';
    const allowedScopes = row.scopes?.join(',') ?? 'all scopes';
    print([row.id, row.user, row.hint, models, allowedScopes, state, row.name ?? ''].join('  '));
  }
}

/** Running servers check keys again within a second. */
export async function revokeKeyCommand(id: string): Promise<void> {
  const revoked = await withStore(db => revokeKey(db, keyIdFromRow(id), systemClock.now()));
  if (!revoked) throw new CommandError(`There is no key ${id}. See: atelier keys list`);
  print(`Key ${id} is revoked. A running server refuses it within a second.`);
}

/** Throws with the rule that a user name breaks. */
function readName(name: string): string {
  const fault = userNameError(name);
  if (fault === null) return name;
  throw new CommandError(`--user ${fault}`);
}

/** Custom models count as known. */
function readModels(text: string): readonly string[] {
  const ids = text.split(',').map(id => id.trim());
  const { catalog } = readConfig(process.env);
  const unknown = ids.filter(id => !catalog.find(id));
  if (unknown.length > 0) {
    throw new CommandError(
      `--models names unknown models: ${unknown.join(', ')}. Known: ${catalog.all.map(model => model.id).join(', ')}`,
    );
  }
  return ids;
}

/** Duplicates are removed. */
function readScopes(text: string): readonly Scope[] {
  const named = [...new Set(text.split(',').map(scope => scope.trim()))];
  if (named.every(isScope)) return named;
  throw new CommandError(`--scopes must be a list of ${scopes.join(', ')}`);
}
