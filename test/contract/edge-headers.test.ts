/** Headers of every answer that protect browsers, and the answer to what is not HTTP. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { uploadText } from '../../testkit/clients/uploads.ts';
import { isFleet } from '../../testkit/gateway/fleet-gateway.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

describe('headers for browsers', () => {
  let gateway: TestGateway;
  let file: string;
  let key: string;
  before(async () => {
    gateway = await startGateway({ role: 'api' });
    key = await gateway.key();
    file = (await uploadText(gateway, key, 'x', 'a.txt')).url;
  });
  after(() => gateway.close());

  test('no answer is to be taken for another type than it says', async () => {
    const paths = ['/healthz', '/openapi.json', '/docs', '/console/', '/nothing', '/%ZZ', '/v1/models', file];
    for (const path of paths) {
      for (const options of [{}, { key }]) {
        const { headers } = await gateway.ask('GET', path, options);
        assert.equal(headers.get('x-content-type-options'), 'nosniff', path);
      }
    }
  });

  test('nor is the answer to what is no request', async () => {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    socket.write('no request\r\n\r\n');
    const [answer] = await once(socket, 'data');
    assert.match(String(answer), /^HTTP\/1\.1 400 .*\r\nX-Content-Type-Options: nosniff\r\n/s);
    socket.destroy();
  });

  for (const path of ['/docs', '/docs/start.js', '/docs/scalar.js', '/console/', '/console/jobs']) {
    test(`GET ${path}: no other site holds its window or learns its address`, async () => {
      const { headers } = await gateway.ask('GET', path);
      assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin');
      assert.equal(headers.get('referrer-policy'), 'same-origin');
    });
  }

  test('browsers are not sent to https where the public address is http', async () => {
    for (const path of ['/healthz', '/docs', '/nothing', file]) {
      const { headers } = await gateway.ask('GET', path);
      assert.equal(headers.get('strict-transport-security'), null, path);
    }
  });
});

test('browsers ask by https alone where the public address is https', { skip: isFleet }, async () => {
  const env = { ATELIER_PUBLIC_URL: 'https://gateway.test' };
  for (const role of ['api', 'worker'] as const) {
    const gateway = await startGateway({ role, env });
    try {
      for (const path of ['/healthz', '/nothing']) {
        const { headers } = await gateway.ask('GET', path);
        assert.equal(headers.get('strict-transport-security'), 'max-age=31536000', path);
      }
    } finally {
      await gateway.close();
    }
  }
});
