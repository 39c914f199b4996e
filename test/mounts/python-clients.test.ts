/** The calls that the official Python packages make, as their published sources have them, played against the mounts. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { picture } from '../../testkit/media/media-maker.ts';
import { openReceiver, type Receiver } from '../../testkit/net/receiver.ts';

let gateway: TestGateway;
let receiver: Receiver;
let key: string;
before(async () => {
  gateway = await startGateway();
  receiver = await openReceiver();
  key = await gateway.key();
});
after(async () => {
  await receiver.close();
  await gateway.close();
});

/** Fields of a form in the order in which a package writes them. */
function formOf(fields: Readonly<Record<string, string | File>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}

/** The callback of a job, verified with the secret that the mount or our protocol gives. */
async function verifiedNotice(id: string, secretPath: string) {
  const secret = (await gateway.ask('GET', secretPath, { key })).body.key;
  const notice = await until(
    async () => receiver.notices.find(({ text }) => text.includes(id)),
    'the callback',
  );
  new Webhook(secret).verify(notice.text, notice.headers);
  // The check of `replicate` takes a secret of exactly two parts.
  assert.equal(secret.split('_').length, 2);
  return notice.body;
}

describe('openai 3.3.1 (e43b422)', () => {
  const sent = (count: string, headers: Readonly<Record<string, string>> = {}) => ({
    authorization: `Bearer ${key}`,
    accept: 'application/json',
    'x-stainless-lang': 'python',
    'x-stainless-retry-count': count,
    ...headers,
  });
  const call = (method: string, path: string, body?: unknown, headers = sent('0')) =>
    gateway.ask(method, `/openai/v1${path}`, { headers, ...(body !== undefined && { body }) });
  const words = { prompt: 'A boat [atelier:slow=60]', model: 'eta2.6-t2v', seconds: '4', size: '1280x720' };

  test('videos.create is a form without a file; its retry is one job; poll; delete cancels', async () => {
    // The words of `extra_body` are fields of the form, too.
    const body = () =>
      formOf({ ...words, shot_type: 'multi', prompt_extend: 'false', callback_url: receiver.url });
    const created = await call('POST', '/videos', body());
    assert.deepEqual(
      [created.status, created.body.status, created.body.seconds, created.body.size],
      [200, 'queued', '4', '1280x720'],
    );
    const { id } = created.body;
    assert.equal((await call('POST', '/videos', body(), sent('1'))).body.id, id);
    const { input } = (await gateway.ask('GET', `/v1/jobs/${id}`, { key })).body;
    assert.deepEqual([input.shot_type, input.prompt_extend], ['multi', false]);
    const polled = await call(
      'GET',
      `/videos/${id}`,
      undefined,
      sent('0', { 'x-stainless-poll-helper': 'true' }),
    );
    assert.ok(Number(polled.headers.get('openai-poll-after-ms')) > 0);
    const content = sent('0', { accept: 'application/binary' });
    assert.equal((await call('GET', `/videos/${id}/content`, undefined, content)).status, 409);
    const removed = await call('DELETE', `/videos/${id}`);
    assert.deepEqual([removed.status, removed.body], [200, { id, object: 'video.deleted', deleted: true }]);
    const event = await verifiedNotice(id, '/v1/webhooks/default/secret');
    assert.deepEqual([event.type, event.data], ['video.failed', { id }]);
  });

  test('input_reference is a file of the form', async () => {
    const frame = new File([new Uint8Array(await picture('png', 640, 360))], 'f.png', { type: 'image/png' });
    const model = 'alpha-1-5-pro';
    const given = { ...words, model, resolution: '480p', ratio: '16:9', generate_audio: 'false' };
    const { size: _, ...fields } = given;
    const created = await call('POST', '/videos', formOf({ ...fields, input_reference: frame }));
    assert.equal(created.status, 200, JSON.stringify(created.body));
    const { content } = (await gateway.ask('GET', `/v1/jobs/${created.body.id}`, { key })).body.input;
    assert.deepEqual(
      content.map(({ type }: { type: string }) => type),
      ['text', 'image_url'],
    );
    await call('DELETE', `/videos/${created.body.id}`);
  });

  test('images: generate as JSON, edit as a form with image or image[]; a failure is a 400 with its code', async () => {
    const body = { prompt: 'A fox', model: 'gamma-v2-image', response_format: 'b64_json', size: '1024x1024' };
    const made = await call('POST', '/images/generations', body);
    const bytes = Buffer.from(made.body.data[0].b64_json, 'base64');
    for (const name of ['image', 'image[]']) {
      const image = new File([bytes], 'a.png', { type: 'image/png' });
      const edit = { prompt: 'In snow', model: 'gamma-v2-image', [name]: image };
      const edited = await call('POST', '/images/edits', formOf(edit));
      assert.deepEqual([edited.status, edited.body.data?.length], [200, 1]);
    }
    const bad = { prompt: 'A fox [atelier:fail=content_policy_violation]', model: 'gamma-v2-image' };
    const failed = await call('POST', '/images/generations', bad);
    const { type, param, code } = failed.body.error;
    assert.deepEqual(
      { status: failed.status, type, param, code },
      { status: 400, type: 'invalid_request_error', param: null, code: 'content_policy_violation' },
    );
  });

  test('audio.speech.create, and its repetition after a failure that was none of the input', async () => {
    const model = 'theta-3.1-flash-tts-preview';
    const accept = sent('0', { accept: 'application/octet-stream' });
    const body = { input: 'Hello', model, voice: 'Puck' };
    const made = await call('POST', '/audio/speech', body, accept);
    assert.deepEqual([made.status, made.headers.get('content-type')], [200, 'audio/wav']);
    const again = await call('POST', '/audio/speech', body, { ...accept, 'x-stainless-retry-count': '1' });
    assert.equal(again.headers.get('x-atelier-request-id'), made.headers.get('x-atelier-request-id'));
    const failed = await call('POST', '/audio/speech', {
      ...body,
      input: 'Hello [atelier:fail=runtime_error]',
    });
    assert.deepEqual([failed.status, failed.headers.get('x-should-retry')], [500, 'false']);
  });
});

