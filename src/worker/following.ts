import { openSteadyTime } from '../domain/clock.ts';
import { type DueHeap, openDueHeap } from './due-heap.ts';
import { type FollowedJob, type FollowedTo, visit } from './follow.ts';
import { type Nudge, openNudge } from './nudge.ts';
import type { WorkerParts } from './parts.ts';
import { openPollPace } from './poll-pace.ts';

/** Visits of one account's jobs at once: no more than it has connections, and its own, so that none waits for another. */
const maxVisits = 64;

/** What came of following a job; `thrown` where a visit found a bug, or the storage away. */
export type FollowingEnd = FollowedTo | { readonly kind: 'thrown'; readonly failure: unknown };

/** The jobs that do nothing but wait for their upstream, each visited when it is due. */
export interface Following {
  follow(job: FollowedJob): void;
  /** Something was announced of that job, or its provider told that it is done: it is visited at once. */
  wake(jobId: string): void;
  /** The upstream of that job called: its next visit comes as soon as the upstream may be asked again. */
  hear(jobId: string): void;
  /** Follows nothing any more, for the worker stops or lost what it held: whoever is being visited ends after that. */
  dropAll(): readonly FollowedJob[];
  /** Visits nothing any more. */
  close(): void;
}

interface Line {
  readonly waiting: DueHeap<FollowedJob>;
  readonly nudge: Nudge;
  visits: number;
}

export interface FollowingOptions {
  /** The least time between two visits of a job, so that all that are in hand pass no rate. */
  readonly crowdMs: () => number;
  /** Told once for every job that is not dropped; from then on it is no longer followed. */
  readonly onEnd: (job: FollowedJob, end: FollowingEnd) => void;
}

export function openFollowing(parts: WorkerParts, { crowdMs, onEnd }: FollowingOptions): Following {
  const { clock } = parts;
  const followed = new Map<string, FollowedJob>();
  const lines = new Map<string, Line>();
  const steadyNow = openSteadyTime(clock);
  const pace = openPollPace({ now: steadyNow });
  const over = new AbortController();

  return {
    follow(job) {
      followed.set(job.jobId, job);
      comeAgain(lineOf(job), job);
    },
    wake(jobId) {
      const job = followed.get(jobId);
      if (!job) return;
      job.hasNews = true;
      hurry(job);
    },
    hear(jobId) {
      const job = followed.get(jobId);
      if (!job) return;
      job.isCalled = true;
      if (job.place < 0) return;
      bringForward(job);
      wait(lineOf(job), job);
    },
    dropAll() {
      for (const job of followed.values()) job.isDropped = true;
      const dropped = [...lines.values()].flatMap(({ waiting }) => waiting.takeAll());
      for (const job of dropped) followed.delete(job.jobId);
      return dropped;
    },
    close: () => over.abort(),
  };

  function lineOf({ route }: FollowedJob): Line {
    const { id } = route.account;
    const known = lines.get(id);
    if (known) return known;
    const line: Line = { waiting: openDueHeap(), nudge: openNudge(clock, over.signal), visits: 0 };
    lines.set(id, line);
    void walk(line);
    return line;
  }

  /** Before all that are due. Whoever is being visited now is visited again right after. */
  function hurry(job: FollowedJob): void {
    if (job.place < 0) return;
    job.dueAt = 0;
    wait(lineOf(job), job);
  }

  /** However often an upstream calls, it is not asked more often than it may be. */
  function bringForward(job: FollowedJob): void {
    const { minPollMs } = job.route.account.provider.traits(job.modelId);
    job.dueAt = Math.min(job.dueAt, job.visitedAt + minPollMs);
  }

  function wait({ waiting, nudge }: Line, job: FollowedJob): void {
    waiting.put(job);
    if (waiting.first() === job) nudge.wake();
  }

  /** One timer for all that wait in a line. */
  async function walk(line: Line): Promise<void> {
    while (!over.signal.aborted) {
      const first = line.waiting.first();
      const dueAt = first && line.visits < maxVisits ? first.dueAt : Number.POSITIVE_INFINITY;
      const restMs = Math.max(dueAt, pace.freeAt()) - steadyNow();
      if (restMs > 0) await line.nudge.sleep(restMs);
      else void visitNext(line);
    }
  }

  /** Never rejects. */
  async function visitNext(line: Line): Promise<void> {
    const job = line.waiting.take();
    if (!job) return;
    line.visits += 1;
    pace.take();
    const end = await visit(parts, job, crowdMs).catch(
      (failure: unknown): FollowingEnd => ({ kind: 'thrown', failure }),
    );
    if (line.visits === maxVisits) line.nudge.wake();
    line.visits -= 1;
    if (end) leave(job, end);
    else comeAgain(line, job);
  }

  function comeAgain(line: Line, job: FollowedJob): void {
    const isAtOnce = job.hasNews || job.isDropped;
    job.visitedAt = steadyNow();
    // From here on by the steady time: a clock may be set back while it waits.
    job.dueAt = isAtOnce ? 0 : job.visitedAt + (job.dueAt - clock.now());
    if (job.isCalled) bringForward(job);
    wait(line, job);
  }

  function leave(job: FollowedJob, end: FollowingEnd): void {
    // Another claim of it may be followed by now.
    if (followed.get(job.jobId) === job) followed.delete(job.jobId);
    onEnd(job, end);
  }
}
