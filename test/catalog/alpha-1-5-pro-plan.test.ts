/** Render plans of alpha-1-5-pro: defaults, sizes, drafts and final videos. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResolvedReference } from '../../src/domain/reference.ts';
import { draftId, draftTask, picture, plainPlan, text } from './alpha-content.ts';
import { failureBody, jobId, nativeOf, output, successBody } from './ended-jobs.ts';
import { accepted, modelOf } from './tables.ts';

const model = modelOf('alpha-1-5-pro');
const base = { content: [text()] };

test('the plan of a text takes the defaults of the contract', () => {
  assert.deepEqual(model.render(accepted(model, base)), plainPlan);
});

test('the plan contains seed, camera, last frame, mark and frames', () => {
  const { soundChannels: _, ...silent } = plainPlan;
  const body = {
    content: [text(), picture('first_frame'), picture('last_frame', 'https://files.test/z.png')],
    resolution: '1080p',
    ratio: '21:9',
    seed: 0,
    camera_fixed: true,
    return_last_frame: true,
    generate_audio: false,
    watermark: true,
  };
  assert.deepEqual(model.render(accepted(model, body)), {
    ...silent,
    width: 2206,
    height: 946,
    seed: 0,
    sound: false,
    firstFrame: { media: 'https://files.test/a.png' },
    lastFrame: { media: 'https://files.test/z.png' },
    fixedCamera: true,
    returnLastFrame: true,
    watermark: 'burned',
  });
});

test('a draft without resolution is drawn in 480p', () => {
  assert.deepEqual(model.render(accepted(model, { ...base, draft: true })), {
    ...plainPlan,
    width: 864,
    height: 496,
    draft: true,
  });
});

test('every size of 1080p is even and of its ratio within a hundredth', () => {
  for (const ratio of ['16:9', '4:3', '1:1', '3:4', '9:16', '21:9']) {
    const plan = model.render(accepted(model, { ...base, resolution: '1080p', ratio }));
    assert.ok(plan.kind === 'video');
    const [across = 0, down = 0] = ratio.split(':').map(Number);
    assert.deepEqual([plan.width % 2, plan.height % 2], [0, 0]);
    assert.ok(Math.abs((plan.width * down) / (plan.height * across) - 1) < 0.01);
  }
});

/** What the gate finds for the draft of a body. */
function found(
  draftBody: Record<string, unknown>,
  facts: Partial<ResolvedReference> = {},
): ResolvedReference {
  const [reference] = model.references(accepted(model, { content: [draftTask] }));
  assert.ok(reference);
  const input = accepted(model, draftBody);
  return { reference, jobId: draftId, modelId: model.id, input, images: 0, output: null, ...facts };
}

test('a draft_task points at a draft, and at no job that is none', () => {
  const draft = found({ ...base, draft: true });
  assert.deepEqual(
    { ...draft.reference, accepts: undefined },
    {
      kind: 'draft',
      path: 'content.0.draft_task.id',
      id: draftId,
      mayBeForeign: true,
      accepts: undefined,
    },
  );
  const { accepts } = draft.reference;
  assert.equal(accepts?.(draft), true);
  assert.equal(accepts?.(found(base)), false);
  assert.equal(accepts?.({ ...draft, modelId: 'alpha-2-0-mini' }), false);
  assert.equal(accepts?.({ ...draft, input: { text: 'spoken' } }), false);
});

