/** Writes accounts into `atelier.yaml` and reads it again, for the console: one change at a time. */
import { type Config, ConfigError } from '../config/config.ts';
import { accountYaml, addAccount } from '../config/edit-settings.ts';
import type { ReloadableSettings } from '../config/reload.ts';
import { accountName } from '../config/routing.ts';
import {
  readSettings,
  replaceSettings,
  SettingsNotWritten,
  storeAccountSecret,
  whyNotReplaceable,
  writeCandidate,
} from '../config/settings-candidate.ts';
import { localAccount } from '../domain/provider.ts';
import { openSemaphore } from '../domain/semaphore.ts';
import type { AddedAccountResult, SettingsEditor, WantedAccount } from '../domain/settings-editor.ts';
import { testAccount } from '../routing/account-status.ts';
import { providerSetups, type SetupField } from '../routing/provider-setup.ts';

/** Where the settings come from. */
export interface SettingsSource {
  /** The file, whether it exists or not. */
  readonly path: string;
  /** Reads everything again, with another file where a path is given. Throws ConfigError. */
  readonly read: (path?: string) => Config;
  /** Has the other processes of this machine read it again. */
  readonly announce: () => void;
}

/** `settings` are replaced by a reload. */
export function openSettingsEditor(source: SettingsSource, settings: ReloadableSettings): SettingsEditor {
  // Two changes at once would each lose the other's lines.
  const oneAtATime = openSemaphore(1);
  const reload = () => {
    const found = readOrExplain(source);
    if (found.config) settings.replace(found.config);
    else settings.refuse(found.faults);
    source.announce();
    return found.faults;
  };
  return {
    kinds: listKinds,
    path: source.path,
    whyNotWritable: () => whyNotReplaceable(source.path),
    preview: account => accountYaml({ ...account, settings: writtenSettings(account, variableOf) }),
    reload,
    async add(account) {
      const release = await oneAtATime.acquire();
      try {
        return await add(source, account, reload);
      } catch (failure) {
        if (failure instanceof SettingsNotWritten) return { kind: 'faults', faults: [failure.message] };
        throw failure;
      } finally {
        release();
      }
    },
  };
}

/** Check the form → store secrets → check the new file → test the account → write it → reload. Nothing is left of a failure. */
async function add(
  source: SettingsSource,
  account: WantedAccount,
  reload: () => readonly string[],
): Promise<AddedAccountResult> {
  const faults = faultsOfForm(account);
  if (faults.length > 0) return { kind: 'faults', faults };
  await using cleanup = new AsyncDisposableStack();
  const current = readOrExplain(source);
  if (!current.config) return { kind: 'faults', faults: current.faults };
  const { dataDir, routing } = current.config;
  if (routing.accounts.some(({ id }) => id === account.name))
    return { kind: 'faults', faults: [`There is an account ${account.name} already.`] };
  const secrets = await storeSecrets(dataDir, account, cleanup);
  const written = writtenSettings(account, ({ name }) => secrets[name] ?? '');
  const text = addAccount(await readSettings(source.path), { ...account, settings: written });
  const candidate = await writeCandidate(source.path, text, cleanup);
  const next = readOrExplain(source, candidate);
  if (!next.config) return { kind: 'faults', faults: next.faults };
  const test = await testAdded(next.config, account.name);
  if (test.outcome === 'refused' || test.outcome === 'unreachable') return { kind: 'refused', test };
  await replaceSettings(source.path, candidate);
  cleanup.move();
  reload();
  return { kind: 'written', test };
}

const listKinds: SettingsEditor['kinds'] = () =>
  providerSetups().map(found =>
    found.kind === 'none'
      ? { provider: found.provider, fields: [], models: [], trial: null, reason: found.reason }
      : {
          provider: found.provider,
          fields: found.setup.fields,
          models: found.setup.models,
          trial: found.setup.trial ?? null,
          reason: null,
        },
  );

/** The settings of a file, or what is wrong with them, a sentence each, under the name that the operator knows. */
function readOrExplain({ path, read }: SettingsSource, file = path) {
  try {
    return { config: read(file), faults: [] };
  } catch (failure) {
    if (!(failure instanceof ConfigError)) throw failure;
    return { config: null, faults: failure.message.replaceAll(file, path).split('\n') };
  }
}

const fieldsOf = (provider: string): readonly SetupField[] => {
  const found = providerSetups().find(each => each.provider === provider);
  return found?.kind === 'found' ? found.setup.fields : [];
};

/** What has to be right before a secret is stored: the name becomes the name of its file. */
function faultsOfForm({ provider, name, settings }: WantedAccount): readonly string[] {
  const fields = fieldsOf(provider);
  const nameFault = accountName.safeParse(name).error?.issues[0]?.message;
  const unknown = Object.keys(settings).filter(key => !fields.some(field => field.name === key));
  const missing = fields.filter(field => !field.isOptional && !settings[field.name]?.trim());
  return [
    ...(fields.length === 0 ? [`There is no form for ${provider}.`] : []),
    ...(nameFault === undefined ? [] : [`The name ${nameFault}.`]),
    ...(name === localAccount ? ['The name local is reserved for the local engine.'] : []),
    ...unknown.map(key => `${key} is not in the form: write it into the file.`),
    ...missing.map(({ title }) => `${title} is required.`),
  ];
}

/** The members of the account in the file; `referenceOf` says what stands in place of a secret. */
function writtenSettings(
  { provider, settings }: WantedAccount,
  referenceOf: (field: SetupField) => string,
): Readonly<Record<string, string>> {
  const members = fieldsOf(provider).map(field => [
    field.name,
    field.isSecret ? referenceOf(field) : (settings[field.name]?.trim() ?? ''),
  ]);
  return { provider, ...Object.fromEntries(members.filter(([, value]) => value !== '')) };
}

const variableOf = ({ example }: SetupField): string => `env:${example}`;

/** One file for each secret; the reference to each, by the name of its field. */
async function storeSecrets(
  dataDir: string,
  { provider, name, settings }: WantedAccount,
  cleanup: AsyncDisposableStack,
): Promise<Readonly<Record<string, string>>> {
  const stored: Record<string, string> = {};
  const secrets = fieldsOf(provider).filter(({ isSecret }) => isSecret);
  for (const field of secrets) {
    const secret = settings[field.name]?.trim() ?? '';
    if (secret === '') continue;
    const account = secrets.length === 1 ? name : `${name}.${field.name}`;
    stored[field.name] = await storeAccountSecret({ dataDir, account, secret }, cleanup);
  }
  return stored;
}

/** One free call, and one for each of its routes. */
async function testAdded({ routing, allowPrivateNetwork }: Config, name: string) {
  const account = routing.accounts.find(({ id }) => id === name);
  if (!account) throw new Error(`expected the account ${name} in the settings that were just written`);
  return testAccount(account, routing, allowPrivateNetwork);
}
