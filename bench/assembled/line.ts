/** The queue of an assembled gateway, and the HTTP endpoints in front of it that the benchmark compares with. */
import { createHash, timingSafeEqual } from 'node:crypto';
import Fastify, { type FastifyRequest } from 'fastify';
import { findModel } from '../../src/catalog/index.ts';

/** What a team would put behind its endpoints: a queue that is there already. */
export interface Line {
  /** Resolves once the job is on disk. The position is null where the queue cannot tell it in passing. */
  add(modelId: string, input: object): Promise<{ readonly id: string; readonly position: number | null }>;
  /** Null for a job that is not there. */
  read(modelId: string, id: string): Promise<{ readonly state: string; readonly createdAt: number } | null>;
}

/**
 * The two endpoints around it, as small as they can honestly be: one key, the input judged by the very schema
 * that Atelier judges it by, the same bodies. No rates, no turns, no callbacks, no files.
 */
export async function serveLine(line: Line): Promise<void> {
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
    const { id, position } = await line.add(modelId, parsed.input as object);
    return { request_id: id, ...addressesOf(modelId, id), queue_position: position };
  });

  app.get<{ Params: { modelId: string; id: string } }>(
    '/v1/queue/:modelId/requests/:id/status',
    async (request, reply) => {
      if (!isOurs(request)) return reply.code(401).send({ detail: 'Unauthorized' });
      const { modelId, id } = request.params;
      const job = await line.read(modelId, id);
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

/** The words of both queues. */
function statusOf(state: string): string {
  if (state === 'active') return 'IN_PROGRESS';
  return ['completed', 'failed', 'cancelled'].includes(state) ? 'COMPLETED' : 'IN_QUEUE';
}
