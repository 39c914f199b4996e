/** The poll skeleton: turns the answer to a poll into the state of a job, by what a provider states of its protocol. */

import { z } from 'zod';
import type { PollResult, Provider } from '../../domain/provider.ts';
import { pollAfter } from './error-table.ts';
import type { AnsweredReply, UpstreamReply } from './upstream.ts';

/** What a provider states of the answers to its polls. `Ended` is what it returns where a second call gets the results. */
export interface PollProtocol<State, Ended = never> {
  /**
   * The state of the job in an answer. Undefined for an answer that is unreadable, or of another job: the job is
   * polled again. Null where the answer proves that the upstream does not know the job.
   */
  readonly stateIn: (answer: AnsweredReply) => State | null | undefined;
  /** Whether an error means that the upstream does not know the job. Default: status 404. */
  readonly isMissing?: (answer: AnsweredReply) => boolean;
  /** What that state means for the job. */
  readonly resultOf: (state: State, answer: AnsweredReply) => PollResult | Ended;
}

/** Reads the answer to one poll. A reply without a readable state never ends a job. */
export function readPoll<State, Ended = never>(
  reply: UpstreamReply,
  { stateIn, isMissing = isNotFound, resultOf }: PollProtocol<State, Ended>,
): PollResult | Ended {
  if (reply.kind !== 'answered') return unreachable(reply);
  if (isMissing(reply)) return { kind: 'missing' };
  const state = stateIn(reply);
  if (state === null) return { kind: 'missing' };
  return state === undefined ? unreachable(reply) : resultOf(state, reply);
}

/** Whether the upstream answered with 404. */
export const isNotFound = (reply: UpstreamReply): boolean =>
  reply.kind === 'answered' && reply.status === 404;

/** The result of a poll whose reply says nothing of the job; by default with the status or the network's reason. */
export const unreachable = (
  reply: UpstreamReply,
  reason = reply.kind === 'answered' ? `the upstream answered ${reply.status}` : reply.reason,
): PollResult => ({ kind: 'unreachable', reason, ...pollAfter(reply) });

/** What every ref has, whatever else a provider keeps in it: an operator may write one by the id alone. */
const jobRefSchema = z.object({ id: z.string().min(1) });

/** The upstream's id of a job, from the ref that `submit` returned. */
export const idOf = (ref: unknown): string => jobRefSchema.parse(ref).id;

/** What a provider does unless its protocol says more: always ready, cannot cancel, keeps nothing for a job. */
export const providerDefaults = {
  ready: async () => ({ ok: true }),
  cancel: async () => ({ kind: 'unsupported' }),
  release: async () => {},
} satisfies Partial<Provider>;
