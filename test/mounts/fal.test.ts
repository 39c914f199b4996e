/** The mount for clients of fal: `@fal-ai/client` as it is published, and the calls of `fal-client` for Python. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ApiError, createFalClient, type QueueStatus, ValidationError } from '@fal-ai/client';
import { Webhook } from 'standardwebhooks';
import { seconds } from '../../src/domain/clock.ts';
import { newWorkerId } from '../../src/domain/ids.ts';
import { type Job, jobError, type Outcome } from '../../src/domain/job.ts';
import { jobTopic } from '../../src/store/db/connection.ts';
import { claimJobs } from '../../src/store/jobs/claim.ts';
import { settle } from '../../src/store/jobs/settle.ts';
import { registerWorker } from '../../src/store/jobs/workers.ts';
import { thrown } from '../../testkit/clients/thrown.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { openReceiver, type Receiver } from '../../testkit/net/receiver.ts';

const speech = 'fal-ai/gemini-3.1-flash-tts';
const speechId = 'theta-3.1-flash-tts-preview';
const video = 'fal-ai/kling-video/v3/turbo/pro/text-to-video';
const videoId = 'gamma-v3-turbo-t2v';

const settings = `mounts:
  fal:
    models:
      acme/voice: ${speechId}
`;

let folder: string;
let env: Record<string, string>;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'atelier-fal-'));
  env = { ATELIER_CONFIG: join(folder, 'atelier.yaml') };
  await writeFile(env.ATELIER_CONFIG!, settings);
});
after(() => rm(folder, { recursive: true, force: true }));

/** The published client, with a key and a proxy address: the two things that a program changes. */
function openClient(gateway: TestGateway, key: string, send: typeof fetch = fetch) {
  const proxyUrl = { url: `${gateway.url}/fal/proxy`, when: 'always' as const };
  return createFalClient({ credentials: key, proxyUrl, fetch: send });
}

const errorOf = ({ status, body }: ApiError<unknown>) => ({ status, body });

describe('jobs that run', () => {
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

  test('subscribe by the name of fal gives the file, and the webhook is theirs and verifies', async () => {
    const fal = openClient(gateway, key);
    const updates: QueueStatus[] = [];
    const result = await fal.subscribe(speech, {
      input: { prompt: 'Good morning.', voice: 'Puck', output_format: 'wav' },
      webhookUrl: receiver.url,
      pollInterval: 50,
      logs: true,
      onQueueUpdate: update => void updates.push(update),
    });
    const { audio, model } = result.data as { audio: { url: string; file_size: number }; model: string };
    assert.equal(model, speechId);
    const sound = await fetch(audio.url);
    assert.equal((await sound.arrayBuffer()).byteLength, audio.file_size);
    const last = updates.at(-1);
    assert.ok(last?.status === 'COMPLETED');
    assert.deepEqual(
      last.logs.map(({ message }) => message),
      ['Accepted', 'Started', 'Completed'].filter(message => last.logs.some(one => one.message === message)),
    );
    const notice = await until(async () => receiver.notices[0], 'the webhook');
    const secret = await gateway.ask('GET', '/v1/webhooks/default/secret', { key });
    const body = new Webhook(secret.body.key).verify(notice.text, notice.headers) as typeof notice.body;
    const { payload, ...head } = body;
    assert.deepEqual(head, {
      request_id: result.requestId,
      gateway_request_id: result.requestId,
      status: 'OK',
    });
    assert.equal(payload.audio.file_size, audio.file_size);
    assert.equal(receiver.notices.length, 1);
  });

  test('the webhook of a run that ended without a result says why', async () => {
    const fal = openClient(gateway, key);
    const seen = receiver.notices.length;
    const submission = { input: { prompt: 'a lake', duration: '15' }, webhookUrl: receiver.url } as const;
    const { request_id: id } = await fal.queue.submit(video, submission);
    await fal.queue.cancel(video, { requestId: id });
    const { body } = await until(async () => receiver.notices[seen], 'the webhook');
    const { error } = body;
    assert.match(error, /^Runtime execution failed: /);
    const head = { request_id: id, gateway_request_id: id, status: 'ERROR' };
    assert.deepEqual(body, { ...head, error, payload: { detail: error } });
  });

  test('run waits for the result, also by a name of the settings, whose input is ours', async () => {
    const fal = openClient(gateway, key);
    const { data, requestId } = await fal.run('acme/voice', { input: { text: 'Good evening.' } });
    assert.equal(data.request_id, requestId);
    assert.equal(data.audio.content_type, 'audio/wav');
    const again = await fal.run('acme/voice', { input: { text: 'Good evening.' } });
    assert.equal(again.requestId, requestId);
  });
});

