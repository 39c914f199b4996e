import type { Model } from '../catalog/model.ts';
import type { StoredFile } from '../domain/file.ts';
import { jobError, type Outcome } from '../domain/job.ts';
import type { Production, ProviderAttempt } from '../domain/provider.ts';
import { type SpanName, type SpanResult, withSpan } from '../domain/tracing.ts';
import type { Route } from '../routing/routes.ts';
import { markFetchingOutputs, resetCrashes } from '../store/jobs/claim.ts';
import type { WorkerContext } from './context.ts';
import { type FetchedInputs, fetchInputs } from './fetch-inputs.ts';
import { fetchOutputs } from './fetch-outputs.ts';
import type { RunningJob } from './lease.ts';
import { storeOutputs } from './store-outputs.ts';
import { type Accepted, submit, type UpstreamJob } from './submit.ts';

/** What is to be settled, with the files that belong to it. */
export interface EndedJob {
  readonly kind: 'ended';
  readonly outcome: Outcome;
  readonly files: readonly StoredFile[];
}

export type RunResult =
  | EndedJob
  /** The upstream has it: from here on it only waits. `dropMedia` is null where nothing of its media is kept. */
  | {
      readonly kind: 'accepted';
      readonly accepted: Accepted;
      readonly dropMedia: (() => Promise<void>) | null;
    };

/** What an upstream made of a job, before it is collected. */
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

/** Brings a held job to its upstream: its media, then the submission. Where it is there already, it goes on. */
export async function runJob(parts: WorkerContext, holding: RunningJob, losses: number): Promise<RunResult> {
  if (losses > maxLosses) return fail('provider_unavailable', 'the provider lost the job');
  const model = parts.catalog.find(holding.job.modelId);
  if (!model) return failWithoutModel(holding);
  const early = checkEndBeforeStart(holding);
  if (early) return endedWith(early);
  const input = openInputFiles(parts, model, holding);
  let dropMedia: (() => Promise<void>) | null = null;
  try {
    const brought = await submitJob(parts, holding, input);
    if (brought.kind === 'ended') return brought;
    // Renders of this machine read their media until they end; other upstreams have what they need.
    if (holding.route.account.sharedLimits === null) dropMedia = input.drop;
    return { kind: 'accepted', accepted: brought, dropMedia };
  } finally {
    if (!dropMedia) await input.drop();
  }
}

/** Takes a job whose upstream is done to its end. Whatever is left on this machine is removed. */
export async function finishJob(
  parts: WorkerContext,
  holding: RunningJob,
  produced: UpstreamResult,
): Promise<EndedJob> {
  const model = parts.catalog.find(holding.job.modelId);
  if (!model) return failWithoutModel(holding);
  try {
    return await withJobSpan(parts, holding, 'collect', () =>
      fetchAndStoreOutputs(parts, model, holding, produced),
    );
  } finally {
    await holding.route.account.provider.release(produced.attempt);
  }
}

export const endedWith = (outcome: Outcome): EndedJob => ({ kind: 'ended', outcome, files: [] });

const fail = (code: 'provider_unavailable' | 'internal_error', what: string): EndedJob =>
  endedWith({ kind: 'failed', error: jobError(code, what) });

const failWithoutModel = ({ job }: RunningJob): EndedJob =>
  fail('internal_error', `the model ${job.modelId} is gone`);

const isAcceptedUpstream = ({ lastAttempt }: RunningJob): boolean => lastAttempt?.answer === 'accepted';

/** What an upstream has is asked to stop there, by whoever follows it. */
function checkEndBeforeStart(holding: RunningJob): Outcome | null {
  if (isAcceptedUpstream(holding)) return null;
  return holding.job.cancelRequestedAt === null ? holding.checkStopOrDeadline() : { kind: 'cancelled' };
}

/** The media of a job, brought here only if something is to be submitted. */
interface InputFiles {
  fetch(): Promise<InputFilesOnDisk | { readonly kind: 'ended'; readonly outcome: Outcome }>;
  drop(): Promise<void>;
}

type InputFilesOnDisk = FetchedInputs['result'] & { readonly kind: 'gathered' };

function openInputFiles(parts: WorkerContext, model: Model, holding: RunningJob): InputFiles {
  let gathering: FetchedInputs | null = null;
  return {
    async fetch() {
      const wanted = await fetchInputsUnlessEnded(parts, model, holding);
      if (wanted.kind === 'ended') return wanted;
      gathering = wanted;
      const { result } = gathering;
      if (result.kind === 'gathered') return result;
      const { code, reason, retryable } = result;
      const error = { ...jobError(code, reason), retryable };
      return { kind: 'ended', outcome: { kind: 'failed', error } };
    },
    drop: async () => gathering?.drop(),
  };
}

