/** The provider vidu: conformance, and lookup of a lost submission. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { findByPayload } from '../../src/providers/vidu/lookup.ts';
import { png } from '../../testkit/media/media-maker.ts';
import { jsonAnswer } from '../../testkit/upstream/answer.ts';
import { good } from '../../testkit/upstream/studio.ts';
import type { Protocol } from '../../testkit/upstreams/protocol.ts';
import { creationName, vidu } from '../../testkit/upstreams/vidu.ts';
import { conformance } from './conformance.ts';
import type { Conformance } from './description.ts';
import { openBench } from './provider-bench.ts';

const frame = `data:image/png;base64,${png(320, 240).toString('base64')}`;
const problem = (code: number, reason: string, message = 'not good') => ({
  code,
  reason,
  message,
  metadata: { trace_id: '04e5c2fe' },
});
/** Every call carries the key of its attempt, and where to call once there is news. */
const named = { payload: '<key>', callback_url: '<call>' };

const wanted: Conformance = {
  provider: 'vidu',
  protocol: vidu,
  account: url => ({ base_url: url }),
  hasPublicUrl: true,
  earlier: {
    model: 'epsilon-q2-turbo-img2video',
    body: { images: [frame], duration: 4 },
  },
  model: 'epsilon-q2-turbo-img2video',
  body: mark => ({ images: [frame], prompt: `A red boat ${mark}`, duration: 1 }),
  reported: [['credit', 4]],
  requests: [
    {
      model: 'epsilon-q2-turbo-extend',
      path: '/ent/v2/extend',
      body: {
        model: 'viduq2-turbo',
        video_url: '<link>',
        resolution: '540p',
        duration: 1,
        watermark: false,
        ...named,
      },
    },
    {
      model: 'epsilon-q2-turbo-extend',
      input: media => ({
        video_url: media.clip,
        images: [media.picture],
        prompt: 'The boat leaves',
        resolution: '1080p',
        watermark: true,
        wm_url: media.picture,
        wm_position: 'top_right',
        meta_data: '{"Label":"1"}',
        payload: 'kept here',
        callback_url: 'https://client.test/called',
      }),
      path: '/ent/v2/extend',
      body: {
        model: 'viduq2-turbo',
        video_url: '<link>',
        images: ['<link>'],
        prompt: 'The boat leaves',
        resolution: '1080p',
        duration: 5,
        watermark: true,
        wm_position: 'top_right',
        wm_url: '<link>',
        meta_data: '{"Label":"1"}',
        ...named,
      },
    },
    {
      model: 'epsilon-q2-turbo-extend',
      input: (_, { fileId }) => ({ video_creation_id: fileId, duration: 3 }),
      path: '/ent/v2/extend',
      body: {
        model: 'viduq2-turbo',
        video_creation_id: creationName,
        resolution: '720p',
        duration: 3,
        watermark: false,
        ...named,
      },
    },
    {
      model: 'epsilon-q2-turbo-img2video',
      path: '/ent/v2/img2video',
      body: {
        model: 'viduq2-turbo',
        images: ['<link>'],
        prompt: 'Waves roll under the pier',
        audio: false,
        is_rec: false,
        bgm: false,
        duration: 1,
        resolution: '540p',
        watermark: false,
        ...named,
      },
    },
    {
      model: 'epsilon-q2-turbo-img2video',
      input: media => ({
        images: [media.picture],
        prompt: 'She says: "Good evening"',
        audio: true,
        voice_id: 'warm-woman',
        audio_type: 'speech_only',
        bgm: true,
        duration: 4,
        seed: 7,
        watermark: true,
        wm_position: 1,
      }),
      path: '/ent/v2/img2video',
      body: {
        model: 'viduq2-turbo',
        images: ['<link>'],
        prompt: 'She says: "Good evening"',
        audio: true,
        audio_type: 'speech_only',
        voice_id: 'warm-woman',
        is_rec: false,
        bgm: true,
        duration: 4,
        seed: 7,
        resolution: '720p',
        watermark: true,
        wm_position: 1,
        ...named,
      },
    },
    {
      model: 'epsilon-q3-turbo-start-end2video',
      path: '/ent/v2/start-end2video',
      body: {
        model: 'viduq3-turbo',
        images: ['<link>', '<link>'],
        prompt: 'Day turns into night',
        is_rec: false,
        duration: 1,
        resolution: '540p',
        audio: false,
        watermark: false,
        ...named,
      },
    },
  ],
  gaps: [
    [
      'epsilon-q2-turbo-extend',
      { video_url: 'https://files.test/a.mp4', prompt: 'a'.repeat(2001) },
      'prompt: must be at most 2000 here',
    ],
  ],
  says: words => problem(400, 'FieldInvalid', words),
  refusals: {
    '400 BadRequest': [400, problem(400, 'BadRequest'), 'invalid_input'],
    '400 FieldLacking': [400, problem(400, 'FieldLacking'), 'invalid_input'],
    '400 FieldUnwanted': [400, problem(400, 'FieldUnwanted'), 'invalid_input'],
    '400 FieldItemCountOutOfRange': [400, problem(400, 'FieldItemCountOutOfRange'), 'invalid_input'],
    '400 FieldInvalid': [400, problem(400, 'FieldInvalid'), 'invalid_input'],
    '400 PageSizeOutOfRange': [400, problem(400, 'PageSizeOutOfRange'), 'invalid_input'],
    '400 ImageFormatInvalid': [400, problem(400, 'ImageFormatInvalid'), 'invalid_input'],
    '400 ImageCheckFaceFailed': [400, problem(400, 'ImageCheckFaceFailed'), 'invalid_input'],
    '404 CreationNotFound': [404, problem(404, 'CreationNotFound'), 'invalid_input'],
    '400 ImageDownloadFailure': [400, problem(400, 'ImageDownloadFailure'), 'file_download_error'],
    '400 TaskPromptPolicyViolation': [
      400,
      problem(400, 'TaskPromptPolicyViolation'),
      'content_policy_violation',
    ],
    '400 AuditSubmitIllegal': [400, problem(400, 'AuditSubmitIllegal'), 'content_policy_violation'],
    '400 CreditInsufficient': [400, problem(400, 'CreditInsufficient'), 'later'],
    '400 ModelUnavailable': [400, problem(400, 'ModelUnavailable'), 'later'],
    '401 Unauthorized': [401, problem(401, 'Unauthorized'), 'later'],
    '403 Forbidden': [403, problem(403, 'Forbidden'), 'later'],
    '404 NotFound': [404, problem(404, 'NotFound'), 'later'],
    '429 QuotaExceeded': [429, problem(429, 'QuotaExceeded'), 'later'],
    '429 TooManyRequests': [429, problem(429, 'TooManyRequests'), 'later'],
    '429 SystemThrottling': [429, problem(429, 'SystemThrottling'), 'later'],
    '400 OperationInProcess': [400, problem(400, 'OperationInProcess'), 'unknown'],
    '409 Conflict': [409, problem(409, 'Conflict'), 'unknown'],
    '499 Canceled': [499, problem(499, 'Canceled'), 'unknown'],
    '500 InternalServiceFailure': [500, problem(500, 'InternalServiceFailure'), 'unknown'],
  },
  failures: {
    'breaks the policy': [
      'status',
      200,
      { state: 'failed', err_code: 'CreationPolicyViolation' },
      'content_policy_violation',
    ],
    'could not read a picture': [
      'status',
      200,
      { state: 'failed', err_code: 'ImageDownloadFailure' },
      'file_download_error',
    ],
    'fails without a word': ['status', 200, { state: 'failed', err_code: '' }, 'runtime_error'],
    'is ended in their console': [
      'status',
      200,
      { state: 'failed', err_code: 'UserCancelled' },
      'runtime_error',
    ],
    'makes nothing': ['status', 200, { state: 'success', creations: [] }, 'runtime_error'],
  },
  result: {
    on: 'status',
    path: ['creations'],
    isList: true,
    mayBeNull: [['creations', '0', 'cover_url'], ['credits'], ['err_code'], ['bgm']],
  },
  unknownState: { state: 'dreaming' },
};
conformance(wanted);

