// The lease of this worker process: every job it claimed is leased as long as its heartbeats are on time. When the
// lease is lost, the jobs in flight are released and the worker registers again under a new id.
import { seconds } from '../domain/clock.ts';
import { newWorkerId, type WorkerId } from '../domain/ids.ts';
import { markStopping, recordHeartbeat, registerWorker, removeWorker } from '../store/jobs/workers.ts';
import type { WorkerContext } from './context.ts';

/** A worker without a heartbeat for this long is dead. With one every two seconds, it may be late by six. */
export const leaseMs = 8 * seconds;
export const heartbeatMs = 2 * seconds;

export interface WorkerLease {
  /** The id to claim jobs under; a new one after the lease was lost. */
  readonly workerId: () => WorkerId;
  /** Renews the lease; registers again where it was lost. */
  heartbeat(): Promise<void>;
  /** Records that a stop began: no job in flight is suspected when the process ends. Never rejects. */
  markStopping(): Promise<void>;
  /** Removes the worker's row. Never rejects. */
  remove(): Promise<void>;
}

/** Registers this worker. `onLost` is called when other workers have its jobs. */
export async function openWorkerLease(
  { db, log }: Pick<WorkerContext, 'db' | 'log'>,
  onLost: () => void,
): Promise<WorkerLease> {
  let id = await register();

  async function register(): Promise<WorkerId> {
    const fresh = newWorkerId();
    await registerWorker(db, fresh);
    return fresh;
  }

  return {
    workerId: () => id,
    async heartbeat() {
      if (await recordHeartbeat(db, id)) return;
      // The process was suspended, or the database unavailable to it alone, for longer than the lease.
      log.warn({ worker: id }, 'worker lease expired, in-flight jobs released');
      onLost();
      id = await register();
    },
    markStopping: () =>
      markStopping(db, id).catch(failure =>
        log.warn({ err: failure }, 'marking the worker as stopping failed'),
      ),
    remove: () =>
      removeWorker(db, id).catch(failure =>
        log.warn({ err: failure }, 'cleanup failed: worker row not removed'),
      ),
  };
}
