/** The tests behind `atelier providers test`: free calls that show whether an account, and a route to it, can work. */

import { seconds } from '../../domain/clock.ts';
import type { TestResult } from '../../domain/provider.ts';
import { type ErrorTable, errorOf } from './error-table.ts';
import type { AnsweredReply, Upstream } from './upstream.ts';

/** An operator waits for it. */
const testTimeoutMs = 15 * seconds;

/** The call, and how its answer is read. */
export interface AccountTestCall {
  /** Of a GET that costs nothing. */
  readonly path: string;
  readonly errors: ErrorTable;
  /** Whether the answer is one for a valid key. Default: JSON without an error, with status 200 to 299. */
  readonly isAccepted?: (reply: AnsweredReply) => boolean;
  /** Why a server with a good answer cannot work, as a sentence without its full stop; null where it can. */
  readonly unhealthyReason?: (json: unknown) => string | null;
}

/** Sends the call once, and reports whether the upstream accepts the account. */
export async function runAccountTest(upstream: Upstream, call: AccountTestCall): Promise<TestResult> {
  const { path, errors, isAccepted = isSuccessBy(errors) } = call;
  const reply = await upstream.request({ method: 'GET', path, timeoutMs: testTimeoutMs });
  if (reply.kind !== 'answered') return { kind: 'unreachable', reason: reply.reason };
  if (isAccepted(reply)) {
    const reason = call.unhealthyReason?.(reply.json) ?? null;
    return reason === null ? { kind: 'accepted' } : { kind: 'unclear', reason };
  }
  const { trouble, message } = errorOf(reply, errors);
  // A wrong path or method proves nothing about the account.
  const isElsewhere = reply.status === 404 || reply.status === 405;
  if (trouble === 'account' && !isElsewhere) return { kind: 'refused', reason: message };
  return { kind: 'unclear', reason: `the upstream answered ${reply.status} to a free call` };
}

/** An error with the status 200 is still an error. */
const isSuccessBy =
  ({ read }: ErrorTable) =>
  ({ status, json, headers }: AnsweredReply): boolean =>
    status >= 200 && status < 300 && json !== undefined && !read(json, headers);

/** A free GET that answers for one model, and how its answer is read. */
export interface RouteTestCall extends Pick<AccountTestCall, 'path' | 'errors'> {
  /** What the upstream calls the model; a 404 means that it has none of that name. */
  readonly model: string;
  /** What a good answer shows of the route. Default: that it can work. */
  readonly read?: (json: unknown) => TestResult;
  /** Longest answer that is read, in bytes. */
  readonly maxAnswerBytes?: number;
}

/** Sends the call once, and reports whether the route can work. */
export async function runRouteTest(upstream: Upstream, call: RouteTestCall): Promise<TestResult> {
  const { path, errors, model, read = () => ({ kind: 'accepted' }), maxAnswerBytes } = call;
  const bound = maxAnswerBytes === undefined ? {} : { maxAnswerBytes };
  const reply = await upstream.request({ method: 'GET', path, timeoutMs: testTimeoutMs, ...bound });
  if (reply.kind !== 'answered') return { kind: 'unreachable', reason: reply.reason };
  if (isSuccessBy(errors)(reply)) return read(reply.json);
  // A page is the answer of a proxy, which knows no models.
  if (reply.status === 404 && reply.json !== undefined)
    return { kind: 'refused', reason: `the upstream has no model ${model}` };
  return { kind: 'unclear', reason: `the upstream answered ${reply.status} to a free call` };
}
