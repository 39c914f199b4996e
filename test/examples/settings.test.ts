/** The settings of `examples/settings`: one file for each provider, and `config check` accepts each. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { providers } from '../../src/providers/index.ts';
import { runProgram } from '../../testkit/gateway/program.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = join(root, 'examples/settings');

/** Every secret that a file names, each with some value. */
const secretsOf = (text: string) =>
  Object.fromEntries([...text.matchAll(/env:(\w+)/g)].map(([, name]) => [name!, 'a-secret-of-this-test']));

describe('the settings of the examples', () => {
  test('are one file for each provider', async () => {
    const files = (await readdir(folder)).filter(name => name.endsWith('.yaml')).sort();
    const expected = providers.map(({ name }) => `${name}.yaml`).sort();
    assert.deepEqual(files, expected);
  });

  for (const { name } of providers) {
    test(`${name}: are accepted by config check`, async () => {
      const file = join(folder, `${name}.yaml`);
      const text = await readFile(file, 'utf8');
      assert.match(text, new RegExp(`^    provider: ${name}$`, 'm'));
      const { code, stdout, stderr } = await runProgram(['config', 'check'], {
        env: { ...secretsOf(text), ATELIER_CONFIG: file },
        from: root,
      });
      assert.deepEqual([code, stderr], [0, '']);
      assert.match(stdout, /^Settings are valid\.\n/);
    });
  }
});
