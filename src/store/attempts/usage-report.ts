/** Usage reports: ended jobs, sums of usage and durations, by day and by model, key, user or project. */
import { days } from '../../domain/clock.ts';
import { type Usage, usageUnits } from '../../domain/usage.ts';
import type { Row, Statements } from '../db/connection.ts';
import { integer, integerOrNull, oneOf, text } from '../db/rows.ts';
import { defaultProject } from '../money/accounts.ts';

/** What a report is broken down by, beside the day. */
export const breakdowns = ['model', 'key', 'user', 'project'] as const;
/** One of them. */
export type Breakdown = (typeof breakdowns)[number];

/** Time range and grouping of a report. */
export interface ReportQuery {
  /** Epoch ms; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
  readonly by: Breakdown;
}

/** Jobs that ended on a day of UTC, of one model, key, user or project. */
export interface ReportLine {
  /** Start of the day in UTC, epoch ms. */
  readonly day: number;
  /** Id of the model, key, user or project. */
  readonly name: string;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
}

/** Always of one model, whatever the report is broken down by, because prices are set by model. */
export interface UsageSum {
  readonly day: number;
  readonly name: string;
  readonly modelId: string;
  readonly unit: Usage['unit'];
  readonly basis: Usage['basis'];
  readonly quantity: number;
}

/** Durations of the jobs of one name. */
export interface JobDurations {
  readonly name: string;
  readonly jobs: number;
  /** Milliseconds: from creation to start, and from start to end. */
  readonly queueMs: Percentiles;
  readonly runMs: Percentiles;
}

/** Milliseconds. */
export interface Percentiles {
  readonly p50: number;
  readonly p95: number;
}

/** Bounds of one report: ended jobs counted, jobs measured for durations, lines returned. */
const maxCountedRows = 50_000;
const maxTimedJobs = 5_000;
const maxLines = 5_000;

/** The expression of each name, in SQL. */
const names: Readonly<Record<Breakdown, string>> = {
  model: 'model_id',
  key: 'key_id',
  user: 'user_id',
  project: `COALESCE((SELECT project_id FROM keys WHERE keys.id = key_id), '${defaultProject}')`,
};

/** By day and name. `isCut`: more jobs ended in that time than are counted. */
export async function countEndedJobs(
  db: Statements,
  { from, to, by }: ReportQuery,
): Promise<{ readonly lines: readonly ReportLine[]; readonly isCut: boolean }> {
  const state = (name: string) => `SUM(CASE WHEN state = '${name}' THEN 1 ELSE 0 END) AS ${name}`;
  const rows = await db.read(
    `SELECT completed_at / ${days} AS day, name, count(*) AS jobs, ${state('completed')}, ${state('failed')},
       ${state('cancelled')}
     FROM (SELECT completed_at, ${names[by]} AS name, state FROM jobs
       WHERE completed_at IS NOT NULL AND completed_at >= $1 AND completed_at < $2
       ORDER BY completed_at DESC LIMIT ${maxCountedRows}) AS ended
     GROUP BY completed_at / ${days}, name ORDER BY 1, 2 LIMIT ${maxLines}`,
    [from, to],
  );
  const lines = rows.map(row => ({
    day: integer(row, 'day') * days,
    name: text(row, 'name'),
    completed: integer(row, 'completed'),
    failed: integer(row, 'failed'),
    cancelled: integer(row, 'cancelled'),
  }));
  const counted = rows.reduce((sum, row) => sum + integer(row, 'jobs'), 0);
  return { lines, isCut: counted >= maxCountedRows || rows.length >= maxLines };
}

/** Quantities by day, name, model, unit and basis. */
export async function sumUsage(db: Statements, { from, to, by }: ReportQuery): Promise<readonly UsageSum[]> {
  const rows = await db.read(
    `SELECT at / ${days} AS day, name, model_id AS model, unit, basis, SUM(quantity) AS quantity
     FROM (SELECT at, ${names[by]} AS name, model_id, unit, basis, quantity FROM usage_lines WHERE at >= $1 AND at < $2
       ORDER BY at DESC LIMIT ${maxCountedRows}) AS used
     GROUP BY at / ${days}, name, model_id, unit, basis ORDER BY 1, 2, 3, 4 LIMIT ${maxLines}`,
    [from, to],
  );
  return rows.map(row => ({
    day: integer(row, 'day') * days,
    name: text(row, 'name'),
    modelId: text(row, 'model'),
    unit: oneOf(row, 'unit', usageUnits),
    basis: oneOf(row, 'basis', ['reported', 'computed']),
    quantity: integer(row, 'quantity'),
  }));
}

/** Percentiles of the durations of the newest completed jobs in that time. */
export async function measureDurations(
  db: Statements,
  { from, to, by }: ReportQuery,
): Promise<readonly JobDurations[]> {
  const rows = await db.read(
    `SELECT ${names[by]} AS name, created_at, started_at, completed_at FROM jobs
     WHERE completed_at IS NOT NULL AND completed_at >= $1 AND completed_at < $2 AND state = 'completed'
     ORDER BY completed_at DESC LIMIT ${maxTimedJobs}`,
    [from, to],
  );
  const byName = Map.groupBy(rows, row => text(row, 'name'));
  return [...byName].map(([name, own]) => ({
    name,
    jobs: own.length,
    queueMs: percentilesOf(own.map(row => startOf(row) - integer(row, 'created_at'))),
    runMs: percentilesOf(own.map(row => integer(row, 'completed_at') - startOf(row))),
  }));
}

/** A job that never ran was in the queue until its end. */
const startOf = (row: Row): number => integerOrNull(row, 'started_at') ?? integer(row, 'completed_at');

/** Nearest rank; 0 for no values. */
function percentilesOf(values: readonly number[]): Percentiles {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50: at(0.5), p95: at(0.95) };
}

/** Names of everything that a report can be broken down by, but for models, whose ids are their names. */
const nameQueries: Readonly<Record<Exclude<Breakdown, 'model'>, string>> = {
  user: 'SELECT id, name FROM users LIMIT 10000',
  key: 'SELECT id, COALESCE(name, hint) AS name FROM keys LIMIT 10000',
  project: 'SELECT id, name FROM projects LIMIT 10000',
};

/** Display names of keys, users or projects by id; empty for models. */
export async function readNames(db: Statements, by: Breakdown): Promise<ReadonlyMap<string, string>> {
  if (by === 'model') return new Map();
  const rows = await db.read(nameQueries[by]);
  return new Map(rows.map(row => [text(row, 'id'), text(row, 'name')]));
}
