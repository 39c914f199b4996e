/** `atelier providers add`: asks for what a provider needs, tests the account, and writes it into `atelier.yaml`. */
import { resolve } from 'node:path';
import { type Config, ConfigError, readConfig } from '../config/config.ts';
import { type AddedAccount, accountYaml, addAccount } from '../config/edit-settings.ts';
import { accountName } from '../config/routing.ts';
import {
  readSettings,
  replaceSettings,
  settingsPath,
  storeAccountSecret,
  writeCandidate,
} from '../config/settings-candidate.ts';
import type { AccountTest } from '../domain/account-status.ts';
import { localAccount } from '../domain/provider.ts';
import { testAccount } from '../routing/account-status.ts';
import { type ProviderSetup, providerSetupOf, type SetupField } from '../routing/provider-setup.ts';
import { CommandError } from './command-error.ts';
import { print } from './print.ts';
import { openPrompts, type Prompts } from './prompts.ts';
import { describeRouteTest } from './providers.ts';

/** Options of the command line; each answers a question. */
export interface AddProviderOptions {
  readonly name?: string;
  /** Variable with the key. */
  readonly keyEnv?: string;
  /** File with the key. */
  readonly keyFile?: string;
  /** `setting=value`, for what is no secret. */
  readonly set?: readonly string[];
  /** Comma-separated ids. */
  readonly models?: string;
  readonly yes?: true;
  readonly json?: true;
}

/** Choose → ask → validate the new file → test → show → confirm → write. Nothing is left behind unless it is written. */
export async function addProviderCommand(kind: string, options: AddProviderOptions): Promise<void> {
  const found = providerSetupOf(kind);
  if (found.kind === 'none') throw new CommandError(found.reason);
  const current = readConfig(process.env);
  const prompts = openPrompts();
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => prompts.close());
  const adding: Adding = { ...found, options, prompts, current, cleanup };
  const added = await askForAccount(adding);
  const text = addAccount(await readSettings(settingsPath()), added);
  const candidate = await writeCandidate(settingsPath(), text, cleanup);
  const config = readCandidate(candidate);
  const tested = await testAdded(config, added.name);
  show(added, tested, options);
  const isWanted = await isConfirmed(adding);
  if (isWanted) {
    await replaceSettings(settingsPath(), candidate);
    cleanup.move();
    prompts.close();
  }
  printEnd(added, { isWritten: isWanted, tested, options });
}

/** What every step takes. */
interface Adding extends Omit<ProviderSetup & { readonly kind: 'found' }, 'kind'> {
  readonly options: AddProviderOptions;
  readonly prompts: Prompts;
  readonly current: Config;
  /** Removes what was written on the way, unless it is moved. */
  readonly cleanup: AsyncDisposableStack;
}

/** Name, settings and models, from the options or from the terminal. */
async function askForAccount(adding: Adding): Promise<AddedAccount> {
  const { provider, setup, options, current } = adding;
  const name = options.name ?? freeName(provider, current);
  const fault = accountName.safeParse(name).error?.issues[0]?.message;
  if (fault !== undefined) throw new CommandError(`--name: ${name} ${fault}`);
  if (isUsed(name, current)) throw new CommandError(`--name: there is an account ${name} already`);
  const settings: Record<string, unknown> = { provider };
  const given = givenSettings(options);
  for (const field of setup.fields) {
    const value = given[field.name] ?? (await askForField(adding, field, name));
    if (value !== '') settings[field.name] = value;
    delete given[field.name];
  }
  return { name, settings: { ...settings, ...given }, models: await askForModels(adding) };
}

/** The local engine has a name that no account can take. */
const isUsed = (name: string, { routing }: Config): boolean =>
  name === localAccount || routing.accounts.some(({ id }) => id === name);

/** The provider's name, with a number where it is in use. */
function freeName(wanted: string, current: Config): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? wanted : `${wanted}-${number}`;
    if (!isUsed(name, current)) return name;
  }
}

