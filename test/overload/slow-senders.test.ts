/** Bodies that arrive too slowly are cut off. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { seconds } from '../../src/domain/clock.ts';
import { speech } from '../../testkit/clients/queue.ts';
import { formHeaders, formOf, partHead, traceOf } from '../../testkit/clients/uploads.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { figureOf, openPost, refusedFor, untilHeld } from '../../testkit/gateway/limited.ts';

const mebibyte = 1024 * 1024;
const tooSlow = { detail: 'Request took too long' };
const path = `/v1/queue/${speech}`;

describe('a body that does not come', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({ role: 'api' });
  });
  after(() => gateway.close());

  const headersOf = async (length: number) => ({
    authorization: `Bearer ${await gateway.key()}`,
    'content-type': 'application/json',
    'content-length': length,
  });

  test('of a creation is cut off with 408, and its memory is free', async () => {
    const before = await figureOf(gateway, refusedFor('request_too_slow'));
    const post = openPost(gateway, path, await headersOf(1000));
    await post.write('{"text":"');
    await untilHeld(gateway, 1000);
    gateway.clock.advance(11 * seconds);
    const answer = await post.answered;
    assert.equal(answer?.status, 408);
    assert.deepEqual(answer?.body, tooSlow);
    await post.closed;
    await untilHeld(gateway, 0);
    assert.equal(await figureOf(gateway, refusedFor('request_too_slow')), before + 1);
  });

  const uploads: readonly (readonly [what: string, type: string, begin: Uint8Array])[] = [
    ['a form', formHeaders['content-type'], partHead({ type: 'text/plain' })],
    ['JSON', 'application/json', Buffer.from('{"mime_type":"text/plain","data":"')],
  ];
  for (const [what, type, begin] of uploads) {
    test(`of an upload as ${what} is cut off, and nothing is left of what came`, async () => {
      const before = await traceOf(gateway);
      const headers = { ...(await headersOf(2 * mebibyte)), 'content-type': type };
      const post = openPost(gateway, '/v1/files', headers);
      await post.write(begin);
      await post.write(Buffer.alloc(mebibyte, 'A'));
      await until(
        async () => (await gateway.keptFiles()).length > before.kept.length,
        'the upload to reach the disk',
      );
      // So much as it sent gives it eight seconds more.
      gateway.clock.advance(19 * seconds);
      assert.equal((await post.answered)?.status, 408);
      await post.closed;
      await untilHeld(gateway, 0);
      assert.deepEqual(await traceOf(gateway), before);
    });
  }

  test('is cut off without a word when the request was refused already', async () => {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    socket.write(`POST ${path} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: 1000\r\n\r\n{`);
    const [answer] = await once(socket, 'data');
    assert.match(String(answer), /^HTTP\/1\.1 401 /);
    assert.equal(socket.readyState, 'open');
    const rest: unknown[] = [];
    socket.on('data', more => rest.push(more));
    gateway.clock.advance(11 * seconds);
    await once(socket, 'close');
    assert.deepEqual(rest, []);
  });

  test('is cut off where one that keeps its pace goes on', async () => {
    const part = { type: 'text/plain', content: Buffer.alloc(3 * mebibyte, 'A') };
    const form = formOf(part);
    const headers = { ...(await headersOf(form.length)), ...formHeaders };
    const steady = openPost(gateway, '/v1/files', headers);
    const slow = openPost(gateway, path, await headersOf(3 * mebibyte));
    const kept = new Set(await gateway.keptFiles());
    await steady.write(form.subarray(0, 2 * mebibyte));
    await until(async () => {
      const spooled = (await gateway.keptFiles()).find(file => !kept.has(file));
      return spooled !== undefined && (await stat(spooled)).size > 1.5 * mebibyte;
    }, 'most of it to reach the disk');
    // So much gives it twelve seconds more. Both are looked at in one go.
    gateway.clock.advance(20 * seconds);
    assert.equal((await slow.answered)?.status, 408);
    await steady.write(form.subarray(2 * mebibyte));
    steady.end();
    assert.equal((await steady.answered)?.status, 200);
  });
});
