/** `atelier projects create` and `list`. */
import { readConfig } from '../config/config.ts';
import { formatAmountOrNull, type Micros, parseAmount } from '../domain/money.ts';
import { projectNameError } from '../domain/project-name.ts';
import type { Connection } from '../store/db/connection.ts';
import { createProject, listProjects } from '../store/money/projects.ts';
import { type JsonOption, limitText, operator, printBudgets, readLimit, requireBudget } from './budgets.ts';
import { CommandError } from './command-error.ts';
import { print } from './print.ts';
import { withStore } from './with-store.ts';

/** Options of `projects create`, as written. */
interface CreateOptions extends JsonOption {
  readonly limit?: string;
  readonly floor?: string;
  readonly month?: true;
}

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
  await printBudgets(
    async db => (await listProjects(db)).map(({ id, name }) => ({ kind: 'project', id, name })),
    { json },
  );
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
  return (await requireBudget(db, 'project', name)).id;
}
