/** A task as Ark reports it: its files and usage, and how one is found in the list of tasks. */

import { z } from 'zod';
import type { ProducedFile, Production } from '../../domain/provider.ts';
import type { Usage } from '../../domain/usage.ts';
import { memberAt, readList } from '../kit/lookup.ts';
import { lenient, readResults, resultUrl } from '../kit/read-success.ts';

/** A task, as the API answers a poll. */
export const arkTask = z.object({
  status: z.enum(['queued', 'running', 'succeeded', 'failed', 'cancelled', 'expired']),
  error: lenient(z.object({ code: lenient(z.string()), message: lenient(z.string()) })),
  content: lenient(z.object({ video_url: z.unknown().optional(), last_frame_url: lenient(z.string()) })),
  seed: z.int().nonnegative().nullish().catch(null),
  usage: z.object({ completion_tokens: z.number().nonnegative() }).nullish().catch(null),
});
/** A task as it was read. */
export type ArkTask = z.output<typeof arkTask>;

/** The files, usage and seed of a task. */
export function productionOf({ content, seed, usage }: ArkTask) {
  const { items, isWhole } = readResults(content?.video_url || [], resultUrl);
  const files = [
    items.map(url => fileAt(url, 'primary', 'video/mp4')),
    content?.last_frame_url ? [fileAt(content.last_frame_url, 'last_frame', 'image/png')] : [],
  ].flat();
  const production: Production = { files, usage: usageOf(usage), ...(seed != null && { seed }) };
  return { production, isWhole };
}

const fileAt = (url: string, role: ProducedFile['role'], mimeType: string): ProducedFile => ({
  role,
  index: 0,
  mimeType,
  source: { kind: 'url', url },
});

const usageOf = (usage: ArkTask['usage']): readonly Usage[] =>
  usage ? [{ unit: 'token', quantity: usage.completion_tokens, basis: 'reported' }] : [];

const listedTask = z.object({
  id: z.string().min(1),
  safety_identifier: z.string().nullish(),
  /** Unix seconds. */
  created_at: z.number(),
});

/** What a task of ours is looked for by. */
export interface TaskQuery {
  /** The key of the attempt. */
  readonly name: string;
  /** The earliest time of its creation, epoch ms. */
  readonly notBefore: number;
  /** Most tasks of one page. */
  readonly pageSize: number;
}

/**
 * Looks for our task in the newest page. Returns its id; null where it certainly does not exist: the page is the last,
 * or in order and reaching back far enough, and every task of that time has its name. Undefined where it is unknown.
 */
export function findTask(json: unknown, { name, notBefore, pageSize }: TaskQuery): string | null | undefined {
  const { items = [], isWhole: isReadable = false } = readList(memberAt(json, 'items'), listedTask) ?? {};
  const ours = items.find(task => task.safety_identifier === name);
  if (!isReadable || ours) return ours?.id;
  const isYoung = (task: (typeof items)[number]) => task.created_at * 1000 >= notBefore;
  const newestFirst = items.every((task, at) => at === 0 || task.created_at <= items[at - 1]!.created_at);
  const last = items.at(-1);
  const isWhole = items.length < pageSize || (newestFirst && last !== undefined && !isYoung(last));
  const isOpen = items.filter(isYoung).every(task => typeof task.safety_identifier === 'string');
  return isWhole && isOpen ? null : undefined;
}
