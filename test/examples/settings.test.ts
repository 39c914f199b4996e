/** The settings of `examples/settings`: one file for each provider, and `config check` accepts each. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { describeSettings } from '../../src/cli/check-config.ts';
import { readConfig } from '../../src/config/config.ts';
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

  const read = async (name: string) => {
    const file = join(folder, `${name}.yaml`);
    const text = await readFile(file, 'utf8');
    return { text, env: { ...secretsOf(text), ATELIER_CONFIG: file } };
  };

  for (const { name } of providers) {
    test(`${name}: are accepted by config check`, async () => {
      const { text, env } = await read(name);
      assert.match(text, new RegExp(`^    provider: ${name}$`, 'm'));
      assert.match(describeSettings(readConfig(env)), /^Settings are valid\.\n/);
    });
  }

  test('the command config check prints what it found', async () => {
    const { env } = await read(providers[0]!.name);
    const { code, stdout, stderr } = await runProgram(['config', 'check'], { env, from: root });
    assert.deepEqual([code, stderr, stdout], [0, '', describeSettings(readConfig(env))]);
  });
});
