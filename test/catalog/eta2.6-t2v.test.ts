/** eta2.6-t2v: input, defaults, sizes, plan and body of the result. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cancelledBody, failureBody, jobId, nativeOf, output, successBody } from './ended-jobs.ts';
import { accepted, accepts, modelOf, refuses } from './tables.ts';

const model = modelOf('eta2.6-t2v');
const base = { prompt: 'a sailboat' };
const sizes = [
  '1280*720',
  '720*1280',
  '960*960',
  '1088*832',
  '832*1088',
  '1920*1080',
  '1080*1920',
  '1440*1440',
  '1632*1248',
  '1248*1632',
];
const sizeRefused = `size: must be one of ${sizes.join(', ')}`;

accepts(model, base, [
  ['an empty audio address', { audio_url: '' }],
  ['a negative prompt that is null', { negative_prompt: null }],
  ['a prompt of 1500 characters', { prompt: 'x'.repeat(1500) }],
  ['a prompt of 1501 characters', { prompt: 'x'.repeat(1501) }],
  ['a Chinese prompt', { prompt: '海边的灯塔' }],
  ['a negative prompt without any bound', { negative_prompt: 'x'.repeat(20_000) }],
  ['2 seconds', { duration: 2 }],
  ['15 seconds', { duration: 15 }],
  ...sizes.map(size => [`the size ${size}`, { size }] as const),
  ['a guiding audio', { audio_url: 'https://files.test/waves.mp3' }],
  ['a guiding audio of our own', { audio_url: 'asset://file_0123456789abcdefghijABCD' }],
  ['the seed 0', { seed: 0 }],
  ['the seed 2147483647', { seed: 2_147_483_647 }],
  ['several shots', { shot_type: 'multi' }],
]);

refuses(model, base, [
  ['no prompt', { prompt: undefined }, 'prompt: is required'],
  ['an empty prompt', { prompt: '' }, 'prompt: must not be empty'],
  ['a prompt of which only blanks are left', { prompt: `${' '.repeat(1500)}x` }, 'prompt: must not be empty'],
  ['a prompt that is a number', { prompt: 5 }, 'prompt: must be a string'],
  ['1 second', { duration: 1 }, 'duration: must be between 2 and 15'],
  ['16 seconds', { duration: 16 }, 'duration: must be between 2 and 15'],
  ['2.5 seconds', { duration: 2.5 }, 'duration: must be an integer'],
  ['seconds as text', { duration: '5' }, 'duration: must be an integer'],
  ['seconds as huge as 1e300', { duration: 1e300 }, 'duration: must be between 2 and 15'],
  ['a size with an x', { size: '1920x1080' }, sizeRefused],
  ['a size with a multiplication sign', { size: '1920×1080' }, sizeRefused],
  ['a size one pixel off', { size: '1920*1081' }, sizeRefused],
  ['a ratio for a size', { size: '16:9' }, sizeRefused],
  ['a level for a size', { size: '720P' }, sizeRefused],
  [
    'an audio as data URL',
    { audio_url: 'data:audio/mpeg;base64,AAAA' },
    'audio_url: must be an http or https URL or a file id',
  ],
  ['an unknown kind of shots', { shot_type: 'double' }, 'shot_type: must be one of single, multi'],
  ['prompt_extend as text', { prompt_extend: 'true' }, 'prompt_extend: must be true or false'],
  ['the seed -1', { seed: -1 }, 'seed: must be between 0 and 2147483647'],
  ['the seed 2147483648', { seed: 2_147_483_648 }, 'seed: must be between 0 and 2147483647'],
  ['a watermark that is a number', { watermark: 1 }, 'watermark: must be true or false'],
  ['a misspelt field', { promptextend: true }, 'promptextend: unknown field, did you mean prompt_extend?'],
  [
    'a callback address, which the contract does not give it',
    { callback_url: 'https://client.test' },
    'callback_url: unknown field',
  ],
  [
    'several faults at once',
    { prompt: '', size: '1x1', seed: -1 },
    `prompt: must not be empty; ${sizeRefused}; seed: must be between 0 and 2147483647`,
  ],
]);

test('a prompt is cut after 1500 whole characters', () => {
  const { prompt } = accepted(model, { prompt: `${'x'.repeat(1499)}⛵🎈🎈` });
  assert.equal(prompt, `${'x'.repeat(1499)}⛵`);
  assert.equal(accepted(model, { prompt: '🎈'.repeat(1600) }).prompt, '🎈'.repeat(1500));
});

test('what is left out has the default of the contract', () => {
  assert.deepEqual(accepted(model, base), {
    prompt: 'a sailboat',
    duration: 5,
    size: '1920*1080',
    prompt_extend: true,
    watermark: false,
  });
});

test('every size is drawn exactly, at 30 frames a second and with sound', () => {
  for (const size of sizes) {
    const plan = model.render(accepted(model, { ...base, size }));
    assert.ok(plan.kind === 'video');
    assert.deepEqual([`${plan.width}*${plan.height}`, plan.fps, plan.sound], [size, 30, true]);
  }
});

test('several shots are two to four whole-second cuts of the same prompt', () => {
  for (let duration = 2; duration <= 15; duration++) {
    const plan = model.render(accepted(model, { ...base, duration, shot_type: 'multi' }));
    assert.ok(plan.kind === 'video');
    const { shots } = plan;
    assert.ok(shots.length >= 2 && shots.length <= 4);
    assert.ok(shots.every(shot => Number.isInteger(shot.seconds) && shot.seconds >= 1));
    assert.equal(
      shots.reduce((sum, shot) => sum + shot.seconds, 0),
      duration,
    );
    assert.equal(new Set(shots.map(shot => shot.prompt)).size, 1);
  }
});

test('the plan carries the negative prompt, the seed, the guiding audio and the burned mark', () => {
  const audio_url = 'https://files.test/waves.mp3';
  const body = {
    ...base,
    duration: 2,
    negative_prompt: 'people',
    seed: 7,
    audio_url,
    watermark: true,
    prompt_extend: false,
  };
  assert.deepEqual(model.render(accepted(model, body)), {
    kind: 'video',
    width: 1920,
    height: 1080,
    fps: 30,
    shots: [{ seconds: 2, prompt: 'a sailboat' }],
    negativePrompt: 'people',
    seed: 7,
    sound: true,
    guideAudio: { media: audio_url },
    watermark: 'burned',
  });
});

test('a success reports its video, its times and its usage in the fields of the family', () => {
  const video = output({ mimeType: 'video/mp4', width: 1280, height: 720, seconds: 2.03, fps: 30 });
  const body = successBody(model, { ...base, size: '1280*720', duration: 2 }, { outputs: [video] });
  assert.deepEqual(nativeOf(body), {
    output: {
      task_id: jobId,
      task_status: 'SUCCEEDED',
      submit_time: '2026-05-21 07:33:38.000',
      scheduled_time: '2026-05-21 07:33:40.000',
      end_time: '2026-05-21 07:33:50.500',
      orig_prompt: 'a sailboat',
      actual_prompt: 'a sailboat, in fine detail and natural light',
      video_url: 'https://files.test/primary-0',
    },
    usage: { duration: 2, output_video_duration: 2.03, video_count: 1, SR: 720, size: '1280*720' },
  });
  assert.equal(body.duration, 2.03);
});

test('the actual prompt is the drawn one, and there is none where it was not to be extended', () => {
  const video = output({ mimeType: 'video/mp4', width: 1920, height: 1080, seconds: 5 });
  const outputs = [video];
  for (const prompt of ['a sailboat', '海边的灯塔']) {
    const plan = model.render(accepted(model, { prompt }));
    assert.ok(plan.kind === 'video');
    const { actual_prompt, orig_prompt } = successBody(model, { prompt }, { outputs }).output;
    assert.deepEqual([actual_prompt, orig_prompt], [plan.shots[0]!.prompt, prompt]);
  }
  assert.equal(
    'actual_prompt' in successBody(model, { ...base, prompt_extend: false }, { outputs }).output,
    false,
  );
});

test('a failure reports FAILED and its reason, a cancellation CANCELED, and neither has a video or a usage', () => {
  const failed = nativeOf(failureBody(model, { ...base, prompt_extend: false }));
  assert.deepEqual(failed, {
    output: {
      task_id: jobId,
      task_status: 'FAILED',
      submit_time: '2026-05-21 07:33:38.000',
      scheduled_time: '2026-05-21 07:33:40.000',
      end_time: '2026-05-21 07:33:50.500',
      orig_prompt: 'a sailboat',
      code: 'content_policy_violation',
      message: 'Runtime execution failed: the prompt was refused',
    },
  });
  const { output: cancelled } = cancelledBody(model, base);
  assert.deepEqual([cancelled.task_status, 'scheduled_time' in cancelled], ['CANCELED', false]);
});
