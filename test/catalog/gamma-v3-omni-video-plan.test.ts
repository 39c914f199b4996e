/** Render plans of gamma-v3-omni-video: sizes, shots, frames and edited videos. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clipOf, lookUp, pictureOf } from './media-facts.ts';
import { accepted, modelOf } from './tables.ts';

const model = modelOf('gamma-v3-omni-video');
const base = { prompt: 'a cat on a roof', aspect_ratio: '16:9' };
const video_url = 'https://files.test/clip.mp4';
const shots = (...seconds: string[]) =>
  seconds.map((duration, index) => ({ index: index + 1, prompt: 'the sea', duration }));

test('every level has its sizes', () => {
  const sizeOf = (mode: string, aspect_ratio: string) => {
    const plan = model.render(accepted(model, { ...base, mode, aspect_ratio }));
    assert.ok(plan.kind === 'video');
    return [plan.width, plan.height];
  };
  assert.deepEqual(
    ['16:9', '9:16', '1:1'].map(ratio => sizeOf('std', ratio)),
    [
      [1280, 720],
      [720, 1280],
      [960, 960],
    ],
  );
  assert.deepEqual(
    ['16:9', '9:16', '1:1'].map(ratio => sizeOf('pro', ratio)),
    [
      [1920, 1080],
      [1080, 1920],
      [1440, 1440],
    ],
  );
  assert.deepEqual(
    ['16:9', '9:16', '1:1'].map(ratio => sizeOf('4k', ratio)),
    [
      [3840, 2160],
      [2160, 3840],
      [2880, 2880],
    ],
  );
});

test('the plan cuts the video into its shots, in their order, and removes the references from the prompt', () => {
  assert.deepEqual(model.render(accepted(model, model.examples[1])), {
    kind: 'video',
    width: 1080,
    height: 1920,
    fps: 24,
    shots: [
      { seconds: 2, prompt: 'The ship of leaves the harbour' },
      { seconds: 4, prompt: 'It meets a storm on the open sea' },
    ],
    seed: null,
    sound: true,
    references: [{ kind: 'image', media: 'https://files.test/ship.png' }],
    watermark: 'none',
  });
});

test('the plan takes its shape from the first frame, whichever image that is', () => {
  const body = {
    prompt: 'a flower opens',
    mode: 'std',
    image_list: [
      { image_url: 'https://files.test/last.png', type: 'end_frame' },
      { image_url: 'https://files.test/first.png', type: 'first_frame' },
    ],
  };
  const facts = {
    'image_list.0.image_url': pictureOf(600, 600),
    'image_list.1.image_url': pictureOf(900, 1600),
  };
  assert.deepEqual(model.render(accepted(model, body), lookUp(facts)), {
    kind: 'video',
    width: 720,
    height: 1280,
    fps: 24,
    shots: [{ seconds: 5, prompt: 'a flower opens' }],
    seed: null,
    sound: false,
    firstFrame: { media: 'https://files.test/first.png' },
    lastFrame: { media: 'https://files.test/last.png' },
    watermark: 'none',
  });
});

test('an edited video keeps its length, its shape and its sound, whatever the duration', () => {
  const body = {
    multi_shot: true,
    shot_type: 'customize',
    multi_prompt: shots('1', '3'),
    duration: 3,
    video_list: [{ video_url, refer_type: 'base' }],
  };
  const facts = { 'video_list.0.video_url': clipOf({ width: 1440, height: 1440, seconds: 8 }, true) };
  assert.deepEqual(model.render(accepted(model, body), lookUp(facts)), {
    kind: 'video',
    width: 1440,
    height: 1440,
    fps: 24,
    shots: [
      { seconds: 2, prompt: 'the sea' },
      { seconds: 6, prompt: 'the sea' },
    ],
    seed: null,
    sound: true,
    source: { media: video_url, use: 'edit', keepSound: true },
    watermark: 'none',
  });
});

test('a video for its features gives no length, and its sound only where there is one to keep', () => {
  const mute = { 'video_list.0.video_url': clipOf({ width: 1280, height: 720, seconds: 8 }) };
  const body = {
    ...base,
    duration: '4',
    multi_shot: true,
    shot_type: 'intelligence',
    video_list: [{ video_url, refer_type: 'feature' }],
  };
  assert.deepEqual(model.render(accepted(model, body), lookUp(mute)), {
    kind: 'video',
    width: 1920,
    height: 1080,
    fps: 24,
    shots: [
      { seconds: 2, prompt: 'a cat on a roof' },
      { seconds: 2, prompt: 'a cat on a roof' },
    ],
    seed: null,
    sound: false,
    source: { media: video_url, use: 'feature', keepSound: false },
    watermark: 'none',
  });
});
