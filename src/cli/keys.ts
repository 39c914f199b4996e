import { readConfig } from '../config.ts';
import { days, hours, minutes, systemClock } from '../domain/clock.ts';
import { keyIdFromRow } from '../domain/ids.ts';
import { createKey, listKeys, revokeKey } from '../store/keys.ts';
import { CommandFault } from './command-fault.ts';
import { isoTime, print } from './print.ts';
import { withStore } from './with-store.ts';

interface CreateOptions {
  readonly user: string;
  readonly name?: string;
  readonly models?: string;
  readonly expires?: string;
  readonly json?: true;
}

export async function createKeyCommand(options: CreateOptions): Promise<void> {
  const now = systemClock.now();
  const wanted = {
    userName: readName(options.user),
    name: options.name ?? null,
    models: options.models === undefined ? null : readModels(options.models),
    expiresAt: options.expires === undefined ? null : now + readDuration(options.expires),
  };
  const { key, secret } = await withStore(db => createKey(db, wanted, now));
  if (options.json) print(JSON.stringify({ id: key.id, user: key.userName, key: secret }));
  else print(`${secret}\n\nKey ${key.id} of ${key.userName}. It is shown this once; keep it.`);
}

export async function listKeysCommand({ json }: { readonly json?: true }): Promise<void> {
  const keys = await withStore(listKeys);
  const rows = keys.map(key => ({
    id: key.id,
    user: key.userName,
    name: key.name,
    hint: key.hint,
    models: key.models,
    created_at: isoTime(key.createdAt),
    expires_at: isoTime(key.expiresAt),
    revoked_at: isoTime(key.revokedAt),
  }));
  if (json) return print(JSON.stringify(rows));
  if (rows.length === 0) return print('No keys yet. Make one: atelier keys create --user NAME');
  for (const row of rows) {
    const state = row.revoked_at
      ? `revoked ${row.revoked_at}`
      : row.expires_at
        ? `until ${row.expires_at}`
        : 'no end';
    print(
      [row.id, row.user, row.hint, row.models?.join(',') ?? 'all models', state, row.name ?? ''].join('  '),
    );
  }
}

export async function revokeKeyCommand(id: string): Promise<void> {
  const revoked = await withStore(db => revokeKey(db, keyIdFromRow(id), systemClock.now()));
  if (!revoked) throw new CommandFault(`There is no key ${id}. See: atelier keys list`);
  print(`Key ${id} is revoked. A running server turns it away within 5 seconds.`);
}

function readName(name: string): string {
  if (/^[\p{L}\p{N}][\p{L}\p{N}._@ -]{0,99}$/u.test(name)) return name;
  throw new CommandFault(
    '--user must be 1 to 100 letters, digits, or . _ @ - and begin with a letter or digit',
  );
}

function readModels(text: string): readonly string[] {
  const ids = text.split(',').map(id => id.trim());
  const { catalog } = readConfig(process.env);
  const unknown = ids.filter(id => !catalog.find(id));
  if (unknown.length > 0) {
    throw new CommandFault(
      `--models names unknown models: ${unknown.join(', ')}. Known: ${catalog.all.map(model => model.id).join(', ')}`,
    );
  }
  return ids;
}

function readDuration(text: string): number {
  const units: Readonly<Record<string, number>> = { m: minutes, h: hours, d: days };
  const match = /^([1-9]\d{0,4})([mhd])$/.exec(text);
  if (!match) throw new CommandFault('--expires must be a time such as 90d, 12h or 30m');
  return Number(match[1]) * units[match[2]!]!;
}
