import type { Model } from '../catalog/model.ts';
import type { StoredFile } from '../domain/file.ts';
import { jobError, type Outcome } from '../domain/job.ts';
import type { Production, ProviderAttempt } from '../domain/provider.ts';
import { type StepName, type Told, traced } from '../domain/tracing.ts';
import type { Route } from '../providers/routing.ts';
import { forgetDeaths, noteCollecting } from '../store/claims.ts';
import { collect } from './collect.ts';
import { type Gathering, gatherMedia } from './gather.ts';
import type { Holding } from './holding.ts';
import type { WorkerParts } from './parts.ts';
import { receive } from './receive.ts';
import { type Accepted, submit, type UnderWay } from './submit.ts';

/** What is to be settled, with the files that belong to it. */
export interface Ended {
  readonly kind: 'ended';
  readonly outcome: Outcome;
  readonly files: readonly StoredFile[];
}

export type Carried =
  | Ended
  /** The upstream has it: from here on it only waits. `dropMedia` is null where nothing of its media is kept. */
  | {
      readonly kind: 'accepted';
      readonly accepted: Accepted;
      readonly dropMedia: (() => Promise<void>) | null;
    };

/** What an upstream made of a job, before it is collected. */
export interface Produced {
  readonly production: Production;
  readonly attempt: ProviderAttempt;
  /** Null where the answer of the submission was the result. */
  readonly underWay: UnderWay | null;
  /** Epoch ms from which the upstream had it. */
  readonly startedAt: number;
}

/** A provider that lost an accepted job gets it again where that costs nothing; twice is enough. */
const maxLosses = 2;

/** Brings a held job to its upstream: its media, then the submission. Where it is there already, it goes on. */
export async function carry(parts: WorkerParts, holding: Holding, losses: number): Promise<Carried> {
  if (losses > maxLosses) return fail('provider_unavailable', 'the provider lost the job');
  const model = parts.catalog.find(holding.job.modelId);
  if (!model) return failWithoutModel(holding);
  const early = whyNotBegin(holding);
  if (early) return end(early);
  const input = openInput(parts, model, holding);
  let dropMedia: (() => Promise<void>) | null = null;
  try {
    const brought = await bring(parts, holding, input);
    if (brought.kind === 'ended') return brought;
    // Renders of this machine read their media until they end; other upstreams have what they need.
    if (holding.route.account.shared === null) dropMedia = input.drop;
    return { kind: 'accepted', accepted: brought, dropMedia };
  } finally {
    if (!dropMedia) await input.drop();
  }
}

/** Takes a job whose upstream is done to its end. Whatever is left on this machine is removed. */
export async function finish(parts: WorkerParts, holding: Holding, produced: Produced): Promise<Ended> {
  const model = parts.catalog.find(holding.job.modelId);
  if (!model) return failWithoutModel(holding);
  try {
    return await told(parts, holding, 'collect', () => deliver(parts, model, holding, produced));
  } finally {
    await holding.route.account.provider.release(produced.attempt);
  }
}

export const end = (outcome: Outcome): Ended => ({ kind: 'ended', outcome, files: [] });

const fail = (code: 'provider_unavailable' | 'internal_error', what: string): Ended =>
  end({ kind: 'failed', error: jobError(code, what) });

const failWithoutModel = ({ job }: Holding): Ended =>
  fail('internal_error', `the model ${job.modelId} is gone`);

const isUnderWay = ({ lastAttempt }: Holding): boolean => lastAttempt?.answer === 'accepted';

/** What an upstream has is asked to stop there, by whoever follows it. */
function whyNotBegin(holding: Holding): Outcome | null {
  if (isUnderWay(holding)) return null;
  return holding.job.cancelRequestedAt === null ? holding.whyEndByTime() : { kind: 'cancelled' };
}

/** The media of a job, brought here only if something is to be submitted. */
interface Input {
  gather(): Promise<Gathered | { readonly kind: 'ended'; readonly outcome: Outcome }>;
  drop(): Promise<void>;
}

type Gathered = Gathering['gathered'] & { readonly kind: 'gathered' };

