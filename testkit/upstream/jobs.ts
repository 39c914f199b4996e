/** The jobs of a scripted upstream: each acceptance is charged in the ledger, repeated creations are deduplicated. */
import { randomUUID } from 'node:crypto';
import type { Ledger } from './ledger.ts';
import { type Kind, kindOf, type Medium, mediumFor } from './media.ts';
import type { Script } from './script.ts';

/**
 * How an account deduplicates a creation that is sent again: by its Idempotency-Key (`replay`), by a list of jobs that
 * the sender searches (`lookup`), or not at all.
 */
export type Dedupe = 'replay' | 'lookup' | 'none';

/** A creation as the upstream received it. */
export interface Creation {
  /** Its number in the ledger. */
  readonly submission: number;
  /** The API key of the account. */
  readonly key: string;
  readonly model: string;
  /** The kind of medium. Default: the kind that the catalog has for the model. */
  readonly makes?: Kind;
  /** `mark-…` in the input: matches a job to the test that created it. */
  readonly mark: string | null;
  readonly idempotencyKey: string | null;
  /** The sender's name for the job. */
  readonly task: string | null;
  readonly bodySha256: string;
}

export interface UpstreamJob {
  readonly id: string;
  readonly creation: Creation;
  /** Epoch ms. */
  readonly acceptedAt: number;
  readonly runsAt: number;
  readonly endsAt: number;
  readonly medium: Medium;
  cancelledAt: number | null;
}

export interface UpstreamJobs {
  /**
   * Makes a job and charges it in the ledger; with `replay`, returns the job of an earlier creation with the same key.
   * `contradiction`: that one had another body.
   */
  accept(
    creation: Creation,
    dedupe: Dedupe,
    timing: Pick<Script, 'queueMs' | 'runMs'>,
  ): Promise<Accepted | 'contradiction'>;
  find(id: string): UpstreamJob | undefined;
  findByTask(key: string, model: string, task: string): readonly UpstreamJob[];
  /** `requested`: the job was running; it ends as cancelled all the same. */
  cancel(job: UpstreamJob): 'cancelled' | 'requested' | 'already_final';
}

export interface Accepted {
  readonly job: UpstreamJob;
  readonly replayed: boolean;
}

export type Stage = 'IN_QUEUE' | 'IN_PROGRESS' | 'COMPLETED';

export function stageOf({ runsAt, endsAt, cancelledAt }: UpstreamJob, now = Date.now()): Stage {
  if (cancelledAt !== null || now >= endsAt) return 'COMPLETED';
  return now >= runsAt ? 'IN_PROGRESS' : 'IN_QUEUE';
}

export function openJobs(ledger: Ledger): UpstreamJobs {
  const jobs = new Map<string, UpstreamJob>();
  const all = () => [...jobs.values()];
  return {
    async accept(creation, dedupe, { queueMs, runMs }) {
      const { submission, key, model, mark, idempotencyKey, task } = creation;
      const id = randomUUID();
      // Made before the search for an earlier job: from there to the insertion nothing awaits.
      const medium = await mediumFor(creation.makes ?? kindOf(model), id);
      const at = Date.now();
      const earlier =
        dedupe === 'replay' && idempotencyKey !== null
          ? all().find(job => job.creation.key === key && job.creation.idempotencyKey === idempotencyKey)
          : undefined;
      if (earlier && earlier.creation.bodySha256 !== creation.bodySha256) {
        ledger.write({ kind: 'contradiction', at, submission, id: earlier.id });
        return 'contradiction';
      }
      if (earlier) {
        ledger.write({ kind: 'replay', at, submission, id: earlier.id });
        return { job: earlier, replayed: true };
      }
      ledger.write({
        kind: 'charge',
        at,
        submission,
        id,
        key,
        model,
        mark,
        task,
        mediumSha256: medium.sha256,
      });
      const runsAt = at + queueMs;
      const job = {
        id,
        creation,
        acceptedAt: at,
        runsAt,
        endsAt: runsAt + runMs,
        medium,
        cancelledAt: null,
      };
      jobs.set(id, job);
      return { job, replayed: false };
    },
    find: id => jobs.get(id),
    findByTask: (key, model, task) =>
      all().filter(
        ({ creation }) => creation.key === key && creation.model === model && creation.task === task,
      ),
    cancel(job) {
      const stage = stageOf(job);
      const at = Date.now();
      const { id, creation } = job;
      ledger.write({ kind: 'cancel', at, id, mark: creation.mark, took: stage !== 'COMPLETED' });
      if (stage === 'COMPLETED') return 'already_final';
      job.cancelledAt = at;
      return stage === 'IN_QUEUE' ? 'cancelled' : 'requested';
    },
  };
}
