import { seconds } from '../../domain/clock.ts';
import type { TestResult } from '../../domain/provider.ts';
import { type ErrorTable, errorOf } from './error-table.ts';
import type { Upstream, UpstreamReply } from './upstream.ts';

const testTimeoutMs = 15 * seconds;

export interface AccountTestCall {
  readonly path: string;
  readonly errors: ErrorTable;
  /** What whoever is let in is answered; default: JSON that tells of no error, with a status that is good. */
  readonly isAccepted?: (reply: Answered) => boolean;
  /** What is wrong with a server whose answer is good as such, as a sentence without its stop; null where nothing is. */
  readonly unhealthyReason?: (json: unknown) => string | null;
}

type Answered = UpstreamReply & { readonly kind: 'answered' };

/** Asks what costs nothing, and says whether the upstream took the account. */
export async function runAccountTest(upstream: Upstream, call: AccountTestCall): Promise<TestResult> {
  const { path, errors, isAccepted = isSuccessBy(errors) } = call;
  const reply = await upstream.request({ method: 'GET', path, timeoutMs: testTimeoutMs });
  if (reply.kind !== 'answered') return { kind: 'unreachable', reason: reply.reason };
  if (isAccepted(reply)) {
    const reason = call.unhealthyReason?.(reply.json) ?? null;
    return reason === null ? { kind: 'accepted' } : { kind: 'unclear', reason };
  }
  const { trouble, message } = errorOf(reply, errors);
  // That there is no such address is no word about the account.
  const isElsewhere = reply.status === 404 || reply.status === 405;
  if (trouble === 'account' && !isElsewhere) return { kind: 'refused', reason: message };
  return { kind: 'unclear', reason: `the upstream answered ${reply.status} to a free call` };
}

const isSuccessBy =
  ({ read }: ErrorTable) =>
  ({ status, json, headers }: Answered): boolean =>
    status >= 200 && status < 300 && json !== undefined && !read(json, headers);
