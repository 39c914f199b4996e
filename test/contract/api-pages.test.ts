/** The pages for developers and programs: /docs with its script, /models.json and /llms.txt. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { models } from '../../src/catalog/index.ts';
import { ask, startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

const policy =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'";

describe('the API pages', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({ role: 'api' });
  });
  after(() => gateway.close());

  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    ask(gateway.url, 'GET', path, { headers });
  const foreignHosts = (text: string): readonly string[] =>
    [...text.matchAll(/https?:\/\/[^\s"'`)<>\\]+/g)]
      .map(([address]) => address)
      .filter(address => !address.startsWith(gateway.url));

  describe('GET /docs', () => {
    for (const path of ['/docs', '/docs/']) {
      test(`200: ${path} is a page that asks this gateway alone, and needs no key`, async () => {
        const { status, headers, body } = await get(path);
        assert.equal(status, 200);
        assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
        assert.equal(headers.get('content-security-policy'), policy);
        assert.equal(headers.get('x-content-type-options'), 'nosniff');
        assert.equal(headers.get('x-frame-options'), 'DENY');
        assert.deepEqual(foreignHosts(body), []);
        assert.match(body, /<meta charset="utf-8">/);
        const scripts = [...body.matchAll(/<script src="([^"]+)"><\/script>/g)].map(([, source]) => source);
        const resolved = scripts.map(source => new URL(source ?? '', gateway.url + path).pathname);
        assert.deepEqual(resolved, ['/docs/scalar.js', '/docs/start.js']);
        // No script and no style but those.
        assert.equal(body.match(/<(?:script|style|link|img|iframe)\b/g)?.length, 2);
      });
    }

    test('200: what begins the page switches everything off that would ask another host', async () => {
      const { status, headers, body } = await get('/docs/start.js');
      assert.equal(status, 200);
      assert.equal(headers.get('content-type'), 'text/javascript; charset=utf-8');
      assert.deepEqual(foreignHosts(body), []);
      const configured = JSON.parse(/\.\.\.(\{.*\}) \}\);\n$/.exec(body)?.[1] ?? '');
      assert.deepEqual(configured, {
        withDefaultFonts: false,
        telemetry: false,
        agent: { disabled: true },
        mcp: { disabled: true },
        showDeveloperTools: 'never',
        showToolbar: 'never',
        hideClientButton: true,
        proxyUrl: '',
        persistAuth: false,
      });
    });

    test('200: what draws the page comes from here, packed or not', async () => {
      const packed = await fetch(new URL('/docs/scalar.js', gateway.url));
      assert.equal(packed.status, 200);
      assert.equal(packed.headers.get('content-type'), 'text/javascript; charset=utf-8');
      assert.equal(packed.headers.get('content-encoding'), 'gzip');
      assert.equal(packed.headers.get('x-content-type-options'), 'nosniff');
      const plain = await fetch(new URL('/docs/scalar.js', gateway.url), {
        headers: { 'accept-encoding': 'identity' },
      });
      assert.equal(plain.headers.get('content-encoding'), null);
      const text = await plain.text();
      assert.equal(text, await packed.text());
      assert.match(text, /createApiReference/);
    });
  });

  describe('GET /models.json', () => {
    test('200: every model as GET /v1/models/{id} describes it, without a key', async () => {
      const { status, body } = await get('/models.json');
      assert.equal(status, 200);
      const key = await gateway.key();
      const described = await Promise.all(
        models.map(async ({ id }) => (await gateway.ask('GET', `/v1/models/${id}`, { key })).body),
      );
      assert.deepEqual(body, { object: 'list', data: described });
    });
  });

  describe('GET /llms.txt', () => {
    test('200: the protocol, a line for each model, and links that lead somewhere', async () => {
      const { status, headers, body } = await get('/llms.txt');
      assert.equal(status, 200);
      assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8');
      assert.match(body, /^# Atelier\n\n> /);
      for (const { id, kind, summary } of models)
        assert.ok(body.includes(`- [${id}](${gateway.url}/v1/models/${id}): ${kind}. ${summary}\n`), id);
      assert.deepEqual(foreignHosts(body), []);
      const more = [...body.split('## More')[1].matchAll(/\]\(([^)]+)\)/g)].map(([, address]) => address);
      const statuses = await Promise.all(more.map(async address => [address, (await fetch(address)).status]));
      assert.deepEqual(statuses, [
        [`${gateway.url}/openapi.json`, 200],
        [`${gateway.url}/models.json`, 200],
        [`${gateway.url}/v1/models`, 401],
        [`${gateway.url}/docs`, 200],
        [`${gateway.url}/mcp`, 405],
      ]);
    });
  });
});
