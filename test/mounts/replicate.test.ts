/** The mount for clients of Replicate: `replicate` for JavaScript as it is published. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import Replicate, { type Prediction, validateWebhook } from 'replicate';
import { findModel } from '../../src/catalog/index.ts';
import { minutes } from '../../src/domain/clock.ts';
import { jobIdFromRow, newWorkerId } from '../../src/domain/ids.ts';
import { type Job, jobError, type Outcome } from '../../src/domain/job.ts';
import { translate } from '../../src/http/mounts/kit/translate.ts';
import { replicateWords } from '../../src/http/mounts/replicate/models.ts';
import { replicateMappings, replicateModels } from '../../src/providers/replicate/models.ts';
import { jobTopic } from '../../src/store/db/connection.ts';
import { claimJobs } from '../../src/store/jobs/claim.ts';
import { settle } from '../../src/store/jobs/settle.ts';
import { registerWorker } from '../../src/store/jobs/workers.ts';
import { callbacksOf } from '../../testkit/clients/callback-jobs.ts';
import { thrown } from '../../testkit/clients/thrown.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { picture } from '../../testkit/media/media-maker.ts';
import { openReceiver, type Receiver } from '../../testkit/net/receiver.ts';

const speech = 'minimax/speech-02-hd';
const speechId = 'delta-speech-02-hd';
const own = 'atelier/theta-3.1-flash-tts-preview';
const version = 'a'.repeat(64);

const settings = `mounts:
  replicate:
    models:
      ${version}: theta-3.1-flash-tts-preview
`;

let folder: string;
let env: Record<string, string>;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'atelier-replicate-'));
  env = { ATELIER_CONFIG: join(folder, 'atelier.yaml') };
  await writeFile(env.ATELIER_CONFIG!, settings);
});
after(() => rm(folder, { recursive: true, force: true }));

/** The published client, with the two things that a program changes. */
const openClient = (gateway: TestGateway, auth: string, send: typeof fetch = fetch) =>
  new Replicate({ auth, baseUrl: `${gateway.url}/replicate/v1`, fetch: send });

/** What the package threw: the status and the body of the answer. */
async function refusalOf(call: Promise<unknown>) {
  const failure = (await thrown(call, Error)) as Error & { readonly response: Response };
  assert.equal(failure.name, 'ApiError');
  const [, body = ''] = /: (\{.*\})\.$/s.exec(failure.message) ?? [];
  return { status: failure.response.status, body: JSON.parse(body) };
}

describe('an input of ours, written by the provider and read by the mount', () => {
  const inputs: Readonly<Record<keyof typeof replicateModels, unknown>> = {
    'alpha-1-5-pro': {
      content: [
        { type: 'text', text: 'waves' },
        { type: 'image_url', image_url: { url: 'https://files.test/a.png' }, role: 'first_frame' },
      ],
      ratio: '16:9',
      seed: 3,
    },
    'gamma-v2-6-motion-control': {
      image_url: 'https://files.test/a.png',
      video_url: 'https://files.test/a.mp4',
      character_orientation: 'video',
      keep_original_sound: 'no',
      mode: 'pro',
    },
    'delta-speech-02-hd': { text: 'Hello.', voice_setting: { voice_id: 'calm-man', speed: 1.5 } },
  };
  for (const [id, input] of Object.entries(inputs))
    test(id, () => {
      const mapping = replicateMappings[id as keyof typeof replicateModels];
      const parsed = findModel(id)!.parse(input);
      assert.ok(parsed.ok, JSON.stringify(parsed));
      assert.deepEqual(mapping.faults(parsed.input), []);
      const written = mapping.map(parsed.input)!;
      const again = findModel(id)!.parse(translate(replicateWords[id]!, written));
      assert.ok(again.ok, JSON.stringify(again));
      assert.deepEqual(mapping.map(again.input), written);
    });

  test('every model of the provider has its words', () => {
    assert.deepEqual(Object.keys(replicateWords).toSorted(), Object.keys(replicateModels).toSorted());
  });
});

