import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { type Clock, seconds } from './domain/clock.ts';
import type { Outcome } from './domain/job.ts';
import type { Statements } from './store/connection.ts';

/** How old the counts of jobs may be: counting is no matter of a scrape. */
const countLifeMs = 10 * seconds;

export interface Metrics {
  requestAnswered(route: string, method: string, status: number, tookSeconds: number): void;
  jobSettled(modelId: string, outcome: Outcome['kind'], tookSeconds: number): void;
  /** Prometheus text. */
  text(): Promise<string>;
}

export function openMetrics(db: Statements, clock: Clock): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
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
  const failures = new Counter({
    name: 'atelier_scrape_failures_total',
    help: 'Scrapes whose counts could not be read.',
    registers,
  });
  let countedAt = Number.NEGATIVE_INFINITY;
  new Gauge({
    name: 'atelier_jobs',
    help: 'Jobs that are not final, by model and state; counted at most every 10 s.',
    labelNames: ['model', 'state'],
    registers,
    async collect() {
      if (clock.now() - countedAt < countLifeMs) return;
      countedAt = clock.now();
      try {
        const rows = await db.read(
          `SELECT model_id, state, count(*) AS jobs FROM jobs WHERE state = 'available' GROUP BY model_id, state
           UNION ALL SELECT model_id, state, count(*) FROM jobs WHERE state = 'running' GROUP BY model_id, state`,
        );
        this.reset();
        for (const row of rows)
          this.set({ model: String(row.model_id), state: String(row.state) }, Number(row.jobs));
      } catch {
        failures.inc();
      }
    },
  });

  return {
    requestAnswered: (route, method, status, took) =>
      requests.observe({ route, method, status: String(status) }, took),
    jobSettled: (model, outcome, took) => settled.observe({ model, outcome }, took),
    text: () => registry.metrics(),
  };
}
