/** The provider kling: conformance, tokens, lookup of lost submissions, results that cannot be read. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { z } from 'zod';
import { contractCatalog, findModel } from '../../src/catalog/index.ts';
import { readRouting } from '../../src/config/routing.ts';
import kling from '../../src/providers/kling/index.ts';
import { findClassic, findV2 } from '../../src/providers/kling/task.ts';
import { mintToken } from '../../src/providers/kling/token.ts';
import { listUncertainSubmissions } from '../../src/store/attempts/uncertain.ts';
import { jsonAnswer } from '../../testkit/upstream/answer.ts';
import { good, untilEnded } from '../../testkit/upstream/studio.ts';
import { noSuchTask, kling as protocol } from '../../testkit/upstreams/kling.ts';
import type { Protocol } from '../../testkit/upstreams/protocol.ts';
import { conformance } from './conformance.ts';
import type { Conformance } from './description.ts';
import { openBench, type ProviderBench, pathOf, plain } from './provider-bench.ts';

const error = (code: number, message = 'not good') => ({ code, message, request_id: 'r' });
const failed = (message: string) => ({
  data: { task_status: 'failed', task_status_msg: message, final_unit_deduction: '0' },
});
/** Every call carries the key of its attempt, and where to call once there is news. */
const named = { external_task_id: '<key>', callback_url: '<call>' };

const wanted: Conformance = {
  provider: 'kling',
  protocol,
  account: url => ({ base_url: url }),
  model: 'gamma-v3-omni-video',
  body: mark => ({ prompt: `A red boat ${mark}`, aspect_ratio: '16:9', duration: 5 }),
  reported: [['credit', 3.5]],
  hasPublicUrl: true,
  requests: [
    {
      model: 'gamma-v2-6-motion-control',
      path: '/v1/videos/motion-control',
      body: {
        model_name: 'kling-v2-6',
        image_url: '<link>',
        video_url: '<link>',
        character_orientation: 'video',
        mode: 'std',
        keep_original_sound: 'yes',
        ...named,
      },
    },
    {
      model: 'gamma-v2-multi-image2image',
      input: media => ({
        prompt: 'Both friends at the table',
        subject_image_list: [{ subject_image: media.picture }, { subject_image: media.picture }],
        scene_image: media.picture,
        n: 4,
        // The one that there is; Kling has no field for it.
        resolution: '1k',
        watermark_info: { enabled: true },
      }),
      path: '/v1/images/multi-image2image',
      body: {
        model_name: 'kling-v2-1',
        prompt: 'Both friends at the table',
        subject_image_list: [{ subject_image: '<link>' }, { subject_image: '<link>' }],
        scene_image: '<link>',
        n: 4,
        aspect_ratio: '16:9',
        watermark_info: { enabled: true },
        ...named,
      },
    },
    {
      model: 'gamma-v2-image',
      path: '/v1/images/generations',
      body: {
        model_name: 'kling-v2-1',
        prompt: 'A fox asleep in tall grass',
        n: 1,
        resolution: '1k',
        aspect_ratio: '1:1',
        ...named,
      },
    },
    {
      model: 'gamma-v3-image',
      input: media => ({
        prompt: 'The same person as a sailor',
        image: media.picture,
        image_reference: 'face',
        element_list: [{ element_id: 160_001 }],
        aspect_ratio: '3:4',
      }),
      path: '/v1/images/generations',
      body: {
        model_name: 'kling-v3',
        prompt: 'The same person as a sailor',
        image: '<link>',
        image_reference: 'face',
        element_list: [{ element_id: 160_001 }],
        n: 1,
        resolution: '1k',
        aspect_ratio: '3:4',
        ...named,
      },
    },
    {
      model: 'gamma-v3-turbo-t2v',
      input: () => ({
        prompt: 'shot 1, 2, a paper boat on a puddle\nshot 2, 3, the boat sails past a curb',
        settings: { aspect_ratio: '9:16' },
        options: { external_task_id: 'a name of the client', watermark_info: { enabled: false } },
      }),
      path: '/text-to-video/kling-3.0-turbo',
      body: {
        prompt: 'shot 1, 2, a paper boat on a puddle; shot 2, 3, the boat sails past a curb',
        settings: { resolution: '720p', aspect_ratio: '9:16', duration: 5 },
        options: { watermark_info: { enabled: false }, ...named },
      },
    },
    {
      model: 'gamma-v3-omni-video',
      input: media => ({
        multi_shot: true,
        shot_type: 'customize',
        multi_prompt: [
          { index: 1, prompt: 'The harbour of <<<image_1>>>', duration: '2' },
          { index: 2, prompt: 'The storm', duration: '4' },
        ],
        image_list: [{ image_url: media.picture }],
        sound: 'on',
        aspect_ratio: '9:16',
        duration: 6,
      }),
      path: '/v1/videos/omni-video',
      body: {
        model_name: 'kling-v3-omni',
        multi_shot: true,
        shot_type: 'customize',
        multi_prompt: [
          { index: 1, prompt: 'The harbour of <<<image_1>>>', duration: '2' },
          { index: 2, prompt: 'The storm', duration: '4' },
        ],
        image_list: [{ image_url: '<link>' }],
        sound: 'on',
        mode: 'pro',
        aspect_ratio: '9:16',
        duration: '6',
        ...named,
      },
    },
  ],
  gaps: [],
  says: words => error(1200, words),
  refusals: {
    '401 1000': [401, error(1000), 'later'],
    '401 1004, the token has ended': [401, error(1004), 'later'],
    '429 1101, arrears': [429, error(1101), 'later'],
    '429 1102, no units left': [429, error(1102), 'later'],
    '403 1103': [403, error(1103), 'later'],
    '429 1304, address not on the list': [429, error(1304), 'later'],
    '400 1200': [400, error(1200), 'invalid_input'],
    '400 1201': [400, error(1201), 'invalid_input'],
    '200 1201': [200, error(1201), 'invalid_input'],
    '404 1203, no such model': [404, error(1203), 'later'],
    '400 1301': [400, error(1301), 'content_policy_violation'],
    '429 1302': [429, error(1302), 'later'],
    '429 1303': [429, error(1303, 'parallel task over resource pack limit'), 'later'],
    '500 5000': [500, error(5000), 'unknown'],
    '503 5001': [503, error(5001), 'unknown'],
    '504 5002': [504, error(5002), 'unknown'],
    '200 and an unknown code': [200, error(9999), 'unknown'],
  },
  failures: {
    'fails with a sentence': ['status', 200, failed('Generation failed'), 'runtime_error'],
    'breaks the policy': [
      'status',
      200,
      failed('Failure to pass the risk control system'),
      'content_policy_violation',
    ],
    'makes nothing': ['status', 200, { data: { task_status: 'succeed', task_result: {} } }, 'runtime_error'],
  },
  result: {
    on: 'status',
    path: ['data', 'task_result', 'videos'],
    isList: true,
    mayBeNull: [
      ['data', 'task_result', 'videos', '0', 'watermark_url'],
      ['data', 'task_result', 'videos', '0', 'duration'],
      ['data', 'final_unit_deduction'],
      ['data', 'task_status_msg'],
      ['request_id'],
      ['message'],
    ],
  },
  unknownState: { data: { task_status: 'dreaming' } },
};
conformance(wanted);

