/** Size and type of the body of POST /v1/queue/{model_id}: 413 and 415. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { bodies, create, send, speech } from '../../testkit/clients/queue.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';

const megabyte = 1024 * 1024;

describe('size and type of the body of POST /v1/queue/{model_id}', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({ role: 'api' });
  });
  after(() => gateway.close());

  describe('413', () => {
    const tooLarge = { detail: 'Request body too large' };
    const headersOf = async () => ({
      authorization: `Bearer ${await gateway.key()}`,
      'content-type': 'application/json',
    });

    test('a body that says it is one byte too long is refused before it comes', async () => {
      const headers = { ...(await headersOf()), 'content-length': String(64 * megabyte + 1) };
      const { status, body } = await send(gateway.url, `/v1/queue/${speech}`, { headers, end: false });
      assert.equal(status, 413);
      assert.deepEqual(body, tooLarge);
    });

    test('a body of unknown length is refused at the first byte over the bound', async () => {
      const chunks = [...Array.from({ length: 64 }, () => Buffer.alloc(megabyte, ' ')), ' '];
      const headers = { ...(await headersOf()), 'transfer-encoding': 'chunked' };
      const { status, body } = await send(gateway.url, `/v1/queue/${speech}`, {
        headers,
        chunks,
        end: false,
      });
      assert.equal(status, 413);
      assert.deepEqual(body, tooLarge);
    });

    test('a client that asked for the end of the connection and sends on is answered, not reset', async () => {
      const bytes = 64 * megabyte + 1;
      const { authorization } = await headersOf();
      const head = [
        `POST /v1/queue/${speech} HTTP/1.1`,
        'Host: gateway.test',
        `Authorization: ${authorization}`,
        'Content-Type: application/json',
        `Content-Length: ${bytes}`,
        'Connection: close',
      ];
      const { hostname: host, port } = new URL(gateway.url);
      const socket = connect({ host, port: Number(port), allowHalfOpen: true });
      let answer = '';
      socket.setEncoding('utf8').on('data', text => (answer += text));
      const ended = once(socket, 'end');
      socket.write(`${head.join('\r\n')}\r\n\r\n`);
      await until(async () => answer.endsWith(JSON.stringify(tooLarge)), 'the answer');
      for (let sent = 0; sent < bytes; sent += megabyte)
        if (!socket.write(Buffer.alloc(Math.min(megabyte, bytes - sent)))) await once(socket, 'drain');
      await ended;
      socket.end();
      assert.match(answer, /^HTTP\/1\.1 413 .*\r\n/);
    });

    test('the bound itself is let in', async () => {
      const chunks = [
        ...Array.from({ length: 63 }, () => Buffer.alloc(megabyte, ' ')),
        `[]${' '.repeat(megabyte - 2)}`,
      ];
      for (const framing of [
        { 'transfer-encoding': 'chunked' },
        { 'content-length': String(64 * megabyte) },
      ]) {
        const headers = { ...(await headersOf()), ...framing };
        const { status, body } = await send(gateway.url, `/v1/queue/${speech}`, { headers, chunks });
        assert.equal(status, 400);
        assert.deepEqual(body, { detail: 'Request body must be a JSON object' });
      }
    });
  });

  describe('415', () => {
    for (const type of [
      'text/plain',
      'text/json',
      'application/jsonp',
      'application/json-seq',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/octet-stream',
      'json',
      ';',
      '',
    ]) {
      test(`the type ${JSON.stringify(type)}`, async () => {
        const { status, body } = await gateway.ask('POST', `/v1/queue/${speech}`, {
          key: await gateway.key(),
          body: JSON.stringify(bodies[speech]),
          headers: { 'content-type': type },
        });
        assert.equal(status, 415);
        assert.deepEqual(body, { detail: 'Content-Type must be application/json' });
      });
    }

    test('no type at all, with and without a body', async () => {
      const headers = { authorization: `Bearer ${await gateway.key()}` };
      for (const chunks of [[JSON.stringify(bodies[speech])], []]) {
        const { status, body } = await send(gateway.url, `/v1/queue/${speech}`, { headers, chunks });
        assert.equal(status, 415);
        assert.deepEqual(body, { detail: 'Content-Type must be application/json' });
      }
    });

    test('a compressed body', async () => {
      const headers = { 'content-encoding': 'gzip' };
      const { status, body } = await gateway.ask('POST', `/v1/queue/${speech}`, {
        key: await gateway.key(),
        body: bodies[speech],
        headers,
      });
      assert.equal(status, 415);
      assert.deepEqual(body, { detail: 'Content-Encoding must be identity' });
    });

    test('parameters and capitals of the right type are let pass', async () => {
      for (const type of ['application/json; charset=utf-8', 'Application/JSON', 'application/json ;x=y']) {
        await create(gateway, await gateway.key(), { headers: { 'content-type': type } });
      }
    });
  });
});
