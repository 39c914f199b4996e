/** Keeps what jobs are searched by up to date, behind the jobs: a few at once in a busy process, a thousand a second in an idle one. */
import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { promptsOf } from '../catalog/prompt-of.ts';
import type { Clock } from '../domain/clock.ts';
import type { Connection } from '../store/db/connection.ts';
import { indexJobs } from '../store/jobs/search-index.ts';

/** Jobs of one transaction: a few milliseconds, for which other writes to SQLite wait. */
const jobsOfRun = 150;
/** Transactions of one call, each second: about a tenth of a processor, and next to nothing in a busy process. */
const runsWhenIdle = 10;
const runsWhenBusy = 1;
/** Share of its time that the event loop of a busy process works. */
const busyShare = 0.6;

/** What the task needs. */
interface IndexContext {
  readonly db: Connection;
  readonly clock: Clock;
}

/** Returns the task; each call measures the time since the one before. */
export function openJobIndexing(): (context: IndexContext) => Promise<void> {
  let since = performance.eventLoopUtilization();
  return async function indexJobsForSearch({ db, clock }) {
    const isBusy = performance.eventLoopUtilization(since).utilization > busyShare;
    for (let left = isBusy ? runsWhenBusy : runsWhenIdle; left > 0; left--) {
      if (!(await indexJobs(db, { textOf: promptsOf, now: clock.now(), limit: jobsOfRun }))) break;
      await setImmediate();
    }
    since = performance.eventLoopUtilization();
  };
}