type InputsOrEnd =
  | ({ readonly kind: 'gathered' } & FetchedInputs)
  | { readonly kind: 'ended'; readonly outcome: Outcome };

/** The media, unless a cancel, the deadline or the end of this worker comes first: then nothing is submitted. */
async function fetchInputsUnlessEnded(
  parts: WorkerContext,
  model: Model,
  holding: RunningJob,
): Promise<InputsOrEnd> {
  const over = new AbortController();
  const unwanted = new AbortController();
  const [gathering, watch] = await Promise.allSettled([
    fetchInputs(parts, model, holding.job, unwanted.signal).finally(() => over.abort()),
    holding.waitForEnd(Number.POSITIVE_INFINITY, over.signal).finally(() => unwanted.abort()),
  ]);
  if (gathering.status === 'rejected') throw gathering.reason;
  const { drop } = gathering.value;
  if (watch.status === 'rejected') {
    await drop();
    throw watch.reason;
  }
  if (watch.value === null) return { kind: 'gathered', ...gathering.value };
  await drop();
  return { kind: 'ended', outcome: watch.value };
}

const noInputs = { media: {}, facts: {}, pinned: {} };

/** Submits, unless an earlier claim did; to its end where the answer is one. */
async function submitJob(
  parts: WorkerContext,
  holding: RunningJob,
  input: InputFiles,
): Promise<Accepted | EndedJob> {
  const { provider } = holding.route.account;
  const startedAt = parts.clock.now();
  const isThere = isAcceptedUpstream(holding);
  const gathered = isThere ? noInputs : await input.fetch();
  if ('outcome' in gathered) return endedWith(gathered.outcome);
  const send = () => submit(parts, holding, gathered);
  const submitted = isThere ? await send() : await withJobSpan(parts, holding, 'submit', send);
  switch (submitted.kind) {
    case 'accepted':
      if (!isThere) await clearCrashSuspicion(parts, holding);
      return submitted;
    case 'done': {
      const { production, task } = submitted;
      return finishJob(parts, holding, { production, attempt: task, upstreamJob: null, startedAt });
    }
    case 'ended':
      if (submitted.task) await provider.release(submitted.task);
      return endedWith(submitted.outcome);
  }
}

/** Its submission took nobody down; from here on it only waits. One that was being collected stays a suspect. */
async function clearCrashSuspicion(
  { db }: WorkerContext,
  { job, lease, onAccepted }: RunningJob,
): Promise<void> {
  if (job.deaths === 0 || (await resetCrashes(db, lease))) onAccepted();
}

/** COMPLETED means delivered: the bytes are brought here, probed and kept before anybody is told. */
async function fetchAndStoreOutputs(
  parts: WorkerContext,
  model: Model,
  holding: RunningJob,
  { production, upstreamJob, startedAt }: UpstreamResult,
): Promise<EndedJob> {
  // A death is counted to a job that was never accepted anyway.
  if (upstreamJob) {
    // A thread that starts is no danger: the shorter a job is at risk, the fewer are blamed for what they did not do.
    await parts.prober.ready();
    await markFetchingOutputs(parts.db, holding.lease);
  }
  const received = await fetchOutputs(parts, holding, production, upstreamJob);
  try {
    if (received.kind === 'ended') return endedWith(received.outcome);
    const inferenceMs = parts.clock.now() - startedAt;
    const collected = await storeOutputs(parts, model, holding.job, received.production, inferenceMs);
    if (collected.kind === 'failed') return endedWith(collected);
    const { result, usage, files } = collected;
    const { notes = [] } = production;
    const outcome: Outcome = { kind: 'completed', result, usage, notes };
    return { kind: 'ended', outcome, files };
  } finally {
    await received.drop();
  }
}

/** What came of a step of the job's way, in our own words. */
interface StepResult {
  readonly kind?: string;
  readonly outcome?: Outcome;
}

export function spanResultOf({ account }: Route, { kind = '', outcome }: StepResult): SpanResult {
  const attributes = { 'atelier.account': account.id, 'atelier.came': outcome?.kind ?? kind };
  return outcome?.kind === 'failed' ? { attributes, failure: outcome.error.code } : { attributes };
}

const withJobSpan = <T extends StepResult>(
  parts: WorkerContext,
  { job, route }: RunningJob,
  name: SpanName,
  work: () => Promise<T>,
): Promise<T> => withSpan(parts, { job: job.id, name }, work, came => spanResultOf(route, came));
