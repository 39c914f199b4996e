/** One run of the chaos harness: kills the processes of a gateway under load and verifies every job afterwards. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { minutes, seconds } from '../../src/domain/clock.ts';
import { openCallbackSecrets } from '../../src/store/callbacks/callback-secrets.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import { integer } from '../../src/store/db/rows.ts';
import { createProject } from '../../src/store/money/projects.ts';
import { createKey } from '../../src/store/people/keys.ts';
import { type Dialect, makeDatabase } from '../databases/databases.ts';
import { openRandom } from '../random.ts';
import { startS3 } from '../s3/server.ts';
import { dedupeOf, modelOf, modelWithFile, routeTo } from '../upstream/routing.ts';
import { spawnUpstream } from '../upstream/spawn.ts';
import { check, type Evidence, type Verdict } from './checker.ts';
import { type ClientOptions, openApi, runClient } from './clients.ts';
import { faults, pace } from './faults.ts';
import { type Fleet, masterSecret, openFleet, rolesOf } from './fleet.ts';
import { openHistory } from './history.ts';
import { killProcesses, type Losses } from './kill.ts';
import { startReceiver } from './receiver.ts';
import { takeSnapshot } from './snapshot.ts';

export interface ChaosOptions {
  readonly dialect: Dialect;
  /** How many processes are killed. */
  readonly kills: number;
  /** Worker processes, and those that answer clients; SQLite has one process for everything. */
  readonly workers: number;
  readonly apis: number;
  /** s3: beside the database, the processes share only a bucket. */
  readonly blobs: 'folder' | 's3';
  readonly seed: number;
  /** After this long no process is killed any more. */
  readonly longestMs: number;
  /** Receives a line of progress from time to time. */
  readonly onProgress: (line: string) => void;
}

export interface Outcome extends Losses {
  readonly verdict: Verdict;
  readonly evidence: Evidence;
  readonly killingMs: number;
  /** From the last kill until every job ended and every callback was delivered. */
  readonly drainMs: number;
}

/** Every model that clients use, so that every job has a hold. */
const prices = {
  currency: 'USD',
  hold: true,
  models: {
    [modelOf.replay]: { character: 0.001 },
    [modelOf.none]: { character: 0.001 },
    [modelOf.lookup]: { image: 0.04 },
    [modelWithFile]: { image: 0.04 },
  },
};
/** Both are never reached: what is checked are the books. */
const limit = { limit: 9_000_000_000_000, monthly: true } as const;
const clients = 8;
const failedCallbackShare = 0.1;
/** With more unfinished jobs than this, clients wait. */
const crowdedJobs = 60;
const pollMs = 200;
const longestDrainMs = 3 * minutes;
const concurrentReaders = 8;

/** Kills the processes of a gateway under load, and checks the promises for every job. */
export async function runChaos(options: ChaosOptions): Promise<Outcome> {
  const scene = await openScene(options);
  try {
    const clientOptions = await startGateway(scene, options.seed);
    const { losses, killingMs } = await killUnderLoad(scene, clientOptions, options);
    options.onProgress('kills done, waiting for unfinished jobs');
    const drainMs = await restartAndDrain(scene);
    await readAll(clientOptions);
    const evidence = await collectEvidence(scene);
    return { ...losses, verdict: check(evidence), evidence, killingMs, drainMs };
  } finally {
    await closeScene(scene);
  }
}

type Scene = Awaited<ReturnType<typeof openScene>>;

/** Everything of a run, opened; the processes of the gateway are not started yet. */
async function openScene({ dialect, workers, apis, blobs, seed }: ChaosOptions) {
  const database = await makeDatabase(dialect);
  const { folder } = database;
  const db = await database.connect();
  await mkdir(join(folder, 'upstream'));
  const upstream = await spawnUpstream(join(folder, 'upstream'));
  const receiver = await startReceiver(openRandom(seed), failedCallbackShare);
  const history = openHistory(join(folder, 'history.jsonl'));
  const s3 = blobs === 's3' ? await startS3() : null;
  const fleet = await openFleet({
    roles: dialect === 'sqlite' ? ['all'] : rolesOf({ api: apis, worker: workers }),
    folder,
    hasOwnFolders: s3 !== null,
    env: {
      ...(await routeTo(upstream.url, folder, { prices })),
      ...s3?.env,
      ATELIER_ALLOW_PRIVATE_NETWORK: '1',
      ATELIER_LOG_LEVEL: 'warn',
      ...(database.url !== null && { ATELIER_DATABASE_URL: database.url }),
    },
    logPath: join(folder, 'log.jsonl'),
  });
  /** Aborted once no more is killed or created. */
  const ending = new AbortController();
  return { database, db, upstream, receiver, history, s3, fleet, ending };
}

async function closeScene({ ending, fleet, upstream, receiver, s3, history, database }: Scene) {
  ending.abort();
  for (const member of fleet.members) await fleet.kill(member);
  await upstream.close();
  await receiver.close();
  await s3?.close();
  history.close();
  await database.remove();
}

