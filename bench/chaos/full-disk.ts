/**
 * A gateway on a disk that is full and is made bigger: what it answers meanwhile, that nothing is half made, and that
 * it heals by itself. Needs Linux and root, for a small disk in memory.
 */
import { execFileSync } from 'node:child_process';
import { mkdtemp, open, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Answer, ask, until } from '../../testkit/gateway/gateway.ts';
import { runProgram, serve } from '../../testkit/gateway/program.ts';
import { padTo, picture } from '../../testkit/media/media-maker.ts';

const smallDisk = '96m';
const bigDisk = '256m';
const healsWithinMs = 30_000;
const speech = '/v1/queue/theta-3.1-flash-tts-preview';

const disk = await mkdtemp(join(tmpdir(), 'atelier-full-disk-'));
execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${smallDisk}`, 'tmpfs', disk]);
const folder = join(disk, 'data');
const env = { ATELIER_DATA_DIR: folder, ATELIER_LOG_LEVEL: 'error', ATELIER_LOCAL_CONCURRENCY: '1' };
const { stdout } = await runProgram(['keys', 'create', '--user', 'ann', '--json'], { env });
const key: string = JSON.parse(stdout).key;
const served = await serve({ env });
let wrong = 0;
try {
  await run();
} finally {
  console.log(`exit ${await served.end('SIGTERM')}`);
  execFileSync('umount', [disk]);
  await rm(disk, { recursive: true });
}
console.log(wrong === 0 ? 'As promised.' : `${wrong} answers were wrong.`);
process.exitCode = wrong === 0 ? 0 : 1;

async function run(): Promise<void> {
  await until(() => isThere(join(folder, 'ballast')), 'the ballast');
  const slow = { text: 'Hello. [atelier:slow=5]' };
  const running = (await tell('POST', speech, slow)).body.request_id;
  await until(async () => (await status(running)) === 'IN_PROGRESS', 'the job to run');
  const waiting = (await tell('POST', speech, slow)).body.request_id;
  const cancelled = (await tell('POST', speech, slow)).body.request_id;
  const file = await upload(1000);

  const image = padTo(await picture('png', 600, 600), 8_000_000).toString('base64');

  await fill();
  const before = await kept();
  told(
    'create with a medium',
    503,
    await tell('POST', '/v1/queue/gamma-v2-image', { prompt: 'A fox', image }),
  );
  told('create', 503, await tell('POST', speech, slow));
  told('create again', 503, await tell('POST', speech, slow));
  told('upload of 20 MB', 500, await upload(20_000_000));
  told('upload of 1 kB', 500, await upload(1000));
  told('status', 200, await tell('GET', `${speech}/requests/${waiting}/status`));
  told('download', 200, await tell('GET', file.body.url));
  told('readyz', 503, await tell('GET', '/readyz'));
  told('healthz', 200, await tell('GET', '/healthz'));
  await until(async () => {
    const answer = await tell('PUT', `${speech}/requests/${cancelled}/cancel`);
    return answer.status === 200 && told('cancel', 200, answer);
  }, 'a cancel');
  told('delete', 200, await tell('DELETE', `/v1/files/${file.body.id}`));
  told('delete again', 404, await tell('DELETE', `/v1/files/${file.body.id}`));
  const left = (await kept()).filter(path => !before.includes(path));
  check('left behind', left.length === 0, left.join(' '));
  check('ballast given up', !(await isThere(join(folder, 'ballast'))), '');

  execFileSync('mount', ['-o', `remount,size=${bigDisk}`, disk]);
  const healedAt = performance.now();
  await until(async () => (await tell('GET', '/readyz')).status === 200, 'healing', healsWithinMs);
  console.log(`healed ${Math.round(performance.now() - healedAt)} ms after there was room`);
  const fresh = await tell('POST', speech, slow);
  told('create', 200, fresh);
  told('upload', 200, await upload(1000));
  for (const id of [running, waiting, fresh.body.request_id]) {
    const ended = await until(async () => {
      const answer = await tell('GET', `${speech}/requests/${id}/response`);
      return answer.status === 200 && answer;
    }, 'the end of a job');
    check('a job ends well', ended.body.error === null, JSON.stringify(ended.body.error));
  }
}

function tell(method: string, path: string, body?: unknown): Promise<Answer> {
  return ask(served.url, method, path, { key, body });
}

async function status(id: string): Promise<string> {
  return (await tell('GET', `${speech}/requests/${id}/status`)).body.status;
}

function upload(bytes: number): Promise<Answer> {
  const body = { mime_type: 'text/plain', data: Buffer.alloc(bytes, 'a').toString('base64') };
  return tell('POST', '/v1/files', body);
}

function told(what: string, wanted: number, answer: Answer): true {
  const retry = answer.headers.get('retry-after');
  const text = answer.status === 200 ? '' : JSON.stringify(answer.body);
  return check(`${what}: ${answer.status}`, answer.status === wanted, `${text} ${retry ?? ''}`);
}

function check(what: string, holds: boolean, detail: string): true {
  if (!holds) wrong++;
  console.log(`${holds ? 'ok   ' : 'WRONG'} ${what} ${detail}`);
  return true;
}

/** To the last byte that a file of the disk can take. */
async function fill(): Promise<void> {
  const handle = await open(join(disk, 'filler'), 'w');
  try {
    for (const bytes of [1024 * 1024, 4096]) {
      const chunk = Buffer.alloc(bytes, 'f');
      while (
        await handle.write(chunk).then(
          ({ bytesWritten }) => bytesWritten === bytes,
          () => false,
        )
      );
    }
  } finally {
    await handle.close();
  }
}

/** Every file but those of the database and the ballast. */
async function kept(): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter(entry => entry.isFile() && entry.parentPath !== folder)
    .map(entry => join(entry.parentPath, entry.name))
    .filter(path => !/\/render\//.test(path));
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
