/** A worker without a process, which leases jobs for as long as a test takes. */
import type { WorkerId } from '../../src/domain/ids.ts';
import { newWorkerId } from '../../src/domain/ids.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import { registerWorker } from '../../src/store/jobs/workers.ts';

const hourMs = 3_600_000;

/** Its heartbeat is that of an hour later: on a busy machine a test outlasts the lease, and the job would go elsewhere. */
export async function registerLastingWorker(db: Connection): Promise<WorkerId> {
  const worker = newWorkerId();
  await registerWorker(db, worker);
  await db.write('UPDATE workers SET heartbeat_at = heartbeat_at + $1 WHERE id = $2', [hourMs, worker]);
  return worker;
}
