/** Bodies of jobs that wait or run, in every family. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { models } from '../../src/catalog/index.ts';
import { statusBody } from '../../src/catalog/response-bodies.ts';
import { jobIdFromRow, keyIdFromRow, userIdFromRow } from '../../src/domain/ids.ts';
import type { Job } from '../../src/domain/job.ts';
import { forStatus } from '../../src/store/jobs/read.ts';
import { createdAt, jobId } from './ended-jobs.ts';
import { accepted, modelOf } from './tables.ts';

const base = `https://gateway.test/model/v1/queue`;

const facts = { publicUrl: 'https://gateway.test', position: 3, events: null };

/** A job of the model's first example, as JSON. */
const bodyOf = (modelId: string, job: Partial<Job>, wanted: object = {}) =>
  JSON.parse(JSON.stringify(statusBody(modelOf(modelId), forStatus(jobOf(modelId, job, wanted)), facts)));

function jobOf(modelId: string, job: Partial<Job>, wanted: object = {}): Job {
  const model = modelOf(modelId);
  const input = accepted(model, { ...(model.examples[0] as object), ...wanted });
  return {
    id: jobIdFromRow(jobId),
    userId: userIdFromRow('user_1'),
    keyId: keyIdFromRow('key_1'),
    modelId,
    state: 'available',
    priority: 0,
    rank: 0,
    dueAt: createdAt,
    holder: null,
    claim: 0,
    crashes: 0,
    createdAt,
    startedAt: null,
    completedAt: null,
    expiresAt: createdAt + 172_800_000,
    cancelRequestedAt: null,
    input,
    externalTaskId: null,
    callbackUrl: null,
    progress: null,
    tags: null,
    cost: null,
    result: null,
    error: null,
    ...job,
  };
}

const running = { state: 'running', startedAt: createdAt + 2000 } as const;
const addresses = (modelId: string) => {
  const job = `${base}/${modelId}/requests/${jobId}`;
  return { response_url: `${job}/response`, status_url: `${job}/status`, cancel_url: `${job}/cancel` };
};

type Keys = Readonly<Record<string, unknown>>;

/** What the family's users know of a task that waits, and of one that runs. */
type FamilyKeys = readonly [waiting: Keys, running: Keys];
const same = (keys: Keys): FamilyKeys => [keys, keys];
const gamma = (task_status: string): Keys => ({
  task_id: jobId,
  task_status,
  task_status_msg: '',
  task_info: { external_task_id: '' },
});
const epsilon = (state: string): Keys => ({
  id: jobId,
  state,
  err_code: '',
  payload: '',
  bgm: false,
  creations: [],
});
const delta: Keys = {
  data: { status: 1 },
  trace_id: jobId,
  base_resp: { status_code: 0, status_msg: 'success' },
};
const eta: Keys = {
  task_id: jobId,
  submit_time: '2026-05-21 07:33:38.000',
  orig_prompt: 'A sailboat crossing a calm bay at sunrise',
  actual_prompt: 'A sailboat crossing a calm bay at sunrise, in fine detail and natural light',
};

const familyKeys: Readonly<Record<string, FamilyKeys>> = {
  'alpha-2-0-mini': same({ id: jobId, generate_audio: true }),
  'alpha-1-5-pro': same({
    id: jobId,
    generate_audio: true,
    draft: false,
    service_tier: 'default',
    execution_expires_after: 172_800,
  }),
  'beta-edit': same({ jobId, billed_jobs: 1 }),
  'beta-outpaint': same({ jobId, billed_jobs: 1 }),
  'beta-upscale': same({ jobId, billed_jobs: 1 }),
  'gamma-v2-6-motion-control': [gamma('submitted'), gamma('processing')],
  'gamma-v2-image': [gamma('submitted'), gamma('processing')],
  'gamma-v2-multi-image2image': [gamma('submitted'), gamma('processing')],
  'gamma-v3-image': [gamma('submitted'), gamma('processing')],
  'gamma-v3-omni-video': [gamma('submitted'), gamma('processing')],
  'gamma-v3-turbo-t2v': same({ id: jobId, external_id: '', message: '', outputs: [] }),
  'delta-speech-01-turbo': same(delta),
  'delta-speech-02-hd': same(delta),
  'epsilon-q2-turbo-extend': [epsilon('queueing'), epsilon('processing')],
  'epsilon-q2-turbo-img2video': [epsilon('queueing'), epsilon('processing')],
  'epsilon-q3-turbo-start-end2video': [epsilon('queueing'), epsilon('processing')],
  'zeta-v6-i2v': same({ video_id: jobId, prompt: 'Boats rock gently in the harbour' }),
  'eta2.6-t2v': [
    { output: { ...eta, task_status: 'PENDING' } },
    { output: { ...eta, task_status: 'RUNNING', scheduled_time: '2026-05-21 07:33:40.000' } },
  ],
  'theta-3.1-flash-tts-preview': same({ voice_name: 'Kore' }),
};

for (const { id } of models) {
  const [waits, runs] = familyKeys[id] ?? [];
  const created_at = createdAt / 1000;

  test(`${id}: the body of a waiting job has its model and the keys of its family, and no progress`, () => {
    assert.deepEqual(bodyOf(id, {}), {
      ...waits,
      model: id,
      status: 'IN_QUEUE',
      request_id: jobId,
      queue_position: 3,
      ...addresses(id),
      created_at,
    });
  });

  test(`${id}: so has that of a running job, with its progress once that is known`, () => {
    const body = {
      ...runs,
      model: id,
      status: 'IN_PROGRESS',
      request_id: jobId,
      ...addresses(id),
      logs: null,
      created_at,
      started_at: created_at + 2,
    };
    assert.deepEqual(bodyOf(id, running), body);
    assert.deepEqual(bodyOf(id, { ...running, progress: 0.4 }), { ...body, progress: 0.4 });
  });
}

test('an external_task_id is reported at the top and where the family has it', () => {
  const body = bodyOf('gamma-v3-image', { externalTaskId: 'order-7' }, { external_task_id: 'order-7' });
  assert.equal(body.external_task_id, 'order-7');
  assert.deepEqual(body.task_info, { external_task_id: 'order-7' });
});

test('what the caller sent along is echoed while the job runs', () => {
  const wanted = { payload: 'scene 4', bgm: true };
  const { payload, bgm } = bodyOf('epsilon-q2-turbo-img2video', running, wanted);
  assert.deepEqual({ payload, bgm }, { payload: 'scene 4', bgm: true });
});

test('without its input a job is reported without the keys of its family', () => {
  const { input: _, ...job } = forStatus(jobOf('gamma-v3-image', {}));
  const body = JSON.parse(JSON.stringify(statusBody(modelOf('gamma-v3-image'), job, facts)));
  assert.deepEqual([body.model, body.task_id, body.status], ['gamma-v3-image', undefined, 'IN_QUEUE']);
});
