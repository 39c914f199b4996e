import { models } from '../catalog/index.ts';
import { BlobsUnavailable } from '../domain/blobs.ts';
import { seconds } from '../domain/clock.ts';
import { newWorkerId, type WorkerId } from '../domain/ids.ts';
import { type Hold, type Job, jobError, type Outcome } from '../domain/job.ts';
import { readLastAttempts } from '../store/attempts.ts';
import { claimJobs, findModelsWithWork, settle } from '../store/claims.ts';
import { availableTopic, jobTopic, StoreUnavailable } from '../store/connection.ts';
import { beat, findCancelRequested, registerWorker, removeWorker } from '../store/workers.ts';
import { type Nudge, openNudge } from './nudge.ts';
import type { WorkerParts } from './parts.ts';
import { carry, type Ended, type Holding } from './step.ts';

/** Nobody tells of jobs whose retry became due, nor, with several processes, of every new one. */
const lookAgainMs = 1 * seconds;
const heartbeatMs = 5 * seconds;
/** Wait after trouble with the database. */
const troubleMs = 1 * seconds;
/** A job whose result cannot be stored now is tried again after this long. */
const storageRetryMs = 15 * seconds;

export interface Worker {
  /** Null while it claims and carries, else why not. */
  whyNotReady(): string | null;
  /** Resolves once it is known whether the provider can work. */
  readonly tried: Promise<void>;
  /** Stops claiming, hands back what it holds and resolves when nothing is left in hand. */
  stop(): Promise<void>;
}

