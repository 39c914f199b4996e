/** Assembled gateway for comparison: Fastify with BullMQ, a queue for each model. Argument: the port of Redis. */
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { serveQueue } from './queue-server.ts';

const connection = new Redis({ port: Number(process.argv[2]), maxRetriesPerRequest: null });
const queues = new Map<string, Queue>();

/** The queue of a model, opened once. BullMQ needs no creation of a queue. */
function queueOf(modelId: string): Queue {
  const known = queues.get(modelId);
  if (known) return known;
  const fresh = new Queue(modelId, { connection });
  queues.set(modelId, fresh);
  return fresh;
}

await serveQueue({
  async add(modelId, input) {
    const queue = queueOf(modelId);
    // Sent in one batch; Redis answers in order, so the count includes the job.
    const [job, waiting] = await Promise.all([queue.add(modelId, input), queue.getWaitingCount()]);
    return { id: String(job.id), position: Math.max(0, waiting - 1) };
  },
  async read(modelId, id) {
    const queue = queueOf(modelId);
    const [job, state] = await Promise.all([queue.getJob(id), queue.getJobState(id)]);
    return job ? { state, createdAt: job.timestamp } : null;
  },
});