describe('predictions that run', () => {
  let gateway: TestGateway;
  let receiver: Receiver;
  let key: string;
  before(async () => {
    gateway = await startGateway({ env });
    receiver = await openReceiver();
    key = await gateway.key();
  });
  after(async () => {
    await receiver.close();
    await gateway.close();
  });

  const speechInput = { text: 'Good morning.', voice_id: 'calm-man', audio_format: 'mp3', channel: 'mono' };

  test('run waits and gives the address of the file; its webhook verifies', async () => {
    const replicate = openClient(gateway, key);
    const seen: Prediction[] = [];
    const output = await replicate.run(
      speech,
      {
        input: speechInput,
        webhook: receiver.url,
        webhook_events_filter: ['completed'],
      },
      prediction => void seen.push(prediction),
    );
    const sound = await fetch(String(output));
    assert.equal(sound.headers.get('content-type'), 'audio/mpeg');
    await sound.arrayBuffer();
    const prediction = seen.at(-1)!;
    assert.equal(prediction.status, 'succeeded');
    const notice = await until(async () => receiver.notices[0], 'the webhook');
    const { key: secret } = await replicate.webhooks.default.secret.get();
    const request = new Request(receiver.url, {
      method: 'POST',
      headers: { ...notice.headers },
      body: notice.text,
    });
    assert.equal(await validateWebhook(request, secret), true);
    const { id, status, model, completed_at } = notice.body;
    assert.deepEqual(
      { id, status, model, completed_at },
      {
        id: prediction.id,
        status: 'succeeded',
        model: `atelier/${speechId}`,
        completed_at: prediction.completed_at,
      },
    );
    assert.equal(receiver.notices.length, 1);
    const again = { input: { ...speechInput }, webhook: receiver.url, webhook_events_filter: ['completed'] };
    const repeated = await replicate.predictions.create({ ...again, model: speech, wait: true } as never);
    assert.deepEqual([repeated.id, repeated.status], [prediction.id, 'succeeded']);
    const page = await replicate.predictions.list();
    assert.deepEqual(
      page.results.map(({ id, status }) => ({ id, status })),
      [{ id: prediction.id, status: 'succeeded' }],
    );
  });

  test('a version of the settings, and polling', async () => {
    const replicate = openClient(gateway, key);
    const output = await replicate.run(`acme/voice:${version}`, {
      input: { text: 'Good evening.' },
      wait: { mode: 'poll', interval: 50 },
    });
    assert.equal((await fetch(String(output))).headers.get('content-type'), 'audio/wav');
  });
});

