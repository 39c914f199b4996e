/** Finds the task of an attempt in Vidu's list, by the payload that it carries. */

import { z } from 'zod';
import { minutes } from '../../domain/clock.ts';
import type { Job } from '../../domain/job.ts';
import type { RecoverResult } from '../../domain/provider.ts';
import type { ErrorTable } from '../kit/error-table.ts';
import { memberAt, type ParsedList, readList, undecided, wellFormedJson } from '../kit/lookup.ts';
import type { UpstreamReply } from '../kit/upstream.ts';

const pageTasks = 100;
/** More pages of the list, or more single tasks, are not gone through. */
const maxPages = 20;
const maxTaskLookups = 100;
/** Their clock may be behind ours. */
const clockMarginMs = 5 * minutes;

const listed = z.object({ id: z.string().min(1), payload: z.string().nullish() });
const taskPayload = z.object({ payload: z.string() });
const nextToken = z.string().catch('');

export interface ViduLookup {
  readonly get: (path: string) => Promise<UpstreamReply>;
  readonly errors: ErrorTable;
}

/**
 * The task that carries the key of a call. That the list names what a task carries is not documented: where it does
 * not, each task is asked for it, which is. Nothing is believed to be absent before an empty page has come.
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
    // The same page again: its number was not heeded.
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

/** The tasks stand at the top, or below `data`. Null where no list stands there: such an answer is no empty page. */
function readPage(json: unknown): Page | null {
  const whole = Array.isArray(memberAt(json, 'tasks')) ? json : memberAt(json, 'data');
  const list = readList(memberAt(whole, 'tasks') ?? whole, listed);
  return list && { ...list, token: nextToken.parse(memberAt(whole, 'next_page_token')) };
}

function pathOfPage(from: string, number: number, token: string): string {
  const query = new URLSearchParams({ 'created_at.from': from, 'pager.pagesz': String(pageTasks) });
  if (token) query.set('pager.page_token', token);
  else query.set('pager.page', String(number));
  return `/ent/v2/tasks?${query}`;
}

/** Asks each task what it carries. */
async function checkEachTask(
  { get, errors }: ViduLookup,
  ids: readonly string[],
  dedupeKey: string,
): Promise<RecoverResult> {
  if (ids.length > maxTaskLookups) return { kind: 'undecided' };
  for (const id of ids) {
    const reply = await get(`/ent/v2/tasks/${encodeURIComponent(id)}/creations`);
    const told = taskPayload.safeParse(wellFormedJson(reply, errors)).data;
    if (!told) return undecided(reply);
    if (told.payload === dedupeKey) return { kind: 'found', ref: { id } };
  }
  return { kind: 'absent' };
}
