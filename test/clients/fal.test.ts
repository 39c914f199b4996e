/** The fal client against a gateway. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ApiError, createFalClient, type FalClient, type QueueStatus, ValidationError } from '@fal-ai/client';
import { seconds } from '../../src/domain/clock.ts';
import { jobIdFromRow, newWorkerId } from '../../src/domain/ids.ts';
import { type Job, jobError, type Outcome } from '../../src/domain/job.ts';
import { jobTopic } from '../../src/store/db/connection.ts';
import { claimJobs } from '../../src/store/jobs/claim.ts';
import { settle } from '../../src/store/jobs/settle.ts';
import { registerWorker } from '../../src/store/jobs/workers.ts';
import { thrown } from '../../testkit/clients/thrown.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';
import { type CountingFetch, openCountingFetch } from './counting-fetch.ts';

const video = 'atelier/gamma-v3-turbo-t2v';
const picture = 'atelier/gamma-v3-image';
const speech = 'atelier/theta-3.1-flash-tts-preview';

interface Client extends CountingFetch {
  readonly fal: FalClient;
}

interface ClientOptions {
  /** Default: of a new user. */
  readonly key?: string;
  readonly onAnswer?: (answer: Response) => void;
}

/** The unmodified client: only its addresses and its Authorization header are rewritten, by its own hook. */
async function openClient(gateway: TestGateway, options: ClientOptions = {}): Promise<Client> {
  const counting = openCountingFetch(options.onAnswer);
  const token = options.key ?? (await gateway.key());
  const fal = createFalClient({
    fetch: counting.fetch,
    requestMiddleware: async request => ({
      ...request,
      url: request.url.replace(/^https:\/\/queue\.fal\.run\/[^/]+/, `${gateway.url}/v1/queue`),
      headers: { ...request.headers, Authorization: `Bearer ${token}` },
    }),
  });
  return { fal, ...counting };
}

const errorOf = ({ status, body }: ApiError<unknown>) => ({ status, body });

/** Statuses as they followed one another. */
const changesOf = (updates: readonly QueueStatus[]) =>
  updates.map(update => update.status).filter((status, index, all) => status !== all[index - 1]);

describe('jobs that run', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
  });
  after(() => gateway.close());

  /** Subscribes, checks the updates, and downloads the one file of the result. */
  async function subscribe(endpoint: string, input: Record<string, unknown>) {
    const { fal } = await openClient(gateway);
    const updates: QueueStatus[] = [];
    let enqueued = '';
    const result = await fal.subscribe(endpoint, {
      input,
      pollInterval: 50,
      logs: true,
      onEnqueue: id => {
        enqueued = id;
      },
      onQueueUpdate: update => void updates.push(update),
    });
    assert.notEqual(updates[0]?.status, 'COMPLETED');
    assert.equal(updates.at(-1)?.status, 'COMPLETED');
    const order = ['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED'];
    const seen = changesOf(updates);
    assert.deepEqual(
      seen,
      order.filter(status => seen.some(one => one === status)),
    );
    assert.ok(updates.every(update => update.request_id === enqueued));
    assert.equal(result.requestId, enqueued);
    return result.data;
  }

  async function download(url: string, contentType: string) {
    const answer = await fetch(url);
    assert.equal(answer.headers.get('content-type'), contentType);
    return (await answer.arrayBuffer()).byteLength;
  }

  test('subscribe to a video ends with the address of the video', async () => {
    const data = await subscribe(video, { prompt: 'A paper boat on a puddle', settings: { duration: 3 } });
    const { url, file_size, width, height } = data.video;
    assert.deepEqual({ width, height, error: data.error }, { width: 1280, height: 720, error: null });
    assert.equal(await download(url, 'video/mp4'), file_size);
  });

  test('subscribe to pictures ends with the address of each picture', async () => {
    const data = await subscribe(picture, { prompt: 'A red balloon over a lake', n: 2, aspect_ratio: '1:1' });
    assert.equal(data.images.length, 2);
    for (const { url, file_size } of data.images) assert.equal(await download(url, 'image/png'), file_size);
  });

  test('subscribe to speech ends with the address of the sound', async () => {
    const data = await subscribe(speech, { text: 'Good morning.' });
    assert.equal(await download(data.audio.url, 'audio/wav'), data.audio.file_size);
  });
});

