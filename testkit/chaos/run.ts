/** A chaos run: a gateway under load, its processes killed, and a verdict on what became of every job. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { minutes, seconds } from '../../src/domain/clock.ts';
import { openCallbackSecrets } from '../../src/store/callbacks/callback-secrets.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import { integer } from '../../src/store/db/rows.ts';
import { createKey } from '../../src/store/people/keys.ts';
import { type Dialect, makeDatabase, type TestDatabase } from '../databases.ts';
import { openRandom } from '../random.ts';
import { startS3 } from '../s3/server.ts';
import { dedupeOf, routeTo } from '../upstream/routing.ts';
import { spawnUpstream } from '../upstream/spawn.ts';
import { check, type Evidence, type Verdict } from './checker.ts';
import { openApi, runClient } from './clients.ts';
import { faults, pace } from './faults.ts';
import { type Fleet, masterSecret, openFleet, rolesOf } from './fleet.ts';
import { openHistory } from './history.ts';
import { killThem, type Losses } from './kill.ts';
import { startReceiver } from './receiver.ts';
import { takeSnapshot } from './snapshot.ts';

export interface ChaosWanted {
  readonly dialect: Dialect;
  readonly kills: number;
  /** Worker processes, and those that answer clients; SQLite has one process for everything. */
  readonly workers: number;
  readonly apis: number;
  /** s3: a bucket is all that the processes share beside the database. */
  readonly blobs: 'folder' | 's3';
  readonly seed: number;
  /** After this long no more is killed. */
  readonly longestMs: number;
  /** Told from time to time how far it is. */
  readonly onProgress: (line: string) => void;
}

export interface Outcome extends Losses {
  readonly verdict: Verdict;
  readonly evidence: Evidence;
  readonly killingMs: number;
  readonly drainMs: number;
}

const clients = 8;
const callbackTroubleShare = 0.1;
/** Jobs under way at which clients wait. */
const crowdedJobs = 60;
const lookEveryMs = 200;
const longestDrainMs = 3 * minutes;
const readersAtOnce = 8;

/** Kills the processes of a gateway under load, and judges what became of every job. */
export async function runChaos({ onProgress, ...wanted }: ChaosWanted): Promise<Outcome> {
  const { dialect, kills, blobs, seed, longestMs } = wanted;
  const database = await makeDatabase(dialect);
  const { folder } = database;
  const db = await database.connect();
  await mkdir(join(folder, 'upstream'));
  const upstream = await spawnUpstream(join(folder, 'upstream'));
  const receiver = await startReceiver(openRandom(seed), callbackTroubleShare);
  const history = openHistory(join(folder, 'history.jsonl'));
  const s3 = blobs === 's3' ? await startS3() : null;
  const fleet = await openFleetOf(wanted, database, {
    ...(await routeTo(upstream.url, folder)),
    ...s3?.env,
  });
  let isOver = false;
  try {
    const newKey = { userName: 'ann', name: null, models: null, expiresAt: null };
    const { key: made, secret: key } = await createKey(db, newKey, Date.now());
    const [callbackSecret] = await openCallbackSecrets(db, masterSecret).read(made.userId, Date.now());
    receiver.trust(callbackSecret);
    await upstream.play({ ...pace, seed, rules: [...faults] });
    await Promise.all(fleet.members.map(fleet.start));

    const crowd = watchCrowd(db, () => isOver);
    const parts = {
      key,
      urls: fleet.members.filter(({ role }) => role !== 'worker').map(({ url }) => url),
      callbackUrl: receiver.url,
      history,
      isOver: () => isOver,
      room: crowd.room,
    };
    const load = Array.from({ length: clients }, (_, client) =>
      runClient(parts, `c${client}`, seed + client),
    );
    const begun = performance.now();
    const endsAt = begun + longestMs;
    let killingMs = 0;
    const killing = killThem({ fleet, db, kills, seed, endsAt, isOver: parts.isOver, onProgress }).finally(
      () => {
        isOver = true;
        killingMs = performance.now() - begun;
      },
    );
    const [losses] = await Promise.all([killing, crowd.ended, ...load]);

    onProgress('no more is killed: what is under way ends');
    const drainBegun = performance.now();
    await upstream.play({});
    await startAnew(fleet, db);
    await drain(db);
    const drainMs = performance.now() - drainBegun;
    await readAll(parts);
    const rows = await takeSnapshot(db);
    const evidence: Evidence = {
      history: history.calls,
      ledger: upstream.ledger(),
      rows,
      receipts: receiver.receipts,
      dedupeOf,
    };
    return { ...losses, verdict: check(evidence), evidence, killingMs, drainMs };
  } finally {
    isOver = true;
    for (const member of fleet.members) await fleet.kill(member);
    await upstream.close();
    await receiver.close();
    await s3?.close();
    history.close();
    await database.remove();
  }
}