/** The settings of `--set`. */
const givenSettings = ({ set = [] }: AddProviderOptions): Record<string, string> =>
  Object.fromEntries(
    set.map(text => {
      const at = text.indexOf('=');
      if (at < 1) throw new CommandError(`--set: expected NAME=VALUE, got ${text}`);
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );

/** One setting; a secret as the reference that is written in its place. */
async function askForField(adding: Adding, field: SetupField, account: string): Promise<string> {
  const { options, prompts } = adding;
  const { title, where, example, isSecret, isOptional } = field;
  if (!isSecret) {
    const hint = isOptional ? 'may be empty' : `such as ${example}`;
    return prompts.ask(`${title} (${where}; ${hint})`, `--set ${field.name}=VALUE`);
  }
  if (options.keyEnv !== undefined) return `env:${options.keyEnv}`;
  if (options.keyFile !== undefined) return `file:${resolve(options.keyFile)}`;
  if (process.env[example] !== undefined && options.yes) return `env:${example}`;
  const usual = process.env[example] === undefined ? '' : `env:${example}`;
  const question = `${title} (${where}). Paste it, or write env:NAME or file:PATH`;
  const answer = await prompts.askSecret(question, '--key-env or --key-file', usual);
  if (/^(env|file):./.test(answer)) return answer;
  const { dataDir } = adding.current;
  return answer === '' ? '' : storeAccountSecret({ dataDir, account, secret: answer }, adding.cleanup);
}

/** The models to route; an empty answer takes the usual ones. */
async function askForModels({ setup, options, prompts }: Adding): Promise<readonly string[]> {
  const usual = setup.models.join(',');
  const written =
    options.models ??
    (options.yes || !process.stdin.isTTY
      ? usual
      : await prompts.ask(modelsQuestion(usual), '--models', usual));
  return written
    .split(',')
    .map(id => id.trim())
    .filter(id => id !== ''); // An empty list is an account without routes.
}

/** A provider without usual models is one that serves every model, or whatever it was set up for. */
const modelsQuestion = (usual: string): string =>
  usual === ''
    ? 'Models to route to it (ids, with commas between; empty: none yet)'
    : 'Models to route to it';

/** The settings with the account; throws with what is wrong, by the name of the file to be. */
function readCandidate(path: string): Config {
  try {
    return readConfig({ ...process.env, ATELIER_CONFIG: path });
  } catch (failure) {
    if (!(failure instanceof ConfigError)) throw failure;
    throw new CommandError(`Nothing was written:\n${failure.message.replaceAll(path, settingsPath())}`);
  }
}

/** One free call; throws where the upstream rejects the account, or does not answer. */
async function testAdded({ routing, allowPrivateNetwork }: Config, name: string): Promise<AccountTest> {
  const account = routing.accounts.find(({ id }) => id === name);
  if (!account) throw new Error(`expected the account ${name} in the settings that were just written`);
  const tested = await testAccount(account, routing, allowPrivateNetwork);
  if (tested.outcome === 'refused' || tested.outcome === 'unreachable')
    throw new CommandError(`Nothing was written. ${name}: ${tested.says}`);
  return tested;
}

/** The result of the test, and the lines that are added. */
function show(added: AddedAccount, { says, routes }: AccountTest, { json }: AddProviderOptions): void {
  if (json) return;
  print(`${added.name}: ${says}`);
  for (const route of routes) print(describeRouteTest(route));
  print(`\n${accountYaml(added)}`);
}

/** Without a terminal only `--yes` writes. */
async function isConfirmed({ options, prompts }: Adding): Promise<boolean> {
  if (options.yes) return true;
  return process.stdin.isTTY ? prompts.confirm(`Write it into ${settingsPath()}?`) : false;
}

/** How the command ended. */
interface Ended {
  readonly isWritten: boolean;
  readonly tested: AccountTest;
  readonly options: AddProviderOptions;
}

/** What was done, and what is left to do. */
function printEnd(added: AddedAccount, ended: Ended): void {
  if (ended.options.json) print(JSON.stringify(resultOf(added, ended)));
  else for (const line of nextSteps(added, ended)) print(line);
}

/** The line of `--json`. */
const resultOf = (added: AddedAccount, { isWritten, tested: { outcome, says } }: Ended) => ({
  account: added.name,
  provider: added.settings.provider,
  models: added.models,
  outcome,
  says,
  file: settingsPath(),
  written: isWritten,
  yaml: accountYaml(added),
});

/** A variable of a running process cannot be changed, so a new one needs a start. */
function nextSteps({ settings }: AddedAccount, { isWritten }: Ended): readonly string[] {
  if (!isWritten) return [`Nothing was written. Add these lines to ${settingsPath()}, or repeat with --yes.`];
  const references = Object.values(settings).map(String);
  const variables = references.filter(value => value.startsWith('env:')).map(value => value.slice(4));
  return [
    `Written to ${settingsPath()}. A running gateway reads it with: kill -HUP PID`,
    ...variables.map(
      name => `${name} must be in the environment of the gateway: set a new one before its start.`,
    ),
  ];
}