describe('predictions that the test moves', () => {
  let gateway: TestGateway;
  let key: string;
  const worker = newWorkerId();
  before(async () => {
    gateway = await startGateway({ role: 'api', env });
    await registerWorker(gateway.gateway.db, worker);
    key = await gateway.key();
  });
  after(() => gateway.close());

  async function claim(modelId = speechId): Promise<Job> {
    const now = gateway.clock.now();
    const [job] = await claimJobs(gateway.gateway.db, { worker, modelId, limit: 1, now });
    assert.ok(job);
    return job;
  }

  async function end(job: Job, outcome: Outcome): Promise<void> {
    const { db } = gateway.gateway;
    const lease = { jobId: job.id, holder: worker, claim: job.claim };
    assert.equal(await settle(db, lease, outcome, gateway.clock.now()), true);
    db.announce(jobTopic(job.id));
  }

  const input = { text: 'Hello.', voice_id: 'calm-man', speed: 1.2, channel: 'stereo' };

  test('create gives a prediction whose input is ours', async () => {
    const replicate = openClient(gateway, key);
    const prediction = await replicate.predictions.create({ model: speech, input });
    const base = `${gateway.url}/replicate/v1/predictions/${prediction.id}`;
    const { input: stored, created_at, ...rest } = prediction as Prediction & { input: Job['input'] };
    assert.match(String(created_at), /^\d{4}-.*Z$/);
    assert.deepEqual(rest, {
      id: prediction.id,
      model: `atelier/${speechId}`,
      version: 'hidden',
      status: 'starting',
      output: null,
      error: null,
      logs: '',
      started_at: null,
      completed_at: null,
      source: 'api',
      data_removed: false,
      urls: { get: base, cancel: `${base}/cancel` },
    });
    const { voice_setting, audio_setting } = stored as Record<string, Record<string, unknown>>;
    assert.deepEqual(
      [voice_setting?.voice_id, voice_setting?.speed, audio_setting?.channel],
      ['calm-man', 1.2, 2],
    );
    const cancelled = await replicate.predictions.cancel(prediction.id);
    assert.equal(cancelled.status, 'canceled');
    assert.deepEqual(await replicate.predictions.cancel(prediction.id), cancelled);
  });

  test('a failed prediction is thrown with its reason', async () => {
    const replicate = openClient(gateway, key);
    const error = jobError('runtime_error', 'it is a test');
    const running = replicate.run(speech, { input, wait: { mode: 'poll', interval: 20 } });
    const failure = thrown(running, Error);
    const job = await until(async () => {
      const now = gateway.clock.now();
      return (await claimJobs(gateway.gateway.db, { worker, modelId: speechId, limit: 1, now }))[0];
    }, 'the job');
    await end(job, { kind: 'failed', error });
    assert.equal((await failure).message, `Prediction failed: ${error.message}`);
  });

  test('webhooks are of the events that the filter names; without one, of all', async () => {
    const replicate = openClient(gateway, key);
    const webhook = 'https://hooks.test/#mine';
    const statusesOf = async (filter: object) => {
      const prediction = await replicate.predictions.create({ model: speech, input, webhook, ...filter });
      await end(await claim(), { kind: 'cancelled' });
      return (await callbacksOf(gateway, jobIdFromRow(prediction.id))).map(({ status }) => status);
    };
    assert.deepEqual(await statusesOf({}), ['IN_PROGRESS', 'COMPLETED']);
    assert.deepEqual(await statusesOf({ webhook_events_filter: ['start'] }), ['IN_PROGRESS']);
    assert.deepEqual(await statusesOf({ webhook_events_filter: ['output', 'logs'] }), ['COMPLETED']);
    assert.deepEqual(await statusesOf({ webhook_events_filter: ['logs'] }), []);
  });

  test('a retry under an Idempotency-Key makes one job; Cancel-After is its deadline', async () => {
    const replicate = openClient(gateway, key, (url, init) => {
      const headers = { ...(init?.headers as object), 'Idempotency-Key': 'order-1', 'Cancel-After': '5m' };
      return fetch(url, { ...init, headers });
    });
    const create = () => replicate.predictions.create({ model: own, input: { text: 'once' } });
    const [first, second] = [await create(), await create()];
    assert.equal(first.id, second.id);
    const job = await claim(own.slice('atelier/'.length));
    assert.equal(job.id, first.id);
    assert.equal(job.expiresAt - job.createdAt, 5 * minutes);
    await end(job, { kind: 'cancelled' });
  });

  test('a file of an input is uploaded by the package, and its address is the input', async () => {
    const replicate = openClient(gateway, key);
    const image = new Blob([new Uint8Array(await picture('png', 320, 320))], { type: 'image/png' });
    const words = { prompt: 'In snow', image };
    const { input } = await replicate.predictions.create({ model: 'atelier/gamma-v2-image', input: words });
    const { id } = (await replicate.files.list()).results[0]!;
    assert.equal((input as { image: string }).image, id);
    await end(await claim('gamma-v2-image'), { kind: 'cancelled' });
  });

  test('files: one is uploaded; it is listed, read and deleted', async () => {
    const replicate = openClient(gateway, key);
    const file = await replicate.files.create(new File(['hello'], 'a.txt', { type: 'text/plain' }));
    assert.deepEqual([file.content_type, file.size], ['text/plain', 5]);
    assert.equal(await (await fetch(file.urls.get)).text(), 'hello');
    const { urls: _, ...listed } = (await replicate.files.list()).results[0]!;
    const { urls, ...read } = await replicate.files.get(file.id);
    assert.deepEqual(listed, read);
    assert.equal(await (await fetch(urls.get)).text(), 'hello');
    assert.equal(await replicate.files.delete(file.id), true);
    assert.equal((await refusalOf(replicate.files.delete(file.id))).status, 404);
  });

  test('a picture that waits, in common words', async () => {
    const headers = { authorization: `Bearer ${key}`, prefer: 'wait=1' };
    const input = { prompt: 'A lake', aspect_ratio: '1:1', num_outputs: 2 };
    const path = '/replicate/v1/models/atelier/gamma-v3-image/predictions';
    const answered = gateway.ask('POST', path, { headers, body: { input } });
    const job = await until(async () => {
      const wanted = { worker, modelId: 'gamma-v3-image', limit: 1, now: gateway.clock.now() };
      return (await claimJobs(gateway.gateway.db, wanted))[0];
    }, 'the job');
    const { prompt, n, aspect_ratio } = job.input as Record<string, unknown>;
    assert.deepEqual({ prompt, n, aspect_ratio }, { prompt: 'A lake', n: 2, aspect_ratio: '1:1' });
    await end(job, { kind: 'failed', error: jobError('runtime_error', 'it is a test') });
    const { status, body, headers: given } = await answered;
    assert.deepEqual([status, body.status, given.get('preference-applied')], [201, 'failed', 'wait=1']);
  });

  test('a model is described', async () => {
    const model = await openClient(gateway, key).models.get('minimax', 'speech-02-hd');
    assert.equal(model.url, `${gateway.url}/v1/models/${speechId}`);
    assert.equal(model.name, 'speech-02-hd');
  });

  describe('refusals', () => {
    const refusal = (model: string, given: object, wanted = key) =>
      refusalOf(openClient(gateway, wanted).predictions.create({ model, input: {}, ...given }));

    test('422: a wrong input, in the words of the model', async () => {
      const { status, body } = await refusal(speech, { input: { ...input, speed: 9, style: 'calm' } });
      assert.equal(status, 422);
      assert.equal(body.title, 'input_invalid');
      assert.match(body.detail, /(?:^|; )speed: /);
      assert.match(body.detail, /(?:^|; )style: /);
    });

    test('422: what the body cannot have; 400: a stream', async () => {
      const events = await refusal(speech, { input, webhook_events_filter: ['never'] });
      assert.equal(events.status, 422);
      assert.match(events.body.detail, /^webhook_events_filter/);
      const webhook = await refusal(speech, { input, webhook: 'ftp://hooks.test/' });
      assert.equal(webhook.body.detail, 'webhook: must be an http or https URL');
      const streamed = await refusal(speech, { input, stream: true });
      assert.deepEqual([streamed.status, streamed.body.detail], [400, 'SSE streaming not supported']);
    });

    test('401, 403 and 404', async () => {
      assert.deepEqual(await refusal(speech, { input }, 'atl_wrong'), {
        status: 401,
        body: { title: 'key_invalid', detail: 'Invalid API key', status: 401 },
      });
      const limited = await gateway.key({ models: ['gamma-v3-image'] });
      assert.equal((await refusal(speech, { input }, limited)).status, 403);
      const writer = await gateway.key({ scopes: ['jobs:create'] });
      assert.deepEqual((await refusal(speech, { input }, writer)).body.detail, 'This key may not read jobs');
      const missing = await refusal('acme/nothing', { input });
      assert.deepEqual([missing.status, missing.body.detail], [404, 'App not found: acme/nothing']);
      const id = '01900000-0000-7000-8000-000000000000';
      const unknown = await refusalOf(openClient(gateway, key).predictions.get(id));
      assert.deepEqual([unknown.status, unknown.body.detail], [404, 'Request not found']);
    });
  });
});
