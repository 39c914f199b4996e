/**
 * A disk whose flushes fail from the Nth on, for each N: no acknowledged job may be lost, and the process must exit by
 * itself. Needs Linux with strace.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ask } from '../../testkit/gateway/gateway.ts';
import { runProgram, serve } from '../../testkit/gateway/program.ts';

/** The first N of the flushes fails in the first run, the 40th in the last. */
const flushes = 40;
/** Concurrent clients that create jobs. */
const clients = 8;
/** After this long the process is killed, and the run counts as failed. */
const longestLifeMs = 20_000;
const root = fileURLToPath(new URL('../..', import.meta.url));
const speech = '/v1/queue/theta-3.1-flash-tts-preview';

/** One gateway process, from its start to the failed flush. */
interface Life {
  readonly acknowledged: readonly string[];
  readonly code: number | null;
  /** The message of its fatal log line. */
  readonly message: string;
}

const template = await mkdtemp(join(tmpdir(), 'atelier-flush-'));
const key = await prepare();
let failures = 0;
try {
  for (let flush = 1; flush <= flushes; flush++) {
    const folder = await mkdtemp(join(tmpdir(), 'atelier-flush-'));
    await cp(template, folder, { recursive: true });
    const life = await liveUntilFailing(folder, flush);
    const lost = await findLost(folder, life.acknowledged);
    const isRight = life.code === 1 && lost.length === 0;
    if (!isRight) failures++;
    console.log(
      `flush ${flush}: exit ${life.code}, ${life.acknowledged.length} acknowledged, ${lost.length} lost; ${life.message}`,
    );
    await rm(folder, { recursive: true });
  }
} finally {
  await rm(template, { recursive: true });
}
console.log(failures === 0 ? 'No acknowledged job was lost.' : `${failures} of ${flushes} runs failed.`);
process.exitCode = failures === 0 ? 0 : 1;

/** Makes the template: a database with a key, so that only flushes of a start and of creates are counted. */
async function prepare(): Promise<string> {
  const env = { ATELIER_DATA_DIR: template };
  const made = await runProgram(['keys', 'create', '--user', 'ann', '--json'], { env });
  await (await serve({ env: { ...env, ATELIER_ROLE: 'api' } })).end('SIGTERM');
  return JSON.parse(made.stdout).key;
}

/** Runs a gateway whose flushes fail from this one on, under load, until it exits. */
async function liveUntilFailing(folder: string, flush: number): Promise<Life> {
  const inject = `inject=fsync,fdatasync:error=EIO:when=${flush}+`;
  const child = spawn(
    'strace',
    ['-f', '-qq', '-o', '/dev/null', '--seccomp-bpf', '-e', 'trace=fsync,fdatasync', '-e', inject].concat([
      process.execPath,
      'bin/atelier.js',
      'serve',
      '--role',
      'api',
    ]),
    {
      cwd: root,
      env: { PATH: process.env.PATH ?? '', ATELIER_DATA_DIR: folder, ATELIER_PORT: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const closed = once(child, 'close');
  const tooLong = setTimeout(() => child.kill('SIGKILL'), longestLifeMs);
  const acknowledged: string[] = [];
  const url = await addressOf(child, () => stdout, closed);
  if (url !== null) await load(url, child, acknowledged);
  const [code] = await closed;
  clearTimeout(tooLong);
  const fatal = stderr.split('\n').find(line => line.startsWith('{"level":60'));
  return { acknowledged, code, message: /"msg":"([^"]*)"/.exec(fatal ?? '')?.[1] ?? stderr };
}

/** The address in its banner; null when it exited before it served. */
async function addressOf(
  child: ChildProcess,
  output: () => string,
  closed: Promise<unknown>,
): Promise<string | null> {
  let gone = false;
  void closed.then(() => (gone = true));
  while (!gone) {
    const url = /Address\s+(http:\S+)\n[\s\S]*\n\n$/.exec(output())?.[1];
    if (url !== undefined) return url;
    await Promise.race([once(child.stdout!, 'data'), closed]);
  }
  return null;
}

/** Creates jobs until the process is gone; the ids of those that were answered are added to `acknowledged`. */
async function load(url: string, child: ChildProcess, acknowledged: string[]): Promise<void> {
  const client = async () => {
    while (child.exitCode === null && child.signalCode === null) {
      const made = await ask(url, 'POST', speech, { key, body: { text: 'Hello.' } }).catch(() => null);
      if (made === null) return;
      if (made.status === 200) acknowledged.push(made.body.request_id);
      else if (made.status !== 503) throw new Error(`expected 200 or 503, got ${made.status}`);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
}

/** Acknowledged jobs that a new process does not find. */
async function findLost(folder: string, acknowledged: readonly string[]): Promise<readonly string[]> {
  const served = await serve({ env: { ATELIER_DATA_DIR: folder, ATELIER_ROLE: 'api' } });
  const lost: string[] = [];
  for (const id of acknowledged) {
    const { status } = await ask(served.url, 'GET', `${speech}/requests/${id}/status`, { key });
    if (status !== 200) lost.push(id);
  }
  await served.end('SIGTERM');
  return lost;
}
