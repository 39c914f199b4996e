import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';
import { type Clock, seconds } from '../domain/clock.ts';
import type { DeliveryAttemptOutcome } from '../domain/delivery.ts';
import type { Outcome } from '../domain/job.ts';
import type { ProberSize } from '../media/prober.ts';
import type { Statements } from '../store/db/connection.ts';

/** How old the counts of jobs may be: counting is no matter of a scrape. */
const countMaxAgeMs = 10 * seconds;
/** Each user is a series of its own: so many, and no more. */
const maxUsersReported = 20;

export interface Metrics {
  requestAnswered(route: string, method: string, status: number, tookSeconds: number): void;
  jobSettled(modelId: string, outcome: Outcome['kind'], tookSeconds: number): void;
  deliveryAttempted(outcome: DeliveryAttemptOutcome['kind']): void;
  /** A refusal was answered, or a connection not taken. */
  refused(reason: string): void;
  /** How many bytes of bodies are held in memory, asked when it is scraped. */
  watchBodies(bytesInFlight: () => number): void;
  /** How many bytes of files on their way in lie on the disk. */
  watchSpool(bytesHeld: () => number): void;
  /** Files that are probed, that wait to be, and that were. */
  watchProber(size: () => ProberSize): void;
  /** Prometheus text. */
  text(): Promise<string>;
}

/** The figures of one process, without what is counted in the rows. */
export type MetricSnapshot = readonly MetricObjectWithValues<MetricValue<string>>[];

/** The processes that share one port. */
export interface SiblingProcesses {
  /** Which of them this one is, from 1; a process that takes the place of a dead one has its number. */
  readonly processIndex: number;
  /** The figures of all of them, this one's among them. */
  snapshots(): Promise<readonly MetricSnapshot[]>;
  /** How this one's figures are had. */
  registerSource(own: () => Promise<MetricSnapshot>): void;
}

export function openMetrics(
  db: Statements,
  clock: Clock,
  neighbours: SiblingProcesses | null = null,
): Metrics {
  const ofProcess = new Registry();
  const ofRows = new Registry();
  collectDefaultMetrics({ register: ofProcess });
  const registers = [ofProcess];
  if (neighbours) {
    ofProcess.setDefaultLabels({ process: String(neighbours.processIndex) });
    neighbours.registerSource(() => ofProcess.getMetricsAsJSON());
  }
  const requests = new Histogram({
    name: 'atelier_http_request_seconds',
    help: 'Time to answer a request, by route and status.',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30],
    registers,
  });
  const settled = new Histogram({
    name: 'atelier_job_run_seconds',
    help: 'Time from the first claim of a job to a settled outcome, by model and outcome.',
    labelNames: ['model', 'outcome'],
    buckets: [0.1, 0.5, 1, 5, 10, 30, 60, 300, 1800],
    registers,
  });
  const tries = new Counter({
    name: 'atelier_deliveries_total',
    help: 'Tries of callbacks, by what came of them.',
    labelNames: ['outcome'],
    registers,
  });
  const refusals = new Counter({
    name: 'atelier_refused_total',
    help: 'Refusals, by their name in the table of refusals.',
    labelNames: ['reason'],
    registers,
  });
  const failures = new Counter({
    name: 'atelier_scrape_failures_total',
    help: 'Scrapes whose counts could not be read.',
    registers,
  });
  /** Counted at most every 10 s, when somebody asks. */
  function gauge(name: string, help: string, labelNames: readonly string[], count: string): void {
    let countedAt = Number.NEGATIVE_INFINITY;
    new Gauge({
      name,
      help: `${help}; counted at most every 10 s.`,
      labelNames,
      registers: [ofRows],
      async collect() {
        if (clock.now() - countedAt < countMaxAgeMs) return;
        countedAt = clock.now();
        try {
          const rows = await db.read(count);
          this.reset();
          for (const row of rows) {
            const labels = labelNames.map(label => [label, String(row[label])]);
            this.set(Object.fromEntries(labels), Number(row.counted));
          }
        } catch {
          failures.inc();
        }
      },
    });
  }
  gauge(
    'atelier_jobs',
    'Jobs that are not final, by model and state',
    ['model', 'state'],
    `SELECT model_id AS model, state, count(*) AS counted FROM jobs WHERE state = 'available' GROUP BY model_id, state
     UNION ALL SELECT model_id, state, count(*) FROM jobs WHERE state = 'running' GROUP BY model_id, state`,
  );
  gauge(
    'atelier_deliveries_pending',
    'Callbacks that are still to be made',
    [],
    `SELECT count(*) AS counted FROM deliveries WHERE state = 'waiting'`,
  );
  gauge(
    'atelier_doubts',
    'Ended jobs of which nobody knows whether they were charged, and that nobody has settled',
    [],
    `SELECT count(*) AS counted FROM attempts WHERE doubted_at IS NOT NULL AND doubt_settled_at IS NULL`,
  );
  gauge(
    'atelier_stored_bytes',
    'Bytes of files that are kept',
    [],
    'SELECT COALESCE(SUM(bytes), 0) AS counted FROM stored_bytes',
  );
  gauge(
    'atelier_stored_bytes_of_user',
    `Bytes of files of the ${maxUsersReported} users who keep the most`,
    ['user'],
    `SELECT users.name AS "user", SUM(stored_bytes.bytes) AS counted
     FROM stored_bytes JOIN users ON users.id = stored_bytes.user_id
     GROUP BY users.id, users.name HAVING SUM(stored_bytes.bytes) > 0
     ORDER BY counted DESC, users.name LIMIT ${maxUsersReported}`,
  );

  return {
    requestAnswered: (route, method, status, took) =>
      requests.observe({ route, method, status: String(status) }, took),
    deliveryAttempted: outcome => tries.inc({ outcome }),
    jobSettled: (model, outcome, took) => settled.observe({ model, outcome }, took),
    refused: reason => refusals.inc({ reason }),
    ...openGauges(registers),
    async text() {
      if (!neighbours) return Registry.merge([ofProcess, ofRows]).metrics();
      return `${await renderMetrics(await neighbours.snapshots())}\n${await ofRows.metrics()}`;
    },
  };
}

/** Figures of this process that are asked for when somebody scrapes. */
function openGauges(registers: Registry[]): Pick<Metrics, 'watchBodies' | 'watchSpool' | 'watchProber'> {
  function watch(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  }
  return {
    watchBodies: bytesInFlight =>
      watch(
        'atelier_body_bytes',
        'Memory set aside for request bodies that are read or judged.',
        bytesInFlight,
      ),
    watchSpool: bytesHeld =>
      watch('atelier_spool_bytes', 'Bytes on the local disk of files on their way in.', bytesHeld),
    watchProber(size) {
      watch('atelier_probes_running', 'Files that are probed at this moment.', () => size().running);
      watch('atelier_probes_waiting', 'Files that wait to be probed.', () => size().waiting);
      new Counter({
        name: 'atelier_probes_total',
        help: 'Files whose probing was begun.',
        registers,
        collect() {
          this.reset();
          this.inc(size().begun);
        },
      });
    },
  };
}

/** Each process has a label of its own, so nothing is really summed, and a count starts again with its process alone. */
function renderMetrics(figures: readonly MetricSnapshot[]): Promise<string> {
  const kept = figures.map(list => list.map(figure => ({ ...figure, aggregator: 'sum' as const })));
  return AggregatorRegistry.aggregate(kept).metrics();
}
