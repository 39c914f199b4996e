/** The filter of lists of jobs in the admin API, from the query of a request. */

import type { FastifyRequest } from 'fastify';
import { promptsOf } from '../../catalog/prompt-of.ts';
import { seconds } from '../../domain/clock.ts';
import { parseFileId, parseJobId } from '../../domain/ids.ts';
import type { JobState } from '../../domain/job.ts';
import { searchWords } from '../../domain/search-words.ts';
import {
  everyJob,
  findByFile,
  findByIdPrefix,
  findByTaskIdOfAnyUser,
  type JobFilter,
  searchKeys,
} from '../../store/jobs/search.ts';
import type { HttpContext } from '../http-context.ts';
import { queryValue } from '../request-values.ts';
import { refuseField } from './admin-body.ts';
import { choiceOf, searchTextOf, timeOf } from './read-query.ts';

/** Every parameter of the filter. */
export const filterNames: readonly string[] = [
  'q',
  'state',
  'model',
  'kind',
  'key',
  'user',
  'project',
  'account',
  'error',
  'tag',
  'min_run',
  'max_run',
  'from',
  'to',
];

/** What `state` takes: a state in the order of a job's life, or a word for two of them. */
const states = ['available', 'running', 'completed', 'failed', 'cancelled', 'unfinished', 'problem'] as const;

/** Reads the filter; throws the refusal of a wrong value. */
export async function readJobFilter(context: HttpContext, request: FastifyRequest): Promise<JobFilter> {
  const state = choiceOf(request, 'state', states);
  const key = searchTextOf(request, 'key');
  return search(context, searchTextOf(request, 'q'), {
    ...everyJob,
    states: state === null ? null : statesOf(state),
    modelIds: modelIdsOf(context, request),
    keyIds: key === null ? null : await searchKeys(context.db, key),
    userName: searchTextOf(request, 'user'),
    projectName: searchTextOf(request, 'project'),
    account: searchTextOf(request, 'account'),
    errorCode: searchTextOf(request, 'error'),
    tag: tagOf(searchTextOf(request, 'tag')),
    minRunMs: runMsOf(request, 'min_run'),
    maxRunMs: runMsOf(request, 'max_run'),
    since: timeOf(request, 'from'),
    until: timeOf(request, 'to'),
  });
}

/** The states behind a word of the filter. */
export function statesOf(state: JobState | 'unfinished' | 'problem'): readonly JobState[] {
  if (state === 'unfinished') return ['available', 'running'];
  return state === 'problem' ? ['failed', 'cancelled'] : [state];
}

/** One model, or all of a kind; null: every model. */
function modelIdsOf({ catalog }: HttpContext, request: FastifyRequest): readonly string[] | null {
  const model = searchTextOf(request, 'model');
  if (model !== null) return [model];
  const kind = choiceOf(request, 'kind', ['video', 'image', 'speech'] as const);
  return kind && catalog.all.filter(one => one.kind === kind).map(({ id }) => id);
}

/** `name`, or `name=value`. */
function tagOf(tag: string | null): JobFilter['tag'] {
  if (tag === null) return null;
  const [name = '', ...value] = tag.split('=');
  return { name, value: value.length === 0 ? null : value.join('=') };
}

/** Seconds of the query as milliseconds; null where it is absent. */
function runMsOf(request: FastifyRequest, name: string): number | null {
  const given = queryValue(request, name);
  if (given === undefined || given === '') return null;
  if (!/^\d{1,7}(?:\.\d{1,3})?$/.test(given)) refuseField(name, 'must be a number of seconds');
  return Math.round(Number(given) * seconds);
}

/** Narrows to what was searched: a request_id or its beginning, a file, an external task id, a key, or words of prompts. */
async function search({ db }: HttpContext, q: string | null, filter: JobFilter): Promise<JobFilter> {
  if (q === null) return filter;
  const id = parseJobId(q.toLowerCase());
  if (id) return { ...filter, ids: [id] };
  if (parseFileId(q)) return { ...filter, ids: await findByFile(db, q) };
  const byTask = await findByTaskIdOfAnyUser(db, q);
  if (byTask.length > 0) return { ...filter, ids: byTask };
  if (/^[0-9a-f]{4,8}(?:-[0-9a-f-]{0,27})?$/i.test(q)) {
    const byPrefix = await findByIdPrefix(db, q.toLowerCase());
    if (byPrefix.length > 0) return { ...filter, ids: byPrefix };
  }
  if (/^(?:atl|key)_/.test(q)) {
    const found = await searchKeys(db, q);
    const { keyIds } = filter;
    return { ...filter, keyIds: keyIds === null ? found : found.filter(key => keyIds.includes(key)) };
  }
  const wanted = searchWords(q);
  // Signs alone are in no index: nothing is found by them.
  return wanted.length === 0 ? { ...filter, ids: [] } : { ...filter, words: { wanted, textOf: promptsOf } };
}
