import { z } from 'zod';
import { minutes } from '../domain/clock.ts';
import type { Job } from '../domain/job.ts';
import type { RecoverResult } from '../domain/provider.ts';
import { retryAfterOf } from './error-table.ts';
import type { UpstreamReply } from './upstream.ts';

const pageTasks = 100;
/** More pages of the list, or more single tasks, are not gone through. */
const maxPages = 20;
const maxLooks = 100;
/** Their clock may be behind ours. */
const clockMarginMs = 5 * minutes;

const page = z.object({
  tasks: z.array(z.object({ id: z.string().min(1), payload: z.string().nullish() })).nullish(),
  next_page_token: z.string().nullish(),
});
const own = z.object({ payload: z.string() });

type Get = (path: string) => Promise<UpstreamReply>;

/**
 * The task that carries the key of a call. That the list names what a task carries is not documented: where it does
 * not, each task is asked for it, which is. Nothing is believed to be absent before a page without tasks has come.
 */
export async function findByPayload(
  get: Get,
  { dedupeKey, job }: { readonly dedupeKey: string; readonly job: Pick<Job, 'createdAt'> },
): Promise<RecoverResult> {
  const from = new Date(job.createdAt - clockMarginMs).toISOString();
  const seen = new Set<string>();
  const unnamed: string[] = [];
  let token = '';
  for (let number = 0; number < maxPages; number++) {
    const reply = await get(pathOfPage(from, number, token));
    const told = reply.kind === 'answered' && reply.status === 200 ? page.safeParse(reply.json).data : null;
    if (!told) return { kind: 'undecided', ...retryAfterOf(reply) };
    const tasks = told.tasks ?? [];
    const found = tasks.find(({ payload }) => payload === dedupeKey);
    if (found) return { kind: 'found', ref: { id: found.id } };
    if (tasks.length === 0) return lookInto(get, unnamed, dedupeKey);
    // The same page again: its number was not heeded.
    if (tasks.every(({ id }) => seen.has(id))) return { kind: 'undecided' };
    unnamed.push(...tasks.flatMap(({ id, payload }) => (payload || seen.has(id) ? [] : id)));
    for (const { id } of tasks) seen.add(id);
    token = told.next_page_token ?? '';
  }
  return { kind: 'undecided' };
}

function pathOfPage(from: string, number: number, token: string): string {
  const query = new URLSearchParams({ 'created_at.from': from, 'pager.pagesz': String(pageTasks) });
  if (token) query.set('pager.page_token', token);
  else query.set('pager.page', String(number));
  return `/ent/v2/tasks?${query}`;
}

/** Asks each task what it carries. */
async function lookInto(get: Get, ids: readonly string[], dedupeKey: string): Promise<RecoverResult> {
  if (ids.length > maxLooks) return { kind: 'undecided' };
  for (const id of ids) {
    const reply = await get(`/ent/v2/tasks/${encodeURIComponent(id)}/creations`);
    const told = reply.kind === 'answered' && reply.status === 200 ? own.safeParse(reply.json).data : null;
    if (!told) return { kind: 'undecided', ...retryAfterOf(reply) };
    if (told.payload === dedupeKey) return { kind: 'found', ref: { id } };
  }
  return { kind: 'absent' };
}
