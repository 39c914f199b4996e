/** Secrets that are read from files (variables that end in _FILE). */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readConfig } from '../../src/config/config.ts';
import { runProgram } from '../../testkit/gateway/program.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'atelier-secrets-'));
});
after(() => rm(folder, { recursive: true, force: true }));

const fileOf = async (name: string, text: string) => {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
};

test('secrets and the address of the database are read from the files that are named', async () => {
  const { secret, adminToken, databaseUrl } = readConfig({
    ATELIER_SECRET_FILE: await fileOf('secret', 'a secret of some length\n'),
    ATELIER_ADMIN_TOKEN_FILE: await fileOf('token', 'an admin token of thirty-two characters'),
    ATELIER_DATABASE_URL_FILE: await fileOf('url', 'postgres://ann:word@database.test/atelier\r\n'),
  });
  assert.deepEqual(
    [secret, adminToken, databaseUrl],
    [
      'a secret of some length',
      'an admin token of thirty-two characters',
      'postgres://ann:word@database.test/atelier',
    ],
  );
});

test('a file beside the variable itself, an empty one, a missing one and a folder stop the start, by name', async () => {
  const env = {
    ATELIER_SECRET: 'a secret of some length',
    ATELIER_SECRET_FILE: await fileOf('other', 'another secret of some length'),
    ATELIER_ADMIN_TOKEN_FILE: await fileOf('empty', '\n'),
    ATELIER_DATABASE_URL_FILE: join(folder, 'missing'),
    ATELIER_DATA_DIR: folder,
  };
  const { code, stdout, stderr } = await runProgram(['config', 'check'], { env });
  assert.deepEqual([code, stdout], [1, '']);
  assert.equal(
    stderr,
    [
      'Invalid settings:',
      '  ATELIER_SECRET_FILE: ATELIER_SECRET is set too; set one of them',
      `  ATELIER_ADMIN_TOKEN_FILE: ${env.ATELIER_ADMIN_TOKEN_FILE} is empty`,
      `  ATELIER_DATABASE_URL_FILE: ENOENT: no such file or directory, stat '${env.ATELIER_DATABASE_URL_FILE}'`,
      '',
    ].join('\n'),
  );
  assert.throws(() => readConfig({ ATELIER_SECRET_FILE: folder }), {
    message: `ATELIER_SECRET_FILE: ${folder} is not a file`,
  });
});
