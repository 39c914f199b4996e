/** The budgets of projects and tags by command: balances, limits and top-ups. */
import { systemClock } from '../domain/clock.ts';
import { formatAmount, formatAmountOrNull, type Micros, parseAmount } from '../domain/money.ts';
import { formatTag, idOfTag, parseTag } from '../domain/tags.ts';
import type { Connection } from '../store/db/connection.ts';
import { type AccountBalance, readBalance } from '../store/money/balance.ts';
import { findProject, type ManualEntry, postEntry, setLimit } from '../store/money/projects.ts';
import { CommandError } from './command-error.ts';
import { print } from './print.ts';
import { withStore } from './with-store.ts';

/** For programs: one line on stdout. */
export interface JsonOption {
  readonly json?: true | undefined;
}

/** A project or a tag: an owner of an account with the name that people give it. */
export interface Budget {
  readonly kind: 'project' | 'tag';
  readonly id: string;
  readonly name: string;
}

/** With what is spent and left of it. */
interface BudgetBalance {
  readonly budget: Budget;
  readonly balance: AccountBalance;
}

/** Who acts, and when: entries and the audit name a person at this machine so. */
export const operator = () => ({ actor: 'operator', now: systemClock.now() }) as const;

/** Each with its balance. */
export async function printBudgets(
  list: (db: Connection) => Promise<readonly Budget[]>,
  { json }: JsonOption,
): Promise<void> {
  const rows = await withStore(async db =>
    Promise.all((await list(db)).map(budget => withBalance(db, budget))),
  );
  if (json) return print(JSON.stringify(rows.map(budgetJson)));
  for (const row of rows) print(lineOf(row));
}

/** One project or tag with its balance. */
export const showBudgetCommand =
  (kind: Budget['kind']) =>
  async (name: string, { json }: JsonOption): Promise<void> => {
    const row = await withStore(async db => withBalance(db, await requireBudget(db, kind, name)));
    print(json ? JSON.stringify(budgetJson(row)) : lineOf(row));
  };

/** `none` removes the limit. */
export const limitBudgetCommand =
  (kind: Budget['kind']) =>
  async (
    name: string,
    amount: string,
    { month, json }: JsonOption & { readonly month?: true },
  ): Promise<void> => {
    const limit = amount === 'none' ? null : readLimit(amount, 'AMOUNT');
    const monthly = month === true && limit !== null;
    const row = await withStore(async db => {
      const budget = await requireBudget(db, kind, name);
      await setLimit(db, budget, { limit, monthly }, operator());
      return withBalance(db, budget);
    });
    if (json) return print(JSON.stringify(budgetJson(row)));
    print(`${titles[kind]} ${row.budget.name}: ${limitText(limit, monthly)}.`);
  };

/** The same idempotency key adds an amount once. */
export const topUpBudgetCommand =
  (kind: Budget['kind']) =>
  async (
    name: string,
    amount: string,
    options: JsonOption & { readonly reason: string; readonly idempotencyKey: string },
  ): Promise<void> => {
    const micros = readLimit(amount, 'AMOUNT');
    if (micros === 0) throw new CommandError('AMOUNT must be above 0');
    const { reason, idempotencyKey } = options;
    const entry: ManualEntry = { kind: 'top_up', amount: micros, reason, idempotencyKey };
    const { posted, row } = await withStore(async db => {
      const budget = await requireBudget(db, kind, name);
      const result = await postEntry(db, budget, entry, operator());
      return { posted: result, row: await withBalance(db, budget) };
    });
    if (posted.kind === 'unlimited')
      throw new CommandError(
        `${titles[kind]} ${name} has no limit that could be topped up. Set one: atelier ${kind}s limit ${name} AMOUNT`,
      );
    if (options.json)
      return print(JSON.stringify({ ...budgetJson(row), repeated: posted.kind === 'repeated' }));
    const done =
      posted.kind === 'repeated'
        ? 'Already added under this idempotency key'
        : `Added ${formatAmount(micros)}`;
    print(`${done}. ${lineOf(row)}`);
  };

const titles = { project: 'Project', tag: 'Tag' } as const;

/** The project of that name, or the tag; throws a sentence that says where to find one. */
export async function requireBudget(db: Connection, kind: Budget['kind'], name: string): Promise<Budget> {
  if (kind === 'tag') {
    const tag = parseTag(name);
    if ('fault' in tag) throw new CommandError(`TAG: ${tag.fault}`);
    return { kind, id: idOfTag(tag), name: formatTag(tag) };
  }
  const project = await findProject(db, name);
  if (project) return { kind, id: project.id, name };
  throw new CommandError(`There is no project ${name}. See: atelier projects list`);
}

/** A project has an account from its creation on, a tag once it has a limit. */
async function withBalance(db: Connection, budget: Budget): Promise<BudgetBalance> {
  const balance = await readBalance(db, budget, systemClock.now());
  if (balance) return { budget, balance };
  throw new CommandError(
    `${titles[budget.kind]} ${budget.name} has no budget. Set one: atelier ${budget.kind}s limit ${budget.name} AMOUNT`,
  );
}

/** The limit as people read it. */
export const limitText = (limit: Micros | null, monthly: boolean): string =>
  limit === null ? 'no limit' : `limit ${formatAmount(limit)}${monthly ? ' each calendar month (UTC)' : ''}`;

/** Amounts are decimal texts, in the names of the admin API. */
const budgetJson = ({ budget: { id, name }, balance }: BudgetBalance) => ({
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
const lineOf = ({ budget: { kind, id, name }, balance }: BudgetBalance): string =>
  [
    name,
    ...(kind === 'tag' ? [] : [id]),
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