describe('an account with a key pair, of a gateway without a public address', () => {
  let folder: string;
  let bench: ProviderBench;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-kling-'));
    const secret = join(folder, 'secret');
    await writeFile(secret, 'SK_TEST\n');
    const { hasPublicUrl: _, ...hidden } = wanted;
    const pair = { api_key: undefined, access_key: 'env:CANARY', secret_key: `file:${secret}` };
    const requests = wanted.requests.filter(({ model }) => model !== 'gamma-v3-turbo-t2v');
    const paired = { ...hidden, requests, account: (url: string) => ({ base_url: url, ...pair }) };
    bench = await openBench(paired, folder);
  });
  after(async () => {
    await bench.close();
    await rm(folder, { recursive: true, force: true });
  });

  const reset = { on: 'create', times: 1, act: { kind: 'reset', at: 'nothing' } } as const;
  const { body } = wanted;

  test('finds a task whose handle was lost by its name', async () => {
    const order = await bench.order(body, [reset]);
    assert.deepEqual(await bench.ending(order), good([['accepted', 1]]));
  });

  test('sends again what has no task', async () => {
    const order = await bench.order(body, [{ ...reset, accepts: false }]);
    const attempts = [['refused', 1] as const, ['accepted', 1] as const];
    assert.deepEqual(await bench.ending(order), good(attempts));
  });

  test('does not repeat a token that the upstream repeats', async () => {
    const sent = mintToken({ accessKey: 'AK', secretKey: 'SK' }, 0);
    const errorBody = JSON.stringify(error(1201, `the token ${sent} is odd`));
    const order = await bench.order(body, [
      { on: 'create', times: 1, accepts: false, act: { kind: 'answer', status: 400, body: errorBody } },
    ]);
    await bench.ending(order);
    const { key, gateway } = bench;
    const result = await gateway.ask('GET', pathOf(order.model, order.id, 'response'), { key });
    assert.equal(result.body.error.provider.message, 'the token (a token) is odd');
  });

  test('writes pictures into the body, without a prefix', async () => {
    const { gateway, fake, key, media } = bench;
    const model = 'gamma-v3-image';
    const made = await gateway.ask('POST', `/v1/queue/${model}`, {
      key,
      body: { prompt: 'In snow', image: media.picture, watermark_info: { enabled: true } },
    });
    const id = made.body.request_id;
    assert.equal(await untilEnded(gateway, key, { id, model, mark: '' }), null);
    const sent = z.object({ image: z.string() }).parse(fake.received().at(-1)?.json);
    assert.equal(plain(sent.image, fake.url), '<base64>');
    const { body } = await gateway.ask('GET', pathOf(model, id, 'response'), { key });
    assert.match(body.task_result.images[0].watermark_url, /^http/);
  });
});

