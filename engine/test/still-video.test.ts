/** Films from still pictures: first and last frame, camera, mark, draft. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createCanvas } from '@napi-rs/canvas';
import type { VideoPlan } from '../src/render-plan.ts';
import {
  bytesOf,
  coverGray,
  decodeFile,
  distance,
  noteOf,
  openStudio,
  pixelsOf,
  ssim,
  videoPlan,
} from './renders.ts';

/** Without sound: these tests are about pictures. */
const plan: VideoPlan = { ...videoPlan, width: 320, height: 180, sound: false };
/** A film of one shot, 18 frames long. */
const shot = (prompt: string, seconds = 0.75) => ({ shots: [{ seconds, prompt }] });

/** Bars and discs in two colours: every movement shows. */
function drawing(dark: string, light: string, width = 480, height = 360): Buffer {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  context.fillStyle = dark;
  context.fillRect(0, 0, width, height);
  context.fillStyle = light;
  for (let i = 0; i < 6; i++) {
    context.fillRect(30 + i * 75, 40 + i * 12, 26, 200);
    context.beginPath();
    context.arc(60 + i * 70, 290 - i * 9, 22, 0, Math.PI * 2);
    context.fill();
  }
  return canvas.toBuffer('image/png');
}

test('a film begins with exactly its first frame and moves as the prompt names', async t => {
  const { rendered, folder } = openStudio(t);
  const path = join(await folder(), 'a.png');
  const picture = drawing('#203050', '#f0c080');
  await writeFile(path, picture);
  const more = { inputs: { m: path } };
  const made = async (prompt: string, change: Partial<VideoPlan> = {}) => {
    const result = await rendered({ ...plan, ...shot(prompt), firstFrame: { media: 'm' }, ...change }, more);
    return decodeFile(result.outputs[0]!.path, [0, 1, 17]);
  };
  const wanted = await coverGray(picture, 320, 180);
  const like = (film: Awaited<ReturnType<typeof made>>, frame: number) =>
    ssim(film.pictures.get(frame), wanted, 320);
  const [closer, fixed, right] = await Promise.all([
    made('zoom in'),
    made('zoom in', { fixedCamera: true }),
    made('pan right'),
  ]);
  assert.equal(closer.frames, 18);
  assert.ok(like(closer, 0) > 0.97, `frame 0: ${like(closer, 0)}`);
  assert.ok(like(closer, 1) > 0.8, `no jump to frame 1: ${like(closer, 1)}`);
  assert.ok(like(closer, 17) < 0.6, `moved: ${like(closer, 17)}`);
  assert.ok(like(fixed, 0) > 0.97 && like(fixed, 17) > 0.8, `still: ${like(fixed, 17)}`);
  const air = distance(fixed.pictures.get(0), fixed.pictures.get(17));
  assert.ok(air > 0.2, `the air moves by ${air}`);
  assert.ok(distance(right.pictures.get(17), closer.pictures.get(17)) > 8, 'another movement');
});

