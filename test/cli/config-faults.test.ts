import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runProgram } from '../support/program.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'atelier-faults-'));
});
after(() => rm(folder, { recursive: true, force: true }));

/** Every part of it is wrong, in more than one way where that can be. */
const wrong = `
limits:
  running_per_key: 0
  waiting: { per_key: many }
models:
  beta-edit: maybe
  eta9: on
accounts:
  Studio: { provider: fal, api_key: env:NOTHING, slots: 0, sloths: 8 }
  plain: { provider: fal, api_key: sk-1234 }
  other: { provider: fall }
  none:
  local: { provider: fal, api_key: env:KEY }
routes:
  beta-edit:
    - { account: plain, weight: 0, fast: true }
    - { account: nobody }
    - { model: any }
  beta-upscale: []
  eta9: [{ account: other }]
`;

test('config check names every fault of accounts, routes, models and limits at once', async () => {
  const file = join(folder, 'atelier.yaml');
  await writeFile(file, wrong);
  const { code, stdout, stderr } = await runProgram(['config', 'check'], {
    env: { ATELIER_CONFIG: file, KEY: 'a-key' },
  });
  assert.deepEqual([code, stdout], [1, '']);
  const [sentence, ...faults] = stderr.trimEnd().split('\n');
  assert.equal(sentence, 'The settings are wrong:');
  assert.deepEqual(
    faults.map(fault => fault.replace(`  ${file} `, '').replace(/must be one of .*/, 'must be one of …')),
    [
      'limits.waiting.per_key: must be a whole number',
      'limits.running_per_key: Too small: expected number to be >=1',
      'models.beta-edit: must be on or off',
      'models.eta9: there is no such model',
      'accounts.Studio: must be 1 to 63 lower-case letters, digits, - or _',
      'accounts.Studio.slots: Too small: expected number to be >=1',
      'accounts.Studio.api_key: there is nothing in the variable NOTHING',
      'accounts.Studio: Unrecognized key: "sloths"',
      'accounts.plain.api_key: must be written env:NAME or file:PATH',
      'accounts.other.provider: must be one of …',
      'accounts.none: Invalid input: expected object, received null',
      'accounts.local: is the name of the local engine',
      'routes.beta-edit.0.weight: Too small: expected number to be >0',
      'routes.beta-edit.0.account: a fal account does not serve this model',
      'routes.beta-edit.0: Unrecognized key: "fast"',
      'routes.beta-edit.1.account: there is no account nobody',
      'routes.beta-edit.2.account: Invalid input: expected string, received undefined',
      'routes.beta-upscale: Too small: expected array to have >=1 items',
      'routes.eta9: there is no such model',
    ],
  );
  assert.equal(stderr.includes('sk-1234'), false);
});
