import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createCanvas } from '@napi-rs/canvas';
import type { VideoPlan } from '../../src/catalog/render-plan.ts';
import { stepBetween } from '../../src/render/estimate-motion.ts';
import { coverGray, decodeFile, distance, openStudio, ssim, videoPlan } from './renders.ts';

const width = 320;
const plan: VideoPlan = { ...videoPlan, width, height: 180, sound: false };
const shot = (prompt: string, seconds: number) => ({ shots: [{ seconds, prompt }] });

function town(): Buffer {
  const canvas = createCanvas(640, 360);
  const context = canvas.getContext('2d');
  for (let i = 0; i < 260; i++) {
    context.fillStyle = `hsl(${(i * 47) % 360} 60% ${20 + ((i * 29) % 60)}%)`;
    context.fillRect((i * 97) % 640, (i * 61) % 360, 20 + ((i * 13) % 50), 15 + ((i * 7) % 40));
  }
  return canvas.toBuffer('image/png');
}

test('a source is gone on with, changed, followed and kept in sound', async t => {
  const { rendered, folder } = openStudio(t);
  const directory = await folder();
  const inputs: Record<string, string> = { a: join(directory, 'a.png'), b: join(directory, 'b.png') };
  await writeFile(join(directory, 'a.png'), town());
  const plain = createCanvas(320, 180);
  plain.getContext('2d').fillStyle = '#e8e0c8';
  plain.getContext('2d').fillRect(0, 0, 320, 180);
  plain.getContext('2d').fillStyle = '#804020';
  plain.getContext('2d').fillRect(130, 60, 60, 60);
  await writeFile(join(directory, 'b.png'), plain.toBuffer('image/png'));
  const made = async (change: Partial<VideoPlan>, keep: number[]) => {
    const result = await rendered({ ...plan, ...change }, { inputs });
    return { path: result.outputs[0]!.path, film: await decodeFile(result.outputs[0]!.path, keep) };
  };
  const source = await made(
    { ...shot('pan right', 1), firstFrame: { media: 'a' }, sound: true },
    [0, 12, 23],
  );
  inputs.s = source.path;
  const use = (kind: NonNullable<VideoPlan['source']>['use'], keepSound = false) => ({
    source: { media: 's', use: kind, keepSound },
  });

  const [onward, ended, edited, driven, alike, other] = await Promise.all([
    made({ ...shot('', 0.75), ...use('extend') }, [0, 3]),
    made({ ...shot('', 0.75), ...use('extend'), lastFrame: { media: 'b' } }, [0, 17]),
    made({ ...shot('night, snow, noir', 1), ...use('edit', true) }, [0, 12, 23]),
    made({ ...shot('', 1), firstFrame: { media: 'b' }, ...use('motion') }, [0, 23]),
    made({ ...shot('desert', 0.25), ...use('feature', true), sound: true }, [0]),
    made({ ...shot('desert', 0.25) }, [0]),
  ]);
  const like = ssim(onward.film.pictures.get(0), source.film.pictures.get(23), width);
  assert.ok(like > 0.95, `it begins on the last frame: ${like}`);
  const size = { width, height: 180 };
  const step = stepBetween(onward.film.pictures.get(0)!, onward.film.pictures.get(3)!, size);
  assert.ok(step.x < -0.004, `it goes on to the right: ${step.x}`);
  assert.equal(onward.film.codecs.length, 1);
  assert.ok(ssim(ended.film.pictures.get(0), source.film.pictures.get(23), width) > 0.95);
  const end = await coverGray(plain.toBuffer('image/png'), width, 180);
  assert.ok(ssim(ended.film.pictures.get(17), end, width) > 0.95);

  for (const frame of [0, 12, 23]) {
    const [was, is] = [source.film.pictures.get(frame), edited.film.pictures.get(frame)];
    assert.ok(distance(was, is) > 4, `frame ${frame} is changed`);
    assert.ok(ssim(was, is, width) > ssim(source.film.pictures.get(frame === 12 ? 0 : 12), is, width) + 0.1);
  }
  assert.deepEqual(edited.film.codecs, ['h264', 'aac']);
  assert.equal(edited.film.samples, 48_000);
  assert.ok(Math.abs(edited.film.loudness(0.3, 0.8) - source.film.loudness(0.3, 0.8)) < 0.02);

  assert.ok(ssim(driven.film.pictures.get(0), end, width) > 0.95);
  const middle = (plane: Buffer | undefined) => {
    let [sum, count] = [0, 0];
    plane?.forEach((value, i) => {
      if (value > 120) return;
      sum += i % width;
      count += 1;
    });
    return sum / Math.max(1, count);
  };
  const moved = middle(driven.film.pictures.get(23)) - middle(driven.film.pictures.get(0));
  assert.ok(moved < -20, `the square moves to the left by ${moved}`);

  assert.ok(
    distance(alike.film.pictures.get(0), other.film.pictures.get(0)) > 5,
    'the look follows the source',
  );
  assert.equal(alike.film.codecs.length, 2);
});

test('motion is measured to a part of a pixel', () => {
  const size = { width: 192, height: 108 };
  const plane = (shift: number, grow: number) =>
    Buffer.from(
      Array.from({ length: size.width * size.height }, (_, i) => {
        const x = ((i % size.width) - 96) / grow - shift;
        const y = (Math.floor(i / size.width) - 54) / grow;
        return 128 + 50 * Math.sin(x * 0.21 + Math.sin(y * 0.13)) + 45 * Math.cos(y * 0.24 + x * 0.05);
      }),
    );
  const aside = stepBetween(plane(0, 1), plane(3.3, 1), size);
  assert.ok(Math.abs(aside.x * 192 - 3.3) < 0.3 && Math.abs(aside.y * 108) < 0.3, JSON.stringify(aside));
  const closer = stepBetween(plane(0, 1), plane(0, 1.03), size);
  assert.ok(Math.abs(closer.scale - 1.03) < 0.006, JSON.stringify(closer));
  const flat = Buffer.alloc(size.width * size.height, 90);
  assert.deepEqual(stepBetween(flat, flat, size), { x: 0, y: 0, scale: 1, turn: 0 });
});

test('a source that cannot be decoded is a failed render with a sentence', async t => {
  const { start, folder } = openStudio(t);
  const directory = await folder();
  const path = join(directory, 'a.mp4');
  await writeFile(path, '#EXTM3U\n#EXTINF:4,\nhttp://127.0.0.1:9/secret.ts\n');
  const ends = (['extend', 'edit', 'motion'] as const).map(async use => {
    const source = { media: 's', use, keepSound: false };
    const { render } = await start({ ...plan, source }, { inputs: { s: path } });
    return render.ended;
  });
  for (const end of await Promise.all(ends))
    assert.deepEqual(end, { kind: 'failed', message: 'An input video could not be decoded.' });
});