describe('vidu: a call whose answer was lost', () => {
  /** Its end, where the list of tasks is answered so. */
  async function endUnder(listed: Protocol['listed']) {
    const folder = await mkdtemp(join(tmpdir(), 'atelier-vidu-'));
    const bench = await openBench({ ...wanted, protocol: { ...vidu, listed: listed! } }, folder);
    try {
      const lost = { on: 'create', times: 1, act: { kind: 'reset', at: 'nothing' } } as const;
      return await bench.ending(await bench.order(wanted.body, [lost]));
    } finally {
      await bench.close();
      await rm(folder, { recursive: true, force: true });
    }
  }
  const uncertain = {
    error: 'submission_uncertain',
    submissions: 1,
    charges: 1,
    attempts: [['unknown', 1]],
    uncertain: 1,
  };

  test('is found in a list below data', async () => {
    const ending = await endUnder((jobs, places, request) =>
      jsonAnswer(200, { data: JSON.parse(vidu.listed!(jobs, places, request).body.toString()) }),
    );
    assert.deepEqual(ending, good([['accepted', 1]]));
  });

  test('is not sent again after an error with the status 200', async () => {
    assert.deepEqual(await endUnder(() => jsonAnswer(200, { code: 500, reason: 'Internal' })), uncertain);
  });

  test('is not sent again after an answer without a list', async () => {
    assert.deepEqual(await endUnder(() => jsonAnswer(200, { tasks: null })), uncertain);
  });
});

