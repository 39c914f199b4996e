/** The HTTP endpoints of an assembled gateway: create and status in front of an existing queue library. */
import { createHash, timingSafeEqual } from 'node:crypto';
import Fastify, { type FastifyRequest } from 'fastify';
import { findModel } from '../../src/catalog/index.ts';

/** The queue library behind the endpoints. */
export interface JobQueue {
  /** Resolves once the job is on disk. The position is null where the queue does not report it. */
  add(modelId: string, input: object): Promise<{ readonly id: string; readonly position: number | null }>;
  /** Null for an unknown job. */
  read(modelId: string, id: string): Promise<{ readonly state: string; readonly createdAt: number } | null>;
}

/**
 * Serves the two endpoints with as little work as a fair comparison allows: one key, inputs validated by Atelier's own
 * schemas, the same bodies. No rate limits, no fair turns, no callbacks, no files. The key is in the variable KEY.
 */
export async function serveQueue(queue: JobQueue): Promise<void> {
  const app = Fastify();
  const keyHash = sha256(`Bearer ${process.env.KEY}`);
  const isOurs = ({ headers }: FastifyRequest) =>
    timingSafeEqual(sha256(headers.authorization ?? ''), keyHash);

  app.post<{ Params: { modelId: string } }>('/v1/queue/:modelId', async (request, reply) => {
    if (!isOurs(request)) return reply.code(401).send({ detail: 'Unauthorized' });
    const { modelId } = request.params;
    const parsed = findModel(modelId)?.parse(request.body);
    if (!parsed) return reply.code(404).send({ detail: 'Not Found' });
    if (!parsed.ok) return reply.code(422).send({ detail: parsed.faults });
    const { id, position } = await queue.add(modelId, parsed.input as object);
    return { request_id: id, ...addressesOf(modelId, id), queue_position: position };
  });

  app.get<{ Params: { modelId: string; id: string } }>(
    '/v1/queue/:modelId/requests/:id/status',
    async (request, reply) => {
      if (!isOurs(request)) return reply.code(401).send({ detail: 'Unauthorized' });
      const { modelId, id } = request.params;
      const job = await queue.read(modelId, id);
      if (!job) return reply.code(404).send({ detail: 'Not Found' });
      return {
        status: statusOf(job.state),
        request_id: id,
        ...addressesOf(modelId, id),
        created_at: Math.floor(job.createdAt / 1000),
      };
    },
  );

  function addressesOf(modelId: string, id: string) {
    const at = `${app.listeningOrigin}/v1/queue/${modelId}/requests/${id}`;
    return { response_url: `${at}/response`, status_url: `${at}/status`, cancel_url: `${at}/cancel` };
  }

  await app.listen({ host: '127.0.0.1', port: 0 });
  process.stdout.write(`Address   ${app.listeningOrigin}\n\n`);
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** The public status of a state of BullMQ or pg-boss. */
function statusOf(state: string): string {
  if (state === 'active') return 'IN_PROGRESS';
  return ['completed', 'failed', 'cancelled'].includes(state) ? 'COMPLETED' : 'IN_QUEUE';
}
