/** `atelier login`, `logout`, `whoami` and `profile`: manages saved profiles. */
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { createClient } from '../../../client/src/index.ts';
import { CommandError } from '../command-error.ts';
import { exitCodes } from '../exit-code.ts';
import { withClientOptions } from './client-options.ts';
import { type ClientCommandOptions, findIdentity, findKnownIdentity } from './command-context.ts';
import { alignColumns, openOutput } from './command-output.ts';
import { profilesPath, readProfiles, saveProfile, writeProfiles } from './profiles.ts';

/** Adds the commands for profiles. */
export function registerLogin(program: Command): void {
  withClientOptions(program.command('login'))
    .description('save the address and key of a gateway as a profile')
    .option('--url <address>', 'address of the gateway (prompted for unless given)')
    .option('--key <key>', 'atl_…; - reads it from stdin (prompted for unless given)')
    .action(loginCommand);
  withClientOptions(program.command('logout')).description('remove a profile').action(logoutCommand);
  withClientOptions(program.command('whoami'))
    .description('show the gateway and key in use')
    .action(whoamiCommand);
  const profile = program.command('profile').description('manage saved profiles');
  withClientOptions(profile.command('ls', { isDefault: true }))
    .description('list saved profiles')
    .action(listProfiles);
  withClientOptions(profile.command('use'))
    .description('select the default profile')
    .argument('<name>')
    .action(useProfile);
}

/** Options of `login`. */
interface LoginOptions extends ClientCommandOptions {
  readonly url?: string;
  /** `-` reads it from stdin. */
  readonly key?: string;
}

/** Of a login without `--profile`. */
const defaultProfileName = 'default';

/** Verifies the key with one call before it is saved. */
async function loginCommand(options: LoginOptions): Promise<void> {
  const output = openOutput(options);
  const url = (options.url ?? (await promptFor('Address of the gateway: ', '--url')))
    .trim()
    .replace(/\/+$/, '');
  const key = (await readKey(options.key)).trim();
  if (!/^https?:\/\/[^?#]+$/.test(url)) throw new CommandError('--url must be an http or https address');
  const models = await createClient({ baseUrl: url, apiKey: key }).models.list();
  const name = options.profile ?? defaultProfileName;
  await saveProfile(process.env, name, { url, key });
  output.printResult({ profile: name, url, models: models.length }, () => [
    `Logged in: profile ${name}, ${url}, ${models.length} models.`,
  ]);
}

/** From the option, from stdin for `-`, or from a prompt. */
async function readKey(given: string | undefined): Promise<string> {
  if (given === undefined) return promptFor('Key (atl_…): ', '--key');
  if (given !== '-') return given;
  let text = '';
  for await (const piece of process.stdin.setEncoding('utf8')) text += piece;
  return text;
}

/** The prompt goes to stderr: stdout is for results. */
async function promptFor(question: string, option: string): Promise<string> {
  if (!process.stdin.isTTY) throw new CommandError(`${option} is required when stdin is not a terminal`);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}

/** The key itself stays valid. */
async function logoutCommand(options: ClientCommandOptions): Promise<void> {
  const { current, byName } = await readProfiles(process.env);
  const name = options.profile ?? current;
  if (name === null || !byName.has(name)) throw new CommandError('There is no such profile.');
  const others = new Map([...byName].filter(([other]) => other !== name));
  await writeProfiles(process.env, { current: name === current ? null : current, byName: others });
  openOutput(options).printResult({ profile: name, forgotten: true }, () => [
    `Profile ${name} was removed. Its key is valid until it is revoked: atelier keys revoke`,
  ]);
}

/** Calls the gateway, so it also verifies the key. */
async function whoamiCommand(options: ClientCommandOptions): Promise<void> {
  const output = openOutput(options);
  const { url, key, from } = await findIdentity(options, output);
  const models = await createClient({ baseUrl: url, apiKey: key }).models.list();
  // The key is never printed in full.
  const hint = `${key.slice(0, 8)}…${key.slice(-4)}`;
  output.printResult({ url, key: hint, from, models: models.length }, () =>
    alignColumns([
      ['gateway', url],
      ['key', `${hint}, from ${from}`],
      ['models', String(models.length)],
    ]),
  );
}

/** Marks the current one with `*`. */
async function listProfiles(options: ClientCommandOptions): Promise<void> {
  const { current, byName } = await readProfiles(process.env);
  const known = await findKnownIdentity(options);
  const rows = [...byName].map(([name, { url }]) => ({ name, url, current: name === current }));
  const output = openOutput(options);
  output.printResult(rows, () =>
    rows.length === 0
      ? [`No profiles in ${profilesPath(process.env)}. Create one: atelier login`]
      : alignColumns(rows.map(row => [row.current ? '*' : ' ', row.name, row.url])),
  );
  if (known?.from === 'ATELIER_API_KEY')
    output.note('ATELIER_API_KEY is set and takes precedence over profiles.');
}

/** Fails with the exit code 5 for an unknown name. */
async function useProfile(name: string, options: ClientCommandOptions): Promise<void> {
  const { byName } = await readProfiles(process.env);
  const profile = byName.get(name);
  if (!profile)
    throw new CommandError(`There is no profile ${name}. See: atelier profile ls`, exitCodes.notFound);
  await writeProfiles(process.env, { current: name, byName });
  openOutput(options).printResult({ profile: name, url: profile.url }, () => [
    `Profile ${name}: ${profile.url}`,
  ]);
}
