/** A refused request as it is counted: its sentence without what the client wrote, and the names of its fields. */
import { hours } from './clock.ts';
import type { Refusal, RefusalName } from './refusal.ts';

/** Requests that were refused alike in one hour. */
export interface RefusedRequests {
  /** Beginning of the hour, epoch ms. */
  readonly hour: number;
  /** A key id, or the network of an address. */
  readonly caller: string;
  readonly route: string;
  readonly status: number;
  readonly code: RefusalName | 'others';
  readonly sentence: string;
  readonly requests: number;
  /** Epoch ms. */
  readonly firstAt: number;
  readonly lastAt: number;
  readonly bodyFields: readonly string[] | null;
}

/** The beginning of the hour of a moment. */
export const hourOf = (ms: number): number => Math.floor(ms / hours) * hours;

/** Answers about a job that ended, not refusals of a request. */
const ofEndedJobs: readonly RefusalName[] = ['job_failed', 'job_ended_early'];

/** Whether a refusal is one that its client can avoid; faults of the gateway are in its log. */
export const isCounted = ({ entry, refusal }: Refusal): boolean =>
  entry.status >= 400 && entry.status < 500 && !ofEndedJobs.includes(refusal);

/** Characters of a sentence; the rest of a longer one is cut. */
const maxSentence = 160;

/**
 * The sentence of a refusal without what the client wrote: where the table has the words, those alone; of the faults of
 * an input, field and rule without quoted texts, addresses, ids and places in lists.
 */
export function sentenceOf({ entry, details }: Refusal): string {
  const { words } = entry;
  if (words !== '{subject}') return words.replace('{subject}', '…');
  return (details.subject ?? '')
    .slice(0, 4 * maxSentence)
    .replace(/"[^"]*"|'[^']*'|`[^`]*`/g, '"…"')
    .replace(/\b\w+:\/\/\S+/g, '…')
    .replace(/\.\d+\b/g, '.#')
    .replace(/\b[\w-]{24,}\b/g, '…')
    .slice(0, maxSentence);
}

/** Of one body: how many names, how deep, and how long a name may be. */
const maxNames = 30;
const maxDepth = 3;
const namePattern = /^[\w.-]{1,40}$/;

/** The names of the fields of a body, such as `images[].url`, without any of its values. */
export function fieldNamesOf(body: unknown): readonly string[] {
  const names = new Set<string>();
  const collect = (value: unknown, path: string, depth: number): void => {
    if (names.size >= maxNames) return;
    if (Array.isArray(value) && depth < maxDepth) {
      for (const one of value.slice(0, 3)) collect(one, `${path}[]`, depth + 1);
      if (value.length === 0) names.add(`${path}[]`);
    } else if (typeof value === 'object' && value !== null && depth < maxDepth) {
      for (const [name, member] of Object.entries(value).slice(0, maxNames))
        collect(member, `${path === '' ? '' : `${path}.`}${namePattern.test(name) ? name : '…'}`, depth + 1);
    } else if (path !== '') names.add(path);
  };
  collect(body, '', 0);
  return [...names].slice(0, maxNames);
}
