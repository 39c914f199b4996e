/** The processes of a gateway under test: start, kill, freeze and stop each of them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../net/free-port.ts';
import { programPath } from '../run/programs.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Generous: the machine may be busy with other tests. */
const startsWithinMs = 300_000;
const pollMs = 5;

/** One of the gateway's processes; it restarts at the same address. */
export interface Member {
  readonly name: string;
  readonly url: string;
  readonly role: 'all' | 'api' | 'worker';
  state: 'gone' | 'starting' | 'up' | 'frozen';
  child: ChildProcess | null;
  /** The id under which it leases jobs, once it is known. */
  workerId: string | null;
}

export interface Fleet {
  readonly members: readonly Member[];
  /** Resolves once /healthz answers. */
  start(member: Member): Promise<void>;
  /** As `kill -9` does. */
  kill(member: Member): Promise<void>;
  /** By SIGSTOP, until `thaw`. */
  freeze(member: Member): void;
  thaw(member: Member): void;
  /** By SIGTERM; the exit code. */
  stop(member: Member): Promise<number | null>;
  /** The last 4,000 characters of the log of all processes, for error messages. */
  lastLogged(): string;
}

export interface FleetOptions {
  readonly roles: readonly Member['role'][];
  readonly folder: string;
  /** Each process gets its own data directory, as on a machine of its own. */
  readonly hasOwnFolders: boolean;
  readonly env: Readonly<Record<string, string>>;
  /** ATELIER_PUBLIC_URL of all; default: the address of the first that answers clients. */
  readonly publicUrl?: string;
  readonly logPath: string;
}

/** `{ api: 2, worker: 1 }` gives `['api', 'api', 'worker']`. */
export const rolesOf = ({
  api,
  worker,
}: Readonly<Record<'api' | 'worker', number>>): FleetOptions['roles'] => [
  ...Array<'api'>(api).fill('api'),
  ...Array<'worker'>(worker).fill('worker'),
];

/** Settings that are the same on all machines. */
export const masterSecret = 'one secret for the whole fleet';
const shared = {
  ATELIER_SECRET: masterSecret,
  ATELIER_ADMIN_TOKEN: 'one token for all of this whole fleet',
};

/** Chooses a free port for each member; none is started yet. */
export async function openFleet(options: FleetOptions): Promise<Fleet> {
  const { roles, folder, hasOwnFolders, env, logPath } = options;
  const members: Member[] = [];
  for (const [index, role] of roles.entries()) {
    members.push({
      name: `${role}-${index}`,
      url: `http://127.0.0.1:${await freePort()}`,
      role,
      state: 'gone',
      child: null,
      workerId: null,
    });
  }
  // However this process ends, no child outlives it.
  process.on('exit', () => {
    for (const { child } of members) child?.kill('SIGKILL');
  });
  const publicUrl = options.publicUrl ?? members.find(({ role }) => role !== 'worker')?.url ?? '';

  async function start(member: Member): Promise<void> {
    member.state = 'starting';
    member.workerId = null;
    const child = spawn(process.execPath, [programPath('bin/atelier.js'), 'serve'], {
      cwd: root,
      env: {
        PATH: process.env.PATH ?? '',
        ...shared,
        ...env,
        ATELIER_DATA_DIR: hasOwnFolders ? join(folder, member.name) : folder,
        ATELIER_ROLE: member.role,
        ATELIER_PORT: new URL(member.url).port,
        ATELIER_PUBLIC_URL: publicUrl,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr.on('data', (text: Buffer) => appendFileSync(logPath, `${member.name} ${text}`));
    member.child = child;
    const endsAt = performance.now() + startsWithinMs;
    while (member.child === child && member.state === 'starting') {
      if (await answers(member.url)) {
        if (member.child === child && member.state === 'starting') member.state = 'up';
        return;
      }
      if (child.exitCode !== null)
        throw new Error(`expected ${member.name} to serve, it exited: ${lastLogged()}`);
      if (performance.now() > endsAt) throw new Error(`waited ${startsWithinMs} ms for ${member.name}`);
      await sleep(pollMs);
    }
  }

  const lastLogged = () => (existsSync(logPath) ? readFileSync(logPath, 'utf8').slice(-4000) : '(empty)');

  /** Sends the signal and waits for the exit; the exit code, null where a signal ended it. */
  async function end(member: Member, signal: NodeJS.Signals): Promise<number | null> {
    const { child } = member;
    if (!child) return null;
    const isOver = child.exitCode !== null || child.signalCode !== null;
    const closed = isOver ? [child.exitCode] : once(child, 'close');
    member.state = 'gone';
    member.child = null;
    child.kill(signal);
    return (await closed)[0];
  }

  return {
    members,
    start,
    kill: async member => void (await end(member, 'SIGKILL')),
    stop: member => end(member, 'SIGTERM'),
    lastLogged,
    freeze(member) {
      member.state = 'frozen';
      member.child?.kill('SIGSTOP');
    },
    thaw(member) {
      member.state = 'up';
      member.child?.kill('SIGCONT');
    },
  };
}

/** Whether /healthz answers 200 within a second. */
const answers = (url: string): Promise<boolean> =>
  fetch(`${url}/healthz`, { signal: AbortSignal.timeout(1_000) }).then(
    async answer => {
      await answer.arrayBuffer();
      return answer.ok;
    },
    () => false,
  );
