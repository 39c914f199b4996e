/** The framework with BullMQ: a queue for each model, in the Redis whose port is the first word. */
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { serveLine } from './line.ts';

const connection = new Redis({ port: Number(process.argv[2]), maxRetriesPerRequest: null });
const queues = new Map<string, Queue>();

function queueOf(modelId: string): Queue {
  const known = queues.get(modelId);
  if (known) return known;
  const fresh = new Queue(modelId, { connection });
  queues.set(modelId, fresh);
  return fresh;
}

await serveLine({
  async add(modelId, input) {
    const queue = queueOf(modelId);
    // Sent together; Redis answers in the order of asking, so the job is in the count.
    const [job, waiting] = await Promise.all([queue.add(modelId, input), queue.getWaitingCount()]);
    return { id: String(job.id), position: Math.max(0, waiting - 1) };
  },
  async read(modelId, id) {
    const queue = queueOf(modelId);
    const [job, state] = await Promise.all([queue.getJob(id), queue.getJobState(id)]);
    return job ? { state, createdAt: job.timestamp } : null;
  },
});
