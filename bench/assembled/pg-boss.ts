/** The framework with pg-boss: a queue for each model, in the PostgreSQL whose address is the first word. */
import { PgBoss } from 'pg-boss';
import { serveLine } from './line.ts';

const boss = new PgBoss({ connectionString: process.argv[2] ?? '', max: 10 });
boss.on('error', failure => console.error(failure));
await boss.start();
const made = new Map<string, Promise<void>>();

async function ready(modelId: string): Promise<void> {
  const making = made.get(modelId) ?? boss.createQueue(modelId);
  made.set(modelId, making);
  await making;
}

await serveLine({
  async add(modelId, input) {
    await ready(modelId);
    const id = await boss.send(modelId, input);
    if (id === null) throw new Error('expected pg-boss to take the job');
    // It counts its queues now and then; a place in line it does not tell.
    return { id, position: null };
  },
  async read(modelId, id) {
    const [job] = await boss.findJobs(modelId, { id });
    return job ? { state: job.state, createdAt: job.createdOn.getTime() } : null;
  },
});
