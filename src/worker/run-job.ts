// One job from its claim to the upstream, and from the upstream's result to its outcome, as lists of steps.
import type { Model } from '../catalog/model.ts';
import { jobError, type Outcome } from '../domain/job.ts';
import type { Production, ProviderAttempt } from '../domain/provider.ts';
import { type SpanName, type SpanResult, withSpan } from '../domain/tracing.ts';
import type { Route } from '../routing/routes.ts';
import { markFetchingOutputs, resetCrashes } from '../store/jobs/leased-job.ts';
import type { WorkerContext } from './context.ts';
import { fetchInputs, type Inputs, noInputs } from './fetch-inputs.ts';
import { fetchOutputs } from './fetch-outputs.ts';
import { type EndedJob, endedWith, type RunningJob } from './running-job.ts';
import { storeOutputs } from './store-outputs.ts';
import { type Accepted, type Submitted, submit, type UpstreamJob } from './submit.ts';

/** The upstream has the job, so that only polls are left to do. */
export interface AcceptedJob extends Accepted {
  /** Removes the local input files, which a local render reads until it ends; null where none are left. */
  readonly removeInputs: (() => Promise<void>) | null;
}

/** What an upstream made of a job. */
export interface UpstreamResult {
  readonly production: Production;
  readonly attempt: ProviderAttempt;
  /** Null where the answer of the submission was the result. */
  readonly upstreamJob: UpstreamJob | null;
  /** Epoch ms from which the upstream had it. */
  readonly startedAt: number;
}

/** A provider that lost an accepted job gets it again where that costs nothing; twice is enough. */
const maxLosses = 2;

/**
 * Checks → fetch inputs → submit; a job that the upstream has already goes on from its attempt. `losses` counts how
 * often a provider lost it before.
 */
export async function runJob(
  context: WorkerContext,
  running: RunningJob,
  losses: number,
): Promise<AcceptedJob | EndedJob> {
  if (losses > maxLosses) return fail('provider_unavailable', 'the provider lost the job');
  const model = context.catalog.find(running.modelId);
  if (!model) return failWithoutModel(running);
  const early = checkEndBeforeStart(running);
  if (early) return endedWith(early);
  const startedAt = context.clock.now();
  await using cleanup = new AsyncDisposableStack();
  const inputs = await fetchInputsUnlessSubmitted(context, model, running, cleanup);
  if (inputs.kind === 'ended') return inputs;
  const submitted = await submitJob(context, running, inputs.inputs);
  switch (submitted.kind) {
    case 'accepted':
      if (!isAcceptedUpstream(running)) await clearCrashSuspicion(context, running);
      return { ...submitted, removeInputs: keepLocalInputs(running, cleanup) };
    case 'done': {
      const { production, task: attempt } = submitted;
      return await finishJob(context, running, { production, attempt, upstreamJob: null, startedAt });
    }
    case 'ended':
      await running.route.account.provider.release(submitted.task);
      return endedWith(submitted.outcome);
  }
}

/** Fetch outputs → store outputs, for a job whose upstream is done. Frees what its provider kept, also on failure. */
export async function finishJob(
  context: WorkerContext,
  running: RunningJob,
  result: UpstreamResult,
): Promise<EndedJob> {
  const model = context.catalog.find(running.modelId);
  if (!model) return failWithoutModel(running);
  try {
    return await withJobSpan(context, running, 'store_outputs', () =>
      fetchAndStoreOutputs(context, model, running, result),
    );
  } finally {
    await running.route.account.provider.release(result.attempt);
  }
}

/** The end of a job that this process failed. */
const fail = (code: 'provider_unavailable' | 'internal_error', what: string): EndedJob =>
  endedWith({ kind: 'failed', error: jobError(code, what) });

/** An operator removed the model while the job waited. */
const failWithoutModel = ({ modelId }: RunningJob): EndedJob =>
  fail('internal_error', `the model ${modelId} is no longer in the catalog`);

/** Whether the upstream has the job, so that it is polled and not submitted. */
const isAcceptedUpstream = ({ lastAttempt }: RunningJob): boolean => lastAttempt?.answer === 'accepted';

/** Null for a job that an upstream has: the poller asks the upstream to stop it. */
function checkEndBeforeStart(running: RunningJob): Outcome | null {
  if (isAcceptedUpstream(running)) return null;
  return running.job.cancelRequestedAt === null ? running.checkStopOrDeadline() : { kind: 'cancelled' };
}