/** Makes a key and starts every process, the upstream with its faults; what clients need to call it. */
async function startGateway(scene: Scene, seed: number): Promise<Omit<ClientOptions, 'untilUncrowded'>> {
  const { db, receiver, upstream, fleet, history, ending } = scene;
  const wanted = { name: 'chaos', floor: 0, ...limit };
  const project = await createProject(db, wanted, { actor: 'operator', now: Date.now() });
  const payer = { projectId: project?.id ?? null, budget: limit };
  const newKey = { userName: 'ann', name: null, models: null, expiresAt: null, ...payer };
  const { key: made, secret: key } = await createKey(db, newKey, Date.now());
  const [callbackSecret] = await openCallbackSecrets(db, masterSecret).read(made.userId, Date.now());
  receiver.trust(callbackSecret);
  await upstream.play({ ...pace, seed, rules: [...faults] });
  await Promise.all(fleet.members.map(fleet.start));
  return {
    key,
    urls: fleet.members.filter(({ role }) => role !== 'worker').map(({ url }) => url),
    callbackUrl: receiver.url,
    history,
    isOver: () => ending.signal.aborted,
  };
}

/** Clients create and read while processes are killed; resolves when the last of both is done. */
async function killUnderLoad(
  { fleet, db, ending }: Scene,
  clientOptions: Omit<ClientOptions, 'untilUncrowded'>,
  { kills, seed, longestMs, onProgress }: ChaosOptions,
): Promise<{ readonly losses: Losses; readonly killingMs: number }> {
  const { isOver } = clientOptions;
  const crowd = watchCrowd(db, isOver);
  const load = Array.from({ length: clients }, (_, client) =>
    runClient({ ...clientOptions, untilUncrowded: crowd.untilUncrowded }, `c${client}`, seed + client),
  );
  const begun = performance.now();
  const endsAt = begun + longestMs;
  let killingMs = 0;
  const killing = killProcesses({ fleet, db, kills, seed, endsAt, isOver, onProgress }).finally(() => {
    ending.abort();
    killingMs = performance.now() - begun;
  });
  const [losses] = await Promise.all([killing, crowd.ended, ...load]);
  return { losses, killingMs };
}

/** Milliseconds until every job ended and every callback was delivered, from an upstream without faults. */
async function restartAndDrain({ upstream, fleet, db }: Scene): Promise<number> {
  const begun = performance.now();
  await upstream.play({});
  await restart(fleet, db);
  await drain(db);
  return performance.now() - begun;
}

async function collectEvidence({ db, history, upstream, receiver }: Scene): Promise<Evidence> {
  const rows = await takeSnapshot(db);
  return {
    history: history.calls,
    ledger: upstream.ledger(),
    rows,
    receipts: receiver.receipts,
    dedupeOf,
  };
}

/** Counts the unfinished jobs from time to time. */
function watchCrowd(db: Connection, isOver: () => boolean) {
  let jobs = 0;
  const watch = async () => {
    while (!isOver()) {
      jobs = await countOf(db, `SELECT count(*) AS found FROM jobs WHERE state IN ('available', 'running')`);
      await sleep(pollMs);
    }
  };
  const untilUncrowded = async () => {
    while (jobs > crowdedJobs && !isOver()) await sleep(pollMs);
  };
  return { ended: watch(), untilUncrowded };
}

/** Stops every process as an operator does, expires what they left behind, and starts them again. */
async function restart(fleet: Fleet, db: Connection): Promise<void> {
  for (const member of fleet.members) {
    if (member.state === 'frozen') fleet.thaw(member);
    if (member.state === 'gone') await fleet.start(member);
  }
  const codes = await Promise.all(fleet.members.map(fleet.stop));
  if (codes.some(code => code !== 0))
    throw new Error(
      `expected every process to stop with exit code 0, got ${codes}; end of the log: ${fleet.lastLogged()}`,
    );
  await db.write('UPDATE workers SET heartbeat_at = heartbeat_at - $1', [1 * minutes]);
  await db.write(`UPDATE jobs SET deaths = 0 WHERE state IN ('available', 'running')`);
  // Calls whose outcome is looked up at the upstream: from now on none is considered as possibly late.
  await db.write('UPDATE attempts SET started_at = started_at - $1', [5 * minutes]);
  await Promise.all(fleet.members.map(fleet.start));
}

/** Resolves once every job ended and every callback was delivered; due times are moved to now. */
async function drain(db: Connection): Promise<void> {
  const endsAt = performance.now() + longestDrainMs;
  for (;;) {
    await db.write(`UPDATE jobs SET due_at = 0 WHERE state = 'available'`);
    await db.write('UPDATE accounts SET blocked_until = 0');
    await db.write(`UPDATE deliveries SET due_at = 0 WHERE state = 'waiting'`);
    const open = await countOf(
      db,
      `SELECT (SELECT count(*) FROM jobs WHERE state IN ('available', 'running'))
         + (SELECT count(*) FROM deliveries WHERE state = 'waiting') AS found`,
    );
    // What did not end by then is reported by the checker.
    if (open === 0 || performance.now() > endsAt) return;
    await sleep(1 * seconds);
  }
}

/** Reads every acknowledged job once more, as a client who comes back. */
async function readAll(options: Parameters<typeof openApi>[0]): Promise<void> {
  const modelById = new Map(
    options.history.calls.flatMap(call =>
      call.call === 'create' && call.answer.kind === 'acked' ? [[call.answer.id, call.model] as const] : [],
    ),
  );
  const waiting = [...modelById];
  const reader = async (_: unknown, index: number) => {
    const api = openApi(options, `reader${index}`, openRandom(index));
    for (let next = waiting.pop(); next; next = waiting.pop())
      await api.read(next[1], next[0], '/response', 0);
  };
  await Promise.all(Array.from({ length: concurrentReaders }, reader));
}

/** `query` selects one column named `found`. */
async function countOf(db: Connection, query: string): Promise<number> {
  const [row] = await db.read(query);
  return row ? integer(row, 'found') : 0;
}
