/** config check, doctor and backup with blobs in a bucket. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { runProgram } from '../../testkit/gateway/program.ts';
import { serviceUnavailable } from '../../testkit/s3/faults.ts';
import { startS3, type TestS3 } from '../../testkit/s3/server.ts';

let s3: TestS3;
let folder: string;
let env: Readonly<Record<string, string>>;
before(async () => {
  s3 = await startS3();
  folder = await mkdtemp(join(tmpdir(), 'atelier-cli-'));
  env = { ...s3.env, ATELIER_DATA_DIR: join(folder, 'data') };
  const made = await runProgram(['keys', 'create', '--user', 'ann'], { env });
  assert.equal(made.code, 0, made.stderr);
});
afterEach(() => s3.play(null));
after(async () => {
  await s3.close();
  await rm(folder, { recursive: true, force: true });
});

test('config check shows where the blobs are, and no credentials', async () => {
  const secrets = { AWS_ACCESS_KEY_ID: 'SHOWN-TO-NOBODY', AWS_SECRET_ACCESS_KEY: 'SHOWN-TO-NOBODY-EITHER' };
  const { code, stdout } = await runProgram(['config', 'check'], { env: { ...env, ...secrets } });
  assert.equal(code, 0);
  const { blobs } = JSON.parse(stdout.slice(stdout.indexOf('{')));
  assert.deepEqual(blobs, { ...s3.location, credentials: 'set' });
  assert.doesNotMatch(stdout, /SHOWN-TO-NOBODY/);
});

test('doctor checks the bucket, and reports what is wrong with it', async () => {
  const line = async () =>
    (await runProgram(['doctor'], { env })).stdout.split('\n').find(text => text.includes('blobs'));
  assert.equal(await line(), 'ok   blobs (s3://atelier-tests/blobs/)');
  s3.play(() => serviceUnavailable);
  assert.equal(
    await line(),
    'BAD  blobs (s3://atelier-tests/blobs/): s3://atelier-tests/blobs/: ServiceUnavailable: ServiceUnavailable',
  );
});

test('backup copies the rows and the secrets, and states how to back up the files', async () => {
  const target = join(folder, 'backup');
  const { code, stdout } = await runProgram(['backup', target], { env });
  assert.equal(code, 0);
  assert.equal(
    stdout,
    [
      `The backup is in ${target}: the database and the secrets.`,
      "The files are in s3://atelier-tests/blobs/: back them up by the bucket's own means.",
      'To restore it, copy it to a new data folder and start that once with atelier serve --reconcile.',
      '',
    ].join('\n'),
  );
  assert.deepEqual((await readdir(target)).toSorted(), ['atelier.db', 'secrets.json']);
});
