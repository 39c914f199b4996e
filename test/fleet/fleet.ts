/** A fleet of gateway processes that share a database and a bucket. */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Connection } from '../../src/store/db/connection.ts';
import { createKey } from '../../src/store/people/keys.ts';
import { type Fleet, type Member, openFleet, rolesOf } from '../../testkit/chaos/fleet.ts';
import { type Made, makeDatabase } from '../../testkit/databases/databases.ts';
import { until } from '../../testkit/gateway/gateway.ts';
import { startS3 } from '../../testkit/s3/server.ts';
import { routeTo } from '../../testkit/upstream/routing.ts';
import { startUpstream, type Upstream } from '../../testkit/upstream/upstream.ts';

/** The program in several processes, which share a database and a bucket and nothing else. */
export interface TestFleet extends Fleet {
  readonly db: Connection;
  readonly upstream: Upstream;
  readonly apis: readonly Member[];
  readonly workers: readonly Member[];
  /** A key of a user of its own. */
  key(userName: string): Promise<string>;
  /** Starts it and resolves once it is ready. */
  startReady(member: Member): Promise<void>;
  /** What all of them logged. */
  logged(): Promise<string>;
  close(): Promise<void>;
}

export interface TestFleetWanted {
  readonly apis: number;
  readonly workers: number;
  /** Absent: one in the server of this run. */
  readonly database?: Made;
  readonly env?: Readonly<Record<string, string>>;
  readonly publicUrl?: string;
  /** The `prices` of the settings. Default: none. */
  readonly prices?: unknown;
}

export async function openTestFleet({
  apis,
  workers,
  env,
  prices,
  ...wanted
}: TestFleetWanted): Promise<TestFleet> {
  const database = await makeDatabase('postgres', wanted.database);
  const { folder } = database;
  const db = await database.connect();
  const s3 = await startS3();
  await mkdir(join(folder, 'upstream'));
  const upstream = await startUpstream({ folder: join(folder, 'upstream') });
  const logPath = join(folder, 'log.jsonl');
  const fleet = await openFleet({
    ...wanted,
    roles: rolesOf({ api: apis, worker: workers }),
    folder,
    hasOwnFolders: true,
    env: {
      ...(await routeTo(upstream.url, folder, { prices })),
      ...s3.env,
      ATELIER_DATABASE_URL: database.url!,
      ATELIER_ALLOW_PRIVATE_NETWORK: '1',
      ATELIER_LOG_LEVEL: 'info',
      ...env,
    },
    logPath,
  });
  const isReady = ({ url }: Member) => fetch(`${url}/readyz`).then(answer => answer.ok);
  return {
    ...fleet,
    db,
    upstream,
    apis: fleet.members.filter(({ role }) => role === 'api'),
    workers: fleet.members.filter(({ role }) => role === 'worker'),
    key: async userName =>
      (await createKey(db, { userName, name: null, models: null, expiresAt: null }, Date.now())).secret,
    async startReady(member) {
      await fleet.start(member);
      await until(() => isReady(member), `${member.name} to be ready`);
    },
    logged: () => readFile(logPath, 'utf8'),
    async close() {
      await Promise.all(fleet.members.map(fleet.kill));
      await upstream.close();
      await s3.close();
      await database.remove();
    },
  };
}
