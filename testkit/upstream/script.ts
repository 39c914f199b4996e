/** The script of a scripted upstream: rules that say which requests meet which faults. */
import { z } from 'zod';
import { draw } from '../random.ts';

/** The requests that rules distinguish. */
export const operations = ['create', 'list', 'status', 'response', 'cancel', 'media', 'upload'] as const;
export type Operation = (typeof operations)[number];

/** How much of an answer is sent before the connection is reset. */
export const resetPoints = ['nothing', 'first-byte', 'headers', 'half-body', 'all-but-last-byte'] as const;
export type ResetPoint = (typeof resetPoints)[number];

const act = z.discriminatedUnion('kind', [
  /** The connection is reset after a part of the true answer. */
  z.strictObject({ kind: z.literal('reset'), at: z.enum(resetPoints) }),
  /** This answer in place of the true one. */
  z.strictObject({
    kind: z.literal('answer'),
    status: z.int(),
    headers: z.record(z.string(), z.string()).default({}),
    body: z.string().default(''),
  }),
  /** The true answer with members of its JSON set; null removes one. */
  z.strictObject({ kind: z.literal('change'), set: z.record(z.string(), z.json()) }),
  /** The first half of the true body, as if that were all. */
  z.strictObject({ kind: z.literal('cut') }),
  /** No answer, on an open connection. */
  z.strictObject({ kind: z.literal('silence') }),
  /** The true answer, a byte at a time. */
  z.strictObject({ kind: z.literal('drip'), everyMs: z.int().min(1) }),
  /** A body without end. */
  z.strictObject({ kind: z.literal('endless') }),
  /** So many megabytes of spaces, gzipped. */
  z.strictObject({ kind: z.literal('bomb'), megabytes: z.int().min(1) }),
]);
export type Act = z.output<typeof act>;

const rule = z.strictObject({
  on: z.enum(operations),
  /** Only requests with this key, for this model, of the job with this mark; any when absent. */
  key: z.string().optional(),
  model: z.string().optional(),
  mark: z.string().optional(),
  /** Skips so many matching requests, then applies to `times` of them; without it to all. */
  after: z.int().min(0).default(0),
  times: z.int().min(1).optional(),
  /** The share of the matching requests that it applies to, drawn from the seed. */
  share: z.number().min(0).max(1).default(1),
  /** Whether a creation becomes a job although its answer meets the act. */
  accepts: z.boolean().default(true),
  /** How long after the answer it becomes a job: a request that arrives after its sender gave up. */
  acceptsAfterMs: z.int().min(0).default(0),
  act,
});
export type Rule = z.output<typeof rule>;
export type RuleInput = z.input<typeof rule>;

export const script = z.strictObject({
  /** How long a job waits before it runs, and how long it runs. */
  queueMs: z.int().min(0).default(0),
  runMs: z.int().min(0).default(0),
  /** Of the draws for `share`. */
  seed: z.int().default(0),
  /** In order: the first that applies to a request wins. */
  rules: z.array(rule).default([]),
});
export type Script = z.output<typeof script>;
export type ScriptInput = z.input<typeof script>;

/** A request as rules see it. */
export interface Subject {
  readonly on: Operation;
  readonly key: string;
  readonly model: string | null;
  readonly mark: string | null;
}

/** Chooses the rule of each request; the same requests in the same order for each job meet the same rules. */
export function openPicker({ rules, seed }: Script): (subject: Subject) => Rule | null {
  const matched = new Map<Rule, number>();
  const requests = new Map<string, number>();
  return subject => {
    const name = [subject.on, subject.key, subject.model, subject.mark].join(' ');
    const nth = (requests.get(name) ?? 0) + 1;
    requests.set(name, nth);
    for (const [index, candidate] of rules.entries()) {
      if (!matches(candidate, subject)) continue;
      const count = (matched.get(candidate) ?? 0) + 1;
      matched.set(candidate, count);
      const { after, times = Number.POSITIVE_INFINITY, share } = candidate;
      if (count > after && count <= after + times && draw(seed, index, name, nth) < share) return candidate;
    }
    return null;
  };
}

const matches = (candidate: Rule, subject: Subject): boolean =>
  candidate.on === subject.on &&
  (['key', 'model', 'mark'] as const).every(
    name => candidate[name] === undefined || candidate[name] === subject[name],
  );
