/** `atelier money spend`: what jobs were charged, by project, key, model, provider, day or tag. */
import { parseTime, startOfMonth, systemClock } from '../domain/clock.ts';
import { type SpendBreakdown, spendBreakdowns, spendCsv, spendLineBody } from '../domain/spend.ts';
import { sumSpend } from '../store/money/spend.ts';
import { CommandError } from './command-error.ts';
import { isoTime, print } from './print.ts';
import { withStore } from './with-store.ts';

/** Options as written. */
interface SpendOptions {
  readonly by: string;
  readonly from?: string;
  readonly to?: string;
  readonly csv?: true;
  readonly json?: true;
}

/** By default of the present month of UTC. */
export async function spendCommand({ by: written, csv, json, ...period }: SpendOptions): Promise<void> {
  const by = readBreakdown(written);
  const to = readTime(period.to, '--to') ?? systemClock.now() + 1;
  const from = readTime(period.from, '--from') ?? startOfMonth(to - 1);
  if (from >= to) throw new CommandError('--from must be before --to');
  const { lines, isCut } = await withStore(db => sumSpend(db, { by, from, to }));
  const data = lines.map(spendLineBody);
  if (json)
    return print(JSON.stringify({ by, from: isoTime(from), to: isoTime(to), data, truncated: isCut }));
  if (csv) return void process.stdout.write(spendCsv(by, lines));
  if (data.length === 0) return print('No job that had a hold ended in that time.');
  for (const { label, jobs, amount, cost, margin, currency } of data) {
    const house = cost === null ? '' : `  cost ${cost}  margin ${margin}`;
    print(`${label || `(no ${by})`}  ${amount} ${currency}${house}  ${jobs} ${jobs === 1 ? 'job' : 'jobs'}`);
  }
  if (isCut) print('There are more lines. Choose a shorter time.');
}

function readBreakdown(written: string): SpendBreakdown {
  const found = spendBreakdowns.find(name => name === written);
  if (found) return found;
  throw new CommandError(`--by must be one of ${spendBreakdowns.join(', ')}`);
}

function readTime(written: string | undefined, option: string): number | null {
  if (written === undefined) return null;
  const at = parseTime(written);
  if (at === null) throw new CommandError(`${option} must be a time: ISO 8601 or Unix seconds`);
  return at;
}
