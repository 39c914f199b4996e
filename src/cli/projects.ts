/** `atelier projects`: creates and lists projects, sets their limits and tops them up. */
import { readConfig } from '../config/config.ts';
import { systemClock } from '../domain/clock.ts';
import { formatAmount, formatAmountOrNull, type Micros, parseAmount } from '../domain/money.ts';
import { projectNameError } from '../domain/project-name.ts';
import type { Connection } from '../store/db/connection.ts';
import { type AccountBalance, readBalance } from '../store/money/balance.ts';
import {
  createProject,
  findProject,
  listProjects,
  type Project,
  postEntry,
  setLimit,
} from '../store/money/projects.ts';
import { CommandError } from './command-error.ts';
import { print } from './print.ts';
import { withStore } from './with-store.ts';

/** For programs: one line on stdout. */
interface JsonOption {
  readonly json?: true;
}

/** Options of `projects create`, as written. */
interface CreateOptions extends JsonOption {
  readonly limit?: string;
  readonly floor?: string;
  readonly month?: true;
}

/** Who acts, and when: entries and the audit name a person at this machine so. */
const operator = () => ({ actor: 'operator', now: systemClock.now() }) as const;
/** Without `--limit` the project may spend any amount. */
export async function createProjectCommand(name: string, options: CreateOptions): Promise<void> {
  const fault = projectNameError(name);
  if (fault !== null) throw new CommandError(`NAME ${fault}`);
  const limit = options.limit === undefined ? null : readLimit(options.limit, '--limit');
  const floor = options.floor === undefined ? 0 : readFloor(options.floor);
  const monthly = options.month === true;
  if (monthly && limit === null)
    throw new CommandError('--month needs --limit: it makes the limit a monthly one');
  const project = await withStore(db => createProject(db, { name, limit, monthly, floor }, operator()));
  if (!project)
    throw new CommandError(`There is a project ${name} already. See: atelier projects show ${name}`);
  if (options.json) return print(JSON.stringify({ id: project.id, name, limit: formatAmountOrNull(limit) }));
  print(`Project ${name} (${project.id}): ${limitText(limit, monthly)}.`);
  print(`Give it a key: atelier keys create --user NAME --project ${name}`);
}

/** Every project with its balance. */
export async function listProjectsCommand({ json }: JsonOption): Promise<void> {
  const rows = await withStore(async db => {
    const projects = await listProjects(db);
    return Promise.all(projects.map(async project => ({ project, balance: await balanceOf(db, project) })));
  });
  if (json) return print(JSON.stringify(rows.map(({ project, balance }) => projectJson(project, balance))));
  for (const { project, balance } of rows) print(lineOf(project, balance));
}

/** One project with its balance. */
export async function showProjectCommand(name: string, { json }: JsonOption): Promise<void> {
  const { project, balance } = await withStore(async db => {
    const found = await requireProject(db, name);
    return { project: found, balance: await balanceOf(db, found) };
  });
  print(json ? JSON.stringify(projectJson(project, balance)) : lineOf(project, balance));
}

/** `none` removes the limit. */
export async function limitProjectCommand(
  name: string,
  amount: string,
  { month, json }: JsonOption & { readonly month?: true },
): Promise<void> {
  const limit = amount === 'none' ? null : readLimit(amount, 'AMOUNT');
  const monthly = month === true && limit !== null;
  const balance = await withStore(async db => {
    const project = await requireProject(db, name);
    await setLimit(db, { kind: 'project', id: project.id }, { limit, monthly }, operator());
    return { project, balance: await balanceOf(db, project) };
  });
  if (json) return print(JSON.stringify(projectJson(balance.project, balance.balance)));
  print(`Project ${name}: ${limitText(limit, monthly)}.`);
}

/** The same idempotency key adds an amount once. */
export async function topUpProjectCommand(
  name: string,
  amount: string,
  options: JsonOption & { readonly reason: string; readonly idempotencyKey: string },
): Promise<void> {
  const micros = readLimit(amount, 'AMOUNT');
  if (micros === 0) throw new CommandError('AMOUNT must be above 0');
  const entry = {
    kind: 'top_up',
    amount: micros,
    reason: options.reason,
    idempotencyKey: options.idempotencyKey,
  } as const;
  const { posted, project, balance } = await withStore(async db => {
    const found = await requireProject(db, name);
    const result = await postEntry(db, { kind: 'project', id: found.id }, entry, operator());
    return { posted: result, project: found, balance: await balanceOf(db, found) };
  });
  if (posted.kind === 'unlimited')
    throw new CommandError(
      `Project ${name} has no limit that could be topped up. Set one: atelier projects limit ${name} AMOUNT`,
    );
  if (options.json)
    return print(JSON.stringify({ ...projectJson(project, balance), repeated: posted.kind === 'repeated' }));
  const done =
    posted.kind === 'repeated' ? 'Already added under this idempotency key' : `Added ${formatAmount(micros)}`;
  print(`${done}. ${lineOf(project, balance)}`);
}

/** The project of that name; throws a sentence that says where to find one. */
async function requireProject(db: Connection, name: string): Promise<Project> {
  const project = await findProject(db, name);
  if (project) return project;
  throw new CommandError(`There is no project ${name}. See: atelier projects list`);
}

/** What is spent and left. A project has an account from its creation on, so its absence is a bug. */
async function balanceOf(db: Connection, { id, name }: Project): Promise<AccountBalance> {
  const balance = await readBalance(db, { kind: 'project', id }, systemClock.now());
  if (!balance) throw new Error(`expected an account of the project ${name}`);
  return balance;
}

/** Null where there is no limit. */
/** The limit as people read it. */
const limitText = (limit: Micros | null, monthly: boolean): string =>
  limit === null ? 'no limit' : `limit ${formatAmount(limit)}${monthly ? ' each calendar month (UTC)' : ''}`;

/** Amounts are decimal texts, in the names of the admin API. */
const projectJson = ({ id, name }: Project, balance: AccountBalance) => ({
  id,
  name,
  limit: formatAmountOrNull(balance.limit),
  monthly: balance.monthly,
  floor: formatAmount(balance.floor),
  spent: formatAmount(balance.spent),
  held: formatAmount(balance.held),
  uncertain: formatAmount(balance.uncertain),
  available: formatAmountOrNull(balance.available),
});

/** One line for people. */
const lineOf = ({ id, name }: Project, balance: AccountBalance): string =>
  [
    name,
    id,
    limitText(balance.limit, balance.monthly),
    `spent ${formatAmount(balance.spent)}`,
    `held ${formatAmount(balance.held)}`,
    `uncertain ${formatAmount(balance.uncertain)}`,
    balance.available === null ? 'unlimited' : `available ${formatAmount(balance.available)}`,
  ].join('  ');

/** A decimal of at least 0. */
export function readLimit(text: string, name: string): Micros {
  const micros = parseAmount(text);
  if (micros === null || micros < 0)
    throw new CommandError(
      `${name} must be an amount such as 10.00, with at most six digits behind the point`,
    );
  return micros;
}

/** A decimal of at most 0. */
function readFloor(text: string): Micros {
  const micros = parseAmount(text);
  if (micros === null || micros > 0)
    throw new CommandError('--floor must be 0 or a negative amount such as -5.00: how far an overrun may go');
  return micros;
}

/** Names a project for other commands; reads the settings first, so that their faults are reported before it. */
export async function projectIdOf(db: Connection, name: string): Promise<string> {
  readConfig(process.env);
  return (await requireProject(db, name)).id;
}