describe('jobs that the test moves', () => {
  let gateway: TestGateway;
  let key: string;
  const worker = newWorkerId();
  before(async () => {
    gateway = await startGateway({ role: 'api', env });
    await registerWorker(gateway.gateway.db, worker);
    key = await gateway.key();
  });
  after(() => gateway.close());

  async function claim(modelId: string): Promise<Job> {
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

  /** The error of the result of a speech job that ended so. */
  async function failureOf(outcome: Outcome) {
    const fal = openClient(gateway, key);
    const { request_id: requestId } = await fal.queue.submit(speech, { input: { prompt: 'fails' } });
    await end(await claim(speechId), outcome);
    const status = await fal.queue.status(speech, { requestId });
    const failure = await thrown(fal.queue.result(speech, { requestId }), ApiError);
    assert.equal(failure.requestId, requestId);
    return { failure, status: status as QueueStatus & { error?: unknown; error_type?: unknown } };
  }

  test('the input of an endpoint is stored as ours, its path included', async () => {
    const fal = openClient(gateway, key);
    const input = { prompt: 'a lake', aspect_ratio: '1:1', duration: '7' } as const;
    const { request_id } = await fal.queue.submit(video, { input });
    const { body } = await gateway.ask('GET', `/v1/jobs/${request_id}`, { key });
    assert.equal(body.model, videoId);
    const wanted = { resolution: '1080p', aspect_ratio: '1:1', duration: 7 };
    assert.deepEqual(body.input, { prompt: 'a lake', settings: wanted });
    await fal.queue.cancel(video, { requestId: request_id });
  });

  test('a failed run is an ApiError 500 with its reason', async () => {
    const error = jobError('runtime_error', 'it is a test');
    const { failure, status } = await failureOf({ kind: 'failed', error });
    assert.deepEqual(errorOf(failure), { status: 500, body: { detail: error.message } });
    assert.deepEqual([status.error, status.error_type], [error.message, 'runtime_error']);
  });

  test('a run whose input was at fault is a ValidationError', async () => {
    const error = jobError('content_policy_violation', 'it is a test');
    const { failure } = await failureOf({ kind: 'failed', error });
    assert.ok(failure instanceof ValidationError);
    assert.deepEqual(failure.fieldErrors, [
      { loc: ['body'], msg: error.message, type: 'content_policy_violation' },
    ]);
  });

  test('a waiting job is cancelled, and a second time is too late', async () => {
    const fal = openClient(gateway, key);
    const { request_id: requestId } = await fal.queue.submit(video, { input: { prompt: 'a lake' } });
    const early = await fal.queue.result(video, { requestId });
    assert.equal((early.data as { status: string }).status, 'IN_QUEUE');
    await fal.queue.cancel(video, { requestId });
    const again = await thrown(fal.queue.cancel(video, { requestId }), ApiError);
    assert.deepEqual(errorOf(again), { status: 400, body: { status: 'ALREADY_COMPLETED' } });
    const result = await thrown(fal.queue.result(video, { requestId }), ApiError);
    assert.equal(result.status, 400);
  });

  test('a start time is the deadline of the job, and low priority its band', async () => {
    const fal = openClient(gateway, key);
    const { request_id } = await fal.queue.submit(speech, {
      input: { prompt: 'soon' },
      startTimeout: 90,
      priority: 'low',
    });
    const job = await claim(speechId);
    assert.equal(job.id, request_id);
    assert.equal(job.expiresAt - job.createdAt, 90 * seconds);
    assert.equal(job.priority, 1);
    await end(job, { kind: 'cancelled' });
  });

  test('the retry of the package after a broken connection makes one job under an Idempotency-Key', async () => {
    let requests = 0;
    const fal = openClient(gateway, key, async (...request) => {
      const answer = await fetch(...request);
      if (++requests > 1) return answer;
      await answer.arrayBuffer();
      throw new TypeError('fetch failed', {
        cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }),
      });
    });
    const headers = { 'Idempotency-Key': 'order-1' };
    const { request_id } = await fal.queue.submit(speech, { input: { prompt: 'once' }, headers });
    assert.equal(requests, 2);
    const job = await claim(speechId);
    assert.equal(job.id, request_id);
    await end(job, { kind: 'cancelled' });
    const now = gateway.clock.now();
    const others = await claimJobs(gateway.gateway.db, { worker, modelId: speechId, limit: 1, now });
    assert.deepEqual(others, []);
  });

  test('an upload through the proxy is an input of a job; its second try changes nothing', async () => {
    const fal = openClient(gateway, key);
    const url = await fal.storage.upload(new File(['hello'], 'a.txt', { type: 'text/plain' }));
    assert.equal(await (await fetch(url)).text(), 'hello');
    const initiated = await gateway.ask('POST', '/fal/storage/upload/initiate', {
      headers: { authorization: `Key ${key}` },
      body: { file_name: 'b.txt', content_type: 'text/plain' },
    });
    const { upload_url, file_url } = initiated.body;
    assert.equal((await gateway.ask('GET', file_url)).status, 404);
    for (const body of ['first', 'other'])
      assert.equal((await gateway.ask('PUT', upload_url, { body })).status, 200);
    assert.equal((await gateway.ask('GET', file_url)).body, 'first');
    const forged = await gateway.ask('PUT', upload_url.replace('ticket=', 'ticket=x'), { body: 'x' });
    assert.equal(forged.status, 403);
    assert.deepEqual(forged.body, { detail: 'The signature of this address is not valid' });
  });

  describe('refusals', () => {
    const refusal = async (endpoint: string, options: object, wanted = key) => {
      let requests = 0;
      const fal = openClient(gateway, wanted, (...request) => {
        requests += 1;
        return fetch(...request);
      });
      const failure = await thrown(
        fal.queue.submit(endpoint, options as { input: Record<string, unknown> }),
        ApiError,
      );
      assert.equal(requests, 1);
      return failure;
    };

    test('422: a wrong input, in the words of the endpoint', async () => {
      const failure = await refusal(video, { input: { prompt: 'a lake', duration: '99', cfg_scale: 1 } });
      assert.ok(failure instanceof ValidationError);
      const fields = failure.fieldErrors.map(({ loc }) => loc.join('.'));
      assert.deepEqual(fields.toSorted(), ['body.cfg_scale', 'body.duration']);
    });

    test('422: a value that no field takes, and a header', async () => {
      const format = await refusal(speech, { input: { prompt: 'hello', output_format: 'mp3' } });
      assert.deepEqual(format.body, {
        detail: [
          { loc: ['body', 'output_format'], msg: 'output_format: must be "wav" here', type: 'value_error' },
        ],
      });
      const webhook = await refusal(speech, { input: { prompt: 'a' }, webhookUrl: 'ftp://hooks.test/' });
      assert.deepEqual(webhook.body, {
        detail: [
          {
            loc: ['body', 'fal_webhook'],
            msg: 'fal_webhook: must be an http or https URL',
            type: 'value_error',
          },
        ],
      });
      const priority = await refusal(speech, { input: { prompt: 'hello' }, priority: 'high' });
      assert.equal(priority.status, 422);
    });

    test('401, 403 and 404', async () => {
      const input = { prompt: 'hello' };
      const unknown = await refusal(speech, { input }, 'atl_wrong');
      assert.deepEqual(errorOf(unknown), { status: 401, body: { detail: 'Invalid API key' } });
      const limited = await gateway.key({ models: [videoId] });
      const forbidden = await refusal(speech, { input }, limited);
      assert.deepEqual(errorOf(forbidden), {
        status: 403,
        body: { detail: 'Model not allowed for this user' },
      });
      const missing = await refusal('fal-ai/flux/dev', { input });
      assert.deepEqual(errorOf(missing), { status: 404, body: { detail: 'App not found: fal-ai/flux/dev' } });
    });

    test('a proxy takes addresses of fal alone, and there is no stream', async () => {
      const headers = { authorization: `Key ${key}`, 'x-fal-target-url': 'https://example.com/a/b' };
      const foreign = await gateway.ask('POST', '/fal/proxy', { body: {}, headers });
      assert.equal(foreign.status, 422);
      const fal = openClient(gateway, key);
      const { request_id: requestId } = await fal.queue.submit(speech, { input: { prompt: 'hello' } });
      const path = `/fal/${speech}/requests/${requestId}/status/stream`;
      const stream = await gateway.ask('GET', path, { headers: { authorization: `Key ${key}` } });
      assert.deepEqual([stream.status, stream.body], [400, { detail: 'SSE streaming not supported' }]);
    });
  });
});
