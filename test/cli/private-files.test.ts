/** Files that the program writes are closed to other accounts of the machine. */
import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ask, until } from '../../testkit/gateway/gateway.ts';
import { runProgram, serve } from '../../testkit/gateway/program.ts';

describe('what the program writes', () => {
  let parent: string;
  let folder: string;
  let backup: string;
  const env = () => ({ ATELIER_DATA_DIR: folder });
  before(async () => {
    parent = await mkdtemp(join(tmpdir(), 'atelier-private-'));
    folder = join(parent, 'data');
    backup = join(parent, 'backup');
  });
  after(() => rm(parent, { recursive: true, force: true }));

  const modeOf = async (path: string) => (await stat(path)).mode & 0o777;
  /** Everything under a folder that another account could read or enter, and the folder itself. */
  async function openToOthers(root: string): Promise<readonly string[]> {
    const entries = await readdir(root, { recursive: true, withFileTypes: true });
    const paths = [root, ...entries.map(({ parentPath, name }) => join(parentPath, name))];
    const modes = await Promise.all(paths.map(async path => [path, await modeOf(path)] as const));
    return modes.filter(([, mode]) => (mode & 0o077) !== 0).map(([path]) => relative(parent, path));
  }

  test('is closed to other accounts: database, its log, blobs, spool, secrets and backups', async t => {
    const served = await serve({ env: env() });
    t.after(() => served.end('SIGKILL'));
    const key = served.firstKey();
    const body = { data: 'aGVsbG8=', mime_type: 'text/plain' };
    assert.equal((await ask(served.url, 'POST', '/v1/files', { key, body })).status, 200);
    assert.ok((await readdir(folder)).includes('atelier.db-wal'));
    assert.deepEqual(await openToOthers(folder), []);
    await mkdir(backup);
    await chmod(backup, 0o755);
    const { code, stderr } = await runProgram(['backup', backup], { env: env() });
    assert.deepEqual([code, stderr], [0, '']);
    assert.deepEqual(await openToOthers(backup), []);
    assert.equal(await served.end('SIGTERM'), 0);
    assert.deepEqual(await openToOthers(folder), []);
  });

  test('is closed at a start where an older version left it open; doctor reports it, the log names the files', async t => {
    const opened = { '.': 0o755, blobs: 0o755, 'atelier.db': 0o644, 'secrets.json': 0o640 };
    for (const [name, mode] of Object.entries(opened)) await chmod(join(folder, name), mode);
    const checked = await runProgram(['doctor'], { env: env() });
    const line = checked.stdout.split('\n').find(text => text.includes('data folder'));
    // SQLite gives its log the permissions of the database, while a process has it open.
    const named = [
      `${folder} (0755)`,
      ...['blobs (0755)', 'atelier.db (0644)', 'atelier.db-wal (0644)', 'atelier.db-shm (0644)'],
      'secrets.json (0640)',
    ].map((text, index) => (index === 0 ? text : join(folder, text)));
    assert.equal(
      line,
      `BAD  data folder: accessible to other users of this machine: ${named.join(', ')}; start the gateway once, or: chmod -R go= ${folder}`,
    );
    assert.equal(checked.code, 1);

    const served = await serve({ env: env() });
    t.after(() => served.end('SIGKILL'));
    const lines = await until(async () => {
      const found = served
        .log()
        .split('\n')
        .filter(text => text.includes('permissions tightened'));
      return found.length === 4 && found;
    }, 'what was changed');
    assert.deepEqual(
      lines.map(text => JSON.parse(text)).map(({ path, mode }) => [path, mode]),
      Object.entries(opened).map(([name, mode]) => [join(folder, name), `0${mode.toString(8)}`]),
    );
    assert.deepEqual(await openToOthers(folder), []);
    assert.equal(await served.end('SIGTERM'), 0);
    const again = await runProgram(['doctor'], { env: env() });
    assert.ok(again.stdout.includes('ok   data folder\n'), again.stdout);
  });
});
