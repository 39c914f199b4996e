/** Render plans of alpha-2-0-mini, and its limits of reference media. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MediaFacts } from '../../src/domain/media.ts';
import { picture, plainPlan, sound, text, times, video } from './alpha-content.ts';
import { cancelledBody, failureBody, jobId, nativeOf, output, successBody } from './ended-jobs.ts';
import { accepted, modelOf } from './tables.ts';

const model = modelOf('alpha-2-0-mini');
const base = { content: [text()] };
const reference = picture('reference_image');

const clip = (seconds: number, width = 1280, height = 720): MediaFacts => ({
  mimeType: 'video/mp4',
  bytes: 1,
  video: { width, height, seconds, fps: 24, codec: 'h264' },
  audio: { seconds: 60, sampleRate: 48_000, channels: 2, codec: 'aac' },
});
const song = (seconds: number): MediaFacts => ({
  mimeType: 'audio/mpeg',
  bytes: 1,
  audio: { seconds, sampleRate: 44_100, channels: 2, codec: 'mp3' },
});
const still = (width: number, height: number): MediaFacts => ({
  mimeType: 'image/png',
  bytes: 1,
  image: { width, height },
});
/** Facts of the items, in their order. */
const factsOf = (facts: readonly (MediaFacts | null)[]) => (path: string) =>
  facts[Number(path.split('.')[1])] ?? null;

test('three videos and three sounds of 15 s in all are accepted', () => {
  const input = accepted(model, { content: [...times(3, video()), ...times(3, sound())] });
  assert.deepEqual(model.mediaFaults(input, factsOf([...times(3, clip(5)), ...times(3, song(5))])), []);
});

test('videos that were not probed yet are not validated', () => {
  const input = accepted(model, { content: [video(), video()] });
  assert.deepEqual(model.mediaFaults(input, factsOf([clip(15), null])), []);
});

test('videos and sounds beyond 15 s in all are each refused separately', () => {
  const input = accepted(model, { content: [...times(2, video()), ...times(2, sound())] });
  assert.deepEqual(model.mediaFaults(input, factsOf([clip(10), clip(5.1), song(7), song(8.1)])), [
    { path: 'content', reason: 'the videos must be at most 15 s together' },
    { path: 'content', reason: 'the sounds must be at most 15 s together' },
  ]);
});

test('each resolution and ratio has the size of the contract', () => {
  const sizes = Object.fromEntries(
    ['480p', '720p'].map(resolution => [
      resolution,
      ['16:9', '4:3', '1:1', '3:4', '9:16', '21:9'].map(ratio => {
        const plan = model.render(accepted(model, { ...base, resolution, ratio }));
        assert.ok(plan.kind === 'video');
        return `${plan.width}x${plan.height}`;
      }),
    ]),
  );
  assert.deepEqual(sizes, {
    '480p': ['864x496', '752x560', '640x640', '560x752', '496x864', '992x432'],
    '720p': ['1280x720', '1112x834', '960x960', '834x1112', '720x1280', '1470x630'],
  });
});

const sizeOf = (content: readonly unknown[], facts: readonly (MediaFacts | null)[] = []): string => {
  const plan = model.render(accepted(model, { content }), factsOf(facts));
  assert.ok(plan.kind === 'video');
  return `${plan.width}x${plan.height}`;
};

for (const [words, size] of [
  ['a portrait of a sailor', '720x1280'],
  ['a vertical shot of a waterfall', '720x1280'],
  ['竖屏，海边的灯塔', '720x1280'],
  ['a square of sand', '960x960'],
  ['a wide valley', '1470x630'],
  ['an ultra-wide valley', '1470x630'],
  ['a valley in 4:3', '1112x834'],
  ['a clock that shows 11:15', '1280x720'],
  ['a widely known face', '1280x720'],
] as const) {
  test(`adaptive draws "${words}" at ${size}`, () => assert.equal(sizeOf([text(words)]), size));
}

test('adaptive takes the ratio nearest to the first frame, whatever the text contains', () => {
  assert.equal(sizeOf([text('a square'), picture('')], [null, still(1000, 1300)]), '834x1112');
  assert.equal(
    sizeOf([picture('last_frame'), picture('first_frame')], [still(900, 900), still(1000, 560)]),
    '1280x720',
  );
  assert.equal(sizeOf([picture()], [null]), '1280x720');
});

test('adaptive takes the ratio of the first video before that of the first picture', () => {
  assert.equal(sizeOf([reference, video()], [still(900, 900), clip(5, 720, 1280)]), '720x1280');
  assert.equal(sizeOf([reference, sound()], [still(900, 900), song(5)]), '960x960');
});

test('the plan of a text takes the defaults of the contract, with sound in one channel', () => {
  assert.deepEqual(model.render(accepted(model, base)), plainPlan);
});

test('the plan of a silent, marked video contains its frames in their order', () => {
  const { soundChannels: _, ...silent } = plainPlan;
  const content = [text(), picture('last_frame', 'https://files.test/z.png'), picture('first_frame')];
  const body = { content, generate_audio: false, watermark: true, duration: 7 };
  assert.deepEqual(model.render(accepted(model, body)), {
    ...silent,
    shots: [{ seconds: 7, prompt: 'a paper boat' }],
    sound: false,
    firstFrame: { media: 'https://files.test/a.png' },
    lastFrame: { media: 'https://files.test/z.png' },
    watermark: 'burned',
  });
});

test('the plan of references contains all of them in their order; a duration of -1 is 5 s', () => {
  const content = [text(), video(), reference, sound()];
  assert.deepEqual(model.render(accepted(model, { content, duration: -1 })), {
    ...plainPlan,
    references: [
      { kind: 'video', media: 'https://files.test/a.mp4' },
      { kind: 'image', media: 'https://files.test/a.png' },
      { kind: 'audio', media: 'https://files.test/a.mp3' },
    ],
  });
});

test('a success reports its video in the fields of the family, with the ratio really used', () => {
  const file = output({ mimeType: 'video/mp4', width: 496, height: 864, seconds: 4, fps: 24 });
  const body = successBody(
    model,
    { ...base, resolution: '480p', duration: -1 },
    { outputs: [file], result: { seed: 11 } },
  );
  assert.deepEqual(nativeOf(body), {
    id: jobId,
    content: { video_url: 'https://files.test/primary-0' },
    seed: 11,
    resolution: '480p',
    ratio: '9:16',
    framespersecond: 24,
    generate_audio: true,
    usage: { completion_tokens: 40_176, total_tokens: 40_176 },
  });
  assert.equal(body.duration, 4);
});

test('a failure and a cancellation give no video and no usage', () => {
  const native = { id: jobId, generate_audio: true };
  assert.deepEqual(nativeOf(failureBody(model, base)), native);
  assert.deepEqual(nativeOf(cancelledBody(model, base)), native);
});

test('several texts are drawn as one, a line each, and kept as they are', () => {
  const content = [text('a paper boat'), picture('reference_image'), text('a storm')];
  const input = accepted(model, { content });
  assert.deepEqual(input.content, content);
  const plan = model.render(input);
  assert.deepEqual(plan.kind === 'video' && plan.shots, [{ seconds: 5, prompt: 'a paper boat\na storm' }]);
});