const openFleetOf = (
  { dialect, apis, workers, blobs }: Omit<ChaosWanted, 'onProgress'>,
  { folder, url }: TestDatabase,
  env: Readonly<Record<string, string>>,
): Promise<Fleet> =>
  openFleet({
    roles: dialect === 'sqlite' ? ['all'] : rolesOf({ api: apis, worker: workers }),
    folder,
    hasOwnFolders: blobs === 's3',
    env: {
      ...env,
      ATELIER_ALLOW_PRIVATE_NETWORK: '1',
      ATELIER_LOG_LEVEL: 'warn',
      ...(url !== null && { ATELIER_DATABASE_URL: url }),
    },
    logPath: join(folder, 'log.jsonl'),
  });

/** How many jobs are under way, looked at from time to time. */
function watchCrowd(db: Connection, isOver: () => boolean) {
  let jobs = 0;
  const look = async () => {
    while (!isOver()) {
      jobs = await countOf(db, `SELECT count(*) AS found FROM jobs WHERE state IN ('available', 'running')`);
      await sleep(lookEveryMs);
    }
  };
  const room = async () => {
    while (jobs > crowdedJobs && !isOver()) await sleep(lookEveryMs);
  };
  return { ended: look(), room };
}

/** Stops every process as an operator does, lets time pass for what they left, and starts them again. */
async function startAnew(fleet: Fleet, db: Connection): Promise<void> {
  for (const member of fleet.members) {
    if (member.state === 'frozen') fleet.thaw(member);
    if (member.state === 'gone') await fleet.start(member);
  }
  const codes = await Promise.all(fleet.members.map(fleet.stop));
  if (codes.some(code => code !== 0))
    throw new Error(
      `expected every stop to be clean, got ${codes}; the last that was logged: ${fleet.lastLogged()}`,
    );
  await db.write('UPDATE workers SET heartbeat_at = heartbeat_at - $1', [1 * minutes]);
  await db.write(`UPDATE jobs SET deaths = 0 WHERE state IN ('available', 'running')`);
  // Calls that are looked for: none can arrive late any more.
  await db.write('UPDATE attempts SET started_at = started_at - $1', [5 * minutes]);
  await Promise.all(fleet.members.map(fleet.start));
}

/** Resolves once every job ended and every callback was made; what waits for its time is hurried on. */
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
    // What did not end is the checker's to tell.
    if (open === 0 || performance.now() > endsAt) return;
    await sleep(1 * seconds);
  }
}

/** Every acknowledged job once more, as a client who comes back. */
async function readAll(parts: Parameters<typeof openApi>[0]): Promise<void> {
  const modelById = new Map(
    parts.history.calls.flatMap(call =>
      call.call === 'create' && call.answer.kind === 'acked' ? [[call.answer.id, call.model] as const] : [],
    ),
  );
  const waiting = [...modelById];
  const reader = async (_: unknown, index: number) => {
    const api = openApi(parts, `reader${index}`, openRandom(index));
    for (let next = waiting.pop(); next; next = waiting.pop())
      await api.read(next[1], next[0], '/response', 0);
  };
  await Promise.all(Array.from({ length: readersAtOnce }, reader));
}

async function countOf(db: Connection, question: string): Promise<number> {
  const [row] = await db.read(question);
  return row ? integer(row, 'found') : 0;
}
