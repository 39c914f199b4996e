/** GET /v1/queue/{model_id}/requests/{request_id}/response and its alias: results, errors, Prefer: wait. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type JobErrorCode, jobError } from '../../src/domain/job.ts';
import {
  bodies,
  create,
  hexSpeech,
  hold,
  image,
  pathOf,
  speech,
  unknownId,
  type Wanted,
  withoutTimes,
} from '../../testkit/clients/queue.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { freePort } from '../../testkit/net/free-port.ts';

const signed = /^\/v1\/f\/file_[0-9A-Za-z]{24}\/[^?]+\?exp=\d{10}&sig=[\w-]+$/;

for (const dialect of dialects) {
  describe(`GET .../requests/{request_id}/response of what was drawn and spoken (${dialect})`, () => {
    let gateway: TestGateway;
    let key: string;
    before(async () => {
      gateway = await startGateway({ dialect });
      key = await gateway.key();
    });
    after(() => gateway.close());

    const ask = (id: string, model: string, end = '/response') =>
      gateway.ask('GET', pathOf(id, end, model), { key });
    async function finish(wanted: Wanted & { model: string }): Promise<string> {
      const { request_id } = await create(gateway, key, wanted);
      // A job takes long to draw: the gateway answers when its state changes.
      const headers = { prefer: 'wait=10' };
      await until(async () => {
        const path = pathOf(request_id, '/status', wanted.model);
        const { body } = await gateway.ask('GET', path, { key, headers });
        return body.status === 'COMPLETED';
      }, 'the result');
      return request_id;
    }
    async function bytesAt(url: string): Promise<Buffer> {
      const { origin, pathname, search } = new URL(url);
      assert.equal(origin, gateway.url);
      assert.match(pathname + search, signed);
      const answer = await fetch(url);
      assert.equal(answer.status, 200);
      return Buffer.from(await answer.arrayBuffer());
    }

    describe('200', () => {
      test('speech', async () => {
        const request_id = await finish({ model: speech, body: { text: 'Hello.', voice_name: 'Puck' } });
        const { status, headers, body } = await ask(request_id, speech);
        assert.equal(status, 200);
        assert.equal(headers.get('retry-after'), null);
        assert.equal(headers.get('cache-control'), 'no-store');
        const { metrics, audio, usageMetadata, ...rest } = withoutTimes(
          body,
          'created_at',
          'started_at',
          'completed_at',
        ) as typeof body;
        assert.deepEqual(rest, {
          request_id,
          status: 'COMPLETED',
          error: null,
          model: speech,
          voice_name: 'Puck',
        });
        assert.deepEqual(Object.keys(metrics), ['inference_time']);
        const bytes = await bytesAt(audio.url);
        assert.equal(bytes.subarray(0, 4).toString(), 'RIFF');
        assert.ok(audio.duration > 0);
        assert.deepEqual(audio, {
          url: audio.url,
          content_type: 'audio/wav',
          file_name: audio.file_name,
          file_size: bytes.length,
          duration: audio.duration,
          sample_rate: 24_000,
          channels: 1,
        });
        assert.match(audio.file_name, /^theta-3\.1-flash-tts-preview-[0-9a-f]{12}\.wav$/);
        const candidates = Math.ceil(audio.duration * 25);
        assert.deepEqual(usageMetadata, {
          promptTokenCount: 2,
          candidatesTokenCount: candidates,
          totalTokenCount: 2 + candidates,
        });
      });

      test('speech in hexadecimal holds the bytes of its address', async () => {
        const request_id = await finish({
          model: hexSpeech,
          body: { text: 'Hello.', voice_setting: { voice_id: 'calm-man' }, output_format: 'hex' },
        });
        const { status, body } = await ask(request_id, hexSpeech);
        assert.equal(status, 200);
        const bytes = await bytesAt(body.audio.url);
        assert.deepEqual(body.data, { audio: bytes.toString('hex'), status: 2 });
        assert.equal(body.audio.file_size, bytes.length);
        assert.equal(body.audio.content_type, 'audio/mpeg');
        assert.equal(body.extra_info.audio_size, bytes.length);
        assert.deepEqual(body.base_resp, { status_code: 0, status_msg: 'success' });
        assert.equal(body.trace_id, request_id);
      });

      test('pictures, with their watermarked copies and the id of the caller', async () => {
        const external_task_id = 'album 7';
        const request_id = await finish({
          model: image,
          body: {
            prompt: 'A red balloon',
            n: 2,
            aspect_ratio: '1:1',
            watermark_info: { enabled: true },
            external_task_id,
          },
        });
        const { status, body } = await ask(request_id, image);
        assert.equal(status, 200);
        const {
          metrics: _,
          images,
          task_result,
          ...rest
        } = withoutTimes(body, 'created_at', 'started_at', 'completed_at') as typeof body;
        assert.deepEqual(rest, {
          request_id,
          status: 'COMPLETED',
          error: null,
          model: image,
          external_task_id,
          task_id: request_id,
          task_status: 'succeed',
          task_status_msg: '',
          task_info: { external_task_id },
        });
        assert.equal(images.length, 2);
        for (const [index, picture] of images.entries()) {
          const bytes = await bytesAt(picture.url);
          assert.deepEqual(picture, {
            index,
            url: picture.url,
            content_type: 'image/png',
            file_name: picture.file_name,
            file_size: bytes.length,
            width: 1024,
            height: 1024,
          });
          const { url, watermark_url } = task_result.images[index];
          assert.deepEqual(task_result.images[index], { index, url: picture.url, watermark_url });
          assert.notDeepEqual(await bytesAt(watermark_url), await bytesAt(url));
        }
      });

      test('a file of a result that was deleted has null for its address, the others keep theirs', async () => {
        const request_id = await finish({
          model: image,
          body: { prompt: 'A red balloon', resolution: '1k', n: 2, watermark_info: { enabled: true } },
        });
        const before = (await ask(request_id, image)).body;
        const file = new URL(before.images[0].url).pathname.split('/')[3];
        assert.equal((await gateway.ask('DELETE', `/v1/files/${file}`, { key })).status, 200);
        for (const end of ['/response', '']) {
          const { status, body } = await ask(request_id, image, end);
          assert.equal(status, 200);
          assert.deepEqual(body.images[0], { ...before.images[0], url: null });
          assert.equal(body.task_result.images[0].url, null);
          await bytesAt(body.task_result.images[0].watermark_url);
          await bytesAt(body.images[1].url);
        }
      });

      test('a sound that was deleted is reported as null, also where its bytes stood in the body', async () => {
        const body = { ...bodies[hexSpeech], output_format: 'hex' };
        const request_id = await finish({ model: hexSpeech, body });
        const before = (await ask(request_id, hexSpeech)).body;
        assert.match(before.data.audio, /^[0-9a-f]+$/);
        const file = new URL(before.audio.url).pathname.split('/')[3];
        assert.equal((await gateway.ask('DELETE', `/v1/files/${file}`, { key })).status, 200);
        const after = await ask(request_id, hexSpeech);
        assert.equal(after.status, 200);
        assert.deepEqual(after.body, {
          ...before,
          data: { ...before.data, audio: null },
          audio: { ...before.audio, url: null },
        });
      });

      test('the alias and the other mount answer a success alike', async () => {
        const request_id = await finish({ model: speech });
        const { audio, ...rest } = (await ask(request_id, speech)).body;
        const path = pathOf(request_id, '');
        for (const same of [path, `${path}/`, `/model${path}`, `/model${path}/response`]) {
          const { status, body } = await gateway.ask('GET', same, { key });
          assert.equal(status, 200);
          assert.deepEqual(body, { ...rest, audio: { ...audio, url: body.audio.url } });
          assert.equal((await bytesAt(body.audio.url)).length, audio.file_size);
        }
      });

      test('a picture that cannot be fetched is reported by the response, and is an error of the alias', async () => {
        const url = `http://127.0.0.1:${await freePort()}/a.png`;
        const request_id = await finish({ model: image, body: { prompt: 'A red balloon', image: url } });
        const { status, body } = await ask(request_id, image);
        assert.equal(status, 200);
        const {
          metrics: _,
          error,
          ...rest
        } = withoutTimes(body, 'created_at', 'started_at', 'completed_at') as typeof body;
        assert.match(error.message, /^Runtime execution failed: image: /);
        assert.deepEqual(error, { code: 'file_download_error', message: error.message, retryable: true });
        assert.deepEqual(rest, {
          request_id,
          status: 'COMPLETED',
          model: image,
          task_id: request_id,
          task_status: 'failed',
          task_status_msg: error.message,
          task_info: { external_task_id: '' },
        });
        const alias = await ask(request_id, image, '');
        assert.equal(alias.status, 400);
        assert.deepEqual(alias.body, { detail: 'Runtime execution failed' });
      });
    });
  });

  describe(`GET .../requests/{request_id}/response (${dialect})`, () => {
    let gateway: TestGateway;
    let key: string;
    before(async () => {
      gateway = await startGateway({ dialect, role: 'api' });
      key = await gateway.key();
    });
    after(() => gateway.close());

    const ask = (id: string, model = speech, end = '/response') =>
      gateway.ask('GET', pathOf(id, end, model), { key });

    describe('202', () => {
      test('the status body while the job waits and while it runs', async () => {
        const { request_id } = await create(gateway, key);
        let job: Awaited<ReturnType<typeof hold>> | null = null;
        for (const expected of ['IN_QUEUE', 'IN_PROGRESS']) {
          if (expected === 'IN_PROGRESS') job = await hold(gateway, speech, request_id);
          const { body: status } = await ask(request_id, speech, '/status');
          assert.equal(status.status, expected);
          for (const end of ['/response', '/response/', '', '/']) {
            const answer = await ask(request_id, speech, end);
            assert.equal(answer.status, 202);
            assert.deepEqual(answer.body, status);
            assert.equal(answer.headers.get('retry-after'), '1');
          }
        }
        await job?.settle({ kind: 'cancelled' });
      });
    });

    describe('a failed job', () => {
      const codes: readonly [JobErrorCode, number, boolean][] = [
        ['runtime_error', 500, false],
        ['invalid_input', 400, false],
        ['file_download_error', 400, false],
        ['file_invalid', 400, false],
        ['content_policy_violation', 400, false],
        ['provider_unavailable', 500, true],
        ['submission_uncertain', 500, false],
        ['expired', 400, true],
        ['cancelled', 400, false],
        ['response_too_large', 500, false],
        ['internal_error', 500, true],
      ];
      for (const [code, aliasStatus, retryable] of codes) {
        test(`${code} is 200 with the error in the body, and ${aliasStatus} under the alias`, async () => {
          const { request_id } = await create(gateway, key);
          const job = await hold(gateway, speech, request_id);
          await job.settle({ kind: 'failed', error: jobError(code, 'so it went') });
          const { status, body } = await ask(request_id);
          assert.equal(status, 200);
          const { metrics: _, ...rest } = withoutTimes(body, 'created_at', 'started_at', 'completed_at');
          assert.deepEqual(rest, {
            request_id,
            status: 'COMPLETED',
            error: { code, message: 'Runtime execution failed: so it went', retryable },
            model: speech,
            voice_name: 'Kore',
          });
          const alias = await ask(request_id, speech, '');
          assert.equal(alias.status, aliasStatus);
          assert.deepEqual(alias.body, { detail: 'Runtime execution failed' });
          assert.equal(alias.headers.get('retry-after'), null);
        });
      }
    });

    describe('404', () => {
      test('unknown, of another model, of another user: byte for byte the same, on every endpoint', async () => {
        const own = await create(gateway, key);
        const other = await create(gateway, await gateway.key());
        const endpoints = [
          ['GET', '/status'],
          ['GET', '/status?logs=1'],
          ['GET', '/response'],
          ['GET', ''],
          ['PUT', '/cancel'],
        ] as const;
        const answers = new Set<string>();
        for (const [method, end] of endpoints) {
          for (const path of [
            pathOf(unknownId, end),
            pathOf('x', end),
            pathOf(own.request_id, end, image),
            pathOf(other.request_id, end),
          ]) {
            const answer = await fetch(gateway.url + path, {
              method,
              headers: { authorization: `Bearer ${key}` },
            });
            const headers = [...answer.headers].filter(([name]) => !['date', 'x-request-id'].includes(name));
            answers.add(JSON.stringify([answer.status, headers, await answer.text()]));
          }
        }
        assert.equal(answers.size, 1);
        const [status, , text] = JSON.parse([...answers][0] ?? '');
        assert.deepEqual([status, text], [404, '{"detail":"Request not found"}']);
        assert.equal((await ask(own.request_id, speech, '/status')).body.status, 'IN_QUEUE');
      });

      test('an unknown model is named', async () => {
        for (const end of ['/response', '']) {
          const { status, body } = await ask(unknownId, 'unknown', end);
          assert.equal(status, 404);
          assert.deepEqual(body, { detail: 'App not found: unknown' });
        }
      });
    });
  });
}
