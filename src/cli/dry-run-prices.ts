/** `atelier money dry-run`: a price book tried on jobs of the past. */
import { readFile } from 'node:fs/promises';
import { readConfig } from '../config/config.ts';
import { readPriceBook } from '../config/price-book.ts';
import { days, systemClock } from '../domain/clock.ts';
import { dryRunPrices } from '../http/admin/price-dry-run.ts';
import { CommandError } from './command-error.ts';
import { print } from './print.ts';
import { withStore } from './with-store.ts';

/** A leap year. */
const maxDays = 366;

/** `file` has what stands below `prices`, or is a whole `atelier.yaml`. Nothing is changed. */
export async function dryRunPricesCommand(
  file: string,
  { days: written, json }: { readonly days: string; readonly json?: true },
): Promise<void> {
  const wanted = Number(written);
  if (!Number.isInteger(wanted) || wanted < 1 || wanted > maxDays)
    throw new CommandError(`--days must be between 1 and ${maxDays}`);
  const { catalog, prices: present } = readConfig(process.env);
  const text = await readFile(file, 'utf8').catch((cause: Error) => {
    throw new CommandError(`${file}: ${cause.message}`);
  });
  const read = readPriceBook(text, file, catalog);
  if ('faults' in read) throw new CommandError(read.faults.join('\n'));
  const to = systemClock.now() + 1;
  const run = { candidate: read.prices, present, from: to - wanted * days, to };
  const { currency, jobs, data, truncated } = await withStore(db => dryRunPrices(db, catalog, run));
  if (json) return print(JSON.stringify({ currency, jobs, data, truncated }));
  if (data.length === 0) return print(`No job completed in the last ${wanted} days.`);
  for (const line of data) {
    const house = line.cost === null ? '' : `  cost ${line.cost}`;
    const unpriced = line.unpriced_jobs === 0 ? '' : `  ${line.unpriced_jobs} without a price`;
    const counted = `${line.jobs} ${line.jobs === 1 ? 'job' : 'jobs'}`;
    const amounts = `now ${line.present}  new ${line.candidate} ${currency}  (${line.difference})`;
    print(`${line.model}  ${counted}  ${amounts}${house}${unpriced}`);
  }
  if (truncated) print(`Only the newest ${jobs} jobs were looked at. Choose fewer days.`);
}