/** The inputs, or the end of the job that they caused. */
type InputsOrEnd = { readonly kind: 'fetched'; readonly inputs: Inputs } | EndedJob;

/** Inputs are fetched only for a job that is still to be submitted. */
async function fetchInputsUnlessSubmitted(
  context: WorkerContext,
  model: Model,
  running: RunningJob,
  cleanup: AsyncDisposableStack,
): Promise<InputsOrEnd> {
  if (isAcceptedUpstream(running)) return { kind: 'fetched', inputs: noInputs };
  const over = new AbortController();
  const cancelling = new AbortController();
  const [fetching, watch] = await Promise.allSettled([
    fetchInputs(context, model, running.job, { signal: cancelling.signal, cleanup }).finally(() =>
      over.abort(),
    ),
    running.waitForEnd(Number.POSITIVE_INFINITY, over.signal).finally(() => cancelling.abort()),
  ]);
  if (fetching.status === 'rejected') throw fetching.reason;
  if (watch.status === 'rejected') throw watch.reason;
  // A cancel, the deadline or a stop came first: nothing is submitted.
  if (watch.value !== null) return endedWith(watch.value);
  const fetched = fetching.value;
  if (fetched.kind === 'fetched') return fetched;
  const { code, reason, retryable } = fetched;
  return endedWith({ kind: 'failed', error: { ...jobError(code, reason), retryable } });
}

/** One span for each submission; going on with an earlier one is none. */
function submitJob(context: WorkerContext, running: RunningJob, inputs: Inputs): Promise<Submitted> {
  const send = () => submit(context, running, inputs);
  return isAcceptedUpstream(running) ? send() : withJobSpan(context, running, 'submit', send);
}

/** Other upstreams have all that they need once they accepted; their files go when `runJob` returns. */
function keepLocalInputs({ route }: RunningJob, cleanup: AsyncDisposableStack): (() => Promise<void>) | null {
  if (route.account.sharedLimits !== null) return null;
  const kept = cleanup.move();
  return () => kept.disposeAsync();
}

/** A submission that went well clears a suspect, unless it crashed a process while its outputs were fetched. */
async function clearCrashSuspicion({ db }: WorkerContext, running: RunningJob): Promise<void> {
  if (running.job.crashes === 0 || (await resetCrashes(db, running))) running.onAccepted();
}

/** COMPLETED means delivered: the bytes are here, probed and stored before the job is settled. */
async function fetchAndStoreOutputs(
  context: WorkerContext,
  model: Model,
  running: RunningJob,
  { production, upstreamJob, startedAt }: UpstreamResult,
): Promise<EndedJob> {
  // A crash is counted against a job that was never accepted anyway.
  if (upstreamJob) {
    // The prober's thread starts before: the shorter a job is at risk, the fewer innocent ones are suspected.
    await context.prober.ready();
    await markFetchingOutputs(context.db, running);
  }
  await using cleanup = new AsyncDisposableStack();
  const fetched = await fetchOutputs(context, running, { production, upstreamJob, cleanup });
  if (fetched.kind === 'ended') return fetched;
  const inferenceMs = context.clock.now() - startedAt;
  const stored = await storeOutputs(context, model, running.job, fetched.production, inferenceMs);
  if (stored.kind === 'failed') return endedWith(stored);
  const { result, usage, files } = stored;
  const { notes = [] } = production;
  return { kind: 'ended', outcome: { kind: 'completed', result, usage, notes }, files };
}

/** The result of any step of a job, as far as its span shows it. */
interface StepResult {
  readonly kind?: string;
  readonly outcome?: Outcome;
}

/** Account, outcome and error code: never what a client or an upstream wrote. */
export function spanResultOf({ account }: Route, { kind = '', outcome }: StepResult): SpanResult {
  const attributes = { 'atelier.account': account.id, 'atelier.outcome': outcome?.kind ?? kind };
  return outcome?.kind === 'failed' ? { attributes, failure: outcome.error.code } : { attributes };
}

/** One step of the job as a span of its trace. */
const withJobSpan = <T extends StepResult>(
  context: WorkerContext,
  { jobId: job, route }: RunningJob,
  name: SpanName,
  work: () => Promise<T>,
): Promise<T> => withSpan(context, { job, name }, work, result => spanResultOf(route, result));