/** Starts the loop: claim into free slots, carry each job, sleep until nudged or due. */
export async function startWorker(parts: WorkerParts): Promise<Worker> {
  const { db, clock, provider, log } = parts;
  const inHand = new Map<
    string,
    { readonly nudge: Nudge; readonly done: Promise<void>; readonly lose: () => void }
  >();
  const stopping = new AbortController();
  const nudge = openNudge(clock);
  /** Null while the provider is being tried. */
  let able: Awaited<ReturnType<typeof provider.ready>> | null = null;
  let id = newWorkerId();
  let trouble: string | null = null;
  let turn = 0;
  await registerWorker(db, id);

  const stopHearing = db.onAnnounced(topic => {
    if (topic === availableTopic) nudge.wake();
    else inHand.get(topic)?.nudge.wake();
  });
  const tried = tryProvider();
  const loops = [tried.then(() => repeat(claimRound)), repeat(heartbeat)];
  return {
    tried,
    whyNotReady: () => {
      if (!able) return 'the provider is being tried';
      return able.ok ? trouble : able.reason;
    },
    async stop() {
      stopping.abort();
      await Promise.all(loops);
      await Promise.all([...inHand.values()].map(job => job.done));
      stopHearing();
      await removeWorker(db, id).catch(failure =>
        log.warn({ err: failure }, 'the worker row was left behind'),
      );
    },
  };

  async function tryProvider(): Promise<void> {
    able = await provider.ready();
    if (able.ok) return;
    const { reason } = able;
    log.error({ provider: provider.name, reason }, 'the provider cannot work: its jobs will wait');
  }

  async function repeat(round: () => Promise<void>): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await round();
        trouble = null;
      } catch (failure) {
        trouble = failure instanceof StoreUnavailable ? 'the database is away' : 'the worker has trouble';
        log.error({ err: failure }, trouble);
        await clock.sleep(troubleMs, stopping.signal);
      }
    }
  }

  async function claimRound(): Promise<void> {
    if (!able?.ok || (await claimIntoFreeSlots()) === 0) await nudge.sleep(lookAgainMs, stopping.signal);
  }

  /** One job a model in turn, so that no model waits behind another's line. */
  async function claimIntoFreeSlots(): Promise<number> {
    if (inHand.size >= provider.slots) return 0;
    const ids = models.map(model => model.id);
    const waiting = await findModelsWithWork(db, [...ids.slice(turn), ...ids.slice(0, turn)], clock.now());
    let claimed = 0;
    for (const { modelId } of waiting) {
      if (inHand.size >= provider.slots || stopping.signal.aborted) break;
      const jobs = await claimJobs(db, { worker: id, modelId, limit: 1, now: clock.now() });
      const attempts = await readLastAttempts(
        db,
        jobs.filter(job => job.claim > 1).map(job => job.id),
      );
      for (const job of jobs) take(job, attempts.get(job.id) ?? null);
      claimed += jobs.length;
      turn = (ids.indexOf(modelId) + 1) % ids.length;
    }
    return claimed;
  }

  function take(job: Job, lastAttempt: Holding['lastAttempt']): void {
    const lost = new AbortController();
    const signal = AbortSignal.any([stopping.signal, lost.signal]);
    const hold: Hold = { jobId: job.id, holder: id, claim: job.claim };
    const ownNudge = openNudge(clock);
    const holding: Holding = { job, hold, lastAttempt, nudge: ownNudge, signal };
    db.announce(jobTopic(job.id));
    const done = conduct(holding).finally(() => {
      inHand.delete(jobTopic(job.id));
      nudge.wake();
    });
    inHand.set(jobTopic(job.id), { nudge: ownNudge, done, lose: () => lost.abort() });
  }

  /** Never rejects. */
  async function conduct(holding: Holding): Promise<void> {
    const { job, hold } = holding;
    const ended = await carry(parts, holding).catch(
      (failure: unknown): Ended => ({ outcome: outcomeOf(failure, job), files: [] }),
    );
    const settled = await settleSurely(hold, ended);
    if (settled) {
      parts.onSettled(job.modelId, ended.outcome.kind, (clock.now() - (job.startedAt ?? clock.now())) / 1000);
      log.info(
        { job: job.id, model: job.modelId, outcome: ended.outcome.kind, ...whyOf(ended.outcome) },
        'job settled',
      );
    } else {
      log.warn({ job: job.id }, 'the hold was lost: what was made of the job is dropped');
    }
    db.announce(jobTopic(job.id));
    if (ended.outcome.kind === 'interrupted') db.announce(availableTopic);
  }

  function outcomeOf(failure: unknown, job: Job): Outcome {
    if (failure instanceof StoreUnavailable || failure instanceof BlobsUnavailable) {
      log.error({ err: failure, job: job.id }, 'storage trouble: the job goes back to the line');
      return {
        kind: 'retry',
        dueAt: clock.now() + storageRetryMs,
        reason: 'Storage was unavailable; the job is tried again',
      };
    }
    log.error({ err: failure, job: job.id }, 'a bug ended a job');
    return { kind: 'failed', error: jobError('internal_error', 'something went wrong on our side') };
  }

  /** Waits for a database that is away; false when the hold was lost, or when the worker stops meanwhile. */
  async function settleSurely(hold: Hold, { outcome, files }: Ended): Promise<boolean> {
    for (;;) {
      try {
        return await settle(db, hold, outcome, clock.now(), files);
      } catch (failure) {
        log.error({ err: failure, job: hold.jobId }, 'a job could not be settled');
        if (stopping.signal.aborted || !(failure instanceof StoreUnavailable)) return false;
        await clock.sleep(troubleMs, stopping.signal);
      }
    }
  }

  async function heartbeat(): Promise<void> {
    await clock.sleep(heartbeatMs, stopping.signal);
    if (stopping.signal.aborted) return;
    if (!(await beat(db, id))) await beginAgain();
    for (const jobId of await findCancelRequested(db, id)) inHand.get(jobTopic(jobId))?.nudge.wake();
  }

  /** Taken for dead while it was frozen: others have its jobs now, so it drops them and goes on under a new name. */
  async function beginAgain(): Promise<void> {
    log.warn({ worker: id }, 'this worker was taken for dead: it drops what it held');
    for (const job of inHand.values()) job.lose();
    const fresh: WorkerId = newWorkerId();
    await registerWorker(db, fresh);
    id = fresh;
  }
}

const whyOf = (outcome: Outcome) =>
  outcome.kind === 'failed' ? { error: outcome.error.code, why: outcome.error.message } : {};
