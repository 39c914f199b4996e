/** A mount that is switched off in `atelier.yaml`: its paths are no endpoints, and no page names them. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { languagesFor } from '../../console/src/pages/play/snippets.ts';
import { type MountName, mountNames, mountPaths } from '../../src/domain/mounts.ts';
import { mountRoutes } from '../../src/http/mounts/mount-list.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

/** What a stranger's call below each mount is answered, in the words of that mount. */
const theirs: Readonly<Record<MountName, readonly [path: string, status: number, body: unknown]>> = {
  openai: [
    '/openai/v1/none',
    404,
    { error: { message: 'Not Found', type: 'not_found_error', param: null, code: 'path_unknown' } },
  ],
  fal: [
    '/fal/some/requests/none',
    401,
    { detail: 'A key is required, as `Authorization: Key …` or `Bearer …`' },
  ],
  replicate: ['/replicate/v1/none', 404, { title: 'path_unknown', detail: 'Not Found', status: 404 }],
};
const adminToken = 'an-admin-token-of-thirty-two-characters';
const ours = { detail: 'Not Found' };

/** Every path of a mount with its methods, and a value for each part that has a name. */
const callsOf = (name: MountName) =>
  mountRoutes[name].flatMap(({ method, path }) =>
    [method].flat().map(each => ({ method: each, path: path.replaceAll(/:\w+|\*/g, 'some') })),
  );

for (const off of mountNames)
  describe(`mounts: { ${off}: false }`, () => {
    let folder: string;
    let gateway: TestGateway;
    let key: string;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'atelier-switched-off-'));
      const config = join(folder, 'atelier.yaml');
      await writeFile(config, `mounts: { ${off}: false }\n`);
      gateway = await startGateway({
        role: 'api',
        env: { ATELIER_CONFIG: config, ATELIER_ADMIN_TOKEN: adminToken },
      });
      key = await gateway.key();
    });
    after(async () => {
      await gateway.close();
      await rm(folder, { recursive: true, force: true });
    });

    test('each of its paths is 404 in our words, with a key and without', async () => {
      for (const { method, path } of [...callsOf(off), { method: 'GET', path: `${mountPaths[off]}none` }])
        for (const asked of [{ key }, {}]) {
          const { status, body } = await gateway.ask(method, path, asked);
          // The answer to HEAD has no body.
          const wanted = method === 'HEAD' ? '' : ours;
          assert.deepEqual([status, body], [404, wanted], `${method} ${path}`);
        }
    });

    test('the others are served, and speak in their own words', async () => {
      for (const name of mountNames.filter(each => each !== off)) {
        const [path, status, body] = theirs[name];
        const answer = await gateway.ask('GET', path);
        assert.deepEqual([answer.status, answer.body], [status, body]);
      }
    });

    test('the console shows no code for it', async () => {
      const { status, body } = await gateway.ask('GET', '/admin/v1/models/gamma-v3-image', {
        key: adminToken,
      });
      const others = mountNames.filter(name => name !== off);
      assert.deepEqual([status, body.mounts], [200, others]);
      const plain = ['cURL', 'TypeScript', 'Python', 'CLI'];
      const packages = { openai: 'OpenAI SDK', fal: 'fal SDK', replicate: 'Replicate SDK' };
      assert.deepEqual(languagesFor(body), [...plain, ...others.map(name => packages[name]), 'AI SDK']);
    });

    test('no page names it', async () => {
      const pages = ['/', '/openapi.json', '/llms.txt', '/docs', '/models.json'];
      for (const page of pages) {
        const answer = await fetch(gateway.url + page);
        assert.equal(answer.status, 200, page);
        const text = await answer.text();
        assert.equal(text.includes(`${gateway.url}${mountPaths[off]}`), false, page);
        assert.equal(text.includes(`"${mountPaths[off]}`), false, page);
      }
    });
  });
