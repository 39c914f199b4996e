/** Assembled gateway for comparison: Fastify with pg-boss, a queue for each model. Argument: the PostgreSQL URL. */
import { PgBoss } from 'pg-boss';
import { serveQueue } from './queue-server.ts';

const boss = new PgBoss({ connectionString: process.argv[2] ?? '', max: 10 });
boss.on('error', failure => console.error(failure));
await boss.start();
const made = new Map<string, Promise<void>>();

/** Creates the queue of a model once. */
async function ready(modelId: string): Promise<void> {
  const making = made.get(modelId) ?? boss.createQueue(modelId);
  made.set(modelId, making);
  await making;
}

await serveQueue({
  async add(modelId, input) {
    await ready(modelId);
    const id = await boss.send(modelId, input);
    if (id === null) throw new Error('expected pg-boss to accept the job');
    // pg-boss counts its queues from time to time and reports no position.
    return { id, position: null };
  },
  async read(modelId, id) {
    const [job] = await boss.findJobs(modelId, { id });
    return job ? { state: job.state, createdAt: job.createdOn.getTime() } : null;
  },
});
