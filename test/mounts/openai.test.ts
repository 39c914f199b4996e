/** The OpenAI package, unmodified, against the mount; and a second Atelier whose account is that mount. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import OpenAI, {
  type APIError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  UnprocessableEntityError,
} from 'openai';
import { seconds } from '../../src/domain/clock.ts';
import { thrown } from '../../testkit/clients/thrown.ts';
import { startGateway, type TestGateway, until, untilAdvanced } from '../../testkit/gateway/gateway.ts';
import { picture } from '../../testkit/media/media-maker.ts';
import { openReceiver } from '../../testkit/net/receiver.ts';
import { submissionsIn } from '../../testkit/upstream/ledger.ts';
import { untilEnded } from '../../testkit/upstream/studio.ts';
import { type Fake, startFake } from '../../testkit/upstreams/fake.ts';
import { openaiCompatible } from '../../testkit/upstreams/openai-compatible.ts';

const canary = 'canary-of-the-mount';
let folder: string;
let fake: Fake;
let gateway: TestGateway;
let key: string;
let openai: OpenAI;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'atelier-mount-'));
  fake = await startFake(openaiCompatible(false), folder, canary);
  const settings = {
    mounts: { openai: { models: { 'sora-2': 'eta2.6-t2v', 'org/tts': 'theta-3.1-flash-tts-preview' } } },
    ...accountAt(fake.url, {
      'eta2.6-t2v': { ignores: ['sound'] },
      'alpha-2-0-mini': { does: ['first_frame'], ignores: ['sound'] },
      'gamma-v2-image': { does: ['image_1'] },
      'theta-3.1-flash-tts-preview': {},
    }),
  };
  gateway = await startGateway({
    env: { ATELIER_CONFIG: await written('first', settings), STUDIO_KEY: canary },
  });
  key = await gateway.key();
  openai = clientOf(gateway, key);
});
after(async () => {
  await gateway?.close();
  await fake.close();
  await rm(folder, { recursive: true, force: true });
});

/** JSON is YAML. */
async function written(name: string, settings: unknown): Promise<string> {
  const path = join(folder, `${name}.yaml`);
  await writeFile(path, JSON.stringify(settings));
  return path;
}

/** The settings of an account at such a server. */
const accountAt = (baseUrl: string, routes: Readonly<Record<string, object>>) => ({
  accounts: {
    studio: {
      provider: 'openai-compatible',
      base_url: `${baseUrl}/v1`,
      api_key: 'env:STUDIO_KEY',
      paid: true,
      slots: 8,
    },
  },
  routes: Object.fromEntries(
    Object.entries(routes).map(([model, options]) => [model, [{ account: 'studio', ...options }]]),
  ),
});

/** The package as it is: base URL and key are all that changes. */
const clientOf = (
  of: TestGateway,
  apiKey: string,
  options: { maxRetries?: number; fetch?: typeof fetch } = {},
) => new OpenAI({ baseURL: `${of.url}/openai/v1`, apiKey, ...options });

/** A video that has ended; the clock is advanced meanwhile. */
const ended = (id: string, client = openai) =>
  untilAdvanced(
    gateway.clock,
    1 * seconds,
    async () => {
      const video = await client.videos.retrieve(id);
      return ['completed', 'failed'].includes(video.status) && video;
    },
    'the video to end',
  );

const submissionsOf = (mark: string) =>
  submissionsIn(fake.ledger()).filter(entry => entry.mark === mark).length;
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const errorOf = ({ status, code, param, type }: APIError) => ({ status, code, param, type });

