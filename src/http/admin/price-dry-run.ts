/** A price book tried on jobs of the past: what they would have been charged under it, beside the present book. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Catalog } from '../../catalog/catalog.ts';
import { quoteInput } from '../../catalog/quote-input.ts';
import { formatAmount, formatAmountOrNull, type Micros } from '../../domain/money.ts';
import { costOf, type Prices } from '../../domain/prices.ts';
import type { Connection } from '../../store/db/connection.ts';
import { type CompletedJob, listCompletedJobs } from '../../store/money/ended-jobs.ts';

/** Jobs of one statement, and of one dry run. */
const pageRows = 200;
const maxJobs = 20_000;

/** What is compared, over which jobs. */
export interface DryRun {
  readonly candidate: Prices;
  /** Null: no prices are set at present. */
  readonly present: Prices | null;
  /** Epoch ms; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
}

/** The completed jobs of one model. */
interface ModelSums {
  jobs: number;
  /** Jobs without a price in the candidate. */
  unpriced: number;
  charged: Micros;
  present: Micros;
  candidate: Micros;
  /** What they would cost the house under the candidate; null: it says nothing of them. */
  cost: Micros | null;
}

/** Nothing is changed. The newest jobs count; `truncated`: there are more than one dry run looks at. */
export async function dryRunPrices(db: Connection, catalog: Catalog, { from, to, ...books }: DryRun) {
  const sums = new Map<string, ModelSums>();
  let seen = 0;
  let last: CompletedJob | null = null;
  for (;;) {
    const limit = Math.min(pageRows, maxJobs - seen);
    const page: readonly CompletedJob[] =
      limit === 0 ? [] : await listCompletedJobs(db, { from, to, after: last, limit });
    for (const job of page) addTo(sums, catalog, job, books);
    seen += page.length;
    last = page.at(-1) ?? null;
    if (page.length < pageRows) break;
    // Requests are answered between two pages.
    await nextTurn();
  }
  const data = [...sums].map(([model, sum]) => modelBody(model, sum));
  data.sort((a, b) => Number(b.candidate) - Number(a.candidate) || (a.model < b.model ? -1 : 1));
  const { candidate, present } = books;
  return {
    currency: candidate.currency,
    version: candidate.version,
    present_version: present?.version ?? null,
    jobs: seen,
    data,
    truncated: seen === maxJobs,
  };
}

function addTo(
  sums: Map<string, ModelSums>,
  catalog: Catalog,
  job: CompletedJob,
  { candidate, present }: Pick<DryRun, 'candidate' | 'present'>,
): void {
  const nothing = { jobs: 0, unpriced: 0, charged: 0, present: 0, candidate: 0, cost: null };
  const sum: ModelSums = sums.get(job.modelId) ?? nothing;
  sums.set(job.modelId, sum);
  sum.jobs++;
  sum.charged += job.charged ?? 0;
  sum.present += priceOf(catalog, present, job)?.charge ?? 0;
  const priced = priceOf(catalog, candidate, job);
  if (!priced) sum.unpriced++;
  sum.candidate += priced?.charge ?? 0;
  if (priced && priced.cost !== null) sum.cost = (sum.cost ?? 0) + priced.cost;
}

/** As a job that completes is charged; null where the book has no price for it. */
function priceOf(catalog: Catalog, book: Prices | null, { modelId, input, usage }: CompletedJob) {
  const model = catalog.find(modelId);
  const quote = model ? quoteInput(book, model, input as Parameters<typeof model.media>[0]) : null;
  if (!quote) return null;
  const { currency, houseCost } = quote;
  return {
    charge: costOf(quote, usage).amount,
    cost: houseCost && costOf({ currency, lines: houseCost }, usage).amount,
  };
}

/** Amounts are decimal texts. */
const modelBody = (model: string, { jobs, unpriced, charged, present, candidate, cost }: ModelSums) => ({
  model,
  jobs,
  unpriced_jobs: unpriced,
  charged: formatAmount(charged),
  present: formatAmount(present),
  candidate: formatAmount(candidate),
  difference: formatAmount(candidate - present),
  cost: formatAmountOrNull(cost),
});
