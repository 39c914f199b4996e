// What is done with a job when its polls are over: store its outputs, submit it again, or end it.
import type { Outcome } from '../domain/job.ts';
import type { Production } from '../domain/provider.ts';
import { readLastAttempts, recordAnswer } from '../store/attempts/attempts.ts';
import { readLeasedJob } from '../store/jobs/leased-job.ts';
import { executeJob, type InFlight, runningJobOf, settleAndRemove } from './execute-job.ts';
import { attemptOf, type PolledJob, type PollingEnd } from './poll-job.ts';
import { type AcceptedJob, finishJob, runJob, spanResultOf } from './run-job.ts';
import { type EndedJob, endedWith, interrupted, type JobSignals } from './running-job.ts';
import { endAfterError, settleInterrupted } from './settle.ts';

/** Jobs that are released in one transaction. */
const releaseBatchSize = 500;

/** Outputs and a new submission need the job's row again; all other ends need nothing but the lease. */
export function finishPolling(inFlight: InFlight, job: PolledJob, end: PollingEnd): void {
  recordPollingSpan(inFlight, job, end);
  switch (end.kind) {
    case 'succeeded':
      return void executeJob(inFlight, job, job, signals =>
        storePolledOutputs(inFlight, job, end.production, signals),
      );
    case 'lost':
      return void executeJob(inFlight, job, { losses: job.losses + 1, isReleased: job.isReleased }, signals =>
        submitLostJobAgain(inFlight, job, signals),
      );
    case 'ended':
      return void endWithoutRow(inFlight, job, () => releaseAtProvider(job, end.outcome));
    case 'thrown':
      return void endWithoutRow(inFlight, job, () => Promise.reject(end.failure));
  }
}

/** A batch at a time: there may be very many, and a stop has little time. */
export async function releasePolledJobs(inFlight: InFlight, jobs: readonly PolledJob[]): Promise<void> {
  const { context, counts, stopping } = inFlight;
  for (let from = 0; from < jobs.length; from += releaseBatchSize) {
    const batch = jobs.slice(from, from + releaseBatchSize);
    for (const job of batch) recordPollingSpan(inFlight, job, { kind: 'ended', outcome: interrupted });
    await Promise.all(batch.map(job => cleanUp(inFlight, job)));
    await settleInterrupted(context, batch, stopping);
    for (const job of batch) counts.remove(job);
  }
}

/** One span from the acceptance to the end of the polls, not one a poll. */
function recordPollingSpan({ context }: InFlight, polled: PolledJob, end: PollingEnd): void {
  const { jobId: job, route, pollingStartedAt: startedAt } = polled;
  const result = end.kind === 'thrown' ? { attributes: {}, failure: end.kind } : spanResultOf(route, end);
  context.tracing.recordSpan({ job, name: 'poll', startedAt, endedAt: context.clock.now(), ...result });
}

/** Its settling writes nothing: another worker has the lease. */
const leaseLost = endedWith(interrupted);

/** The upstream completed it: the row is read again for the input and the user. */
async function storePolledOutputs(
  inFlight: InFlight,
  job: PolledJob,
  production: Production,
  signals: JobSignals,
): Promise<EndedJob> {
  const { context } = inFlight;
  try {
    const row = await readLeasedJob(context.db, job);
    if (!row) return leaseLost;
    const attempt = attemptOf(job);
    const upstreamJob = { attempt, ref: job.ref };
    const result = { production, attempt, upstreamJob, startedAt: job.pollingStartedAt };
    return await finishJob(context, runningJobOf(inFlight, job, row, null, signals), result);
  } finally {
    await job.removeInputs?.();
  }
}

/** Its provider lost the job, which costs nothing: it runs again from its input, with a new attempt. */
async function submitLostJobAgain(
  inFlight: InFlight,
  job: PolledJob,
  signals: JobSignals,
): Promise<AcceptedJob | EndedJob> {
  const { context } = inFlight;
  await job.removeInputs?.();
  await recordAnswer(context.db, job.jobId, job.attempt, { kind: 'lost' }, context.clock.now());
  const row = await readLeasedJob(context.db, job);
  if (!row) return leaseLost;
  const attempts = await readLastAttempts(context.db, [job.jobId]);
  const running = runningJobOf(inFlight, job, row, attempts.get(job.jobId) ?? null, signals);
  return runJob(context, running, job.losses + 1);
}

/** For an outcome that is known already, and for a poll that threw. */
async function endWithoutRow(
  inFlight: InFlight,
  job: PolledJob,
  end: () => Promise<EndedJob>,
): Promise<void> {
  const ended = await end()
    .finally(job.removeInputs)
    .catch((failure: unknown) => endAfterError(inFlight.context, job, failure));
  await settleAndRemove(inFlight, job, ended);
}

/** The provider frees what it kept for the attempt before the job is settled. */
async function releaseAtProvider(job: PolledJob, outcome: Outcome): Promise<EndedJob> {
  await job.route.account.provider.release(attemptOf(job));
  return endedWith(outcome);
}

/** What cannot be removed does not keep the job from its release. */
async function cleanUp({ context }: InFlight, job: PolledJob): Promise<void> {
  await releaseAtProvider(job, interrupted)
    .finally(job.removeInputs)
    .catch((failure: unknown) => context.log.warn({ err: failure, job: job.jobId }, 'cleanup failed'));
}