describe('fal-client (c6f0afa)', () => {
  const speech = 'fal-ai/gemini-3.1-flash-tts';
  const endpoint = 'fal-ai/kling-video/v3/turbo/pro/text-to-video';
  const call = (method: string, path: string, body?: unknown, headers = {}) =>
    gateway.ask(method, path, {
      headers: { authorization: `Key ${key}`, 'user-agent': 'fal-client/1.0.0 (python)', ...headers },
      ...(body !== undefined && { body }),
    });
  const ended = (path: string) =>
    until(async () => {
      const { status, body } = await call('GET', `${path}/status?logs=false`);
      return status === 200 && body.status === 'COMPLETED' ? body : undefined;
    }, 'the end');

  test('submit with what its options are, status, result; a second time under one key is one job', async () => {
    const options = {
      'x-fal-queue-priority': 'low',
      'x-fal-request-timeout': '90.0',
      'idempotency-key': 'of-the-program',
    };
    const path = `/fal/${speech}?fal_webhook=${encodeURIComponent(receiver.url)}`;
    const submitted = await call('POST', path, { prompt: 'Hello.' }, options);
    const { request_id: id, ...handle } = submitted.body;
    const base = `${gateway.url}/fal/${speech}/requests/${id}`;
    assert.deepEqual(handle, {
      gateway_request_id: id,
      status: 'IN_QUEUE',
      response_url: base,
      status_url: `${base}/status`,
      cancel_url: `${base}/cancel`,
      queue_position: 0,
    });
    assert.equal((await call('POST', path, { prompt: 'Hello.' }, options)).body.request_id, id);
    // Its handle reads `logs` and `metrics` of every status.
    const { logs, metrics } = await ended(handle.response_url);
    assert.deepEqual([logs, typeof metrics.inference_time], [null, 'number']);
    const result = await call('GET', handle.response_url);
    assert.deepEqual(
      [result.status, result.headers.get('x-fal-request-id'), result.body.audio.content_type],
      [200, id, 'audio/wav'],
    );
    const { status, request_id } = await verifiedNotice(id, '/v1/webhooks/default/secret');
    assert.deepEqual([status, request_id], ['OK', id]);
  });

  test('cancel, by a handle made of the id: the paths have the owner and the app alone', async () => {
    const { body } = await call('POST', `/fal/${endpoint}`, { prompt: 'A boat [atelier:slow=60]' });
    const base = `/fal/fal-ai/kling-video/requests/${body.request_id}`;
    const cancelled = await call('PUT', `${base}/cancel`);
    assert.deepEqual([cancelled.status, cancelled.body], [202, { status: 'CANCELLATION_REQUESTED' }]);
    assert.equal((await ended(base)).error_type, 'cancelled');
    assert.equal((await call('GET', base)).status, 400);
    const late = await call('PUT', `${base}/cancel`);
    assert.deepEqual([late.status, late.body], [400, { status: 'ALREADY_COMPLETED' }]);
  });

  test('run waits; a failure is a detail and the header of its type', async () => {
    const done = await call('POST', `/fal/run/${speech}`, { prompt: 'Good evening.' });
    assert.deepEqual([done.status, done.body.audio.content_type], [200, 'audio/wav']);
    const bad = { prompt: 'Hello [atelier:fail=runtime_error]' };
    const failed = await call('POST', `/fal/run/${speech}`, bad);
    assert.deepEqual(
      [failed.status, failed.body, failed.headers.get('x-fal-error-type')],
      [
        500,
        { detail: 'Runtime execution failed: requested by the switch [atelier:fail=runtime_error]' },
        'runtime_error',
      ],
    );
  });
});

