/**
 * A gateway on a full disk that is then enlarged: what it answers, that it leaves no partial files, and that it recovers
 * by itself. Needs Linux and root, for a small tmpfs.
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
const recoversWithinMs = 30_000;
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
console.log(wrong === 0 ? 'All as expected.' : `${wrong} results were wrong.`);
process.exitCode = wrong === 0 ? 0 : 1;

/** The checks in their order: before the disk is full, while it is, and after it was enlarged. */
async function run(): Promise<void> {
  await until(() => isThere(join(folder, 'ballast')), 'the disk reserve');
  const slow = { text: 'Hello. [atelier:slow=5]' };
  const running = (await request('POST', speech, slow)).body.request_id;
  await until(async () => (await status(running)) === 'IN_PROGRESS', 'the job to run');
  const waiting = (await request('POST', speech, slow)).body.request_id;
  const cancelled = (await request('POST', speech, slow)).body.request_id;
  const file = await upload(1000);

  const image = padTo(await picture('png', 600, 600), 8_000_000).toString('base64');

  await fill();
  const before = await listFiles();
  checkStatus(
    'create with a medium',
    503,
    await request('POST', '/v1/queue/gamma-v2-image', { prompt: 'A fox', image }),
  );
  checkStatus('create', 503, await request('POST', speech, slow));
  checkStatus('create again', 503, await request('POST', speech, slow));
  checkStatus('upload of 20 MB', 500, await upload(20_000_000));
  checkStatus('upload of 1 kB', 500, await upload(1000));
  checkStatus('status', 200, await request('GET', `${speech}/requests/${waiting}/status`));
  checkStatus('download', 200, await request('GET', file.body.url));
  checkStatus('readyz', 503, await request('GET', '/readyz'));
  checkStatus('healthz', 200, await request('GET', '/healthz'));
  await until(async () => {
    const answer = await request('PUT', `${speech}/requests/${cancelled}/cancel`);
    return answer.status === 200 && checkStatus('cancel', 200, answer);
  }, 'a cancel');
  checkStatus('delete', 200, await request('DELETE', `/v1/files/${file.body.id}`));
  checkStatus('delete again', 404, await request('DELETE', `/v1/files/${file.body.id}`));
  const left = (await listFiles()).filter(path => !before.includes(path));
  check('partial files', left.length === 0, left.join(' '));
  check('disk reserve released', !(await isThere(join(folder, 'ballast'))), '');

  execFileSync('mount', ['-o', `remount,size=${bigDisk}`, disk]);
  const enlargedAt = performance.now();
  await until(async () => (await request('GET', '/readyz')).status === 200, 'recovery', recoversWithinMs);
  console.log(`recovered ${Math.round(performance.now() - enlargedAt)} ms after the disk was enlarged`);
  const fresh = await request('POST', speech, slow);
  checkStatus('create', 200, fresh);
  checkStatus('upload', 200, await upload(1000));
  for (const id of [running, waiting, fresh.body.request_id]) {
    const ended = await until(async () => {
      const answer = await request('GET', `${speech}/requests/${id}/response`);
      return answer.status === 200 && answer;
    }, 'the end of a job');
    check('a job ends well', ended.body.error === null, JSON.stringify(ended.body.error));
  }
}

function request(method: string, path: string, body?: unknown): Promise<Answer> {
  return ask(served.url, method, path, { key, body });
}

/** The public status of a job. */
async function status(id: string): Promise<string> {
  return (await request('GET', `${speech}/requests/${id}/status`)).body.status;
}

/** Uploads a text file of this size as JSON. */
function upload(bytes: number): Promise<Answer> {
  const body = { mime_type: 'text/plain', data: Buffer.alloc(bytes, 'a').toString('base64') };
  return request('POST', '/v1/files', body);
}

/** Compares the HTTP status; a wrong one is printed with the answer's body and Retry-After. */
function checkStatus(what: string, wanted: number, answer: Answer): true {
  const retry = answer.headers.get('retry-after');
  const text = answer.status === 200 ? '' : JSON.stringify(answer.body);
  return check(`${what}: ${answer.status}`, answer.status === wanted, `${text} ${retry ?? ''}`);
}

/** Prints the result and counts it where it is wrong. */
function check(what: string, isRight: boolean, detail: string): true {
  if (!isRight) wrong++;
  console.log(`${isRight ? 'ok   ' : 'WRONG'} ${what} ${detail}`);
  return true;
}

/** Fills the disk to the last byte. */
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

/** Every file but those of the database, the disk reserve and running renders. */
async function listFiles(): Promise<readonly string[]> {
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
