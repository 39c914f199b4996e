/** Films from a prompt: streams, shots, sound and marks. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AVCOL_PRI_BT709, AVCOL_RANGE_MPEG, AVCOL_SPC_BT709, AVCOL_TRC_BT709 } from 'node-av/constants';
import { bytesOf, decodeFile, distance, namesIn, openStudio, speechPlan, videoPlan } from './renders.ts';

test('a film has exactly the requested frames, size, colours and sound, and a comment about its origin', async t => {
  const { start } = openStudio(t);
  const { render, directory } = await start({ ...videoPlan, width: 240, height: 136 });
  const end = await render.outcome;
  assert.equal(end.kind, 'rendered');
  if (end.kind !== 'rendered') return;
  assert.deepEqual(await namesIn(directory), ['video.mp4']);
  assert.equal(end.rendered.outputs[0]?.mimeType, 'video/mp4');
  const { peak, streams } = await decodeFile(end.rendered.outputs[0]!.path);
  assert.deepEqual(streams, {
    codecs: ['h264', 'aac'],
    pixels: 'yuv420p',
    frames: 24,
    samples: 48_000,
    width: 240,
    height: 136,
    sampleRate: 48_000,
    channels: 2,
    colours: [AVCOL_SPC_BT709, AVCOL_PRI_BT709, AVCOL_TRC_BT709, AVCOL_RANGE_MPEG],
    comment: 'rendered locally (procedural, not an AI model)',
  });
  assert.ok(peak > 0.55 && peak < 0.8, `peak ${peak}`);
  const bytes = await bytesOf(end.rendered);
  assert.ok(bytes.indexOf('moov') < bytes.indexOf('mdat'), 'the index comes before the frames');
});

test('a film without sound has no audio stream, and its frames follow seconds times fps', async t => {
  const { rendered } = openStudio(t);
  const plan = {
    ...videoPlan,
    fps: 30,
    sound: false,
    shots: [
      { seconds: 0.7, prompt: 'desert' },
      { seconds: 0.55, prompt: 'sea' },
    ],
  };
  const film = await decodeFile((await rendered(plan)).outputs[0]!.path);
  assert.deepEqual(film.codecs, ['h264']);
  assert.equal(film.frames, 38);
});

test('shots are different scenes with a cut between them, and things move within each', async t => {
  const { rendered } = openStudio(t);
  const plan = {
    ...videoPlan,
    shots: [
      { seconds: 1, prompt: 'sea at noon, fast waves' },
      { seconds: 1, prompt: 'snow falling on a city at night, fast' },
    ],
  };
  const film = await decodeFile((await rendered(plan)).outputs[0]!.path, [0, 16, 24, 32, 47]);
  const away = (one: number, other: number) => distance(film.pictures.get(one), film.pictures.get(other));
  assert.equal(film.frames, 48);
  assert.ok(away(16, 32) > 40, `shots differ by ${away(16, 32)}`);
  assert.ok(away(0, 16) > 0.5 && away(0, 16) < 20, `the first moves by ${away(0, 16)}`);
  assert.ok(away(32, 47) > 0.5 && away(32, 47) < 20, `the second moves by ${away(32, 47)}`);
  assert.ok(away(24, 16) > 10 && away(24, 32) > 10, 'the cut is a mixture of both');
});

test('shots of the same words still differ', async t => {
  const { rendered } = openStudio(t);
  const plan = {
    ...videoPlan,
    shots: [
      { seconds: 0.5, prompt: 'mountains' },
      { seconds: 0.5, prompt: 'mountains' },
    ],
  };
  const film = await decodeFile((await rendered(plan)).outputs[0]!.path, [3, 21]);
  assert.ok(distance(film.pictures.get(3), film.pictures.get(21)) > 8);
});

test('a guide sound takes the place of the music, filled with silence to the length', async t => {
  const { rendered } = openStudio(t);
  const guide = await rendered({ ...speechPlan, pieces: [{ text: 'Hi.' }] });
  const plan = { ...videoPlan, shots: [{ seconds: 2, prompt: 'sea' }], guideAudio: { media: 'm' } };
  const film = await decodeFile(
    (await rendered(plan, { inputs: { m: guide.outputs[0]!.path } })).outputs[0]!.path,
  );
  assert.equal(film.samples, 96_000);
  assert.ok(film.loudness(0, 0.3) > 0.02, `speech ${film.loudness(0, 0.3)}`);
  assert.ok(film.loudness(1.2, 1.9) < 0.001, `silence ${film.loudness(1.2, 1.9)}`);
});

test('a marked copy has the same frames and only other corners', async t => {
  const { rendered } = openStudio(t);
  const plan = {
    ...videoPlan,
    width: 480,
    height: 270,
    sound: false,
    shots: [{ seconds: 0.25, prompt: 'night sky' }],
    watermark: 'copy' as const,
  };
  const both = await rendered(plan);
  assert.deepEqual(
    both.outputs.map(({ role, mimeType }) => [role, mimeType]),
    [
      ['primary', 'video/mp4'],
      ['watermarked', 'video/mp4'],
    ],
  );
  const clean = await decodeFile(both.outputs[0]!.path, [3]);
  const marked = await decodeFile(both.outputs[1]!.path, [3]);
  assert.equal(marked.frames, 6);
  const corner = (plane: Buffer | undefined) => plane?.subarray(480 * 250);
  const rest = (plane: Buffer | undefined) => plane?.subarray(0, 480 * 200);
  assert.ok(distance(corner(clean.pictures.get(3)), corner(marked.pictures.get(3))) > 5);
  assert.ok(distance(rest(clean.pictures.get(3)), rest(marked.pictures.get(3))) < 1);
  assert.deepEqual(
    await bytesOf(await rendered({ ...plan, watermark: 'burned' })),
    await bytesOf(both, 'watermarked'),
  );
});