describe('replicate 1.0.7 (0110c2c)', () => {
  const model = '/replicate/v1/models/minimax/speech-02-hd/predictions';
  const input = { text: 'Hello.', voice_id: 'calm-man' };
  const call = (method: string, path: string, body?: unknown, headers = {}) =>
    gateway.ask(method, path, {
      headers: { authorization: `Bearer ${key}`, ...headers },
      ...(body !== undefined && { body }),
    });

  test('run waits, its file is read with the key, and its webhook verifies', async () => {
    const body = { input, webhook: receiver.url, webhook_events_filter: ['completed'] };
    const done = await call('POST', model, body, { prefer: 'wait' });
    assert.deepEqual([done.status, done.body.status], [201, 'succeeded']);
    const sound = await call('GET', done.body.output);
    assert.deepEqual([sound.status, sound.headers.get('content-type')], [200, 'audio/mpeg']);
    const again = await call('POST', model, body, { prefer: 'wait' });
    assert.equal(again.body.id, done.body.id);
    const notice = await verifiedNotice(done.body.id, '/replicate/v1/webhooks/default/secret');
    assert.equal(notice.status, 'succeeded');
  });

  test('create, cancel and reload; a failure has its sentence', async () => {
    const slow = { input: { ...input, text: 'Hello [atelier:slow=60]' } };
    const created = await call('POST', model, slow);
    assert.deepEqual([created.status, created.body.status], [201, 'starting']);
    const path = `/replicate/v1/predictions/${created.body.id}`;
    assert.equal((await call('POST', `${path}/cancel`)).status, 200);
    const cancelled = await until(async () => {
      const { body } = await call('GET', path);
      return body.status === 'canceled' && body;
    }, 'the end');
    assert.equal(cancelled.error, 'Runtime execution failed: the job was cancelled');
    const bad = { input: { ...input, text: 'Hello [atelier:fail=runtime_error]' } };
    const failed = await call('POST', model, bad, { prefer: 'wait' });
    assert.deepEqual(
      [failed.status, failed.body.status, failed.body.error],
      [201, 'failed', 'Runtime execution failed: requested by the switch [atelier:fail=runtime_error]'],
    );
    const refused = await call('POST', model, { input: { ...input, style: 'calm' } });
    assert.deepEqual(refused.body, {
      title: 'input_invalid',
      detail: 'style: unknown field',
      status: 422,
    });
  });

  test('a file of an input is uploaded, and its address is the input', async () => {
    const bytes = new Uint8Array(await picture('png', 320, 320));
    const form = formOf({ content: new File([bytes], 'fox.png', { type: 'image/png' }) });
    const file = await call('POST', '/replicate/v1/files', form);
    assert.deepEqual([file.status, file.body.name, file.body.size], [201, 'fox.png', bytes.length]);
    const body = { input: { prompt: 'In snow', image: file.body.urls.get } };
    const made = await call('POST', '/replicate/v1/models/atelier/gamma-v2-image/predictions', body, {
      prefer: 'wait',
    });
    assert.deepEqual([made.status, made.body.output?.length], [201, 1]);
    assert.equal((await call('DELETE', `/replicate/v1/files/${file.body.id}`)).status, 204);
  });
});
