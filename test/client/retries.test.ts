/** Retries, timeouts and errors of the client against a scripted server. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import {
  AuthError,
  type Client,
  createClient,
  GatewayError,
  JobFailedError,
  NotFoundError,
  NotReadyError,
  PermissionError,
  RateLimitError,
  ValidationError,
} from '../../client/src/index.ts';
import { thrown } from '../../testkit/clients/thrown.ts';
import { type Act, openScriptedServer, type ScriptedServer } from '../../testkit/net/scripted-server.ts';

const model = 'eta2.6-t2v';
const input = { prompt: 'A lighthouse', size: '1280*720' } as const;
const id = '019e0000-0000-7000-8000-000000000001';
const handle = { request_id: id, response_url: 'r', status_url: 's', cancel_url: 'c', queue_position: 0 };
const status = { status: 'IN_QUEUE', request_id: id, queue_position: 1 };
const completed = { ...status, status: 'COMPLETED', error: null };
const good: Act = { status: 200, body: handle };
/** At once, so that no test waits for it. */
const busy = (code: number, body: unknown = { detail: 'Service temporarily unavailable' }): Act => ({
  status: code,
  headers: { 'retry-after': '0' },
  body,
});

describe('a gateway in trouble', () => {
  let server: ScriptedServer;
  let client: Client;
  before(async () => {
    server = await openScriptedServer();
  });
  beforeEach(() => {
    client = createClient({ baseUrl: `${server.url}/`, apiKey: 'atl_key' });
  });
  after(() => server.close());

  const linesOf = () => server.received.map(({ line }) => line);

  describe('submit', () => {
    test('is repeated under one key, to the byte, until it is answered', async () => {
      server.script('reset', busy(502), busy(503), busy(429), good);
      const job = await client.queue.submit(model, { input });
      assert.deepEqual(job, { ...handle, model });
      assert.deepEqual(linesOf(), Array(5).fill(`POST /v1/queue/${model}`));
      const keys = new Set(server.received.map(({ headers }) => headers['idempotency-key']));
      assert.equal(keys.size, 1);
      assert.match([...keys][0] ?? '', /^[0-9a-f]{32}$/);
      assert.deepEqual(new Set(server.received.map(({ text }) => text)), new Set([JSON.stringify(input)]));
      assert.equal(server.received[0]?.headers.authorization, 'Bearer atl_key');
    });

    test('sends the key that it is given, and another one for the next job', async () => {
      server.script(good);
      await client.queue.submit(model, { input, idempotencyKey: 'mine', cancelAfter: '5m' });
      await client.queue.submit(model, { input });
      const [first, second] = server.received;
      assert.deepEqual([first?.headers['idempotency-key'], first?.headers['cancel-after']], ['mine', '5m']);
      assert.notEqual(second?.headers['idempotency-key'], 'mine');
    });

    test('gives up after maxRetries', async () => {
      server.script(busy(503));
      const patient = createClient({ baseUrl: server.url, apiKey: 'k', maxRetries: 2 });
      const error = await thrown(patient.queue.submit(model, { input }), GatewayError);
      assert.deepEqual([error.status, error.retryable, server.received.length], [503, true, 3]);
    });

    test('is not repeated after a 500, nor after what stays wrong', async () => {
      for (const code of [500, 400, 401, 403, 404, 413, 415, 422]) {
        server.script(busy(code, { detail: 'no' }));
        const error = await thrown(client.queue.submit(model, { input }), GatewayError);
        assert.deepEqual([error.status, error.retryable, server.received.length], [code, false, 1]);
      }
    });

    test('is not repeated when the gateway requests a wait of more than a minute', async () => {
      server.script({ status: 429, headers: { 'retry-after': '61' }, body: { detail: 'later' } });
      const error = await thrown(client.queue.submit(model, { input }), RateLimitError);
      assert.deepEqual([error.retryAfterMs, server.received.length], [61_000, 1]);
    });

    test('names who did not answer', async () => {
      server.script('reset');
      const hasty = createClient({ baseUrl: server.url, apiKey: 'k', maxRetries: 0 });
      const error = await thrown(hasty.queue.submit(model, { input }), GatewayError);
      assert.deepEqual([error.kind, error.status, error.retryable], ['network', undefined, true]);
      assert.match(
        error.message,
        new RegExp(`^POST /v1/queue/eta2\\.6-t2v got no answer from ${server.url}: .+`),
      );
    });

    test('a webhook is refused before anything is sent', async () => {
      server.script(good);
      for (const extra of [{ webhook_url: 'https://a.test' }, { options: { 'fal-webhook': 'x' } }]) {
        const error = await thrown(
          client.queue.submit('another-model', { input: { ...input, ...extra } }),
          ValidationError,
        );
        assert.deepEqual([error.status, error.body], [400, { detail: 'webhook not supported' }]);
      }
      assert.equal(server.received.length, 0);
    });

    test('an integer beyond 2^53 keeps its digits', async () => {
      server.script(good);
      const element_list = [{ element_id: 9_007_199_254_740_993n }];
      await client.queue.submit('gamma-v3-image', {
        input: { prompt: 'x', aspect_ratio: '1:1', element_list },
      });
      assert.equal(
        server.received[0]?.text,
        '{"prompt":"x","aspect_ratio":"1:1","element_list":[{"element_id":9007199254740993}]}',
      );
    });
  });

  describe('reads', () => {
    test('a status is requested again after 5xx, at most five times in a row', async () => {
      const stubborn = createClient({ baseUrl: server.url, apiKey: 'k', maxRetries: 50 });
      server.script(busy(500));
      const error = await thrown(stubborn.queue.status(model, id), GatewayError);
      assert.deepEqual([error.status, server.received.length], [500, 6]);
      server.script(busy(500), busy(502), busy(503), busy(504), busy(599), { status: 200, body: status });
      assert.deepEqual(await stubborn.queue.status(model, id), status);
    });

    test('404 ends a watch at once', async () => {
      server.script({ status: 200, body: status }, { status: 404, body: { detail: 'Request not found' } });
      const seen: string[] = [];
      const watching = (async () => {
        for await (const one of client.queue.watch({ model, request_id: id })) seen.push(one.status);
      })();
      const error = await thrown(watching, NotFoundError);
      assert.deepEqual([error.message, error.requestId], ['Request not found', 'asked-1']);
      assert.deepEqual([seen, server.received.length], [['IN_QUEUE'], 2]);
    });

    test('a watch requests at once and then lets the gateway delay the answer', async () => {
      const delayed = { 'preference-applied': 'wait=1' };
      server.script(
        { status: 200, body: status },
        { status: 200, headers: delayed, body: { ...status, status: 'IN_PROGRESS' } },
        { status: 200, headers: delayed, body: completed },
      );
      const seen: string[] = [];
      for await (const one of client.queue.watch({ model, request_id: id })) seen.push(one.status);
      assert.deepEqual(seen, ['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED']);
      assert.deepEqual(
        server.received.map(({ headers }) => headers.prefer),
        [undefined, 'wait=1', 'wait=1'],
      );
    });

    test('where the gateway does not delay it, a watch waits by itself and reports only changes', async () => {
      server.script(...Array<Act>(4).fill({ status: 200, body: status }), { status: 200, body: completed });
      const poll = { minMs: 10, maxMs: 20 };
      const seen: string[] = [];
      for await (const one of client.queue.watch({ model, request_id: id }, { poll })) seen.push(one.status);
      assert.deepEqual([seen, server.received.length], [['IN_QUEUE', 'COMPLETED'], 5]);
    });

    test('an attempt that takes too long is aborted and repeated', async () => {
      const quick = createClient({ baseUrl: server.url, apiKey: 'k', timeoutMs: 50, maxRetries: 1 });
      server.script('never');
      const error = await thrown(quick.queue.status(model, id), GatewayError);
      assert.deepEqual([error.kind, error.retryable, server.received.length], ['timeout', true, 2]);
    });

    test('a page instead of JSON is an error that mentions the address', async () => {
      server.script({ status: 200, body: '<html>' });
      const error = await thrown(client.models.list(), GatewayError);
      assert.equal(
        error.message,
        `GET /v1/models was not answered with JSON. Is ${server.url} the address of a gateway?`,
      );
    });
  });

  describe('what takes effect twice when it is requested twice', () => {
    for (const [what, act] of [
      ['an upload', () => client.files.create(new Blob(['x']))],
      ['a delete', () => client.files.delete('file_1')],
    ] as const) {
      test(`${what} is repeated only where nothing was done`, async () => {
        server.script(busy(429), busy(503), { status: 200, body: { id: 'file_1' } });
        await act();
        assert.equal(server.received.length, 3);
        for (const failure of [busy(502), busy(504), busy(500), 'reset'] as const) {
          server.script(failure);
          await thrown(act(), GatewayError);
          assert.equal(server.received.length, 1);
        }
      });
    }
  });

  describe('subscribe', () => {
    const options = { input, poll: { minMs: 10, maxMs: 10 } };

    test('throws what became of a job that failed', async () => {
      const error = { code: 'runtime_error', message: 'Runtime execution failed: no', retryable: false };
      server.script(good, { status: 200, body: completed }, { status: 200, body: { ...completed, error } });
      const failure = await thrown(client.subscribe(model, options), JobFailedError);
      assert.deepEqual(
        [failure.kind, failure.code, failure.message, failure.jobId, failure.result.error],
        ['job', 'runtime_error', error.message, id, error],
      );
      assert.deepEqual(linesOf(), [
        `POST /v1/queue/${model}`,
        `GET /v1/queue/${model}/requests/${id}/status`,
        `GET /v1/queue/${model}/requests/${id}/response`,
      ]);
    });

    test('ends at its deadline, names the job and lets it go on', async () => {
      server.script(good, { status: 200, body: status });
      const failure = await thrown(client.subscribe(model, { ...options, deadlineMs: 100 }), GatewayError);
      assert.deepEqual([failure.kind, failure.jobId], ['timeout', id]);
      assert.equal(
        linesOf().some(line => line.startsWith('PUT')),
        false,
      );
    });

    test('also cancels the job where the option says so', async () => {
      server.script(good, { status: 200, body: status });
      const controller = new AbortController();
      const subscribed = client.subscribe(model, {
        ...options,
        signal: controller.signal,
        cancelOnAbort: true,
        onUpdate: () => controller.abort(),
      });
      const failure = await thrown(subscribed, GatewayError);
      assert.deepEqual([failure.kind, failure.jobId], ['abort', id]);
      assert.equal(linesOf().at(-1), `PUT /v1/queue/${model}/requests/${id}/cancel`);
    });

    test('a deadline also ends a creation that is not answered', async () => {
      server.script('never');
      const failure = await thrown(client.subscribe(model, { ...options, deadlineMs: 50 }), GatewayError);
      assert.deepEqual([failure.kind, failure.jobId, server.received.length], ['timeout', undefined, 1]);
    });
  });

  describe('errors', () => {
    test('the three bodies become one class, by status', async () => {
      const gatewayBody = { error: { code: 'UNAUTHORIZED', message: 'Invalid API key' }, request_id: 'x' };
      const fileBody = {
        error: { message: 'No', type: 'invalid_request_error', param: 'file', code: 'file_required' },
      };
      for (const [code, body, kind, Kind, expected] of [
        [401, gatewayBody, 'gateway', AuthError, ['UNAUTHORIZED', 'Invalid API key']],
        [
          403,
          { detail: 'Model not allowed for this user' },
          'detail',
          PermissionError,
          [undefined, undefined],
        ],
        [404, { detail: 'App not found: x' }, 'detail', NotFoundError, [undefined, 'App not found: x']],
        [400, fileBody, 'file', ValidationError, ['file_required', 'No']],
        [
          418,
          'tea',
          'gateway',
          GatewayError,
          [undefined, 'The answer was 418 and no error body of the gateway'],
        ],
      ] as const) {
        server.script({ status: code, body });
        const error = await thrown(client.files.get('file_1'), Kind);
        assert.deepEqual([error.kind, error.status, error.code, error.body], [kind, code, expected[0], body]);
        if (expected[1] !== undefined) assert.equal(error.message, expected[1]);
      }
    });

    test('every fault of an input is an issue of its own', async () => {
      const detail = 'settings.duration: must be between 3 and 15; prompt: is required; or so; a.0.b: c: d';
      server.script({ status: 422, body: { detail } });
      const { issues } = await thrown(client.queue.submit(model, { input }), ValidationError);
      assert.deepEqual(issues, [
        { path: 'settings.duration', message: 'must be between 3 and 15' },
        { path: 'prompt', message: 'is required; or so' },
        { path: 'a.0.b', message: 'c: d' },
      ]);
    });

    test('a result that is not there yet', async () => {
      server.script({ status: 202, body: status });
      const error = await thrown(client.queue.result(model, id), NotReadyError);
      assert.deepEqual([error.jobStatus, error.jobId], [status, id]);
    });

    test('the function that gives the key may fail, and its error is reported', async () => {
      const broken = new RangeError('no key today');
      const keyless = createClient({ baseUrl: server.url, apiKey: () => Promise.reject(broken) });
      assert.equal(await thrown(keyless.models.list(), RangeError), broken);
    });

    test('an address that is none is refused at once', () => {
      for (const baseUrl of ['gateway.test', 'ftp://gateway.test', 'https://gateway.test/?a=b']) {
        assert.throws(
          () => createClient({ baseUrl, apiKey: 'k' }),
          /^TypeError: baseUrl must be an http or https/,
        );
      }
    });
  });
});
