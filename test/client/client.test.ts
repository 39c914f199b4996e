/** The client package against a gateway: subscribe, handles, lists, files. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  AuthError,
  CallbackError,
  type Client,
  createClient,
  JobFailedError,
  type JobStatus,
  NotFoundError,
  NotReadyError,
  PermissionError,
  ValidationError,
} from '../../client/src/index.ts';
import { models } from '../../src/catalog/index.ts';
import { openProber, type Prober } from '../../src/media/prober.ts';
import { thrown } from '../../testkit/clients/thrown.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { openReceiver, type Receiver } from '../../testkit/net/receiver.ts';

const unknownId = '01900000-0000-7000-8000-000000000000';

describe('the client against a gateway', () => {
  let gateway: TestGateway;
  let prober: Prober;
  let receiver: Receiver;
  let client: Client;
  before(async () => {
    gateway = await startGateway();
    prober = openProber();
    receiver = await openReceiver();
    client = await openClient();
  });
  after(async () => {
    await receiver.close();
    await prober.close();
    await gateway.close();
  });

  const openClient = async (wanted: Parameters<TestGateway['key']>[0] = {}) => {
    const key = await gateway.key(wanted);
    return createClient({ baseUrl: gateway.url, apiKey: async () => key });
  };
  const factsOf = async (url: string) => {
    const path = join(gateway.folder, 'downloaded');
    await writeFile(path, new Uint8Array(await (await fetch(url)).arrayBuffer()));
    const probe = await prober.probe(path);
    assert.equal(probe.kind, 'read');
    return probe.facts;
  };

  test('subscribe gives a picture, and reports the progress', async () => {
    const updates: JobStatus[] = [];
    let submitted = '';
    const { data, requestId } = await client.subscribe('gamma-v3-image', {
      input: { prompt: 'A red balloon over a lake', aspect_ratio: '1:1' },
      logs: true,
      onSubmit: job => {
        submitted = job.request_id;
      },
      onUpdate: update => void updates.push(update),
    });
    assert.equal(requestId, submitted);
    assert.equal(updates.at(-1)?.status, 'COMPLETED');
    assert.deepEqual([data.error, data.model, data.task_status], [null, 'gamma-v3-image', 'succeed']);
    const [image] = data.images;
    const facts = await factsOf(image?.url ?? '');
    assert.deepEqual(
      [facts.mimeType, facts.bytes, facts.image],
      ['image/png', image?.file_size, { width: image?.width, height: image?.height }],
    );
  });

  test('a job is followed by its handle, or by its model and id', async () => {
    const text = '[atelier:slow=2] The tide is out.';
    const job = await client.queue.submit('theta-3.1-flash-tts-preview', { input: { text } });
    assert.equal(job.model, 'theta-3.1-flash-tts-preview');
    const early = await thrown(client.queue.result(job), NotReadyError);
    assert.equal(early.jobStatus.request_id, job.request_id);
    const seen: string[] = [];
    for await (const { status } of client.queue.watch(job.model, job.request_id)) seen.push(status);
    assert.equal(seen.at(-1), 'COMPLETED');
    const result = await client.queue.result(job.model, job.request_id);
    assert.equal(result.error, null);
    assert.equal((await client.queue.status(job)).status, 'COMPLETED');
    assert.equal(await client.queue.cancel(job), 'already_completed');
  });

  test('a job that is cancelled throws from subscribe, and is reported by result', async () => {
    const model = 'theta-3.1-flash-tts-preview';
    const cancel = (id: string) => client.queue.cancel(model, id);
    let cancelled: Promise<string> | undefined;
    const subscribed = client.subscribe(model, {
      input: { text: '[atelier:slow=60] Never said.' },
      onSubmit: ({ request_id }) => {
        cancelled = cancel(request_id);
      },
    });
    const failure = await thrown(subscribed, JobFailedError);
    assert.equal(await cancelled, 'requested');
    assert.equal(failure.code, 'cancelled');
    const result = await client.queue.result(model, failure.jobId ?? '');
    assert.equal(result.error?.code, 'cancelled');
  });

  test('one key is one job', async () => {
    const options = { input: { text: 'Once.' }, idempotencyKey: 'once' };
    const first = await client.queue.submit('theta-3.1-flash-tts-preview', options);
    const second = await client.queue.submit('theta-3.1-flash-tts-preview', options);
    assert.equal(first.request_id, second.request_id);
  });

  test('jobs are listed over all models and of one, and read by their id with their input', async () => {
    const own = await openClient();
    const input = {
      prompt: 'The same sailor',
      aspect_ratio: '1:1',
      element_list: [{ element_id: 9_007_199_254_740_993n }],
      external_task_id: 'sailor',
    } as const;
    const drawn = await own.queue.submit('gamma-v3-image', { input });
    // Ids made in one millisecond have no order.
    gateway.clock.advance(2);
    const speechJob = await own.queue.submit('theta-3.1-flash-tts-preview', { input: { text: 'Ahoy.' } });
    const page = await own.jobs.list({ limit: 1 });
    assert.deepEqual([page.data[0]?.request_id, page.has_more], [speechJob.request_id, true]);
    const rest = await own.jobs.list({ after: page.last_id ?? '' });
    assert.deepEqual(
      rest.data.map(job => [job.request_id, job.model, job.external_task_id]),
      [[drawn.request_id, 'gamma-v3-image', 'sailor']],
    );
    const found = await own.queue.list('gamma-v3-image', { externalTaskId: 'sailor' });
    assert.deepEqual(
      found.data.map(job => job.request_id),
      [drawn.request_id],
    );
    const record = await own.jobs.get(drawn.request_id);
    assert.deepEqual(record.input.element_list, input.element_list);
  });

  test('files come, are read again, listed and go', async () => {
    const own = await openClient();
    const made = await own.files.create(new File(['a,b\n1,2\n'], 'table.csv', { type: 'text/csv' }));
    assert.deepEqual([made.filename, made.bytes, made.mime_type], ['table.csv', 8, 'text/csv']);
    const stream = new Blob(['{"a":1}']).stream();
    const streamed = await own.files.create(stream, { filename: 'a.json', mimeType: 'application/json' });
    assert.deepEqual([streamed.filename, streamed.mime_type], ['a.json', 'application/json']);
    const bytes = await own.files.create(new TextEncoder().encode('plain'), { mimeType: 'text/plain' });
    assert.equal(bytes.bytes, 5);
    assert.equal(await (await fetch((await own.files.get(made.id)).url)).text(), 'a,b\n1,2\n');
    assert.equal((await own.files.list({ limit: 2, order: 'asc' })).data.length, 2);
    await own.files.delete(made.id);
    const gone = await thrown(own.files.get(made.id), NotFoundError);
    assert.deepEqual([gone.kind, gone.code], ['file', 'file_not_found']);
    const wrong = await thrown(own.files.create(new Blob([])), ValidationError);
    assert.equal(wrong.kind, 'file');
  });

  test('a stream beyond what a file may have is not read to its end', async () => {
    let pulled = 0;
    const endless = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull(controller) {
        pulled++;
        controller.enqueue(new Uint8Array(8 * 1024 * 1024));
      },
    });
    const error = await thrown(client.files.create(endless), ValidationError);
    assert.deepEqual(
      [error.status, error.code, error.message],
      [413, 'file_too_large', 'The file exceeds 40MB'],
    );
    assert.ok(pulled < 10, `${pulled} pieces were read`);
  });

  test('models are listed, described and tried', async () => {
    const listed = await client.models.list();
    assert.deepEqual(
      listed.map(({ id }) => id),
      models.map(({ id }) => id),
    );
    const described = await client.models.get('gamma-v3-image');
    assert.deepEqual(await client.models.schema('gamma-v3-image'), described.input_schema);
    const sound = { prompt: 'A red balloon', aspect_ratio: '1:1' } as const;
    assert.equal((await client.models.validate('gamma-v3-image', sound)).billed_jobs, 1);
    const wrong = await thrown(client.models.validate('gamma-v3-image', { prompt: '' }), ValidationError);
    assert.equal(wrong.issues[0]?.path, 'prompt');
  });

  test('refusals have their classes', async () => {
    const unknownClient = createClient({ baseUrl: gateway.url, apiKey: 'atl_wrong' });
    assert.equal((await thrown(unknownClient.models.list(), AuthError)).code, 'UNAUTHORIZED');
    const narrow = await openClient({ models: ['eta2.6-t2v'] });
    const refused = narrow.queue.submit('theta-3.1-flash-tts-preview', { input: { text: 'No.' } });
    assert.equal((await thrown(refused, PermissionError)).message, 'Model not allowed for this user');
    const unknown = await thrown(client.queue.submit('nobody', { input: {} }), NotFoundError);
    assert.equal(unknown.message, 'App not found: nobody');
    const missing = await thrown(client.queue.status('eta2.6-t2v', unknownId), NotFoundError);
    assert.match(missing.requestId ?? '', /^[0-9a-f-]{36}$/);
  });

  test('a callback is verified, and a changed, late or foreign one is not', async () => {
    const job = await client.queue.submit('gamma-v3-image', {
      input: { prompt: 'A kite', aspect_ratio: '1:1', callback_url: receiver.url },
    });
    const notice = await until(
      async () => receiver.notices.find(({ body }) => body.status === 'COMPLETED'),
      'the callback',
    );
    const secret = await client.callbacks.secret();
    const { verify } = client.callbacks;
    // The gateway signs with the time of its own clock.
    const late = Number(notice.headers['webhook-timestamp']) - Date.now() / 1000;
    assert.ok(Math.abs(late) < 300, 'expected the clock of this test to be near');
    const event = await verify(notice.text, notice.headers, ['whsec_b2xk', secret]);
    assert.deepEqual([event.status, event.request_id], ['COMPLETED', job.request_id]);
    await verify(new TextEncoder().encode(notice.text), new Headers(notice.headers), secret);
    for (const [text, headers, by, words] of [
      [`${notice.text} `, {}, secret, /^No signature/],
      [notice.text, {}, 'whsec_b2xk', /^No signature/],
      [notice.text, { 'webhook-timestamp': '1700000000' }, secret, /^The callback is older/],
      [notice.text, { 'webhook-timestamp': 'now' }, secret, /^webhook-timestamp is no time/],
      [notice.text, { 'webhook-id': undefined }, secret, /^webhook-id is missing/],
      [notice.text, {}, 'whsec_?', /^The secret must be/],
    ] as const) {
      const error = await thrown(verify(text, { ...notice.headers, ...headers }, by), CallbackError);
      assert.match(error.message, words);
    }
  });
});
