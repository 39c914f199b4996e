/** GET /v1/queue/{model_id}/requests/{request_id}/status: positions, logs, Prefer: wait. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { jobError } from '../../src/domain/job.ts';
import {
  addressesOf,
  create,
  hexSpeech,
  hold,
  image,
  pathOf,
  speech,
  unknownId,
  uuidv7,
  video,
  withoutTimes,
} from '../../testkit/clients/queue.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { isFleet } from '../../testkit/gateway/fleet-gateway.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';
import { untilWaiting } from '../../testkit/gateway/limited.ts';

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/** Fails a test whose held request is never let go. */
const timeout = 40_000;

for (const dialect of dialects) {
  describe(`GET .../requests/{request_id}/status (${dialect})`, () => {
    let gateway: TestGateway;
    let key: string;
    before(async () => {
      gateway = await startGateway({ dialect, role: 'api' });
      key = await gateway.key();
    });
    after(() => gateway.close());

    /** Of a model that no other test leaves jobs waiting for. */
    const createToHold = () => create(gateway, key, { model: hexSpeech });
    const ask = (id: string, { query = '', prefer = '', model = hexSpeech, end = '/status' } = {}) =>
      gateway.ask('GET', pathOf(id, end + query, model), { key, headers: prefer === '' ? {} : { prefer } });
    const cancel = (id: string) => gateway.ask('PUT', pathOf(id, '/cancel', hexSpeech), { key });
    const headOf = (id: string, status: string) => ({
      status,
      request_id: id,
      ...addressesOf(gateway, hexSpeech, id),
    });
    /** With the model, and what the users of its family know of a task. */
    const unfinished = (id: string, status: string) => ({
      ...headOf(id, status),
      model: hexSpeech,
      data: { status: 1 },
      trace_id: id,
      base_resp: { status_code: 0, status_msg: 'success' },
    });
    const runtimeError = jobError('runtime_error', 'the canvas tore');

    describe('200', () => {
      test('of a waiting job', async () => {
        const { request_id } = await createToHold();
        for (const query of ['', '?logs=1']) {
          const { status, headers, body } = await ask(request_id, { query });
          assert.equal(status, 200);
          assert.deepEqual(withoutTimes(body, 'created_at'), {
            ...unfinished(request_id, 'IN_QUEUE'),
            queue_position: 0,
          });
          assert.equal(headers.get('retry-after'), '1');
          assert.equal(headers.get('cache-control'), 'no-store');
          assert.match(headers.get('x-request-id')!, uuidv7);
          assert.equal(headers.get('preference-applied'), null);
        }
        await cancel(request_id);
      });

      test('of a running job, before and after its first progress', async () => {
        const { request_id } = await createToHold();
        const job = await hold(gateway, hexSpeech, request_id);
        const first = await ask(request_id);
        assert.equal(first.status, 200);
        assert.equal(first.headers.get('retry-after'), '1');
        const running = { ...unfinished(request_id, 'IN_PROGRESS'), logs: null };
        assert.deepEqual(withoutTimes(first.body, 'created_at', 'started_at'), running);
        await job.progress(0.4);
        const later = await ask(request_id);
        assert.deepEqual(withoutTimes(later.body, 'created_at', 'started_at'), { ...running, progress: 0.4 });
        await job.settle({ kind: 'cancelled' });
      });

      test('of a failed job', async () => {
        const { request_id } = await createToHold();
        const job = await hold(gateway, hexSpeech, request_id);
        gateway.clock.advance(2_000);
        const error = jobError('invalid_input', 'too many cooks', { code: 'E7', message: 'cooks' });
        await job.settle({ kind: 'failed', error });
        const { status, headers, body } = await ask(request_id);
        assert.equal(status, 200);
        assert.equal(headers.get('retry-after'), null);
        const { metrics, ...rest } = withoutTimes(body, 'created_at', 'started_at', 'completed_at');
        assert.deepEqual(rest, {
          ...headOf(request_id, 'COMPLETED'),
          logs: null,
          error: {
            code: 'invalid_input',
            message: 'Runtime execution failed: too many cooks',
            retryable: false,
            provider: { code: 'E7', message: 'cooks' },
          },
          error_type: 'invalid_input',
        });
        assert.deepEqual(Object.keys(metrics as object), ['inference_time']);
        assert.ok((metrics as { inference_time: number }).inference_time >= 2);
      });

      test('of a completed job', async () => {
        const { request_id } = await createToHold();
        const job = await hold(gateway, hexSpeech, request_id);
        await job.settle({ kind: 'completed', result: { outputs: [], inferenceMs: 1 } });
        const { status, body } = await ask(request_id);
        assert.equal(status, 200);
        const { metrics, ...rest } = withoutTimes(body, 'created_at', 'started_at', 'completed_at');
        assert.deepEqual(rest, { ...headOf(request_id, 'COMPLETED'), logs: null, error: null });
        assert.deepEqual(Object.keys(metrics as object), ['inference_time']);
      });

      test('of a job that went back to the line', async () => {
        const { request_id } = await createToHold();
        const job = await hold(gateway, hexSpeech, request_id);
        await job.progress(0.5);
        await job.settle({ kind: 'retry', dueAt: gateway.clock.now(), reason: 'The upstream was busy' });
        const waiting = await ask(request_id);
        assert.deepEqual(withoutTimes(waiting.body, 'created_at'), {
          ...unfinished(request_id, 'IN_QUEUE'),
          queue_position: 0,
        });
        const again = await hold(gateway, hexSpeech, request_id);
        assert.equal((await ask(request_id)).body.progress, undefined);
        await again.settle({ kind: 'cancelled' });
      });

      test('an input of any length gives its keys to a status, and to a list only where it is short', async () => {
        const model = video;
        const body = { prompt: 'A red balloon', negative_prompt: 'n'.repeat(70_000), prompt_extend: false };
        const { request_id } = await create(gateway, key, { model, body });
        for (const end of ['/status', '/response']) {
          const seen = (await ask(request_id, { model, end })).body;
          assert.deepEqual([seen.model, seen.output.orig_prompt], [model, 'A red balloon']);
        }
        const { data } = (await gateway.ask('GET', `/v1/queue/${model}/requests`, { key })).body;
        assert.deepEqual([data[0].request_id, data[0].model, data[0].output], [request_id, model, undefined]);
      });

      test('under both mounts and with a trailing slash', async () => {
        const { request_id } = await create(gateway, key);
        const { body } = await ask(request_id, { model: speech });
        for (const path of [`/model${pathOf(request_id, '/status')}`, pathOf(request_id, '/status/')]) {
          const same = await gateway.ask('GET', path, { key });
          assert.equal(same.status, 200);
          assert.deepEqual(same.body, body);
        }
      });
    });

    describe('200 with logs', () => {
      test('the lines of a job, in order', async () => {
        const { request_id } = await createToHold();
        const job = await hold(gateway, hexSpeech, request_id);
        await job.settle({ kind: 'retry', dueAt: gateway.clock.now(), reason: 'The upstream was busy' });
        const again = await hold(gateway, hexSpeech, request_id);
        gateway.clock.advance(1_000);
        await again.settle({ kind: 'failed', error: runtimeError });
        for (const query of ['?logs=1', '?logs=true']) {
          const { status, body } = await ask(request_id, { query });
          assert.equal(status, 200);
          for (const line of body.logs) assert.match(line.timestamp, iso);
          assert.deepEqual(
            body.logs.map(({ timestamp: _, ...line }: Record<string, unknown>) => line),
            [
              { level: 'INFO', source: 'USER', message: 'Accepted' },
              { level: 'INFO', source: 'USER', message: 'Started' },
              { level: 'WARN', source: 'USER', message: 'The upstream was busy' },
              { level: 'ERROR', source: 'USER', message: 'Runtime execution failed: the canvas tore' },
            ],
          );
        }
        for (const query of ['?logs=0', '?logs=yes', '?logs'])
          assert.equal((await ask(request_id, { query })).body.logs, null);
      });
    });

    describe('200 with Prefer: wait', () => {
      // Each gateway of a fleet counts the requests that wait with it, so the count is asked of one gateway alone.
      for (const end of ['/status', '/response', '']) {
        test(`a change of status lets ${end || 'the alias'} go`, { timeout, skip: isFleet }, async () => {
          const { request_id } = await createToHold();
          const answers: unknown[] = [];
          const held = ask(request_id, { end, prefer: 'wait=60' });
          held.then(answer => answers.push(answer));
          await untilWaiting(gateway, 1);
          assert.equal((await ask(request_id)).body.status, 'IN_QUEUE');
          assert.deepEqual(answers, []);
          const job = await hold(gateway, hexSpeech, request_id);
          const { status, headers, body } = await held;
          assert.equal(status, end === '/status' ? 200 : 202);
          assert.equal(headers.get('preference-applied'), 'wait=60');
          assert.equal(headers.get('retry-after'), '1');
          assert.deepEqual(withoutTimes(body, 'created_at', 'started_at'), {
            ...unfinished(request_id, 'IN_PROGRESS'),
            logs: null,
          });
          await job.settle({ kind: 'cancelled' });
        });
      }

      test('progress is no change of status; going back to the line is', {
        timeout,
        skip: isFleet,
      }, async () => {
        const { request_id } = await createToHold();
        const job = await hold(gateway, hexSpeech, request_id);
        const answers: unknown[] = [];
        const held = ask(request_id, { prefer: 'wait=60' });
        held.then(answer => answers.push(answer));
        await untilWaiting(gateway, 1);
        await job.progress(0.5);
        assert.equal((await ask(request_id)).body.progress, 0.5);
        assert.deepEqual(answers, []);
        await job.settle({ kind: 'interrupted' });
        assert.equal((await held).body.status, 'IN_QUEUE');
        await cancel(request_id);
      });

      test('a cancel by someone else lets everyone go', { timeout }, async () => {
        const { request_id } = await createToHold();
        const held = [1, 2, 3].map(() => ask(request_id, { prefer: 'wait=60' }));
        if (!isFleet) await untilWaiting(gateway, 3);
        await cancel(request_id);
        for (const { status, headers, body } of await Promise.all(held)) {
          assert.equal(status, 200);
          assert.equal(headers.get('preference-applied'), 'wait=60');
          assert.equal(headers.get('retry-after'), null);
          assert.equal(body.error_type, 'cancelled');
        }
      });

      test('a final job is answered at once', { timeout }, async () => {
        const { request_id } = await createToHold();
        await cancel(request_id);
        const { status, headers, body } = await ask(request_id, { prefer: 'wait=60' });
        assert.equal(status, 200);
        assert.equal(headers.get('preference-applied'), 'wait=60');
        assert.equal(body.status, 'COMPLETED');
      });

      for (const prefer of ['wait=1', 'respond-async, wait=1', 'wait=1; foo']) {
        test(`${prefer} ends by itself`, { timeout }, async () => {
          const { request_id } = await createToHold();
          const { status, headers, body } = await ask(request_id, { prefer });
          assert.equal(status, 200);
          assert.equal(headers.get('preference-applied'), 'wait=1');
          assert.equal(body.status, 'IN_QUEUE');
          await cancel(request_id);
        });
      }

      for (const prefer of ['wait=61', 'wait=120', 'wait=99999999999999999999', 'respond-async, wait=3600']) {
        test(`${prefer} waits for 60 seconds, and says so`, { timeout }, async () => {
          const { request_id } = await createToHold();
          await cancel(request_id);
          const { status, headers } = await ask(request_id, { prefer });
          assert.equal(status, 200);
          assert.equal(headers.get('preference-applied'), 'wait=60');
        });
      }

      for (const prefer of ['wait=0', 'wait=-1', 'wait=x', 'wait', 'respond-async', 'await=5']) {
        test(`${prefer} is not applied`, { timeout }, async () => {
          const { request_id } = await createToHold();
          const { status, headers } = await ask(request_id, { prefer });
          assert.equal(status, 200);
          assert.equal(headers.get('preference-applied'), null);
          await cancel(request_id);
        });
      }
    });

    describe('404', () => {
      const notFound = { detail: 'Request not found' };
      test('of an unknown job, also to one who would wait', { timeout }, async () => {
        for (const id of [unknownId, unknownId.toUpperCase(), 'x', '%00', '..%2F..', 'x'.repeat(600)]) {
          const { status, body } = await ask(id, { prefer: 'wait=60' });
          assert.equal(status, 404);
          assert.deepEqual(body, notFound);
        }
      });

      test('of a job of another model', async () => {
        const { request_id } = await create(gateway, key);
        const { status, body } = await ask(request_id, { model: image });
        assert.equal(status, 404);
        assert.deepEqual(body, notFound);
      });

      test('under an unknown model', async () => {
        const { request_id } = await create(gateway, key);
        const { status, body } = await ask(request_id, { model: 'unknown' });
        assert.equal(status, 404);
        assert.deepEqual(body, { detail: 'App not found: unknown' });
      });
    });
  });
}