test('a final video takes over what its draft was made of, and keeps the rest of its own', () => {
  const draft = found(
    {
      content: [text('a boat'), picture('', 'file_0123456789abcdefghijABCD')],
      draft: true,
      generate_audio: false,
      ratio: '1:1',
      duration: 7,
      camera_fixed: true,
      watermark: true,
      service_tier: 'default',
    },
    { seed: 99 },
  );
  const final = accepted(model, {
    content: [draftTask],
    resolution: '1080p',
    service_tier: 'flex',
    ratio: '16:9',
    duration: 4,
    seed: 5,
  });
  const adopted = model.inherit(final, [draft]);
  assert.deepEqual(adopted, {
    ...final,
    // An empty role is none.
    content: [text('a boat'), picture(undefined, 'file_0123456789abcdefghijABCD'), draftTask],
    generate_audio: false,
    seed: 99,
    ratio: '1:1',
    duration: 7,
    camera_fixed: true,
  });
  assert.deepEqual(model.render(adopted), {
    kind: 'video',
    width: 1440,
    height: 1440,
    fps: 24,
    shots: [{ seconds: 7, prompt: 'a boat' }],
    seed: 99,
    sound: false,
    firstFrame: { media: 'file_0123456789abcdefghijABCD' },
    fixedCamera: true,
    watermark: 'none',
  });
  assert.deepEqual(
    model.media(adopted).map(({ path }) => path.join('.')),
    ['content.1.image_url.url'],
  );
  assert.deepEqual(
    model.references(adopted).map(({ path, id }) => [path, id]),
    [['content.2.draft_task.id', draftId]],
  );
});

test('a final video takes the requested seed of its draft where the drawn one is not known', () => {
  const final = accepted(model, { content: [draftTask], seed: 5 });
  const adopted = model.inherit(final, [found({ ...base, draft: true, seed: 12 })]);
  assert.equal((adopted as { seed: number }).seed, 12);
});

test('an input without a draft_task stays as it is', () => {
  const input = accepted(model, base);
  assert.deepEqual(model.inherit(input, []), input);
});

const settings = {
  generate_audio: true,
  draft: false,
  service_tier: 'default',
  execution_expires_after: 172_800,
};

test('a success reports its video and last frame in the fields of the family', () => {
  const outputs = [
    output({ mimeType: 'video/mp4', width: 1112, height: 834, seconds: 5, fps: 24 }),
    output({ mimeType: 'image/png', role: 'last_frame', width: 1112, height: 834 }),
  ];
  const body = successBody(model, { ...base, return_last_frame: true }, { outputs, result: { seed: 3 } });
  assert.deepEqual(nativeOf(body), {
    id: jobId,
    content: {
      video_url: 'https://files.test/primary-0',
      last_frame_url: 'https://files.test/last_frame-0',
    },
    seed: 3,
    resolution: '720p',
    ratio: '4:3',
    framespersecond: 24,
    ...settings,
    usage: { completion_tokens: 108_681, total_tokens: 108_681 },
  });
  assert.deepEqual(body.last_frame, {
    url: 'https://files.test/last_frame-0',
    content_type: 'image/png',
    width: 1112,
    height: 834,
  });
});

test('a success of a final video names its draft', () => {
  const outputs = [output({ mimeType: 'video/mp4', width: 1280, height: 720, seconds: 5, fps: 24 })];
  const body = successBody(model, { content: [draftTask] }, { outputs });
  assert.equal(nativeOf(body).draft_task_id, draftId);
});

test('a failure reports its settings and no video', () => {
  assert.deepEqual(nativeOf(failureBody(model, base)), { id: jobId, ...settings });
});

test('what is given beside a draft_task must be as it is in the draft', () => {
  const draft = found(
    { content: [text('a boat')], draft: true, duration: 4, generate_audio: false },
    { seed: 99 },
  );
  const faultsOf = (more: object) => {
    const parsed = model.parse({ content: [draftTask], resolution: '1080p', ...more });
    assert.ok(parsed.ok);
    return model
      .inheritFaults(parsed.input, parsed.given, [draft])
      .map(({ path, reason }) => `${path}: ${reason}`);
  };
  assert.deepEqual(faultsOf({}), []);
  assert.deepEqual(faultsOf({ duration: 4, generate_audio: false, seed: 99, watermark: true }), []);
  assert.deepEqual(faultsOf({ duration: null, ratio: '' }), []);
  assert.deepEqual(faultsOf({ duration: 5, ratio: '1:1', generate_audio: true }), [
    "generate_audio: must equal the draft's value, false",
    "ratio: must equal the draft's value, adaptive",
    "duration: must equal the draft's value, 4",
  ]);
});
