/** Prometheus metrics: counters and histograms of this process, and gauges that the store counts on scrape. */
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
import type { Clock } from '../domain/clock.ts';
import type { DeliveryAttemptOutcome } from '../domain/delivery.ts';
import type { Outcome } from '../domain/job.ts';
import type { ProberSize } from '../domain/media.ts';
import type { Statements } from '../store/db/connection.ts';
import { openStoreGauges } from './store-gauges.ts';

/** What the rest of the gateway reports. */
export interface Metrics {
  /** `route` is the pattern of the path, never the path itself, which would be a time series for each job. */
  requestAnswered(route: string, method: string, status: number, tookSeconds: number): void;
  /** Seconds from the first claim to the end, by the kind of the outcome. */
  jobSettled(modelId: string, outcome: Outcome['kind'], tookSeconds: number): void;
  /** One attempt of a webhook (callback), not one delivery. */
  deliveryAttempted(outcome: DeliveryAttemptOutcome['kind']): void;
  /** A refusal was sent, or a connection rejected; `reason` is a name in the table of refusals. */
  refused(reason: string): void;
  /** Memory reserved for request bodies, read on scrape. */
  watchBodies(bytesInFlight: () => number): void;
  /** Bytes of incoming files on the local disk, read on scrape. */
  watchSpool(bytesInUse: () => number): void;
  /** Requests that wait for a change of a job, read on scrape. */
  watchWaiting(requests: () => number): void;
  /** Files that are probed, that wait, and that were probed, read on scrape. */
  watchProber(size: () => ProberSize): void;
  /** In the Prometheus text format. */
  text(): Promise<string>;
}

/** The metrics of one process, without those that the store counts. */
export type MetricSnapshot = readonly MetricObjectWithValues<MetricValue<string>>[];

/** The processes that share one port. */
export interface SiblingProcesses {
  /** Index of this process, from 1; a process that replaces a dead one gets its index. */
  readonly processIndex: number;
  /** The metrics of all of them, including this one. */
  snapshots(): Promise<readonly MetricSnapshot[]>;
  /** Registers where the metrics of this process come from. */
  registerSource(own: () => Promise<MetricSnapshot>): void;
}

/** With siblings, `text` contains the metrics of every process, and the store is counted once. */
export function openMetrics(db: Statements, clock: Clock, siblings: SiblingProcesses | null = null): Metrics {
  const ofProcess = new Registry();
  const ofStore = new Registry();
  // CPU, memory, event loop and garbage collection, under the names that the client library gives them.
  collectDefaultMetrics({ register: ofProcess });
  if (siblings) {
    ofProcess.setDefaultLabels({ process: String(siblings.processIndex) });
    siblings.registerSource(() => ofProcess.getMetricsAsJSON());
  }
  const { requests, settled, deliveries, refusals, scrapeFailures } = openProcessMetrics(ofProcess);
  openStoreGauges(db, clock, ofStore, () => scrapeFailures.inc());

  return {
    requestAnswered: openRequestCounter(requests),
    deliveryAttempted: outcome => deliveries.inc({ outcome }),
    jobSettled: (model, outcome, took) => settled.observe({ model, outcome }, took),
    refused: reason => refusals.inc({ reason }),
    ...openWatchers(ofProcess),
    async text() {
      if (!siblings) return Registry.merge([ofProcess, ofStore]).metrics();
      return `${await renderSnapshots(await siblings.snapshots())}\n${await ofStore.metrics()}`;
    },
  };
}

/** Finds the histogram of a route, method and status once, and not by its labels at each request. */
function openRequestCounter(requests: Histogram<'route' | 'method' | 'status'>): Metrics['requestAnswered'] {
  // Found by names that exist already: a text made of all three would be hashed at each request.
  const byRoute = new Map<string, Map<string, Map<number, { observe(value: number): void }>>>();
  return (route, method, status, took) => {
    let one = byRoute.get(route)?.get(method)?.get(status);
    if (!one) {
      one = requests.labels({ route, method, status: String(status) });
      const byMethod = byRoute.get(route) ?? new Map<string, Map<number, typeof one>>();
      byRoute.set(route, byMethod);
      byMethod.set(method, (byMethod.get(method) ?? new Map<number, typeof one>()).set(status, one));
    }
    one.observe(took);
  };
}

/** Names are public: dashboards and alerts use them. */
function openProcessMetrics(register: Registry) {
  const registers = [register];
  return {
    requests: new Histogram({
      name: 'atelier_http_request_seconds',
      help: 'Time to answer a request, by route and status.',
      labelNames: ['route', 'method', 'status'],
      // Seconds: from a plain status to a request that `Prefer: wait` delays.
      buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30],
      registers,
    }),
    settled: new Histogram({
      name: 'atelier_job_run_seconds',
      help: 'Time from the first claim of a job to a settled outcome, by model and outcome.',
      labelNames: ['model', 'outcome'],
      // Seconds: from a local picture to half an hour of video.
      buckets: [0.1, 0.5, 1, 5, 10, 30, 60, 300, 1800],
      registers,
    }),
    deliveries: new Counter({
      name: 'atelier_deliveries_total',
      help: 'Attempts to deliver webhooks (callbacks), by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    refusals: new Counter({
      name: 'atelier_refused_total',
      help: 'Refusals, by their name in the table of refusals.',
      labelNames: ['reason'],
      registers,
    }),
    scrapeFailures: new Counter({
      name: 'atelier_scrape_failures_total',
      help: 'Scrapes whose counts could not be read from the database.',
      registers,
    }),
  };
}

/** Metrics of this process that are read on scrape. */
function openWatchers(
  register: Registry,
): Pick<Metrics, 'watchBodies' | 'watchSpool' | 'watchWaiting' | 'watchProber'> {
  const registers = [register];
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
        'Memory reserved for request bodies that are read or validated.',
        bytesInFlight,
      ),
    watchSpool: bytesInUse =>
      watch('atelier_spool_bytes', 'Bytes of incoming files on the local disk.', bytesInUse),
    watchWaiting: requests =>
      watch('atelier_waiting_requests', 'Requests that wait for a change of a job (Prefer: wait).', requests),
    watchProber(size) {
      watch('atelier_probes_running', 'Files that are being probed.', () => size().running);
      watch('atelier_probes_waiting', 'Files that wait to be probed.', () => size().waiting);
      new Counter({
        name: 'atelier_probes_total',
        help: 'Probes of files that were started.',
        registers,
        collect() {
          // The prober counts by itself: a counter can only be increased, so it is set from nothing at each
          // scrape.
          this.reset();
          this.inc(size().begun);
        },
      });
    },
  };
}

/** Each process has its own label, so nothing is summed, and a counter restarts with its process alone. */
function renderSnapshots(snapshots: readonly MetricSnapshot[]): Promise<string> {
  const aggregated = snapshots.map(list => list.map(metric => ({ ...metric, aggregator: 'sum' as const })));
  return AggregatorRegistry.aggregate(aggregated).metrics();
}
