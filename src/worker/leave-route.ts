// A job leaves a route that cannot work: for the next account that may run it, or as failed where there is none.
import { jobError, type Outcome } from '../domain/job.ts';
import type { ProviderError } from '../domain/provider.ts';
import { excludeAccount } from '../store/jobs/route-troubles.ts';
import type { WorkerContext } from './context.ts';
import type { RunningJob } from './running-job.ts';

/** `reason` is the sentence of the upstream's refusals; `error` the refusal of this job, absent where none was called. */
export async function leaveRoute(
  { db, clock, routing }: WorkerContext,
  running: RunningJob,
  reason: string,
  error?: ProviderError,
): Promise<Outcome> {
  const account = running.route.account.id;
  const routed = routing.routesOf(running.modelId).map(route => route.account.id);
  if (await excludeAccount(db, running, account, routed))
    return { kind: 'retry', dueAt: clock.now(), reason: `Not at ${account} any more: ${reason}` };
  return { kind: 'failed', error: jobError('provider_unavailable', reason, error?.upstream) };
}
