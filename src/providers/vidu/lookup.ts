/** Finds the task of an attempt in Vidu's list, by the payload that it carries. */

import { z } from 'zod';
import { minutes } from '../../domain/clock.ts';
import type { Job } from '../../domain/job.ts';
import type { RecoverResult } from '../../domain/provider.ts';
import type { ErrorTable } from '../kit/error-table.ts';
import { memberAt, type ParsedList, readList, undecided, wellFormedJson } from '../kit/lookup.ts';
import type { UpstreamReply } from '../kit/upstream.ts';

const pageTasks = 100;
/** Bounds of one lookup: pages of the list, and tasks that are read one by one. */
const maxPages = 20;
const maxTaskLookups = 100;
/** Allowed difference between the upstream's clock and ours. */
const clockMarginMs = 5 * minutes;

/** A task in the list. */
const listed = z.object({ id: z.string().min(1), payload: z.string().nullish() });
const taskPayload = z.object({ payload: z.string() });
const nextToken = z.string().catch('');

/** How the upstream is called. */
export interface ViduLookup {
  readonly get: (path: string) => Promise<UpstreamReply>;
  readonly errors: ErrorTable;
}

/**
 * Finds the task whose payload is the key of an attempt. The list is not documented to name payloads: where it does not,
 * each task is read by itself, which is documented. Absence is believed only after an empty page.
 */
export async function findByPayload(
  vidu: ViduLookup,
  { dedupeKey, job }: { readonly dedupeKey: string; readonly job: Pick<Job, 'createdAt'> },
): Promise<RecoverResult> {
  const from = new Date(job.createdAt - clockMarginMs).toISOString();
  const seen = new Set<string>();
  const unnamed: string[] = [];
  let token = '';
  for (let number = 0; number < maxPages; number++) {
    const reply = await vidu.get(pathOfPage(from, number, token));
    const page = readPage(wellFormedJson(reply, vidu.errors));
    const found = page?.items.find(({ payload }) => payload === dedupeKey);
    if (found) return { kind: 'found', ref: { id: found.id } };
    if (!page?.isWhole) return undecided(reply);
    const tasks = page.items;
    if (tasks.length === 0) return checkEachTask(vidu, unnamed, dedupeKey);
    // The same page again: the upstream ignores the page number.
    if (tasks.every(({ id }) => seen.has(id))) return { kind: 'undecided' };
    unnamed.push(...tasks.flatMap(({ id, payload }) => (payload || seen.has(id) ? [] : id)));
    for (const { id } of tasks) seen.add(id);
    token = page.token;
  }
  return { kind: 'undecided' };
}

interface Page extends ParsedList<z.output<typeof listed>> {
  readonly token: string;
}

/** The tasks, at the top or below `data`. Null without a list there: such an answer is not an empty page. */
function readPage(json: unknown): Page | null {
  const whole = Array.isArray(memberAt(json, 'tasks')) ? json : memberAt(json, 'data');
  const list = readList(memberAt(whole, 'tasks') ?? whole, listed);
  return list && { ...list, token: nextToken.parse(memberAt(whole, 'next_page_token')) };
}

/** The path of one page: by token where the last page named one, else by number. */
function pathOfPage(from: string, number: number, token: string): string {
  const query = new URLSearchParams({ 'created_at.from': from, 'pager.pagesz': String(pageTasks) });
  if (token) query.set('pager.page_token', token);
  else query.set('pager.page', String(number));
  return `/ent/v2/tasks?${query}`;
}

/** Reads the payload of each task. */
async function checkEachTask(
  { get, errors }: ViduLookup,
  ids: readonly string[],
  dedupeKey: string,
): Promise<RecoverResult> {
  if (ids.length > maxTaskLookups) return { kind: 'undecided' };
  for (const id of ids) {
    const reply = await get(`/ent/v2/tasks/${encodeURIComponent(id)}/creations`);
    const task = taskPayload.safeParse(wellFormedJson(reply, errors)).data;
    if (!task) return undecided(reply);
    if (task.payload === dedupeKey) return { kind: 'found', ref: { id } };
  }
  return { kind: 'absent' };
}
