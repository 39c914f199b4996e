import { findModel } from '../catalog/index.ts';
import type { Model } from '../catalog/model.ts';
import type { StoredFile } from '../domain/file.ts';
import { jobError, type Outcome } from '../domain/job.ts';
import type { Production, ProviderTask } from '../domain/provider.ts';
import { type StepName, type Told, traced } from '../domain/tracing.ts';
import { answerAttempt } from '../store/attempts.ts';
import { forgetDeaths, noteCollecting } from '../store/claims.ts';
import { collect } from './collect.ts';
import { follow } from './follow.ts';
import { type Gathering, gatherMedia } from './gather.ts';
import type { Holding } from './holding.ts';
import type { WorkerParts } from './parts.ts';
import { receive } from './receive.ts';
import { type Accepted, submit, type Unsubmitted } from './submit.ts';

/** What is to be settled, with the files that belong to it. */
export interface Ended {
  readonly outcome: Outcome;
  readonly files: readonly StoredFile[];
}

/** Takes a held job to its end: media, submission, the wait, collection. Whatever is left on this machine is removed. */
export async function carry(parts: WorkerParts, holding: Holding): Promise<Ended> {
  const { job } = holding;
  const model = findModel(job.modelId);
  if (!model)
    return end({ kind: 'failed', error: jobError('internal_error', `the model ${job.modelId} is gone`) });
  const early = await holding.whyEnd();
  if (early) return end(early);

  const input = openInput(parts, model, holding);
  try {
    const produced = await produce(parts, holding, input);
    try {
      return produced.kind === 'ended'
        ? end(produced.outcome)
        : await told(parts, holding, 'collect', () => deliver(parts, model, holding, produced));
    } finally {
      if (produced.task) await holding.route.account.provider.release(produced.task);
    }
  } finally {
    await input.drop();
  }
}

/** The media of a job, brought here once and only if something is to be submitted. */
interface Input {
  gather(): Promise<Gathered | { readonly kind: 'ended'; readonly outcome: Outcome }>;
  drop(): Promise<void>;
}

type Gathered = Gathering['gathered'] & { readonly kind: 'gathered' };

function openInput(parts: WorkerParts, model: Model, holding: Holding): Input {
  let gathering: Gathering | null = null;
  return {
    async gather() {
      if (!gathering) {
        const wanted = await gatherWhileWanted(parts, model, holding);
        if (wanted.kind === 'ended') return wanted;
        gathering = wanted;
      }
      const { gathered } = gathering;
      if (gathered.kind === 'gathered') return gathered;
      const error = jobError('file_download_error', gathered.reason);
      return { kind: 'ended', outcome: { kind: 'failed', error } };
    },
    drop: async () => gathering?.drop(),
  };
}

const end = (outcome: Outcome): Ended => ({ outcome, files: [] });

/** What came of a step of the job's way, in our own words. */
interface Came {
  readonly kind?: string;
  readonly outcome?: Outcome;
}

function told<T extends Came>(
  parts: WorkerParts,
  { job, route }: Holding,
  name: StepName,
  work: () => Promise<T>,
): Promise<T> {
  return traced(parts, { job: job.id, name }, work, ({ kind = '', outcome }): Told => {
    const facts = { 'atelier.account': route.account.id, 'atelier.came': outcome?.kind ?? kind };
    return outcome?.kind === 'failed' ? { facts, failure: outcome.error.code } : { facts };
  });
}

/** COMPLETED means delivered: the bytes are brought here, probed and kept before anybody is told. */
async function deliver(
  parts: WorkerParts,
  model: Model,
  holding: Holding,
  { production, accepted, startedAt }: Produced & { kind: 'produced' },
): Promise<Ended> {
  if (isBillable(holding)) await noteCollecting(parts.db, holding.hold);
  const received = await receive(parts, holding, production, accepted);
  try {
    if (received.kind === 'ended') return end(received.outcome);
    const inferenceMs = parts.clock.now() - startedAt;
    const collected = await collect(parts, model, holding.job, received.production, inferenceMs);
    if (collected.kind === 'failed') return end(collected);
    return { outcome: { kind: 'completed', result: collected.result }, files: collected.files };
  } finally {
    await received.drop();
  }
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

type Produced =
  | {
      readonly kind: 'produced';
      readonly production: Production;
      readonly task: ProviderTask;
      /** Null where the answer of the submission was the result. */
      readonly accepted: Accepted | null;
      readonly startedAt: number;
    }
  | Unsubmitted;

/** Its submission took nobody down; from here on it only waits. One that was being collected stays a suspect. */
async function clearOfSuspicion({ db }: WorkerParts, holding: Holding): Promise<void> {
  if (holding.job.deaths > 0) await forgetDeaths(db, holding.hold);
  holding.onUnderWay();
}

const isBillable = ({ route, job }: Holding): boolean => route.account.provider.traits(job.modelId).billable;

const nothingGathered = { media: {}, facts: {} };

/** Submits, or goes on with what an earlier claim submitted, and waits for the end. */
async function produce(parts: WorkerParts, holding: Holding, input: Input): Promise<Produced> {
  let last = holding.lastAttempt;
  // A provider that lost an accepted job gets it again where that costs nothing; twice is enough.
  for (let losses = 0; losses <= 2; losses++) {
    const startedAt = parts.clock.now();
    const isUnderWay = last?.answer === 'accepted';
    const gathered = isUnderWay ? nothingGathered : await input.gather();
    if ('outcome' in gathered) return { ...gathered, task: null };
    const send = () => submit(parts, holding, gathered, last);
    const submitted = isUnderWay ? await send() : await told(parts, holding, 'submit', send);
    if (submitted.kind === 'ended') return submitted;
    const { task } = submitted;
    if (submitted.kind === 'done')
      return { kind: 'produced', production: submitted.production, task, accepted: null, startedAt };
    if (!isUnderWay && isBillable(holding)) await clearOfSuspicion(parts, holding);
    const followed = await told(parts, holding, 'follow', () => follow(parts, holding, submitted));
    if (followed.kind === 'succeeded')
      return { kind: 'produced', production: followed.production, task, accepted: submitted, startedAt };
    if (followed.kind === 'ended') return { ...followed, task };
    await answerAttempt(parts.db, holding.job.id, task.attempt, { kind: 'lost' }, parts.clock.now());
    last = { ...submitted.attempt, answer: 'lost' };
  }
  const error = jobError('provider_unavailable', 'the provider lost the job');
  return { kind: 'ended', outcome: { kind: 'failed', error }, task: null };
}