test('a token is signed as the documentation shows', () => {
  const pair = { accessKey: 'AK_TEST', secretKey: 'SK_TEST' };
  assert.equal(
    mintToken(pair, 1_760_000_000_999),
    'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJBS19URVNUIiwiZXhwIjoxNzYwMDAxODAwLCJuYmYiOjE3NTk5OTk5OTV9.lS3qlcilKDY9pi5-QttIfPOY3b0osFNCcZivO8Uvd0Q',
  );
});

test('a route of API 2.0 needs an account with a key', () => {
  const settings = kling.settings(z.string());
  const turbo = findModel('gamma-v3-turbo-t2v')!;
  const refusal = 'needs an account with api_key: API 2.0 of Kling does not take access_key and secret_key';
  const pair = settings.parse({ access_key: 'a', secret_key: 's' });
  assert.equal(pair.routeRefusal(turbo), refusal);
  assert.equal(pair.routeRefusal(findModel('gamma-v3-image')!), null);
  assert.equal(settings.parse({ api_key: 'k' }).routeRefusal(turbo), null);
  const accounts = { kling: { provider: 'kling', access_key: 'env:A', secret_key: 'env:S' } };
  const routes = { 'gamma-v3-turbo-t2v': [{ account: 'kling' }] };
  const models = { catalog: contractCatalog, invalid: new Set<string>() };
  const { issues } = readRouting({ accounts, routes }, { A: 'a', S: 's' }, models);
  assert.deepEqual(issues, [{ path: ['routes', 'gamma-v3-turbo-t2v', 0, 'account'], message: refusal }]);
});

test('several shots end in a frame at the models that draw that', () => {
  const omni = findModel('gamma-v3-omni-video')!;
  const input = {
    multi_shot: true,
    shot_type: 'intelligence',
    prompt: 'A red boat',
    duration: 5,
    image_list: [
      { image_url: 'https://files.test/a.png', type: 'first_frame' },
      { image_url: 'https://files.test/b.png', type: 'end_frame' },
    ],
  };
  const faultsAt = (upstreamModel: string) => kling.faults(omni, input, { upstreamModel, options: {} });
  assert.deepEqual(faultsAt('kling-v3-omni'), []);
  assert.deepEqual(faultsAt('kling-v3'), []);
  const reason = 'an end_frame is not available together with multi_shot at kling-video-o1';
  assert.deepEqual(faultsAt('kling-video-o1'), [{ path: 'image_list', reason }]);
});

test('an account has one key or a pair', () => {
  const settings = kling.settings(z.string());
  const pair = { access_key: 'a', secret_key: 's' };
  assert.equal(settings.safeParse({ api_key: 'k' }).success, true);
  assert.equal(settings.safeParse(pair).success, true);
  assert.equal(settings.safeParse({ access_key: 'a' }).success, false);
  assert.equal(settings.safeParse({ api_key: 'k', ...pair }).success, false);
  assert.equal(settings.safeParse({}).success, false);
});

