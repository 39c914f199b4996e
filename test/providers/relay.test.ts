/** The provider atelier (a relay to another gateway): conformance. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { jobIdFromRow } from '../../src/domain/ids.ts';
import { listAttempts } from '../../src/store/jobs/inspect.ts';
import { create, image, pathOf, speech } from '../../testkit/clients/queue.ts';
import { type Dialect, dialects } from '../../testkit/databases/databases.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { relay } from '../../testkit/upstreams/relay.ts';
import { conformance } from './conformance.ts';

type Dedupe = 'replay' | 'lookup' | 'none';

/** A gateway whose jobs of these models are made by another one. */
async function startRelayed(
  upstream: TestGateway,
  models: readonly string[],
  dedupe: Dedupe,
  dialect: Dialect,
) {
  const settings = join(upstream.folder, `relay-${dedupe}.json`);
  const routes = Object.fromEntries(models.map(model => [model, [{ account: 'studio' }]]));
  const account = { provider: 'relay', base_url: upstream.url, api_key: 'env:STUDIO_KEY', dedupe };
  await writeFile(settings, JSON.stringify({ accounts: { studio: account }, routes }));
  const env = { ATELIER_CONFIG: settings, STUDIO_KEY: await upstream.key() };
  return startGateway({ dialect, env });
}

const endOf = (gateway: TestGateway, key: string, id: string, model: string) =>
  until(async () => {
    const answer = await gateway.ask('GET', pathOf(id, '/response', model), {
      key,
      headers: { prefer: 'wait=10' },
    });
    return answer.status === 200 && answer.body;
  }, 'the end of the job');

for (const dialect of dialects) {
  describe(dialect, () => {
    for (const dedupe of ['replay', 'lookup', 'none'] as const) {
      test(`a job is made by another gateway, its result kept in this one (${dedupe})`, async () => {
        const upstream = await startGateway();
        const gateway = await startRelayed(upstream, [image, speech], dedupe, dialect);
        try {
          const key = await gateway.key();
          for (const model of [image, speech]) {
            const { request_id: id } = await create(gateway, key, { model });
            const result = await endOf(gateway, key, id, model);
            assert.equal(result.error, null, JSON.stringify(result.error));
            const { url } = model === image ? result.images[0] : result.audio;
            assert.equal(new URL(url).origin, gateway.url);
            assert.equal((await fetch(url)).status, 200);
            const [attempt] = await listAttempts(gateway.gateway.db, jobIdFromRow(id));
            const { method, path, status, request, answer } = attempt?.exchange ?? {};
            assert.deepEqual([method, path, status], ['POST', `/v1/queue/${model}`, 200]);
            assert.match(request ?? '', /"(prompt|text)":/);
            assert.match(answer ?? '', /"request_id": "[0-9a-f-]{36}"/);
            // The key of the account went with the call.
            assert.ok(!JSON.stringify(attempt?.exchange).includes('atl_'));
          }
          const rows = await upstream.gateway.db.read('SELECT count(*) AS jobs FROM jobs');
          assert.equal(rows[0]?.jobs, 2);
        } finally {
          await gateway.close();
          await upstream.close();
        }
      });
    }
  });
}

const failed = (code: string) => ({
  error: { code, message: 'Runtime execution failed: something' },
  video: null,
  images: null,
});

conformance({
  provider: 'relay',
  protocol: relay,
  account: url => ({ base_url: url, dedupe: 'replay' }),
  model: 'gamma-v3-turbo-t2v',
  body: mark => ({ prompt: `A red boat ${mark}` }),
  reported: [],
  requests: [
    {
      model: 'gamma-v3-turbo-t2v',
      input: () => ({
        prompt: 'A red boat',
        options: { external_task_id: 'of-our-client', callback_url: 'https://client.test/called' },
      }),
      path: '/v1/queue/gamma-v3-turbo-t2v',
      body: {
        prompt: 'A red boat',
        settings: { resolution: '720p', aspect_ratio: '16:9', duration: 5 },
        options: {},
      },
    },
    {
      model: 'delta-speech-02-hd',
      input: () => ({ text: 'Hello.', voice_setting: { voice_id: 'a' }, output_format: 'hex' }),
      path: '/v1/queue/delta-speech-02-hd',
      body: {
        text: 'Hello.',
        output_format: 'url',
        voice_setting: { voice_id: 'a', speed: 1, vol: 1, pitch: 0 },
        audio_setting: { sample_rate: 32_000, bitrate: 128_000, format: 'mp3', channel: 1 },
        text_normalization: false,
        latex_read: false,
        force_cbr: false,
        language_boost: null,
        subtitle_enable: false,
        subtitle_type: 'sentence',
        aigc_watermark: false,
      },
    },
  ],
  gaps: [],
  says: detail => ({ detail }),
  refusals: {
    '400': [400, { detail: 'bad' }, 'invalid_input'],
    '401': [401, { error: { code: 'UNAUTHORIZED', message: 'Invalid API key' } }, 'later'],
    '402': [402, { detail: 'pay' }, 'later'],
    '403': [403, { detail: 'no' }, 'later'],
    '404': [404, { detail: 'App not found' }, 'invalid_input'],
    '422': [422, { detail: 'prompt: is required' }, 'invalid_input'],
    '429': [429, { detail: 'slow down' }, 'later'],
    '503': [503, { detail: 'later' }, 'later'],
  },
  failures: {
    fails: ['response', 200, failed('runtime_error'), 'runtime_error'],
    'breaks the policy': ['response', 200, failed('content_policy_violation'), 'content_policy_violation'],
    'ends with an unknown code': ['response', 200, failed('odd'), 'runtime_error'],
  },
  result: {
    on: 'response',
    path: ['video'],
    isList: true,
    mayBeNull: [['seed'], ['error'], ['request_id'], ['creations']],
  },
  unknownState: { status: 'DREAMING' },
});
