/** The memory budget of request bodies. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { bodies, create, image, speech } from '../../testkit/clients/queue.ts';
import {
  fileError,
  formHeaders,
  leavingNothing,
  uploadForm,
  uploadText,
} from '../../testkit/clients/uploads.ts';
import type { Answer, TestGateway } from '../../testkit/gateway/gateway.ts';
import { figureOf, openPost, refusedFor, startLimited, untilHeld } from '../../testkit/gateway/limited.ts';

const mebibyte = 1024 * 1024;
const largest = 64 * mebibyte;
const ofEpsilon = 20 * mebibyte;
/** The memory of an upload, whatever its size. */
const ofUpload = mebibyte;
const epsilon = 'epsilon-q2-turbo-img2video';
const json = (key: string, length: number) => ({
  authorization: `Bearer ${key}`,
  'content-type': 'application/json',
  'content-length': length,
});
const unavailable = { detail: 'Service temporarily unavailable' };
const soon = /^[3-7]$/;

describe('the memory budget of bodies', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startLimited({ bodies: { bytes_in_all: largest, bytes_per_key: largest } });
  });
  after(() => gateway.close());

  /** A creation of which nothing but its headers has come. */
  async function sendLargestSlowly() {
    const post = openPost(gateway, `/v1/queue/${speech}`, json(await gateway.key(), largest));
    await untilHeld(gateway, largest);
    return post;
  }
  const endOf = async (post: ReturnType<typeof openPost>) => {
    post.abort();
    await untilHeld(gateway, 0);
  };

  test('a body that has none is refused with 503 before it is read, and has it afterwards', async () => {
    const slow = await sendLargestSlowly();
    const key = await gateway.key();
    const before = await figureOf(gateway, refusedFor('bodies_full'));
    const second = openPost(gateway, `/v1/queue/${speech}`, json(key, 100));
    const refused = await second.answered;
    second.abort();
    assert.equal(refused?.status, 503);
    assert.deepEqual(refused?.body, unavailable);
    assert.match(refused?.headers.get('retry-after') ?? '', soon);
    assert.equal(await figureOf(gateway, refusedFor('bodies_full')), before + 1);
    await endOf(slow);
    await create(gateway, key);
  });

  test('an upload that has none is refused with 503 in the body of the files, and leaves nothing', async () => {
    const slow = await sendLargestSlowly();
    const key = await gateway.key();
    const expected = fileError('service_unavailable', unavailable.detail, null, 'api_error');
    const requests: readonly (() => Promise<Answer>)[] = [
      () => uploadForm(gateway, key, { content: 'hello' }),
      () => gateway.ask('POST', '/v1/files', { key, body: { data: 'aGVsbG8=', mime_type: 'text/plain' } }),
    ];
    for (const ask of requests) {
      const { status, headers, body } = await leavingNothing(gateway, ask);
      assert.equal(status, 503);
      assert.deepEqual(body, expected);
      assert.match(headers.get('retry-after') ?? '', soon);
    }
    await endOf(slow);
    await uploadText(gateway, key);
  });

  test('a dry run needs memory, too', async () => {
    const slow = await sendLargestSlowly();
    const { status, body } = await gateway.ask('POST', `/v1/models/${speech}/validate`, {
      key: await gateway.key(),
      body: bodies[speech],
    });
    assert.equal(status, 503);
    assert.deepEqual(body, unavailable);
    await endOf(slow);
  });

  test('the gates before the body answer as they do with free memory', async () => {
    const slow = await sendLargestSlowly();
    const key = await gateway.key();
    const path = `/v1/queue/${speech}`;
    const requests: readonly (readonly [status: number, () => Promise<Answer>])[] = [
      [401, () => gateway.ask('POST', path, { body: {} })],
      [404, () => gateway.ask('POST', '/v1/queue/unknown', { key, body: {} })],
      [400, () => gateway.ask('POST', `${path}?webhook=1`, { key, body: {} })],
    ];
    for (const [status, ask] of requests) assert.equal((await ask()).status, status);
    const tooLarge = openPost(gateway, path, json(key, largest + 1));
    assert.equal((await tooLarge.answered)?.status, 413);
    tooLarge.abort();
    assert.equal((await gateway.ask('GET', `${path}/requests`, { key })).status, 200);
    await endOf(slow);
  });

  test('a body of unknown length takes all that its model allows, and no more than it was once it came', async () => {
    const headers = {
      authorization: `Bearer ${await gateway.key()}`,
      'content-type': 'application/json',
      'transfer-encoding': 'chunked',
    };
    const post = openPost(gateway, `/v1/queue/${epsilon}`, headers);
    await untilHeld(gateway, ofEpsilon);
    await post.write('{}');
    post.end();
    assert.equal((await post.answered)?.status, 422);
    await untilHeld(gateway, 0);
  });

  test('an upload takes little, whatever its size', async () => {
    const key = await gateway.key();
    const sized = { 'content-length': 40 * mebibyte };
    const form = openPost(gateway, '/v1/files', { ...formHeaders, authorization: `Bearer ${key}`, ...sized });
    await untilHeld(gateway, ofUpload);
    const text = openPost(gateway, '/v1/files', json(key, 40 * mebibyte));
    await untilHeld(gateway, 2 * ofUpload);
    for (const post of [form, text]) post.abort();
    await untilHeld(gateway, 0);
  });

  test('what is left of a refused body is thrown away, and its connection answers on', async () => {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    const head = [
      `POST /v1/queue/${epsilon} HTTP/1.1`,
      `Host: ${hostname}`,
      `Authorization: Bearer ${await gateway.key()}`,
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
    ].join('\r\n');
    socket.write(`${head}\r\n\r\n`);
    const length = ofEpsilon + 8 * mebibyte;
    socket.write(`${length.toString(16)}\r\n`);
    socket.write(Buffer.alloc(length, ' '));
    socket.write(`\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
    let answered = '';
    while (!answered.includes('{"status":"ok"}')) answered += String((await once(socket, 'data'))[0]);
    socket.destroy();
    assert.deepEqual(answered.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 413', 'HTTP/1.1 200']);
    await untilHeld(gateway, 0);
  });

  test('the memory of a body is free again however its request ends', async () => {
    const key = await gateway.key();
    const path = `/v1/queue/${image}`;
    const requests: readonly (readonly [status: number, () => Promise<Answer>])[] = [
      [200, () => gateway.ask('POST', path, { key, body: bodies[image] })],
      [422, () => gateway.ask('POST', path, { key, body: {} })],
      [400, () => gateway.ask('POST', path, { key, body: 'no JSON' })],
      [415, () => gateway.ask('POST', path, { key, body: '{}', headers: { 'content-type': 'text/plain' } })],
      [200, () => uploadForm(gateway, key, { content: 'hello' })],
      [400, () => uploadForm(gateway, key, { says: 'name="other"', content: 'hello' })],
      [400, () => gateway.ask('POST', '/v1/files', { key, body: {} })],
    ];
    for (const [status, ask] of requests) {
      assert.equal((await ask()).status, status);
      assert.equal(await figureOf(gateway, 'atelier_body_bytes'), 0);
    }
    for (const path of [`/v1/queue/${image}`, '/v1/files']) {
      const post = openPost(gateway, path, json(key, 1000));
      await post.write('{"prompt":"');
      await untilHeld(gateway, path === '/v1/files' ? ofUpload : 1000);
      post.abort();
      await untilHeld(gateway, 0);
    }
  });
});

describe('the memory budget of a key', () => {
  test('a key that took its share is refused with 429 while others are served', async () => {
    const gateway = await startLimited({ bodies: { bytes_in_all: 2 * largest, bytes_per_key: largest } });
    try {
      const key = await gateway.key();
      const slow = openPost(gateway, `/v1/queue/${speech}`, json(key, largest));
      await untilHeld(gateway, largest);
      const { status, headers, body } = await gateway.ask('POST', `/v1/queue/${speech}`, {
        key,
        body: bodies[speech],
      });
      assert.equal(status, 429);
      assert.match(headers.get('retry-after') ?? '', soon);
      assert.deepEqual(body, {
        error: {
          code: 'RATE_LIMIT_EXCEEDED',
          message: 'Too much is sent at once, please try again later',
        },
        request_id: headers.get('x-request-id'),
      });
      const upload = await uploadForm(gateway, key, { content: 'hello' });
      assert.equal(upload.status, 429);
      assert.deepEqual(
        upload.body,
        fileError('rate_limit_exceeded', 'Request rate exceeded, please try again later', null, 'api_error'),
      );
      await create(gateway, await gateway.key());
      slow.abort();
      await untilHeld(gateway, 0);
      await create(gateway, key);
    } finally {
      await gateway.close();
    }
  });

  test('bodies are counted, too: of a key, and of all', async () => {
    const gateway = await startLimited({ bodies: { in_all: 3, per_key: 2 } });
    try {
      const [key, other] = [await gateway.key(), await gateway.key()];
      const open = (own: string) => openPost(gateway, `/v1/queue/${speech}`, json(own, 10));
      const slow = [open(key), open(key)];
      await untilHeld(gateway, 20);
      const ask = (own: string) =>
        gateway.ask('POST', `/v1/queue/${speech}`, { key: own, body: bodies[speech] });
      assert.equal((await ask(key)).status, 429);
      assert.equal((await ask(other)).status, 200);
      slow.push(open(other));
      await untilHeld(gateway, 30);
      assert.equal((await ask(await gateway.key())).status, 503);
      for (const post of slow) post.abort();
      await untilHeld(gateway, 0);
      for (const own of [key, other]) assert.equal((await ask(own)).status, 200);
    } finally {
      await gateway.close();
    }
  });
});
