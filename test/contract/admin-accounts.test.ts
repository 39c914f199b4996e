/** Accounts in the admin API: forms of every provider, lines to paste, an account that is written, and a reload. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { providers } from '../../src/providers/index.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';
import { type Fake, startFake } from '../../testkit/upstreams/fake.ts';
import { relay } from '../../testkit/upstreams/relay.ts';

const token = 'the-admin-token-of-this-very-test';
const secret = 'canary-5d20b7a913';
const first = '# Ours.\nlimits:\n  running_per_key: 4   # small\n';

describe('/admin/v1/providers: accounts', () => {
  let gateway: TestGateway;
  let upstream: Fake;
  let folder: string;
  let file: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-accounts-'));
    file = join(folder, 'atelier.yaml');
    await writeFile(file, first);
    upstream = await startFake(relay, folder, secret);
    gateway = await startGateway({
      isAlone: true,
      role: 'api',
      env: { ATELIER_ADMIN_TOKEN: token, ATELIER_CONFIG: file },
    });
  });
  after(async () => {
    await gateway.close();
    await upstream.close();
    await rm(folder, { recursive: true, force: true });
  });
  const ask = (method: string, path: string, body?: unknown) =>
    gateway.ask(method, `/admin/v1/${path}`, { key: token, body });
  const account = (changes: object = {}) => ({
    provider: 'relay',
    name: 'studio',
    settings: { base_url: upstream.url, api_key: secret },
    models: ['gamma-v3-image'],
    ...changes,
  });

  test('every provider has a form, or says how it is written', async () => {
    const { status, body } = await ask('GET', 'provider-kinds');
    assert.equal(status, 200);
    assert.deepEqual(
      body.data.map(({ provider }: { provider: string }) => provider),
      providers.map(({ name }) => name).toSorted(),
    );
    for (const { provider, fields, reason } of body.data)
      assert.equal(fields.length > 0, reason === null, provider);
    assert.deepEqual([body.file, body.not_writable], [file, null]);
  });

  test('the lines to paste have no secret, whatever was typed', async () => {
    const { body } = await ask('POST', 'provider-kinds/preview', account());
    assert.match(body.yaml, /^accounts:\n {2}studio:\n {4}provider: relay\n/);
    assert.match(body.yaml, /routes:\n {2}gamma-v3-image: \[\{ account: studio \}\]/);
    assert.match(body.yaml, /api_key: env:[A-Z_]+/);
    assert.ok(!body.yaml.includes(secret));
  });

  for (const [words, changes, fault] of [
    ['a name that is none', { name: '../x' }, /^The name must be 1 to 63 lower-case letters/],
    ['a setting that the form does not have', { settings: { slots: '3' } }, /^slots is not in the form/],
    ['a missing key', { settings: { base_url: 'https://gateway.test' } }, /API key is required\.$/],
    ['a model that is none', { models: ['gamma-v9'] }, /^.*atelier\.yaml routes\.gamma-v9: /],
  ] as const)
    test(`nothing is written for ${words}`, async () => {
      const { status, body } = await ask('POST', 'providers', account(changes));
      assert.deepEqual([status, body.written], [200, false]);
      assert.match(body.faults.join('\n'), fault);
      assert.equal(await readFile(file, 'utf8'), first);
      assert.deepEqual(await readdir(join(gateway.folder, 'keys')).catch(() => []), []);
    });

  test('nothing is written where the upstream refuses the key', async () => {
    const settings = { base_url: upstream.url, api_key: 'canary-0000000000' };
    const { body } = await ask('POST', 'providers', account({ settings }));
    assert.deepEqual([body.written, body.faults], [false, []]);
    assert.match(body.says, /Check the key/);
    assert.equal(await readFile(file, 'utf8'), first);
    assert.deepEqual(await readdir(join(gateway.folder, 'keys')), []);
  });

  test('an account is tested, written with the lines of before, and used at once', async () => {
    const { body } = await ask('POST', 'providers', account());
    assert.deepEqual([body.written, body.faults], [true, []]);
    const text = await readFile(file, 'utf8');
    assert.ok(text.startsWith(first), text);
    const stored = join(gateway.folder, 'keys', 'studio');
    assert.ok(text.includes(`api_key: file:${stored}`), text);
    assert.equal((await stat(stored)).mode & 0o777, 0o600);
    assert.equal(await readFile(stored, 'utf8'), `${secret}\n`);
    const { data } = (await ask('GET', 'providers')).body;
    const studio = data.find((row: { account: string }) => row.account === 'studio');
    assert.deepEqual([studio.models, studio.tested], [['gamma-v3-image'], null]);
    const [entry] = (await ask('GET', 'audit')).body.data;
    assert.deepEqual([entry.action, entry.subject], ['account.add', 'studio']);

    const again = await ask('POST', 'providers', account());
    assert.deepEqual(again.body.faults, ['There is an account studio already.']);
  });

  test('a test is remembered', async () => {
    const tested = await ask('POST', 'providers/studio/test');
    const { data } = (await ask('GET', 'providers')).body;
    const studio = data.find((row: { account: string }) => row.account === 'studio');
    assert.deepEqual([studio.tested.outcome, studio.tested.says], ['accepted', tested.body.says]);
  });

  test('a reload names the faults of the file, and the next one takes them back', async () => {
    const good = await readFile(file, 'utf8');
    await writeFile(file, `${good}\nlimit: 3\n`);
    const { body } = await ask('POST', 'settings/reload');
    assert.match(body.faults.join('\n'), /^.*atelier\.yaml limit: unknown key, did you mean limits/);
    assert.deepEqual((await ask('GET', 'overview')).body.settings_faults, body.faults);
    await writeFile(file, good);
    assert.deepEqual((await ask('POST', 'settings/reload')).body, { object: 'settings_reload', faults: [] });
    assert.deepEqual((await ask('GET', 'overview')).body.settings_faults, []);
  });
});
