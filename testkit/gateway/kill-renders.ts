/** Kills a gateway again and again while its own engine renders, until every job has ended. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '../../src/store/db/connection.ts';
import type { TestDatabase } from '../databases/databases.ts';
import { openRandom } from '../random.ts';
import { createKeyOfAnn } from './create-key.ts';
import { ask, until } from './gateway.ts';
import { serve } from './program.ts';

export interface KillRenders {
  readonly database: TestDatabase;
  readonly jobs: number;
  readonly kills: number;
  readonly seed: number;
  readonly onProgress?: (line: string) => void;
}

/** What a job came to. */
export interface RenderedJob {
  readonly id: string;
  /** The code of its error. */
  readonly error: string | null;
  /** The status of its medium. */
  readonly medium: number | null;
}

const path = '/v1/queue/gamma-v2-image';
const body = { prompt: 'A red balloon', aspect_ratio: '1:1' };
/** From the moment at which something is drawn. */
const longestWaitMs = 1_200;

/** Kills a whole gateway from outside while its engine draws, again and again; gives what all jobs came to. */
export async function killRenders({
  database,
  jobs,
  kills,
  seed,
  onProgress = () => {},
}: KillRenders): Promise<readonly RenderedJob[]> {
  const random = openRandom(seed);
  const env = {
    ATELIER_DATA_DIR: database.folder,
    ATELIER_LOCAL_CONCURRENCY: '2',
    ATELIER_LOG_LEVEL: 'error',
    ...(database.url !== null && { ATELIER_DATABASE_URL: database.url }),
  };
  const key = await createKeyOfAnn(env);
  const db = await database.connect();
  const ids: string[] = [];
  let life = await serve({ env });
  try {
    for (let job = 0; job < jobs; job++) {
      const made = await ask(life.url, 'POST', path, { key, body });
      if (made.status !== 200) throw new Error(`expected a handle, got ${JSON.stringify(made.body)}`);
      ids.push(made.body.request_id);
    }
    for (let kill = 1; kill <= kills; kill++) {
      if (!(await untilDrawn(db))) break;
      await sleep(random() * longestWaitMs);
      await life.end('SIGKILL');
      // No process is alive: the lease of the killed one is moved into the past, as time would do.
      await db.write('UPDATE workers SET heartbeat_at = heartbeat_at - 60000');
      life = await serve({ env });
      onProgress(`${kill} of ${kills} kills, ${await countBlamed(db)} jobs under suspicion`);
    }
    const ended: RenderedJob[] = [];
    for (const id of ids) ended.push(await endOf(id));
    return ended;
  } finally {
    await life.end('SIGKILL');
  }

  async function endOf(id: string): Promise<RenderedJob> {
    const { body: result } = await until(
      async () => {
        const answer = await ask(life.url, 'GET', `${path}/requests/${id}/response`, {
          key,
          headers: { prefer: 'wait=10' },
        });
        return answer.status === 200 && answer;
      },
      `the end of job ${id}`,
      10 * 60_000,
    );
    const url = result.images?.[0]?.url;
    const medium = url === undefined ? null : (await fetch(url, { method: 'HEAD' })).status;
    return { id, error: result.error?.code ?? null, medium };
  }
}

/** Whether the engine draws; false once nothing is left to be drawn. */
async function untilDrawn(db: Connection): Promise<boolean> {
  const found = await until(async () => {
    const [row] = await db.read(
      `SELECT (SELECT count(*) FROM jobs WHERE state IN ('available', 'running')) AS unfinished,
         (SELECT count(*) FROM jobs WHERE state = 'running' AND EXISTS
           (SELECT 1 FROM attempts WHERE attempts.job_id = jobs.id AND answer = 'accepted')) AS drawn`,
    );
    const { unfinished, drawn } = row ?? {};
    if (unfinished === 0) return 'nothing';
    return Number(drawn) > 0 && 'something';
  }, 'a job to be drawn');
  return found === 'something';
}

async function countBlamed(db: Connection): Promise<number> {
  const [row] = await db.read(
    `SELECT count(*) AS blamed FROM jobs WHERE deaths > 0 AND state <> 'completed'`,
  );
  return Number(row?.blamed);
}