describe('videos', () => {
  test('create, retrieve, list, content and delete, by a name of the settings', async () => {
    // A field of the model itself, as `extra_body` of the Python package sends it.
    const extra = { prompt_extend: false };
    const created = await openai.videos.create({
      model: 'sora-2',
      prompt: 'A boat mark-v1',
      seconds: '4',
      size: '1280x720',
      ...extra,
    });
    const { id, created_at, ...rest } = created;
    assert.deepEqual(rest, {
      object: 'video',
      model: 'eta2.6-t2v',
      status: 'queued',
      progress: 0,
      completed_at: null,
      expires_at: null,
      prompt: 'A boat mark-v1',
      seconds: '4',
      size: '1280x720',
      remixed_from_video_id: null,
      error: null,
    });
    const video = await ended(id);
    assert.deepEqual(
      [video.status, video.progress, video.size, video.seconds, video.created_at],
      ['completed', 100, '320x240', '1', created_at],
    );
    const { json } = fake.received().at(-1)!;
    assert.deepEqual(json, { prompt: 'A boat mark-v1', size: '1280x720', seconds: '4' });

    const content = await openai.videos.downloadContent(id);
    assert.equal(content.headers.get('content-type'), 'video/mp4');
    const bytes = new Uint8Array(await content.arrayBuffer());
    assert.equal(content.headers.get('etag'), `"${sha256(bytes)}"`);

    const page = await openai.videos.list({ limit: 1 });
    assert.deepEqual([page.data, page.has_more], [[video], false]);
    assert.deepEqual(await openai.videos.delete(id), { id, object: 'video.deleted', deleted: true });
    assert.equal((await thrown(openai.videos.retrieve(id), NotFoundError)).code, 'job_unknown');
    assert.deepEqual((await openai.videos.list()).data, []);
  });

  test('a list goes through its pages in either order', async () => {
    const client = clientOf(gateway, await gateway.key());
    const ids: string[] = [];
    for (const prompt of ['one', 'two', 'three'])
      ids.push((await client.videos.create({ model: 'sora-2', prompt, seconds: '4' })).id);
    const listed = async (order: 'asc' | 'desc') => {
      const found: string[] = [];
      for await (const { id } of client.videos.list({ limit: 1, order })) found.push(id);
      return found;
    };
    assert.deepEqual(await listed('asc'), ids);
    assert.deepEqual(await listed('desc'), ids.toReversed());
  });

  test('a file as input_reference is the first frame', async () => {
    const image = new Uint8Array(await picture('png', 640, 360));
    const { id } = await openai.videos.create({
      model: 'alpha-2-0-mini',
      prompt: 'It moves mark-v2',
      seconds: '4',
      size: '1280x720',
      input_reference: new File([image], 'frame.png', { type: 'image/png' }),
    });
    assert.equal((await ended(id)).status, 'completed');
    assert.deepEqual(fake.received().at(-1)?.json, {
      prompt: 'It moves mark-v2',
      size: '1280x720',
      seconds: '4',
      input_reference: '<image/png>',
    });
  });

  test('a retry of the SDK after a lost answer makes one job', async () => {
    let lost = 0;
    const client = clientOf(gateway, key, {
      fetch: async (input, init) => {
        const answer = await fetch(input, init);
        if (lost++ > 0) return answer;
        await answer.arrayBuffer();
        throw new TypeError('fetch failed');
      },
    });
    const { id } = await client.videos.create({ model: 'sora-2', prompt: 'Once mark-v3', seconds: '4' });
    assert.equal(lost, 2);
    assert.equal((await ended(id)).status, 'completed');
    assert.equal(submissionsOf('mark-v3'), 1);
  });

  test('the same Idempotency-Key gives the first video, and without one the same words make two', async () => {
    const body = { model: 'sora-2', prompt: 'Twice', seconds: '4' } as const;
    const headers = { 'Idempotency-Key': 'boat-1' };
    const [first, again] = [
      await openai.videos.create(body, { headers }),
      await openai.videos.create(body, { headers }),
    ];
    assert.equal(again.id, first.id);
    const [third, fourth] = [await openai.videos.create(body), await openai.videos.create(body)];
    assert.equal(new Set([first.id, third.id, fourth.id]).size, 3);
  });

  test('deleting an unfinished video cancels its job', async () => {
    await fake.play({ runMs: 3_600_000 });
    const { id } = await openai.videos.create({ model: 'sora-2', prompt: 'Stop', seconds: '4' });
    assert.equal((await openai.videos.delete(id)).deleted, true);
    await fake.play({});
    assert.equal((await thrown(openai.videos.retrieve(id), NotFoundError)).status, 404);
    assert.equal(await untilEnded(gateway, key, { id, model: 'eta2.6-t2v', mark: '' }), 'cancelled');
  });

  test('a failed video has the error, and no content', async () => {
    const body = JSON.stringify({ error: { message: 'not this', code: 'moderation_blocked' } });
    const act = {
      kind: 'answer',
      status: 400,
      body,
      headers: { 'content-type': 'application/json' },
    } as const;
    await fake.play({ rules: [{ on: 'create', mark: 'mark-v4', accepts: false, act }] });
    const { id } = await openai.videos.create({ model: 'sora-2', prompt: 'Bad mark-v4', seconds: '4' });
    const video = await ended(id);
    assert.deepEqual([video.status, video.error?.code], ['failed', 'content_policy_violation']);
    const failure = await thrown(openai.videos.downloadContent(id), BadRequestError);
    assert.equal(failure.code, 'content_policy_violation');
    await openai.videos.delete(id);
    await thrown(openai.videos.retrieve(id), NotFoundError);
    await fake.play({});
  });

  test('the end of a video is an event that the package verifies', async () => {
    const receiver = await openReceiver();
    try {
      const extra = { callback_url: receiver.url };
      const body = { model: 'sora-2', prompt: 'A boat with a bell', seconds: '4', ...extra } as const;
      const { id } = await openai.videos.create(body);
      await ended(id);
      const notice = await until(async () => receiver.notices[0], 'the event');
      const secret = (await gateway.ask('GET', '/v1/webhooks/default/secret', { key })).body.key;
      // The clock of the gateway is ahead of the package's.
      const event = await openai.webhooks.unwrap(notice.text, notice.headers, secret, 1_000_000);
      const { created_at, ...rest } = event as { created_at: number };
      assert.deepEqual(rest, {
        ...{ id: `evt_${id}`, object: 'event', type: 'video.completed', data: { id } },
      });
    } finally {
      await receiver.close();
    }
  });

  test('what does not map is refused, and the error names the parameter', async () => {
    const call = openai.videos.create({ model: 'sora-2', prompt: 'A boat', size: '1024x1792' });
    assert.deepEqual(errorOf(await thrown(call, UnprocessableEntityError)), {
      status: 422,
      code: 'input_invalid',
      param: 'size',
      type: 'invalid_request_error',
    });
    const wrongKind = openai.videos.create({ model: 'gamma-v2-image', prompt: 'A boat' });
    assert.equal((await thrown(wrongKind, UnprocessableEntityError)).param, 'model');
    const unknown = openai.videos.create({ model: 'sora-9', prompt: 'A boat' });
    assert.equal((await thrown(unknown, NotFoundError)).code, 'model_unknown');
    const strange = clientOf(gateway, 'sk-nobody').videos.list();
    assert.equal((await thrown(strange, AuthenticationError)).type, 'authentication_error');
    const narrow = clientOf(gateway, await gateway.key({ scopes: ['jobs:read'] }));
    const forbidden = narrow.videos.create({ model: 'sora-2', prompt: 'A boat' });
    assert.equal((await thrown(forbidden, PermissionDeniedError)).code, 'scope_jobs_create');
    const image = new File(['P'], 'a.png', { type: 'image/png' });
    const variation = openai.images.createVariation({ image });
    assert.equal((await thrown(variation, NotFoundError)).code, 'path_unknown');
    const spritesheet = openai.videos.downloadContent('none', { variant: 'spritesheet' });
    assert.equal((await thrown(spritesheet, UnprocessableEntityError)).param, 'variant');
  });
});