function openInput(parts: WorkerParts, model: Model, holding: Holding): Input {
  let gathering: Gathering | null = null;
  return {
    async gather() {
      const wanted = await gatherWhileWanted(parts, model, holding);
      if (wanted.kind === 'ended') return wanted;
      gathering = wanted;
      const { gathered } = gathering;
      if (gathered.kind === 'gathered') return gathered;
      const { code, reason, retryable } = gathered;
      const error = { ...jobError(code, reason), retryable };
      return { kind: 'ended', outcome: { kind: 'failed', error } };
    },
    drop: async () => gathering?.drop(),
  };
}

type Wanted =
  | ({ readonly kind: 'gathered' } & Gathering)
  | { readonly kind: 'ended'; readonly outcome: Outcome };

/** The media, unless a cancel, the deadline or the end of this worker comes first: then nothing is submitted. */
async function gatherWhileWanted(parts: WorkerParts, model: Model, holding: Holding): Promise<Wanted> {
  const over = new AbortController();
  const unwanted = new AbortController();
  const [gathering, watch] = await Promise.allSettled([
    gatherMedia(parts, model, holding.job, unwanted.signal).finally(() => over.abort()),
    holding.whyEndAfter(Number.POSITIVE_INFINITY, over.signal).finally(() => unwanted.abort()),
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

const nothingGathered = { media: {}, facts: {}, pinned: {} };

/** Submits, unless an earlier claim did; to its end where the answer is one. */
async function bring(parts: WorkerParts, holding: Holding, input: Input): Promise<Accepted | Ended> {
  const { provider } = holding.route.account;
  const startedAt = parts.clock.now();
  const isThere = isUnderWay(holding);
  const gathered = isThere ? nothingGathered : await input.gather();
  if ('outcome' in gathered) return end(gathered.outcome);
  const send = () => submit(parts, holding, gathered);
  const submitted = isThere ? await send() : await told(parts, holding, 'submit', send);
  switch (submitted.kind) {
    case 'accepted':
      if (!isThere) await clearOfSuspicion(parts, holding);
      return submitted;
    case 'done': {
      const { production, task } = submitted;
      return finish(parts, holding, { production, attempt: task, underWay: null, startedAt });
    }
    case 'ended':
      if (submitted.task) await provider.release(submitted.task);
      return end(submitted.outcome);
  }
}

/** Its submission took nobody down; from here on it only waits. One that was being collected stays a suspect. */
async function clearOfSuspicion({ db }: WorkerParts, { job, hold, onUnderWay }: Holding): Promise<void> {
  if (job.deaths === 0 || (await forgetDeaths(db, hold))) onUnderWay();
}

/** COMPLETED means delivered: the bytes are brought here, probed and kept before anybody is told. */
async function deliver(
  parts: WorkerParts,
  model: Model,
  holding: Holding,
  { production, underWay, startedAt }: Produced,
): Promise<Ended> {
  // A death is counted to a job that was never accepted anyway.
  if (underWay) {
    // A thread that starts is no danger: the shorter a job is at risk, the fewer are blamed for what they did not do.
    await parts.prober.ready();
    await noteCollecting(parts.db, holding.hold);
  }
  const received = await receive(parts, holding, production, underWay);
  try {
    if (received.kind === 'ended') return end(received.outcome);
    const inferenceMs = parts.clock.now() - startedAt;
    const collected = await collect(parts, model, holding.job, received.production, inferenceMs);
    if (collected.kind === 'failed') return end(collected);
    const { result, usage, files } = collected;
    const { notes = [] } = production;
    const outcome: Outcome = { kind: 'completed', result, usage, notes };
    return { kind: 'ended', outcome, files };
  } finally {
    await received.drop();
  }
}

/** What came of a step of the job's way, in our own words. */
interface Came {
  readonly kind?: string;
  readonly outcome?: Outcome;
}

export function tellingOf({ account }: Route, { kind = '', outcome }: Came): Told {
  const facts = { 'atelier.account': account.id, 'atelier.came': outcome?.kind ?? kind };
  return outcome?.kind === 'failed' ? { facts, failure: outcome.error.code } : { facts };
}

const told = <T extends Came>(
  parts: WorkerParts,
  { job, route }: Holding,
  name: StepName,
  work: () => Promise<T>,
): Promise<T> => traced(parts, { job: job.id, name }, work, came => tellingOf(route, came));