describe('the answer to a look-up by name', () => {
  const classic = (task_id: unknown, external_task_id?: unknown) => ({
    code: 0,
    data: { task_id, task_info: { external_task_id } },
  });
  test('of the classic API has the task', () => {
    assert.equal(findClassic(classic('t1', 'ours'), 'ours'), 't1');
    assert.equal(findClassic(classic('t1', null), 'ours'), 't1');
  });
  test('of the classic API proves nothing where it is odd or of another task', () => {
    for (const json of [classic('t1', 'other'), classic(null), { code: 0, data: [] }, { code: 0 }, null])
      assert.equal(findClassic(json, 'ours'), undefined);
  });
  test('of API 2.0 has the task, or proves by an empty list that there is none', () => {
    assert.equal(findV2({ code: 0, data: [{ id: 'a', external_id: 'ours' }, 7] }, 'ours'), 'a');
    assert.equal(findV2({ code: 0, data: [] }, 'ours'), null);
  });
  test('of API 2.0 proves nothing where it is odd, or no list, or one of other tasks', () => {
    const others = [{ id: 'a', external_id: 'other' }];
    for (const json of [{ code: 0, data: others }, { code: 0, data: [7] }, { code: 0 }, { data: [] }])
      assert.equal(findV2(json, 'ours'), undefined);
  });
});

describe('kling: a call that arrives after it was believed not to be there', () => {
  for (const model of ['gamma-v3-omni-video', 'gamma-v3-turbo-t2v']) {
    test(`is not paid twice at ${model}`, async () => {
      const folder = await mkdtemp(join(tmpdir(), 'atelier-kling-'));
      let submissions = 0;
      const late: Protocol = {
        ...protocol,
        read(request) {
          if (request.method === 'POST') submissions += 1;
          return protocol.read(request);
        },
        listed: (jobs, places, request) => protocol.listed!(submissions < 2 ? [] : jobs, places, request),
      };
      const bench = await openBench({ ...wanted, protocol: late, model }, folder);
      try {
        const body = (mark: string) =>
          model === wanted.model ? wanted.body(mark) : { prompt: `A red boat ${mark}` };
        const lost = { on: 'create', times: 1, act: { kind: 'reset', at: 'nothing' } } as const;
        const ending = await bench.ending(await bench.order(body, [lost]));
        const attempts = [['refused', 1] as const, ['accepted', 1] as const];
        assert.deepEqual(ending, good(attempts));
      } finally {
        await bench.close();
        await rm(folder, { recursive: true, force: true });
      }
    });
  }
});

test('kling: a task that it does not know any more ends the job', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-kling-'));
  const bench = await openBench(wanted, folder);
  try {
    const act = { kind: 'answer', status: noSuchTask.status, body: noSuchTask.body.toString() } as const;
    const ending = await bench.ending(await bench.order(wanted.body, [{ on: 'status', act }]));
    assert.deepEqual(ending, { ...good([['accepted', 1]]), error: 'provider_unavailable' });
  } finally {
    await bench.close();
    await rm(folder, { recursive: true, force: true });
  }
});

describe('kling: a task that succeeded', () => {
  type Result = Readonly<Record<string, unknown>>;
  /** Its end, where its one result has these members. */
  async function endWith(results: (result: Result) => readonly unknown[]) {
    const folder = await mkdtemp(join(tmpdir(), 'atelier-kling-'));
    const changed: Protocol = {
      ...protocol,
      status(job, places) {
        const { data, ...rest } = JSON.parse(protocol.status!(job, places).body.toString());
        const [video] = data.task_result?.videos ?? [];
        const task_result = video && { videos: results(video) };
        return jsonAnswer(200, { ...rest, data: { ...data, ...(task_result && { task_result }) } });
      },
    };
    const bench = await openBench({ ...wanted, protocol: changed }, folder);
    try {
      const ending = await bench.ending(await bench.order(wanted.body, []));
      return { ending, uncertain: await listUncertainSubmissions(bench.gateway.gateway.db) };
    } finally {
      await bench.close();
      await rm(folder, { recursive: true, force: true });
    }
  }
  const charged = good([['accepted', 1]]);

  test('is fetched where members of its result are null', async () => {
    const { ending } = await endWith(video => [{ ...video, watermark_url: null, duration: null, id: null }]);
    assert.deepEqual(ending, charged);
  });

  test('is fetched beside a result that cannot be read', async () => {
    const { ending } = await endWith(video => [{ url: null }, video, 'odd']);
    assert.deepEqual(ending, charged);
  });

  test('is named to the operator with its answer where no result can be read', async () => {
    const { ending, uncertain } = await endWith(() => [{ address: 'https://files.test/paid.mp4' }]);
    assert.deepEqual(ending, { ...charged, error: 'submission_uncertain', uncertain: 1 });
    assert.equal(uncertain.length, 1);
    const { reason, error } = uncertain[0]!;
    assert.match(reason ?? '', /^unreadable response from the upstream: \{.*files\.test\/paid\.mp4/);
    assert.doesNotMatch(JSON.stringify(error), /paid/);
  });
});