describe('images', () => {
  test('generate gives addresses that need no key, or base64', async () => {
    const made = await openai.images.generate({
      model: 'gamma-v2-image',
      prompt: 'A fox',
      size: '1024x1024',
    });
    const [first] = made.data ?? [];
    const linked = new Uint8Array(await (await fetch(first?.url ?? '')).arrayBuffer());
    assert.deepEqual([linked[1], made.data?.length], ['P'.charCodeAt(0), 1]);
    const inline = await openai.images.generate({
      ...{ model: 'gamma-v2-image', prompt: 'A fox', size: '1024x1024' },
      response_format: 'b64_json',
    });
    // The same words within a minute are a retry: the same picture.
    assert.equal(sha256(Buffer.from(inline.data?.[0]?.b64_json ?? '', 'base64')), sha256(linked));
  });

  test('edit takes a file', async () => {
    const image = new File([new Uint8Array(await picture('png', 640, 360))], 'a.png', { type: 'image/png' });
    const made = await openai.images.edit({ model: 'gamma-v2-image', prompt: 'In snow', image });
    assert.equal(made.data?.length, 1);
    const { path, json } = fake.received().at(-1)!;
    assert.deepEqual([path, (json as { image: string }).image], ['/v1/images/edits', '<image/png>']);
  });

  test('past the hold 504 names the job; the same request waits on for it, and one job is made', async () => {
    await fake.play({ rules: [{ on: 'create', mark: 'mark-i1', act: { kind: 'drip', everyMs: 10 } }] });
    const body = { model: 'gamma-v2-image', prompt: 'Slow mark-i1' } as const;
    const impatient = clientOf(gateway, key, { maxRetries: 0 });
    const headers = { prefer: 'wait=1' };
    const failure = await thrown(impatient.images.generate(body, { headers }), InternalServerError);
    assert.deepEqual([failure.status, failure.code], [504, 'job_unfinished']);
    const made = openai.images.generate(body);
    const { response } = await made.withResponse();
    const id = response.headers.get('x-atelier-request-id');
    assert.deepEqual([id, (await made).data?.length], [failure.headers?.get('x-atelier-request-id'), 1]);
    assert.equal(submissionsOf('mark-i1'), 1);
    await fake.play({});
  });

  test('a failed job is an error that the SDK does not send again', async () => {
    const body = JSON.stringify({ error: { message: 'broken', code: 'moderation_blocked' } });
    const act = {
      kind: 'answer',
      status: 400,
      body,
      headers: { 'content-type': 'application/json' },
    } as const;
    await fake.play({ rules: [{ on: 'create', mark: 'mark-i2', accepts: false, act }] });
    const call = openai.images.generate({ model: 'gamma-v2-image', prompt: 'Bad mark-i2' });
    assert.deepEqual(errorOf(await thrown(call, BadRequestError)), {
      status: 400,
      code: 'content_policy_violation',
      param: null,
      type: 'invalid_request_error',
    });
    await fake.play({});
  });
});

