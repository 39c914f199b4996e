/** The filter and the orders of a search for jobs, and its conditions in SQL: on rows of jobs, and on entries of the index. */
import type { JobId, KeyId } from '../../domain/ids.ts';
import type { JobState } from '../../domain/job.ts';
import type { SearchWord } from '../../domain/search-words.ts';
import type { Connection, Value } from '../db/connection.ts';
import { numberOfTime, type TextOf } from './search-index.ts';

/** Null members do not filter. */
export interface JobFilter {
  readonly states: readonly JobState[] | null;
  readonly modelIds: readonly string[] | null;
  readonly keyIds: readonly KeyId[] | null;
  /** Jobs found by an id before. */
  readonly ids: readonly JobId[] | null;
  readonly userName: string | null;
  readonly projectName: string | null;
  /** At a provider. */
  readonly account: string | null;
  readonly errorCode: string | null;
  /** A null value: any value of that name. */
  readonly tag: { readonly name: string; readonly value: string | null } | null;
  /** Run times, both included. */
  readonly minRunMs: number | null;
  readonly maxRunMs: number | null;
  /** Created then or later, and before; epoch ms. */
  readonly since: number | null;
  readonly until: number | null;
  /** All of the words are in the text of the input. */
  readonly words: { readonly wanted: readonly SearchWord[]; readonly textOf: TextOf } | null;
}

/** A filter that every job fits. */
export const everyJob: JobFilter = {
  states: null,
  modelIds: null,
  keyIds: null,
  ids: null,
  userName: null,
  projectName: null,
  account: null,
  errorCode: null,
  tag: null,
  minRunMs: null,
  maxRunMs: null,
  since: null,
  until: null,
  words: null,
};

/** By creation, by run time, or by cost; jobs without a run time or a cost are not in the last two. */
export const jobOrders = ['newest', 'oldest', 'longest', 'dearest'] as const;
export type JobOrder = (typeof jobOrders)[number];

/** Binds a value of a statement and returns its place. */
export type Bind = (value: Value) => string;

/** Conditions on rows of `jobs`: exact, but for the words. */
export const conditionsOnJobs = (filter: JobFilter, bind: Bind): readonly string[] => [
  ...conditionsOnBirth(filter, bind, 'jobs'),
  ...(filter.states === null ? [] : [isOneOf('jobs.state', filter.states, bind)]),
  ...(filter.account === null ? [] : [`jobs.account = ${bind(filter.account)}`]),
  ...(filter.errorCode === null ? [] : [contains('jobs.error', { code: filter.errorCode }, bind)]),
  ...runConditions(filter, '(jobs.completed_at - jobs.started_at)', bind),
  ...(filter.since === null ? [] : [`jobs.created_at >= ${bind(filter.since)}`]),
  ...(filter.until === null ? [] : [`jobs.created_at < ${bind(filter.until)}`]),
];

/** Conditions on entries of the index: an unfinished job passes those on its end, which its own row decides. */
export const conditionsOnEntries = (filter: JobFilter, bind: Bind): readonly string[] => [
  ...conditionsOnBirth(filter, bind, 'entry'),
  ...(filter.states === null
    ? []
    : // Waiting and running ones are unfinished, and of those the row decides.
      [isOneOf('entry.state', ['unfinished', ...filter.states], bind)]),
  ...[
    ...(filter.account === null ? [] : [`entry.account = ${bind(filter.account)}`]),
    ...(filter.errorCode === null ? [] : [`entry.error_code = ${bind(filter.errorCode)}`]),
    ...runConditions(filter, 'entry.run_ms', bind),
  ].map(condition => `(entry.state = 'unfinished' OR ${condition})`),
];

/** What never changes after the creation. */
function conditionsOnBirth(
  { modelIds, keyIds, userName, projectName, tag }: JobFilter,
  bind: Bind,
  table: 'jobs' | 'entry',
): readonly string[] {
  return [
    ...(modelIds === null ? [] : [isOneOf(`${table}.model_id`, modelIds, bind)]),
    ...(keyIds === null ? [] : [isOneOf(`${table}.key_id`, keyIds, bind)]),
    ...(userName === null
      ? []
      : [`${table}.user_id = (SELECT id FROM users WHERE name = ${bind(userName)})`]),
    ...(projectName === null
      ? []
      : [
          `${table}.key_id IN (SELECT keys.id FROM keys JOIN projects
             ON projects.id = COALESCE(keys.project_id, 'project_default') WHERE projects.name = ${bind(projectName)})`,
        ]),
    ...(tag === null ? [] : [contains(`${table}.tags`, { [tag.name]: tag.value }, bind)]),
  ];
}

const runConditions = ({ minRunMs, maxRunMs }: JobFilter, column: string, bind: Bind): readonly string[] => [
  ...(minRunMs === null ? [] : [`${column} >= ${bind(minRunMs)}`]),
  ...(maxRunMs === null ? [] : [`${column} <= ${bind(maxRunMs)}`]),
];

const isOneOf = (column: string, values: readonly string[], bind: Bind): string =>
  values.length === 0 ? '1 = 0' : `${column} IN (${values.map(bind).join(', ')})`;

/** Whether the JSON text of an object has a member; null: with any value. LIKE ignores case on one of the databases. */
function contains(column: string, member: Readonly<Record<string, string | null>>, bind: Bind): string {
  const written = JSON.stringify(member).slice(1, -1).replace(/null$/, '');
  return `replace(${column}, ${bind(written)}, '') <> ${column}`;
}

/** Of the numbers of entries. */
export const directionOf = (order: JobOrder): 'ASC' | 'DESC' => (order === 'oldest' ? 'ASC' : 'DESC');

/** Numbers behind a place, within the times of the filter. */
export const boundsBehind = (
  { filter, order }: { readonly filter: JobFilter; readonly order: JobOrder },
  from: { readonly number: number } | null,
  column: string,
  bind: Bind,
): readonly string[] => [
  ...(from === null ? [] : [`${column} ${order === 'oldest' ? '>' : '<'} ${bind(from.number)}`]),
  ...timeBounds(filter, column, bind),
];

/** Numbers within the times of the filter. */
export const timeBounds = ({ since, until }: JobFilter, column: string, bind: Bind): readonly string[] => [
  ...(since === null ? [] : [`${column} >= ${bind(numberOfTime(since))}`]),
  ...(until === null ? [] : [`${column} < ${bind(numberOfTime(until))}`]),
];

/** All of the words, in the language of each database for it. They consist of letters and digits alone. */
export function matchOf({ dialect }: Connection, wanted: readonly SearchWord[], bind: Bind): string {
  if (dialect === 'sqlite')
    return `job_words MATCH ${bind(wanted.map(({ word, isPrefix }) => `"${word}"${isPrefix ? ' *' : ''}`).join(' AND '))}`;
  const query = wanted.map(({ word, isPrefix }) => `'${word}'${isPrefix ? ':*' : ''}`).join(' & ');
  return `words @@ CAST(${bind(query)} AS TSQUERY)`;
}
