import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { createClient } from '../../../client/src/index.ts';
import { CommandFault } from '../command-fault.ts';
import { exitCodes } from '../exit-code.ts';
import { asking } from './asking.ts';
import { type AskingOptions, findIdentity, findKnownIdentity } from './open-client.ts';
import { keepProfile, pathOfProfiles, readProfiles, writeProfiles } from './profiles.ts';
import { columns, openTalk } from './talk.ts';

export function registerLogin(program: Command): void {
  asking(program.command('login'))
    .description('keeps the address of a gateway and a key of it')
    .option('--url <address>', 'where the gateway is (asked for unless given)')
    .option('--key <key>', 'atl_…; - reads it from stdin (asked for unless given)')
    .action(loginCommand);
  asking(program.command('logout')).description('forgets a profile').action(logoutCommand);
  asking(program.command('whoami')).description('whom is asked, and as whom').action(whoamiCommand);
  const profile = program.command('profile').description('gateways and keys that were kept');
  asking(profile.command('ls', { isDefault: true }))
    .description('all of them')
    .action(listProfiles);
  asking(profile.command('use'))
    .description('which is used where none is named')
    .argument('<name>')
    .action(useProfile);
}

interface LoginOptions extends AskingOptions {
  readonly url?: string;
  readonly key?: string;
}

const usualName = 'default';

async function loginCommand(options: LoginOptions): Promise<void> {
  const talk = openTalk(options);
  const url = (options.url ?? (await askFor('Address of the gateway: ', '--url'))).trim().replace(/\/+$/, '');
  const key = (await readKey(options.key)).trim();
  if (!/^https?:\/\/[^?#]+$/.test(url)) throw new CommandFault('--url must be an http or https address');
  const models = await createClient({ baseUrl: url, apiKey: key }).models.list();
  const name = options.profile ?? usualName;
  await keepProfile(process.env, name, { url, key });
  talk.give({ profile: name, url, models: models.length }, () => [
    `Logged in: profile ${name}, ${url}, ${models.length} models.`,
  ]);
}

async function readKey(given: string | undefined): Promise<string> {
  if (given === undefined) return askFor('Key (atl_…): ', '--key');
  if (given !== '-') return given;
  let text = '';
  for await (const piece of process.stdin.setEncoding('utf8')) text += piece;
  return text;
}

async function askFor(question: string, option: string): Promise<string> {
  if (!process.stdin.isTTY) throw new CommandFault(`${option} must be given where nobody can be asked`);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}

async function logoutCommand(options: AskingOptions): Promise<void> {
  const { current, byName } = await readProfiles(process.env);
  const name = options.profile ?? current;
  if (name === null || !byName.has(name)) throw new CommandFault('There is nothing to forget.');
  const others = new Map([...byName].filter(([other]) => other !== name));
  await writeProfiles(process.env, { current: name === current ? null : current, byName: others });
  openTalk(options).give({ profile: name, forgotten: true }, () => [
    `Profile ${name} is forgotten. Its key is valid until it is revoked: atelier keys revoke`,
  ]);
}

async function whoamiCommand(options: AskingOptions): Promise<void> {
  const talk = openTalk(options);
  const { url, key, from } = await findIdentity(options, talk);
  const models = await createClient({ baseUrl: url, apiKey: key }).models.list();
  const hint = `${key.slice(0, 8)}…${key.slice(-4)}`;
  talk.give({ url, key: hint, from, models: models.length }, () =>
    columns([
      ['gateway', url],
      ['key', `${hint}, from ${from}`],
      ['models', String(models.length)],
    ]),
  );
}

async function listProfiles(options: AskingOptions): Promise<void> {
  const { current, byName } = await readProfiles(process.env);
  const known = await findKnownIdentity(options);
  const rows = [...byName].map(([name, { url }]) => ({ name, url, current: name === current }));
  const talk = openTalk(options);
  talk.give(rows, () =>
    rows.length === 0
      ? [`No profiles in ${pathOfProfiles(process.env)}. Make one: atelier login`]
      : columns(rows.map(row => [row.current ? '*' : ' ', row.name, row.url])),
  );
  if (known?.from === 'ATELIER_API_KEY') talk.say('ATELIER_API_KEY is set and comes before all of them.');
}

async function useProfile(name: string, options: AskingOptions): Promise<void> {
  const { byName } = await readProfiles(process.env);
  const profile = byName.get(name);
  if (!profile)
    throw new CommandFault(`There is no profile ${name}. See: atelier profile ls`, exitCodes.notFound);
  await writeProfiles(process.env, { current: name, byName });
  openTalk(options).give({ profile: name, url: profile.url }, () => [`Profile ${name}: ${profile.url}`]);
}
