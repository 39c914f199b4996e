/** The processes of a gateway, which a run kills, freezes and starts again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../free-port.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** On a machine that is busy with everything else, too. */
const startsWithinMs = 300_000;
const lookEveryMs = 5;

/** One of the gateway's processes; it comes back under the same address. */
export interface Member {
  readonly name: string;
  readonly url: string;
  readonly role: 'all' | 'api' | 'worker';
  state: 'gone' | 'starting' | 'up' | 'frozen';
  child: ChildProcess | null;
  /** The name under which it holds jobs, once it is known. */
  workerId: string | null;
}

export interface Fleet {
  readonly members: readonly Member[];
  /** Resolves once it answers. */
  start(member: Member): Promise<void>;
  /** As `kill -9` does. */
  kill(member: Member): Promise<void>;
  freeze(member: Member): void;
  thaw(member: Member): void;
  /** By SIGTERM; the exit code. */
  stop(member: Member): Promise<number | null>;
  /** The end of what all of them logged, for whoever is told of a fault. */
  lastLogged(): string;
}

export interface FleetWanted {
  readonly roles: readonly Member['role'][];
  readonly folder: string;
  /** Each on a machine of its own, as it were: nothing passes from one to another by the disk. */
  readonly hasOwnFolders: boolean;
  readonly env: Readonly<Record<string, string>>;
  /** What clients are told; absent: the address of the first that answers clients. */
  readonly publicUrl?: string;
  readonly logPath: string;
}

export const rolesOf = ({
  api,
  worker,
}: Readonly<Record<'api' | 'worker', number>>): FleetWanted['roles'] => [
  ...Array<'api'>(api).fill('api'),
  ...Array<'worker'>(worker).fill('worker'),
];

/** What several machines are told alike. */
export const masterSecret = 'one secret for the whole fleet';
const shared = {
  ATELIER_SECRET: masterSecret,
  ATELIER_ADMIN_TOKEN: 'one token for all of this whole fleet',
};

export async function openFleet(wanted: FleetWanted): Promise<Fleet> {
  const { roles, folder, hasOwnFolders, env, logPath } = wanted;
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
  // Whatever ends this process, nobody is left behind.
  process.on('exit', () => {
    for (const { child } of members) child?.kill('SIGKILL');
  });
  const publicUrl = wanted.publicUrl ?? members.find(({ role }) => role !== 'worker')?.url ?? '';

  async function start(member: Member): Promise<void> {
    member.state = 'starting';
    member.workerId = null;
    const child = spawn(process.execPath, ['bin/atelier.js', 'serve'], {
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
        throw new Error(`expected ${member.name} to serve, it ended: ${lastLogged()}`);
      if (performance.now() > endsAt) throw new Error(`waited ${startsWithinMs} ms for ${member.name}`);
      await sleep(lookEveryMs);
    }
  }

  const lastLogged = () => (existsSync(logPath) ? readFileSync(logPath, 'utf8').slice(-4000) : 'nothing');

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

const answers = (url: string): Promise<boolean> =>
  fetch(`${url}/healthz`, { signal: AbortSignal.timeout(1_000) }).then(
    async answer => {
      await answer.arrayBuffer();
      return answer.ok;
    },
    () => false,
  );