type ListBody = Readonly<Record<string, unknown>> | null;

/** What the lookup finds in a list that answers so, by the requested path; null is a broken answer. */
async function find(answers: (path: string) => ListBody) {
  const requested: string[] = [];
  const get = async (path: string) => {
    requested.push(path.replace(/created_at.from=[^&]+&/, ''));
    const json = answers(path);
    if (!json) return { kind: 'broken', reason: 'reset' } as const;
    return { kind: 'answered', status: 200, headers: {}, json, bytes: null } as const;
  };
  const errors = { read: () => null, codes: {} };
  const found = await findByPayload(
    { get, errors },
    { dedupeKey: 'job-1', job: { createdAt: Date.UTC(2026, 0, 2) } },
  );
  return { found, requested };
}

const pages =
  (...list: readonly ListBody[]) =>
  (path: string): ListBody =>
    list[Number(new URL(path, 'http://vidu').searchParams.get('pager.page') ?? 1)] ?? { tasks: [] };

describe('vidu: the lookup of a call', () => {
  const first = '/ent/v2/tasks?pager.pagesz=100&pager.page=0';

  test('believes that nothing is there only after a page without tasks', async () => {
    const { found, requested } = await find(pages({ tasks: [{ id: 'a', payload: 'job-2' }] }));
    assert.deepEqual(found, { kind: 'absent' });
    assert.deepEqual(requested, [first, '/ent/v2/tasks?pager.pagesz=100&pager.page=1']);
  });

  test('follows the token of a page', async () => {
    const list = pages(
      { tasks: [{ id: 'a', payload: 'job-2' }], next_page_token: 't1' },
      { tasks: [{ id: 'b', payload: 'job-1' }] },
    );
    const { found, requested } = await find(list);
    assert.deepEqual(found, { kind: 'found', ref: { id: 'b' } });
    assert.deepEqual(requested, [first, '/ent/v2/tasks?pager.pagesz=100&pager.page_token=t1']);
  });

  test('requests the payload of each task where the list has none', async () => {
    const list = pages({ tasks: [{ id: 'a' }, { id: 'b', payload: '' }, { id: 'c', payload: 'job-3' }] });
    const { found, requested } = await find(path =>
      path.endsWith('/creations') ? { payload: path.includes('/b/') ? 'job-1' : '' } : list(path),
    );
    assert.deepEqual(found, { kind: 'found', ref: { id: 'b' } });
    assert.deepEqual(requested.slice(2), ['/ent/v2/tasks/a/creations', '/ent/v2/tasks/b/creations']);
  });

  test('decides nothing when the list repeats itself, breaks off or hides what tasks carry', async () => {
    const repeating = await find(() => ({ tasks: [{ id: 'a', payload: 'job-2' }] }));
    assert.deepEqual(repeating.found, { kind: 'undecided' });
    assert.deepEqual((await find(() => null)).found, { kind: 'undecided' });
    const hiding = await find(path =>
      path.endsWith('/creations') ? {} : pages({ tasks: [{ id: 'a' }] })(path),
    );
    assert.deepEqual(hiding.found, { kind: 'undecided' });
    const odd = await find(() => ({ tasks: [{ id: 17 }] }));
    assert.deepEqual(odd.found, { kind: 'undecided' });
  });
});
