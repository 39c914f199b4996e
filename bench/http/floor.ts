/**
 * The floor: the framework parses the body, the model validates it, and the same store inserts or reads the job; there
 * is nothing else. It is what durability and the contract cost by themselves. Argument: a data folder, or the URL of a
 * PostgreSQL.
 */
import { join } from 'node:path';
import Fastify from 'fastify';
import { findModel } from '../../src/catalog/index.ts';
import { hours } from '../../src/domain/clock.ts';
import { type JobId, newJobId } from '../../src/domain/ids.ts';
import { toJson } from '../../src/domain/json.ts';
import { migrate } from '../../src/store/db/migrate.ts';
import { openPostgres } from '../../src/store/db/postgres.ts';
import { openSqlite } from '../../src/store/db/sqlite.ts';
import { insertJob } from '../../src/store/jobs/insert.ts';
import { readJobForStatus } from '../../src/store/jobs/read.ts';
import { createKey } from '../../src/store/people/keys.ts';

const place = process.argv[2] ?? '';
const db = place.startsWith('postgres')
  ? await openPostgres({ url: place, onConnectionError: (what, cause) => console.error(what, cause) })
  : openSqlite(join(place, 'floor.db'));
await migrate(db, Date.now());
const owner = { userName: 'floor', name: null, models: null, expiresAt: null };
const { key } = await createKey(db, owner, Date.now());
const app = Fastify();

interface JobParams {
  readonly modelId: string;
  readonly jobId: JobId;
}

app.post<{ Params: { modelId: string } }>('/v1/queue/:modelId', async (request, reply) => {
  const { modelId } = request.params;
  const parsed = findModel(modelId)?.parse(request.body);
  if (!parsed?.ok) return reply.code(422).send({ detail: parsed?.faults });
  const now = Date.now();
  const job = {
    id: newJobId(now),
    userId: key.userId,
    keyId: key.id,
    modelId,
    priority: 0,
    createdAt: now,
    expiresAt: now + 48 * hours,
    input: toJson(parsed.input),
    parentId: null,
    externalTaskId: null,
    callbackUrl: null,
    idempotency: null,
  } as const;
  const { kind } = await insertJob(db, job);
  if (kind !== 'inserted') throw new Error(`expected an inserted job, got ${kind}`);
  return { request_id: job.id, ...addressesOf({ modelId, jobId: job.id }), queue_position: 0 };
});

app.get<{ Params: JobParams }>('/v1/queue/:modelId/requests/:jobId/status', async (request, reply) => {
  const job = await readJobForStatus(db, { ...request.params, userId: key.userId });
  if (!job) return reply.code(404).send({ detail: 'Not Found' });
  return {
    status: job.state,
    request_id: job.id,
    queue_position: 0,
    ...addressesOf(request.params),
    created_at: Math.floor(job.createdAt / 1000),
  };
});

function addressesOf({ modelId, jobId }: JobParams) {
  const at = `${app.listeningOrigin}/v1/queue/${modelId}/requests/${jobId}`;
  return { response_url: `${at}/response`, status_url: `${at}/status`, cancel_url: `${at}/cancel` };
}

await app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`Address   ${app.listeningOrigin}\n\n`);
process.once('SIGTERM', () => void app.close().then(() => db.close()));
