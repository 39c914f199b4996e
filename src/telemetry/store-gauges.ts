/** Gauges whose values the store counts: jobs, callbacks, uncertain submissions and stored bytes. */
import { Gauge, type Registry } from 'prom-client';
import { type Clock, seconds } from '../domain/clock.ts';
import { countUncertainSubmissions } from '../store/attempts/uncertain.ts';
import { countPendingDeliveries } from '../store/callbacks/deliveries.ts';
import type { Statements } from '../store/db/connection.ts';
import { listLargestUsers, readStoredBytes } from '../store/files/storage-usage.ts';
import { countUnfinishedByModel } from '../store/jobs/count.ts';
import { monthOf } from '../store/money/accounts.ts';
import { countAlerts } from '../store/money/alerts.ts';

/** Maximum age of a count: frequent scrapes must not load the database. */
const countMaxAgeMs = 10 * seconds;
/** Each user is a time series. */
const maxUsersReported = 20;

/** One time series of a gauge. */
interface Sample {
  /** By label name; all the names of the gauge are there. */
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A gauge and the query behind it. */
interface StoreGauge {
  readonly name: string;
  readonly help: string;
  /** Public: dashboards select by them. */
  readonly labelNames: readonly string[];
  readonly count: (db: Statements, now: number) => Promise<readonly Sample[]>;
}

/** For gauges without labels. */
const single = (value: number): readonly Sample[] => [{ labels: {}, value }];

/** Each is one statement, read when the metrics are scraped, and at most every `countMaxAgeMs`. */
const gauges: readonly StoreGauge[] = [
  {
    // The states are the internal ones: `available` waits, `running` is claimed.
    name: 'atelier_jobs',
    help: 'Jobs that are not final, by model and state',
    labelNames: ['model', 'state'],
    count: async db =>
      (await countUnfinishedByModel(db)).map(({ modelId, state, jobs }) => ({
        labels: { model: modelId, state },
        value: jobs,
      })),
  },
  {
    name: 'atelier_deliveries_pending',
    help: 'Webhooks (callbacks) that are not delivered yet',
    labelNames: [],
    count: async db => single(await countPendingDeliveries(db)),
  },
  {
    // The name is older than the word "uncertain submission"; dashboards know it.
    name: 'atelier_doubts',
    help: 'Ended jobs with an uncertain submission that no operator has resolved',
    labelNames: [],
    count: async db => single(await countUncertainSubmissions(db)),
  },
  {
    name: 'atelier_budget_alerts',
    help: 'Budgets that reached 50, 80 or 100 % of their limit, by the highest step; of monthly ones those of this month',
    labelNames: ['percent'],
    count: async (db, now) =>
      (await countAlerts(db, monthOf(now))).map(({ percent, accounts }) => ({
        labels: { percent: String(percent) },
        value: accounts,
      })),
  },
  {
    name: 'atelier_stored_bytes',
    help: 'Bytes of stored files',
    labelNames: [],
    count: async db => single(await readStoredBytes(db)),
  },
  {
    name: 'atelier_stored_bytes_of_user',
    help: `Bytes of stored files of the ${maxUsersReported} users who store the most`,
    labelNames: ['user'],
    count: async db =>
      (await listLargestUsers(db, maxUsersReported)).map(({ name, bytes }) => ({
        labels: { user: name },
        value: bytes,
      })),
  },
];

/** A count that fails keeps the former values and is reported to `onFailure`. */
export function openStoreGauges(
  db: Statements,
  clock: Clock,
  register: Registry,
  onFailure: () => void,
): void {
  for (const gauge of gauges) openStoreGauge(db, clock, register, onFailure, gauge);
}

/** Counts on scrape, and at most once in `countMaxAgeMs`. */
function openStoreGauge(
  db: Statements,
  clock: Clock,
  register: Registry,
  onFailure: () => void,
  { name, help, labelNames, count }: StoreGauge,
): void {
  // So that the first scrape counts, whatever the clock says.
  let countedAt = Number.NEGATIVE_INFINITY;
  new Gauge({
    name,
    help: `${help}; counted at most every 10 s.`,
    labelNames,
    registers: [register],
    async collect() {
      if (clock.now() - countedAt < countMaxAgeMs) return;
      countedAt = clock.now();
      try {
        const samples = await count(db, countedAt);
        // A label whose count fell to nothing has no row, and would keep its last value.
        this.reset();
        for (const { labels, value } of samples) this.set(labels, value);
      } catch {
        onFailure();
      }
    },
  });
}
