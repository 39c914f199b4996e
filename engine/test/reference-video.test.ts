/** Films with reference media, and the parts of their sound. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createCanvas } from '@napi-rs/canvas';
import type { VideoPlan } from '../src/render-plan.ts';
import { bytesOf, decodeFile, openStudio, pixelsOf, speechPlan, videoPlan } from './renders.ts';

/** Without sound, unless a test is about it. */
const plan: VideoPlan = { ...videoPlan, width: 320, height: 180, sound: false };
/** A scene without colours of the references. */
const shots = [{ seconds: 0.5, prompt: 'mountains at night' }];

/** A picture of one colour, which is recognised wherever it appears. */
function plain(colour: string): Buffer {
  const canvas = createCanvas(160, 160);
  canvas.getContext('2d').fillStyle = colour;
  canvas.getContext('2d').fillRect(0, 0, 160, 160);
  return canvas.toBuffer('image/png');
}

test('pictures, the first frames of videos and the sounds of references are all in the film', async t => {
  const { rendered, folder } = openStudio(t);
  const directory = await folder();
  const inputs: Record<string, string> = { red: join(directory, 'a.png'), green: join(directory, 'b.png') };
  await writeFile(join(directory, 'a.png'), plain('#e01010'));
  await writeFile(join(directory, 'b.png'), plain('#10c020'));
  const video = await rendered(
    {
      ...plan,
      width: 200,
      height: 200,
      shots: [{ seconds: 0.125, prompt: '' }],
      firstFrame: { media: 'green' },
    },
    { inputs },
  );
  inputs.video = video.outputs[0]!.path;
  const speech = await rendered({ ...speechPlan, pieces: [{ text: 'Hi.' }] });
  inputs.sound = speech.outputs[0]!.path;
  const result = await rendered(
    {
      ...plan,
      shots: [{ seconds: 1.5, prompt: 'mountains at night' }],
      sound: true,
      returnLastFrame: true,
      references: [
        { kind: 'image', media: 'red' },
        { kind: 'video', media: 'video' },
        { kind: 'audio', media: 'sound' },
      ],
    },
    { inputs },
  );
  const { data } = await pixelsOf(await bytesOf(result, 'last_frame'));
  const count = (wanted: (red: number, green: number, blue: number) => boolean) => {
    let found = 0;
    for (let i = 0; i < data.length; i += 4) found += wanted(data[i]!, data[i + 1]!, data[i + 2]!) ? 1 : 0;
    return found;
  };
  const [red, green] = [count((r, g) => r > 150 && g < 80), count((r, g, b) => g > 130 && r < 90 && b < 110)];
  assert.ok(red > 3000, `${red} red pixels`);
  assert.ok(green > 3000, `${green} green pixels`);
  const film = await decodeFile(result.outputs[0]!.path);
  assert.ok(film.loudness(0, 0.3) > 0.02, `speech ${film.loudness(0, 0.3)}`);
  assert.ok(film.loudness(1, 1.45) < 0.001, `silence ${film.loudness(1, 1.45)}`);
});

test('the composed sound has the parts that the plan names, in as many channels, with words and metadata', async t => {
  const { rendered } = openStudio(t);
  const made = async (change: Partial<VideoPlan>) => {
    const result = await rendered({ ...plan, shots, ...change });
    return decodeFile(result.outputs[0]!.path);
  };
  const soundPlan = {
    sound: true,
    soundKind: 'speech',
    soundChannels: 1,
    voice: 'Wise_Woman',
    metadata: '{"Label":"1"}',
    shots: [{ seconds: 1, prompt: 'a man says "hello"' }],
  } as const;
  const [silent, music, effects, result, again] = await Promise.all([
    made({}),
    made({ music: true }),
    made({ sound: true, soundKind: 'effects' }),
    rendered({ ...plan, ...soundPlan }),
    rendered({ ...plan, ...soundPlan }),
  ]);
  assert.deepEqual(silent.codecs, ['h264']);
  assert.ok(music.peak > 0.5, 'music alone where there is no other sound');
  assert.ok(effects.peak > 0.2 && effects.peak < 0.45, `effects ${effects.peak}`);
  const speech = await decodeFile(result.outputs[0]!.path);
  assert.equal(speech.channels, 1);
  assert.equal(speech.samples, 48_000);
  assert.ok(speech.loudness(0.3, 0.6) > 0.02, `said ${speech.loudness(0.3, 0.6)}`);
  assert.ok(speech.loudness(0, 0.2) < 0.001, 'and nothing else');
  const bytes = await bytesOf(result);
  assert.ok(bytes.includes('{"Label":"1"}'));
  assert.ok(bytes.equals(await bytesOf(again)));
});
