/** A gateway of several processes behind one port, for the tests that run against a fleet. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { Agent, setGlobalDispatcher } from 'undici';
import type { Gateway } from '../../src/app/gateway.ts';
import { openStore } from '../../src/app/open-store.ts';
import { openSecrets } from '../../src/config/secrets.ts';
import { makeLead, openSharedLead, openTestClock, type TestClock } from '../clock.ts';
import { freePort } from '../net/free-port.ts';

/** What a process of the fleet is asked to open, and what it says of it. */
export interface MemberWanted {
  readonly env: Readonly<Record<string, string>>;
  readonly leadPath: string;
  readonly logPath: string;
}
export interface MemberOpened {
  readonly id: number;
  /** Base of the addresses in its answers. */
  readonly url: string;
  readonly local: string;
}

/** Control addresses of the processes, by what they do. */
interface Hosts {
  readonly api: readonly string[];
  readonly worker: readonly string[];
}

export interface StartedHosts {
  /** For `isFleet` and `openFleetGateway` in whatever inherits the environment. */
  readonly serialized: string;
  stop(): Promise<void>;
}

const processesOfRole = 3;
const program = fileURLToPath(new URL('./fleet-host.ts', import.meta.url));
const serialized = process.env.TEST_FLEET_HOSTS;

/** Whether every gateway of this run is a fleet: `npm test -- --fleet`. */
export const isFleet = serialized !== undefined;

/** Starts the processes, once for a run of tests. */
export async function startHosts(): Promise<StartedHosts> {
  const children: ChildProcess[] = [];
  const start = async (): Promise<string> => {
    const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
    children.push(child);
    const [url] = await once(createInterface(child.stdout), 'line');
    return url;
  };
  const startAll = () => Promise.all(Array.from({ length: processesOfRole }, start));
  const [api, worker] = await Promise.all([startAll(), startAll()]);
  const hosts: Hosts = { api, worker };
  return {
    serialized: JSON.stringify(hosts),
    async stop() {
      for (const child of children) child.stdin?.end();
      await Promise.all(children.map(child => child.exitCode === null && once(child, 'close')));
    },
  };
}

export interface FleetGatewayWanted {
  readonly folder: string;
  readonly role: 'api' | 'worker' | 'all';
  readonly env: Readonly<Record<string, string>>;
}

export interface FleetGateway {
  readonly gateway: Gateway;
  readonly clock: TestClock;
  /** Where each process keeps bytes on their way. */
  readonly locals: readonly string[];
  logged(): readonly Record<string, unknown>[];
}

/** Opens a gateway in all the processes of its role, behind one address; `all` is three of either kind. */
export async function openFleetGateway({ folder, role, env }: FleetGatewayWanted): Promise<FleetGateway> {
  // Each request by a connection of its own, so that each may meet another process.
  setGlobalDispatcher(new Agent({ pipelining: 0 }));
  const [leadPath, logPath] = [join(folder, 'lead'), join(folder, 'log.jsonl')];
  if (!existsSync(leadPath)) makeLead(leadPath);
  const lead = openSharedLead(leadPath);
  const { secret, adminToken } = await openSecrets({ dataDir: folder, secret: null, adminToken: null });
  const url = `http://127.0.0.1:${await freePort()}`;
  const members = await Promise.all(
    membersOf(role).map(async ({ host, name, role: own, answers }) => {
      const settings = {
        ATELIER_PUBLIC_URL: url,
        ATELIER_SECRET: secret,
        ATELIER_ADMIN_TOKEN: adminToken,
        ...env,
        ATELIER_ROLE: own,
        ATELIER_DATA_DIR: join(folder, name),
        // The system deals the connections out among those that share a port.
        ...(answers && { ATELIER_PORT: new URL(url).port, ATELIER_PROCESSES: String(processesOfRole) }),
      };
      return { host, ...(await ask<MemberOpened>(host, '/open', { env: settings, leadPath, logPath })) };
    }),
  );
  const db = await openStore(
    { databaseUrl: env.ATELIER_DATABASE_URL ?? null, dataDir: folder },
    pino({ level: 'silent' }),
  );
  let closing: Promise<void> | null = null;
  const close = async () => {
    await Promise.all(members.map(({ host, id }) => ask(host, '/close', { id })));
    await db.close();
    lead.close();
  };
  return {
    gateway: {
      url: members[0]?.url ?? '',
      listensAt: url,
      db,
      reconciled: null,
      close: () => (closing ??= close()),
    },
    clock: openTestClock(lead),
    locals: members.map(({ local }) => local),
    logged: () => linesOf(logPath).map(line => JSON.parse(line)),
  };
}

const linesOf = (path: string): readonly string[] =>
  existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];

function membersOf(wanted: FleetGatewayWanted['role']) {
  const hosts: Hosts = JSON.parse(serialized ?? '{}');
  const roles = wanted === 'all' ? (['api', 'worker'] as const) : [wanted];
  return roles.flatMap(role =>
    hosts[role].map((host, index) => ({ host, name: `${role}-${index}`, role, answers: role === roles[0] })),
  );
}

async function ask<T>(host: string, path: string, wanted: object): Promise<T> {
  const answer = await fetch(host + path, { method: 'POST', body: JSON.stringify(wanted) });
  if (!answer.ok) throw new Error(`expected a process of the fleet to do it, it said ${await answer.text()}`);
  return answer.json() as Promise<T>;
}
