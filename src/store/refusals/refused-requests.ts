/** Counts of refused requests: added in batches, read as groups, and pruned. */
import { hours } from '../../domain/clock.ts';
import { hourOf, type RefusedRequests } from '../../domain/refused-request.ts';
import type { Connection, Row, Statements, Value } from '../db/connection.ts';
import { recordsOf } from '../db/records.ts';
import { integer, text, textOrNull } from '../db/rows.ts';

const columns = {
  hour: 'BIGINT',
  caller: 'TEXT',
  route: 'TEXT',
  status: 'INTEGER',
  code: 'TEXT',
  sentence: 'TEXT',
  requests: 'BIGINT',
  first_at: 'BIGINT',
  last_at: 'BIGINT',
  body_fields: 'TEXT',
} as const;
const names = Object.keys(columns).join(', ');

/** Adds counts to those of other processes, in one statement. */
export async function addRefusedRequests(db: Connection, counted: readonly RefusedRequests[]): Promise<void> {
  if (counted.length === 0) return;
  const records = counted.map(({ firstAt, lastAt, bodyFields, ...rest }) => ({
    ...rest,
    first_at: firstAt,
    last_at: lastAt,
    body_fields: bodyFields && JSON.stringify(bodyFields),
  }));
  await db.write(
    // In the order of the key, so that two processes lock the same rows one after the other.
    `INSERT INTO refused_requests (${names}) SELECT ${names} FROM ${recordsOf(db.dialect, columns)} AS fresh
     WHERE TRUE ORDER BY hour, caller, route, code, sentence
     ON CONFLICT (hour, caller, route, code, sentence) DO UPDATE SET
       requests = refused_requests.requests + excluded.requests,
       last_at = CASE WHEN excluded.last_at > refused_requests.last_at THEN excluded.last_at ELSE refused_requests.last_at END,
       body_fields = COALESCE(excluded.body_fields, refused_requests.body_fields)`,
    [JSON.stringify(records)],
  );
}

/** Refusals of one kind, of all hours of a report. */
export interface RefusalGroup extends Omit<RefusedRequests, 'hour' | 'code'> {
  readonly code: string;
  /** Of the caller, where it is a key that still exists. */
  readonly userName: string | null;
  readonly keyName: string | null;
  readonly keyHint: string | null;
}

/** What a report is of. Null members do not filter. */
export interface RefusalFilter {
  /** Epoch ms: hours that began then or later. */
  readonly since: number;
  readonly status: number | null;
  readonly caller: string | null;
  readonly limit: number;
}

/** The most frequent first. */
export async function listRefusals(
  db: Statements,
  { since, status, caller, limit }: RefusalFilter,
): Promise<readonly RefusalGroup[]> {
  const values: Value[] = [hourOf(since), limit];
  const bind = (value: Value) => `$${values.push(value)}`;
  const conditions = [
    'hour >= $1',
    ...(status === null ? [] : [`status = ${bind(status)}`]),
    ...(caller === null ? [] : [`caller = ${bind(caller)}`]),
  ];
  const rows = await db.read(
    `SELECT found.*, users.name AS user_name, keys.name AS key_name, keys.hint AS key_hint FROM (
       SELECT caller, route, status, code, sentence, CAST(SUM(requests) AS BIGINT) AS requests, MIN(first_at) AS first_at,
         MAX(last_at) AS last_at, MAX(body_fields) AS body_fields
       FROM refused_requests WHERE ${conditions.join(' AND ')}
       GROUP BY caller, route, status, code, sentence ORDER BY 6 DESC, 8 DESC LIMIT $2) AS found
     LEFT JOIN keys ON keys.id = found.caller LEFT JOIN users ON users.id = keys.user_id
     ORDER BY found.requests DESC, found.last_at DESC`,
    values,
  );
  return rows.map(groupFromRow);
}

function groupFromRow(row: Row): RefusalGroup {
  const fields = textOrNull(row, 'body_fields');
  return {
    caller: text(row, 'caller'),
    route: text(row, 'route'),
    status: integer(row, 'status'),
    code: text(row, 'code'),
    sentence: text(row, 'sentence'),
    requests: integer(row, 'requests'),
    firstAt: integer(row, 'first_at'),
    lastAt: integer(row, 'last_at'),
    bodyFields: fields === null ? null : (JSON.parse(fields) as string[]),
    userName: textOrNull(row, 'user_name'),
    keyName: textOrNull(row, 'key_name'),
    keyHint: textOrNull(row, 'key_hint'),
  };
}

/** Refusals of the last hour, and of an hour of the days before. */
export interface RefusalRate {
  readonly lastHour: number;
  readonly usualHour: number;
}

/** How far back an hour is compared. */
const comparedHours = 7 * 24;

/** The last hour is that since the beginning of the previous one, by the share of it that lies within sixty minutes. */
export async function measureRefusals(db: Statements, now: number): Promise<RefusalRate> {
  const present = hourOf(now);
  const rows = await db.read(
    `SELECT hour, CAST(SUM(requests) AS BIGINT) AS requests FROM refused_requests WHERE hour >= $1 GROUP BY hour`,
    [present - comparedHours * hours],
  );
  const counts = new Map(rows.map(row => [integer(row, 'hour'), integer(row, 'requests')]));
  const [current, previous] = [counts.get(present) ?? 0, counts.get(present - hours) ?? 0];
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return {
    lastHour: Math.round(current + previous * (1 - (now - present) / hours)),
    usualHour: (all - current - previous) / (comparedHours - 1),
  };
}

/** Deletes the counts of hours that began before; returns how many rows. */
export async function pruneRefusals(db: Connection, before: number, limit: number): Promise<number> {
  const rows = await db.write(
    `DELETE FROM refused_requests WHERE (hour, caller, route, code, sentence) IN (
       SELECT hour, caller, route, code, sentence FROM refused_requests WHERE hour < $1 LIMIT $2) RETURNING hour`,
    [before, limit],
  );
  return rows.length;
}