describe('speech and models', () => {
  test('the sound comes with its type', async () => {
    const sound = await openai.audio.speech.create({
      ...{ model: 'org/tts', input: 'Hello there', voice: 'Puck' },
      response_format: 'wav',
    });
    assert.equal(sound.headers.get('content-type'), 'audio/wav');
    assert.equal(Buffer.from(await sound.arrayBuffer()).toString('latin1', 0, 4), 'RIFF');
  });

  test('a failure that was none of the input is an InternalServerError, which is not asked for again', async () => {
    let requests = 0;
    const client = clientOf(gateway, key, {
      fetch: (...request) => {
        requests += 1;
        return fetch(...request);
      },
    });
    // Drawn here: no route leads this model to the upstream.
    const words = { model: 'delta-speech-02-hd', voice: 'calm-man' } as const;
    const call = client.audio.speech.create({ ...words, input: 'Hi [atelier:fail=runtime_error]' });
    const failure = await thrown(call, InternalServerError);
    assert.deepEqual([failure.status, failure.code, requests], [500, 'runtime_error', 1]);
  });

  test('a format that the model has not is refused', async () => {
    const call = openai.audio.speech.create({
      model: 'org/tts',
      input: 'Hi',
      voice: 'Puck',
      response_format: 'opus',
    });
    assert.equal((await thrown(call, UnprocessableEntityError)).param, 'response_format');
  });

  test('models are listed by our ids and by the names of the settings', async () => {
    const narrow = clientOf(gateway, await gateway.key({ models: ['eta2.6-t2v'] }));
    const names: string[] = [];
    for await (const { id } of narrow.models.list()) names.push(id);
    assert.deepEqual(names, ['eta2.6-t2v', 'sora-2']);
    assert.equal((await openai.models.retrieve('org/tts')).id, 'org/tts');
    await thrown(openai.models.retrieve('none'), NotFoundError);
  });
});

test('a second Atelier whose account is the mount makes a picture, a voice and a video', async () => {
  const routes = {
    'eta2.6-t2v': { model: 'sora-2', ignores: ['sound'] },
    'gamma-v2-image': { model: 'gamma-v2-image' },
    'theta-3.1-flash-tts-preview': { model: 'org/tts' },
  };
  const path = await written('second', accountAt(`${gateway.url}/openai`, routes));
  const second = await startGateway({ env: { ATELIER_CONFIG: path, STUDIO_KEY: key } });
  try {
    const own = await second.key();
    const run = async (model: string, body: unknown) => {
      const made = await second.ask('POST', `/v1/queue/${model}`, { key: own, body });
      assert.equal(made.status, 200, JSON.stringify(made.body));
      const id: string = made.body.request_id;
      const result = await untilAdvanced(
        gateway.clock,
        1 * seconds,
        async () => {
          second.clock.advance(1 * seconds);
          const answer = await second.ask('GET', `/v1/queue/${model}/requests/${id}/response`, { key: own });
          return answer.status === 200 && answer.body;
        },
        `${model} to end`,
      );
      assert.equal(result.error, null, JSON.stringify(result.error));
      return result;
    };
    const video = await run('eta2.6-t2v', { prompt: 'A boat', duration: 4, size: '1280*720' });
    assert.equal(video.video.width, 320);
    const image = await run('gamma-v2-image', { prompt: 'A fox in a second house', aspect_ratio: '1:1' });
    assert.equal(image.images.length, 1);
    const voice = await run('theta-3.1-flash-tts-preview', { text: 'From far away', voice_name: 'Puck' });
    assert.equal(voice.audio.content_type, 'audio/wav');
  } finally {
    await second.close();
  }
});
