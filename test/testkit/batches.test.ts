// Every test file runs in `npm test`, in exactly one batch; what has a process of its own says why.
import assert from 'node:assert/strict';
import { glob } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { batches, fits, planOf } from '../../testkit/run/batches.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Wherever they stand; what is installed holds many thousands of files and none of ours. */
async function testFiles(): Promise<readonly string[]> {
  const found = await Array.fromAsync(
    glob('**/*.test.ts', { cwd: root, exclude: path => /(^|[\\/])(node_modules|\.git)$/.test(path) }),
  );
  return found.map(path => path.replaceAll('\\', '/'));
}

describe('the batches of tests', () => {
  const named = new Set(batches.flatMap(batch => batch.files));

  test('hold every test file of the house exactly once', async () => {
    for (const file of await testFiles()) {
      const own = batches.filter(batch => batch.files.some(pattern => fits(file, pattern, named)));
      assert.equal(own.length, 1, `${file} is in ${own.map(({ name }) => name).join(' and ') || 'no batch'}`);
    }
  });

  test('name no file that is not there', async () => {
    const files = await testFiles();
    const unused = [...named].filter(pattern => !files.some(file => fits(file, pattern, named)));
    assert.deepEqual(unused, []);
  });

  test('name each file once, and have names of their own', () => {
    const patterns = batches.flatMap(batch => batch.files);
    assert.deepEqual(patterns.toSorted(), [...named].toSorted());
    assert.equal(new Set(batches.map(({ name }) => name)).size, batches.length);
  });

  test('of one file alone say why', () => {
    for (const { name, files, alone } of batches)
      if (files.length === 1 && !files[0]?.endsWith('*')) assert.ok(alone, `${name} says no reason`);
      else assert.equal(alone, undefined, `${name} has more than one file`);
  });

  test('leave out no file that they do not know', () => {
    const planned = planOf(['test/unheard/of.test.ts', 'test/domain/ids.test.ts']);
    assert.deepEqual(
      planned.map(({ name, files }) => [name, files]),
      [
        ['pure', ['test/domain/ids.test.ts']],
        ['test/unheard/of.test.ts', ['test/unheard/of.test.ts']],
      ],
    );
  });
});
