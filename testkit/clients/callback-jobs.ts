/** Jobs whose callbacks are due, made in the rows without a worker. */
import assert from 'node:assert/strict';
import { findModel } from '../../src/catalog/index.ts';
import { hours } from '../../src/domain/clock.ts';
import { hashApiKey, type JobId, type KeyId, newJobId, type UserId } from '../../src/domain/ids.ts';
import type { Lease, Outcome } from '../../src/domain/job.ts';
import { toJson } from '../../src/domain/json.ts';
import { type ListedDelivery, listDeliveries } from '../../src/store/callbacks/deliveries.ts';
import { deliveryTopic } from '../../src/store/db/connection.ts';
import { cancelJob } from '../../src/store/jobs/cancel.ts';
import { claimJobs } from '../../src/store/jobs/claim.ts';
import { insertJob } from '../../src/store/jobs/insert.ts';
import { settle } from '../../src/store/jobs/settle.ts';
import { findPrincipal } from '../../src/store/people/keys.ts';
import { registerLastingWorker } from '../databases/lasting-worker.ts';
import { type TestGateway, until } from '../gateway/gateway.ts';

const modelId = 'gamma-v3-image';
const body = { prompt: 'A red balloon', aspect_ratio: '1:1' };

/** A user of a gateway. */
export interface Caller {
  readonly key: string;
  readonly name: string;
  readonly userId: UserId;
  readonly keyId: KeyId;
}

let callers = 0;

export async function newCaller(gateway: TestGateway): Promise<Caller> {
  const name = `caller-${++callers}`;
  const key = await gateway.key({ userName: name });
  const principal = await findPrincipal(gateway.gateway.db, hashApiKey(key), gateway.clock.now());
  assert.ok(principal);
  return { key, name, userId: principal.userId, keyId: principal.keyId };
}

/** A job that waits and that no worker of the gateway takes: it is due in a day by the clock. */
async function waitingJob({ gateway, clock }: TestGateway, caller: Caller, url: string): Promise<JobId> {
  const now = clock.now();
  const parsed = findModel(modelId)!.parse(body);
  assert.ok(parsed.ok);
  const id = newJobId(now);
  await insertJob(gateway.db, {
    id,
    userId: caller.userId,
    keyId: caller.keyId,
    modelId,
    priority: 0,
    createdAt: now + 24 * hours,
    expiresAt: now + 72 * hours,
    input: toJson(parsed.input),
    parentId: null,
    externalTaskId: null,
    callbackUrl: url,
    idempotency: null,
    accounts: null,
  });
  return id;
}

/** A job whose one callback is due now: it was cancelled before it ever ran. */
export async function endedJob(gateway: TestGateway, caller: Caller, url: string): Promise<JobId> {
  const { db } = gateway.gateway;
  const jobId = await waitingJob(gateway, caller, url);
  const address = { jobId, userId: caller.userId, modelId };
  assert.equal(await cancelJob(db, address, gateway.clock.now()), 'cancelled');
  db.announce(deliveryTopic);
  return jobId;
}

/** A job leased by a worker that does only what the test calls. */
export interface RunningJob {
  readonly id: JobId;
  settle(outcome: Outcome): Promise<void>;
}

export async function runningJob(gateway: TestGateway, caller: Caller, url: string): Promise<RunningJob> {
  const { db } = gateway.gateway;
  const id = await waitingJob(gateway, caller, url);
  const worker = await registerLastingWorker(db);
  const now = gateway.clock.now() + 24 * hours + 1000;
  const claimed = await claimJobs(db, { worker, modelId, limit: 1, now });
  assert.deepEqual(
    claimed.map(job => job.id),
    [id],
  );
  // The claim was made ahead of the clock, and so its callback.
  await db.write('UPDATE deliveries SET due_at = $2 WHERE job_id = $1', [id, gateway.clock.now()]);
  db.announce(deliveryTopic);
  const hold: Lease = { jobId: id, holder: worker, claim: 1 };
  return {
    id,
    async settle(outcome) {
      assert.equal(await settle(db, hold, outcome, gateway.clock.now()), true);
      db.announce(deliveryTopic);
    },
  };
}

/** The callbacks of a job, IN_PROGRESS first. */
export async function callbacksOf(gateway: TestGateway, jobId: JobId): Promise<readonly ListedDelivery[]> {
  const query = { jobId, userName: null, state: null, after: null, limit: 100 };
  const found = await listDeliveries(gateway.gateway.db, query);
  return found.toSorted((one, other) => (one.status > other.status ? -1 : 1));
}

/** The one callback of a job, once it is as wanted. */
export const untilCallback = (
  gateway: TestGateway,
  jobId: JobId,
  what: string,
  isSo: (delivery: ListedDelivery) => boolean,
): Promise<ListedDelivery> =>
  until(async () => (await callbacksOf(gateway, jobId)).find(isSo), `a callback that ${what}`, 30_000);

export const cancelled: Outcome = { kind: 'cancelled' };
