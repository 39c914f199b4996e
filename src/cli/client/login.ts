import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { createClient } from '../../../client/src/index.ts';
import { CommandError } from '../command-error.ts';
import { exitCodes } from '../exit-code.ts';
import { withClientOptions } from './client-options.ts';
import { type ClientCommandOptions, findIdentity, findKnownIdentity } from './command-context.ts';
import { alignColumns, openOutput } from './command-output.ts';
import { profilesPath, readProfiles, saveProfile, writeProfiles } from './profiles.ts';

export function registerLogin(program: Command): void {
  withClientOptions(program.command('login'))
    .description('keeps the address of a gateway and a key of it')
    .option('--url <address>', 'where the gateway is (asked for unless given)')
    .option('--key <key>', 'atl_…; - reads it from stdin (asked for unless given)')
    .action(loginCommand);
  withClientOptions(program.command('logout')).description('forgets a profile').action(logoutCommand);
  withClientOptions(program.command('whoami'))
    .description('whom is asked, and as whom')
    .action(whoamiCommand);
  const profile = program.command('profile').description('gateways and keys that were kept');
  withClientOptions(profile.command('ls', { isDefault: true }))
    .description('all of them')
    .action(listProfiles);
  withClientOptions(profile.command('use'))
    .description('which is used where none is named')
    .argument('<name>')
    .action(useProfile);
}

interface LoginOptions extends ClientCommandOptions {
  readonly url?: string;
  readonly key?: string;
}

const defaultProfileName = 'default';

async function loginCommand(options: LoginOptions): Promise<void> {
  const talk = openOutput(options);
  const url = (options.url ?? (await promptFor('Address of the gateway: ', '--url')))
    .trim()
    .replace(/\/+$/, '');
  const key = (await readKey(options.key)).trim();
  if (!/^https?:\/\/[^?#]+$/.test(url)) throw new CommandError('--url must be an http or https address');
  const models = await createClient({ baseUrl: url, apiKey: key }).models.list();
  const name = options.profile ?? defaultProfileName;
  await saveProfile(process.env, name, { url, key });
  talk.printResult({ profile: name, url, models: models.length }, () => [
    `Logged in: profile ${name}, ${url}, ${models.length} models.`,
  ]);
}

async function readKey(given: string | undefined): Promise<string> {
  if (given === undefined) return promptFor('Key (atl_…): ', '--key');
  if (given !== '-') return given;
  let text = '';
  for await (const piece of process.stdin.setEncoding('utf8')) text += piece;
  return text;
}

async function promptFor(question: string, option: string): Promise<string> {
  if (!process.stdin.isTTY) throw new CommandError(`${option} must be given where nobody can be asked`);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}

async function logoutCommand(options: ClientCommandOptions): Promise<void> {
  const { current, byName } = await readProfiles(process.env);
  const name = options.profile ?? current;
  if (name === null || !byName.has(name)) throw new CommandError('There is nothing to forget.');
  const others = new Map([...byName].filter(([other]) => other !== name));
  await writeProfiles(process.env, { current: name === current ? null : current, byName: others });
  openOutput(options).printResult({ profile: name, forgotten: true }, () => [
    `Profile ${name} is forgotten. Its key is valid until it is revoked: atelier keys revoke`,
  ]);
}

async function whoamiCommand(options: ClientCommandOptions): Promise<void> {
  const talk = openOutput(options);
  const { url, key, from } = await findIdentity(options, talk);
  const models = await createClient({ baseUrl: url, apiKey: key }).models.list();
  const hint = `${key.slice(0, 8)}…${key.slice(-4)}`;
  talk.printResult({ url, key: hint, from, models: models.length }, () =>
    alignColumns([
      ['gateway', url],
      ['key', `${hint}, from ${from}`],
      ['models', String(models.length)],
    ]),
  );
}

async function listProfiles(options: ClientCommandOptions): Promise<void> {
  const { current, byName } = await readProfiles(process.env);
  const known = await findKnownIdentity(options);
  const rows = [...byName].map(([name, { url }]) => ({ name, url, current: name === current }));
  const talk = openOutput(options);
  talk.printResult(rows, () =>
    rows.length === 0
      ? [`No profiles in ${profilesPath(process.env)}. Make one: atelier login`]
      : alignColumns(rows.map(row => [row.current ? '*' : ' ', row.name, row.url])),
  );
  if (known?.from === 'ATELIER_API_KEY') talk.note('ATELIER_API_KEY is set and comes before all of them.');
}

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
