/** config check reports every fault of the settings with its place. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runProgram } from '../../testkit/gateway/program.ts';

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
  Studio: { provider: fal, api_key: env:NOTHING, slots: 0, sloths: 8, hue: 1 }
  plain: { provider: fal, api_key: sk-1234 }
  other: { provider: fall }
  none:
  local: { provider: fal, api_key: env:KEY }
routes:
  beta-edit:
    - { account: plain, weight: 0, fast: true }
    - { account: plan }
    - { model: any }
  beta-upscale: []
  eta9: [{ account: other }]
  eta2.6-tv: [{ account: other }]
limit: {}
`;

test('config check names every fault of accounts, routes, models and limits at once', async () => {
  const file = join(folder, 'atelier.yaml');
  await writeFile(file, wrong);
  const { code, stdout, stderr } = await runProgram(['config', 'check'], {
    env: { ATELIER_CONFIG: file, KEY: 'a-key' },
  });
  assert.deepEqual([code, stdout], [1, '']);
  const [sentence, ...faults] = stderr.trimEnd().split('\n');
  assert.equal(sentence, 'Invalid settings:');
  assert.deepEqual(
    faults.map(fault =>
      fault.replace(`  ${file} `, '').replace(/must be one of .* (?=\()/, 'must be one of … '),
    ),
    [
      'limits.waiting.per_key: must be a whole number (line 4, column 14)',
      'limits.running_per_key: Too small: expected number to be >=1 (line 3, column 3)',
      'limit: unknown key, did you mean limits? (line 22, column 1)',
      'models.beta-edit: must be on or off (line 6, column 3)',
      'models.eta9: there is no such model (line 7, column 3)',
      'accounts.Studio: must be 1 to 63 lower-case letters, digits, - or _ (line 9, column 3)',
      'accounts.Studio.slots: Too small: expected number to be >=1 (line 9, column 50)',
      'accounts.Studio.api_key: the variable NOTHING is not set (line 9, column 28)',
      'accounts.Studio.sloths: unknown key, did you mean slots? (line 9, column 60)',
      'accounts.Studio.hue: unknown key (line 9, column 71)',
      'accounts.plain.api_key: must be written env:NAME or file:PATH (line 10, column 27)',
      'accounts.other.provider: must be one of … (line 11, column 12)',
      'accounts.none: Invalid input: expected object, received null (line 12, column 3)',
      'accounts.local: is reserved for the local engine (line 13, column 3)',
      'routes.beta-edit.0.weight: Too small: expected number to be >0 (line 16, column 25)',
      'routes.beta-edit.0.account: a fal account does not serve this model (line 16, column 9)',
      'routes.beta-edit.0.fast: unknown key (line 16, column 36)',
      'routes.beta-edit.1.account: there is no account plan, did you mean plain? (line 17, column 9)',
      'routes.beta-edit.2.account: Invalid input: expected string, received undefined (line 18, column 7)',
      'routes.beta-upscale: Too small: expected array to have >=1 items (line 19, column 3)',
      'routes.eta9: there is no such model (line 20, column 3)',
      'routes.eta2.6-tv: there is no such model, did you mean eta2.6-t2v? (line 21, column 3)',
    ],
  );
  assert.equal(stderr.includes('sk-1234'), false);
});

const check = async (text: string, env: Readonly<Record<string, string>> = {}) => {
  const file = join(folder, 'one.yaml');
  await writeFile(file, text);
  const { stderr } = await runProgram(['config', 'check'], { env: { ATELIER_CONFIG: file, ...env } });
  return stderr.replaceAll(file, 'atelier.yaml').trimEnd().split('\n').slice(1);
};

test('invalid YAML is reported with its line and column', async () => {
  assert.deepEqual(await check('limits:\n  queue: { per_second: 5\nmodels: [\n'), [
    '  atelier.yaml: Flow map in block collection must be sufficiently indented and end with a } (line 3, column 1)',
    '  atelier.yaml: Flow sequence in block collection must be sufficiently indented and end with a ] (line 4, column 1)',
  ]);
  assert.deepEqual(await check('limits: {}\nlimits: {}\n'), [
    '  atelier.yaml: Map keys must be unique (line 2, column 1)',
  ]);
});

test('a fault behind an alias is reported where it is written', async () => {
  const text = 'accounts:\n  a: &same\n    provider: fal\n    api_key: env:KEY\n    slot: 1\n  b: *same\n';
  assert.deepEqual(await check(text, { KEY: 'a-key' }), [
    '  atelier.yaml accounts.a.slot: unknown key, did you mean slots? (line 5, column 5)',
    '  atelier.yaml accounts.b.slot: unknown key, did you mean slots? (line 5, column 5)',
  ]);
});

test('a setting of the environment that does not exist is reported with the nearest name', async () => {
  assert.deepEqual(await check('limits: {}\n', { ATELIER_PROT: '1' }), [
    '  ATELIER_PROT: unknown setting, did you mean ATELIER_PORT?',
  ]);
});

test('an identity provider with faults is reported with each of them', async () => {
  const faultsOf = (member: string) => check(`login:\n  oidc: { client_id: a, ${member} }\n`);
  const where = (member: string, column: number) =>
    `  atelier.yaml login.oidc.${member} (line 2, column ${column})`;
  assert.deepEqual(await faultsOf('issuer: http://id.test, default_role: owner'), [
    where('issuer: must begin with https:// (http:// is for this machine alone)', 25),
    where('default_role: must be one of viewer, developer, admin', 49),
  ]);
  assert.deepEqual(await faultsOf('issuer: https://id.test, client_secret: plain, role: {}'), [
    where('client_secret: must be written env:NAME or file:PATH', 50),
    where('role: unknown key, did you mean roles?', 72),
  ]);
  assert.deepEqual(await faultsOf('issuer: https://id.test'), [
    where('roles: no one has a role by it: name a group, or set default_role', 3),
  ]);
});

test('an address for alerts that is none of the web is reported', async () => {
  const text = 'prices: { currency: USD, models: {}, alerts: { url: ftp://ops.test } }\n';
  assert.deepEqual(await check(text), [
    '  atelier.yaml prices.alerts.url: must be an address with http or https (line 1, column 48)',
  ]);
});