test('first and last frame are both exact, with a mixture between them', async t => {
  const { rendered, folder } = openStudio(t);
  const directory = await folder();
  const [one, other] = [drawing('#203050', '#f0c080'), drawing('#c0d0e0', '#402010', 320, 320)];
  const inputs = { a: join(directory, 'a.png'), b: join(directory, 'b.png') };
  await writeFile(inputs.a, one);
  await writeFile(inputs.b, other);
  const both = {
    ...plan,
    ...shot('morph', 1),
    firstFrame: { media: 'a' },
    lastFrame: { media: 'b' },
    returnLastFrame: true,
    cover: true,
    watermark: 'burned' as const,
    mark: { corner: 'top_left' as const },
  };
  const [result, again, stranger] = await Promise.all([
    rendered(both, { inputs }),
    rendered(both, { inputs }),
    rendered(both, { inputs, seed: 8 }),
  ]);
  const film = await decodeFile(result.outputs[0]!.path, [0, 12, 23]);
  const [start, end] = [await coverGray(one, 320, 180), await coverGray(other, 320, 180)];
  const unmarked = (plane: Buffer | undefined) => plane?.subarray(320 * 24);
  assert.ok(ssim(unmarked(film.pictures.get(0)), unmarked(start), 320) > 0.95);
  assert.ok(ssim(unmarked(film.pictures.get(23)), unmarked(end), 320) > 0.95);
  for (const exact of [start, end]) assert.ok(distance(film.pictures.get(12), exact) > 15);
  assert.ok(
    distance(film.pictures.get(0)?.subarray(0, 320 * 16), start.subarray(0, 320 * 16)) > 3,
    'the mark',
  );
  assert.deepEqual(result.outputs.map(({ role, mimeType }) => [role, mimeType]).sort(), [
    ['cover', 'image/jpeg'],
    ['last_frame', 'image/png'],
    ['primary', 'video/mp4'],
  ]);
  const last = await bytesOf(result, 'last_frame');
  for (const still of [last, await bytesOf(result, 'cover')])
    assert.equal(noteOf(still), 'rendered locally (procedural, not an AI model)');
  const { width, height } = await pixelsOf(last);
  assert.deepEqual([width, height], [320, 180]);
  assert.ok(ssim(await coverGray(last, 320, 180), end, 320) > 0.99, 'without the mark');
  assert.deepEqual((await pixelsOf(await bytesOf(result, 'cover'))).width, 320);
  assert.ok((await bytesOf(again)).equals(await bytesOf(result)), 'the same bytes again');
  assert.equal((await bytesOf(stranger)).equals(await bytesOf(result)), false, 'another seed, another film');
});

test('a last frame alone is what a painted scene ends on', async t => {
  const { rendered, folder } = openStudio(t);
  const path = join(await folder(), 'b.png');
  const picture = drawing('#c0d0e0', '#402010');
  await writeFile(path, picture);
  const result = await rendered(
    { ...plan, ...shot('desert at night'), lastFrame: { media: 'm' } },
    { inputs: { m: path } },
  );
  const film = await decodeFile(result.outputs[0]!.path, [0, 17]);
  const wanted = await coverGray(picture, 320, 180);
  assert.ok(ssim(film.pictures.get(17), wanted, 320) > 0.95);
  assert.ok(distance(film.pictures.get(0), wanted) > 30, 'it begins elsewhere');
});

test('a picture as a mark is in its corner, in the marked copy only', async t => {
  const { rendered, folder } = openStudio(t);
  const path = join(await folder(), 'mark.png');
  const canvas = createCanvas(60, 30);
  canvas.getContext('2d').fillStyle = '#ff0000';
  canvas.getContext('2d').fillRect(0, 0, 60, 30);
  await writeFile(path, canvas.toBuffer('image/png'));
  const marked = {
    ...plan,
    ...shot('night sky', 0.125),
    watermark: 'copy' as const,
    mark: { corner: 'bottom_left' as const, media: 'm' },
  };
  const result = await rendered(marked, { inputs: { m: path } });
  const [clean, copy] = await Promise.all(
    result.outputs.map(async ({ path }) => (await decodeFile(path, [2])).pictures.get(2)!),
  );
  const field = (plane: Buffer, left: number, top: number) =>
    Buffer.concat(
      Array.from({ length: 18 }, (_, y) =>
        plane.subarray((top + y) * 320 + left, (top + y) * 320 + left + 30),
      ),
    );
  assert.ok(distance(field(clean!, 8, 155), field(copy!, 8, 155)) > 15, 'marked below on the left');
  assert.ok(distance(field(clean!, 280, 155), field(copy!, 280, 155)) < 2, 'and not on the right');
});

test('a draft has the same size and length with fewer details', async t => {
  const { rendered } = openStudio(t);
  const made = async (draft: boolean) => {
    const result = await rendered({ ...plan, ...shot('a forest with flowers', 0.125), draft });
    return decodeFile(result.outputs[0]!.path, [0]);
  };
  const [full, draft] = await Promise.all([made(false), made(true)]);
  assert.deepEqual([draft.width, draft.height, draft.frames], [full.width, full.height, full.frames]);
  const details = (plane: Buffer) =>
    plane.reduce((sum, value, i) => (i === 0 ? 0 : sum + Math.abs(value - plane[i - 1]!)), 0);
  assert.ok(details(draft.pictures.get(0)!) < 0.9 * details(full.pictures.get(0)!));
});