describe('jobs that the test moves', () => {
  let gateway: TestGateway;
  const worker = newWorkerId();
  before(async () => {
    gateway = await startGateway({ role: 'api' });
    await registerWorker(gateway.gateway.db, worker);
  });
  after(() => gateway.close());

  async function claim(endpoint: string): Promise<Job> {
    const now = gateway.clock.now();
    const modelId = endpoint.split('/')[1] ?? '';
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

  /** Subscribes to a job that waits, runs and then fails with that code. */
  async function subscribeToFailure(endpoint: string, input: unknown, code: Parameters<typeof jobError>[0]) {
    const { fal, requests } = await openClient(gateway);
    const updates: QueueStatus[] = [];
    let moved: Promise<unknown> = Promise.resolve();
    let job: Job | null = null;
    const failure = await thrown(
      fal.subscribe(endpoint, {
        input: input as Record<string, unknown>,
        pollInterval: 20,
        onQueueUpdate: update => {
          const isNew = update.status !== updates.at(-1)?.status;
          updates.push(update);
          if (!isNew) return;
          moved = moved.then(async () => {
            if (update.status === 'IN_QUEUE') job = await claim(endpoint);
            if (update.status === 'IN_PROGRESS' && job)
              await end(job, { kind: 'failed', error: jobError(code, 'it is a test') });
          });
        },
      }),
      ApiError,
    );
    await moved;
    assert.deepEqual(changesOf(updates), ['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED']);
    const results = requests.filter(one => /\/requests\/[^/]+$/.test(one));
    return { failure, completed: updates.at(-1), results };
  }

  test('a failed run is an ApiError 500, whose result is requested exactly once', async () => {
    const { failure, completed, results } = await subscribeToFailure(
      speech,
      { text: 'fails' },
      'runtime_error',
    );
    assert.deepEqual(errorOf(failure), { status: 500, body: { detail: 'Runtime execution failed' } });
    assert.equal(results.length, 1);
    assert.equal(failure.requestId, completed?.request_id);
    const { error, error_type } = completed as QueueStatus & { error?: unknown; error_type?: unknown };
    assert.equal(error_type, 'runtime_error');
    assert.deepEqual(error, {
      code: 'runtime_error',
      message: 'Runtime execution failed: it is a test',
      retryable: false,
    });
  });

  test('a job whose input was at fault is an ApiError 400, whose result is requested exactly once', async () => {
    const { failure, results } = await subscribeToFailure(speech, { text: 'fails' }, 'invalid_input');
    assert.deepEqual(errorOf(failure), { status: 400, body: { detail: 'Runtime execution failed' } });
    assert.equal(results.length, 1);
  });

  test('submit gives a handle, and status reports the state, with logs only where they are requested', async () => {
    const { fal } = await openClient(gateway);
    const handle = await fal.queue.submit(picture, { input: { prompt: 'a lake' }, priority: 'low' });
    const requestId = handle.request_id;
    const base = `${gateway.url}/model/v1/queue/gamma-v3-image/requests/${requestId}`;
    const addresses = {
      response_url: `${base}/response`,
      status_url: `${base}/status`,
      cancel_url: `${base}/cancel`,
    };
    assert.deepEqual(handle, { request_id: requestId, ...addresses, queue_position: 0 });
    const job = await claim(picture);
    const created = Math.floor(job.createdAt / 1000);
    const running = {
      status: 'IN_PROGRESS',
      request_id: requestId,
      ...addresses,
      model: 'gamma-v3-image',
      task_id: requestId,
      task_status: 'processing',
      task_status_msg: '',
      task_info: { external_task_id: '' },
      created_at: created,
      started_at: Math.floor((job.startedAt ?? 0) / 1000),
    };
    assert.deepEqual(await fal.queue.status(picture, { requestId }), { ...running, logs: null });
    const logged = await fal.queue.status(picture, { requestId, logs: true });
    const line = (at: number | null, message: string) => ({
      timestamp: new Date(at ?? 0).toISOString(),
      level: 'INFO',
      source: 'USER',
      message,
    });
    assert.deepEqual(logged, {
      ...running,
      logs: [line(job.createdAt, 'Accepted'), line(job.startedAt, 'Started')],
    });
  });

  test('a result that is requested too early is the status', async () => {
    const { fal } = await openClient(gateway);
    const { request_id: requestId } = await fal.queue.submit(video, { input: { prompt: 'a lake' } });
    const early = await fal.queue.result(video, { requestId });
    assert.deepEqual(early.data, await fal.queue.status(video, { requestId }));
  });

  test('a waiting job is cancelled; its result is an ApiError 400, and so is a second cancel', async () => {
    const { fal, requests } = await openClient(gateway);
    const { request_id: requestId } = await fal.queue.submit(video, { input: { prompt: 'a lake' } });
    await fal.queue.cancel(video, { requestId });
    const status = await fal.queue.status(video, { requestId });
    assert.equal(status.status, 'COMPLETED');
    const result = await thrown(fal.queue.result(video, { requestId }), ApiError);
    assert.deepEqual(errorOf(result), { status: 400, body: { detail: 'Runtime execution failed' } });
    const again = await thrown(fal.queue.cancel(video, { requestId }), ApiError);
    assert.deepEqual(errorOf(again), {
      status: 400,
      body: { status: 'ALREADY_COMPLETED', request_id: requestId },
    });
    assert.equal(requests.length, 5);
  });

  test('a running job gets a cancel request', async () => {
    const { fal } = await openClient(gateway);
    const { request_id: requestId } = await fal.queue.submit(speech, { input: { text: 'stop me' } });
    const job = await claim(speech);
    assert.equal(job.id, jobIdFromRow(requestId));
    await fal.queue.cancel(speech, { requestId });
    await end(job, { kind: 'cancelled' });
    const result = await thrown(fal.queue.result(speech, { requestId }), ApiError);
    assert.deepEqual(errorOf(result), { status: 400, body: { detail: 'Runtime execution failed' } });
  });

  describe('permanent refusals are requested exactly once', () => {
    test('400: webhookUrl', async () => {
      const { fal, requests } = await openClient(gateway);
      const submission = fal.queue.submit(video, {
        input: { prompt: 'a lake' },
        webhookUrl: 'https://hooks.test/',
      });
      const failure = await thrown(submission, ApiError);
      assert.deepEqual(errorOf(failure), { status: 400, body: { detail: 'webhook not supported' } });
      assert.deepEqual(requests, ['POST /v1/queue/gamma-v3-turbo-t2v']);
    });

    test('400: the status stream', async () => {
      const { fal, requests } = await openClient(gateway);
      const { request_id: requestId } = await fal.queue.submit(video, { input: { prompt: 'a lake' } });
      const stream = await fal.queue.streamStatus(video, { requestId, connectionMode: 'server' });
      const failure = await thrown(stream.done(), ApiError);
      assert.deepEqual(errorOf(failure), { status: 400, body: { detail: 'SSE streaming not supported' } });
      assert.equal(requests.length, 2);
    });

    test('401: a wrong key', async () => {
      const { fal, requests } = await openClient(gateway, { key: 'atl_wrong' });
      const failure = await thrown(fal.subscribe(video, { input: { prompt: 'a lake' } }), ApiError);
      const { request_id, ...body } = failure.body as Record<string, unknown>;
      assert.equal(failure.status, 401);
      assert.deepEqual(body, { error: { code: 'UNAUTHORIZED', message: 'Invalid API key' } });
      assert.match(String(request_id), /^[0-9a-f]{8}-[0-9a-f-]{27}$/);
      assert.equal(requests.length, 1);
    });

    test('403: a model that the key may not use', async () => {
      const key = await gateway.key({ models: ['gamma-v3-image'] });
      const { fal, requests } = await openClient(gateway, { key });
      const failure = await thrown(fal.subscribe(video, { input: { prompt: 'a lake' } }), ApiError);
      assert.deepEqual(errorOf(failure), {
        status: 403,
        body: { detail: 'Model not allowed for this user' },
      });
      assert.equal(requests.length, 1);
    });

    test('404: an unknown model, and an unknown request', async () => {
      const { fal, requests } = await openClient(gateway);
      const model = await thrown(fal.subscribe('atelier/no-model', { input: { prompt: 'a' } }), ApiError);
      assert.deepEqual(errorOf(model), { status: 404, body: { detail: 'App not found: no-model' } });
      const requestId = '01900000-0000-7000-8000-000000000000';
      const request = await thrown(fal.queue.status(video, { requestId }), ApiError);
      assert.deepEqual(errorOf(request), { status: 404, body: { detail: 'Request not found' } });
      assert.equal(requests.length, 2);
    });

    test('422: a wrong input is a ValidationError of one sentence with every fault', async () => {
      const { fal, requests } = await openClient(gateway);
      const submission = fal.subscribe(video, { input: { settings: { duration: 2 } } });
      const failure = await thrown(submission, ValidationError);
      assert.equal(failure.status, 422);
      assert.deepEqual(failure.fieldErrors, [
        {
          loc: ['body'],
          msg: 'prompt: is required; settings.duration: must be between 3 and 15',
          type: 'value_error',
        },
      ]);
      assert.equal(requests.length, 1);
    });
  });
});

describe('the rate of a key', () => {
  let settings: string;
  let gateway: TestGateway;
  before(async () => {
    settings = await mkdtemp(join(tmpdir(), 'atelier-settings-'));
    const path = join(settings, 'atelier.yaml');
    await writeFile(path, 'limits: { queue: { per_second: 0.01, burst: 1 } }\n');
    gateway = await startGateway({ role: 'api', env: { ATELIER_CONFIG: path } });
  });
  after(async () => {
    await gateway.close();
    await rm(settings, { recursive: true, force: true });
  });

  test('429: the client itself retries, and after the stated wait that makes the one job', async () => {
    const passTheWait = (answer: Response) =>
      gateway.clock.advance(Number(answer.headers.get('retry-after') ?? 0) * seconds);
    const { fal, requests } = await openClient(gateway, { onAnswer: passTheWait });
    await fal.queue.submit(speech, { input: { text: 'first' } });
    const { queue_position } = await fal.queue.submit(speech, { input: { text: 'second' } });
    assert.equal(queue_position, 1);
    assert.equal(requests.length, 3);
  });
});
