/** `atelier queue stats` and `atelier usage`: reports of the whole gateway through its admin API. */
import type { Command } from 'commander';
import { z } from 'zod';
import { CommandError } from '../command-error.ts';
import { print } from '../print.ts';
import { readDuration } from '../read-duration.ts';
import { alignColumns, type OutputOptions, openOutput } from './command-output.ts';
import { openAdminExchange } from './open-admin-exchange.ts';

/** Adds the reports. */
export function registerReports(program: Command): void {
  const queue = program.command('queue').description('inspect the queue of all users');
  queue
    .command('stats')
    .description('queued and running jobs, failures of the last hour')
    .option('--json', 'print the result as JSON (the default when stdout is not a terminal)')
    .action(statsCommand);
  program
    .command('usage')
    .description('jobs, usage and cost by day')
    .option('--by <what>', 'model, key or user', 'model')
    .option('--since <time>', 'time range, such as 30d', '14d')
    .option('--csv', 'print comma-separated values')
    .option('--json', 'print the result as JSON (the default when stdout is not a terminal)')
    .action(usageCommand);
}

/** Members of `GET /admin/v1/overview` that are printed. */
const overview = z.looseObject({
  waiting: z.number(),
  waiting_is_more: z.boolean(),
  running: z.number(),
  waiting_since: z.number().nullable(),
  completed_in_hour: z.number(),
  failures: z.array(
    z.looseObject({ model: z.string(), code: z.string(), jobs: z.number(), request_id: z.string() }),
  ),
  open_doubts: z.number(),
  failed_deliveries: z.number(),
});

/** The overview of the console as a table; `results=0` leaves the newest results out. */
async function statsCommand(options: OutputOptions): Promise<void> {
  const exchange = await openAdminExchange();
  const path = '/admin/v1/overview?results=0';
  const stats = overview.parse((await exchange({ method: 'GET', path, repeatable: 'read' })).body);
  const since = stats.waiting_since;
  openOutput(options).printResult(stats, () => [
    ...alignColumns([
      ['queued', `${stats.waiting}${stats.waiting_is_more ? ' or more' : ''}`],
      ['oldest queued since', since === null ? '-' : new Date(since * 1000).toISOString()],
      ['running', String(stats.running)],
      ['completed in the last hour', String(stats.completed_in_hour)],
      ['uncertain submissions', String(stats.open_doubts)],
      ['failed callbacks', String(stats.failed_deliveries)],
    ]),
    ...stats.failures.map(({ jobs, model, code, request_id }) =>
      ['failed', String(jobs), model, code, request_id].join('  '),
    ),
  ]);
}

/** Members of `GET /admin/v1/usage` that are printed. */
const usage = z.looseObject({
  jobs: z.array(
    z.looseObject({
      day: z.number(),
      label: z.string(),
      completed: z.number(),
      failed: z.number(),
      cancelled: z.number(),
    }),
  ),
  used: z.array(
    z.looseObject({
      day: z.number(),
      label: z.string(),
      quantity: z.number(),
      unit: z.string(),
      basis: z.string(),
    }),
  ),
  costs: z.array(
    z.looseObject({ day: z.number(), label: z.string(), amount: z.number(), currency: z.string() }),
  ),
});
/** A report, as far as it is printed. */
type Usage = z.output<typeof usage>;

/** Options of `usage`. */
interface UsageOptions extends OutputOptions {
  /** model, key or user. */
  readonly by: string;
  /** A duration, such as 30d. */
  readonly since: string;
  readonly csv?: true;
}

/** A table for people, CSV for spreadsheets, JSON for programs. */
async function usageCommand({ by, since, csv, ...options }: UsageOptions): Promise<void> {
  if (!['model', 'key', 'user'].includes(by)) throw new CommandError('--by must be one of model, key, user');
  const from = Math.floor((Date.now() - readDuration(since, '--since')) / 1000);
  const exchange = await openAdminExchange();
  const path = `/admin/v1/usage?by=${by}&from=${from}`;
  const report = usage.parse((await exchange({ method: 'GET', path, repeatable: 'read' })).body);
  const rows = [['day', by, 'what', 'quantity', 'unit'], ...rowsOf(report)];
  if (csv) return print(rows.map(row => row.map(csvCell).join(',')).join('\n'));
  openOutput(options).printResult(report, () => alignColumns(rows));
}

/** Day, label, what, quantity and unit of each number that is not zero. */
const rowsOf = ({ jobs, used, costs }: Usage): readonly (readonly string[])[] => [
  ...jobs.flatMap(({ day, label, completed, failed, cancelled }) =>
    Object.entries({ completed, failed, cancelled })
      .filter(([, count]) => count > 0)
      .map(([what, count]) => [dayOf(day), label, what, String(count), 'job']),
  ),
  ...used.map(({ day, label, quantity, unit, basis }) => [dayOf(day), label, basis, String(quantity), unit]),
  ...costs.map(({ day, label, amount, currency }) => [dayOf(day), label, 'cost', String(amount), currency]),
];

/** The day in UTC. */
const dayOf = (unixSeconds: number): string => new Date(unixSeconds * 1000).toISOString().slice(0, 10);

/** A quote in front keeps a spreadsheet from running a cell as a formula. */
const csvCell = (cell: string): string => {
  const plain = /^[=+\-@]/.test(cell) ? `'${cell}` : cell;
  return /[",\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
};
