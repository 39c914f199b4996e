/** Edits of pictures: repaint, extend, upscale, tile. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createCanvas } from '@napi-rs/canvas';
import type { ImagePlan } from '../src/render-plan.ts';
import { bytesOf, imagePlan, openStudio, pixelsOf } from './renders.ts';

/** Of the picture that is worked on. */
const side = { width: 120, height: 80 };

/** Noise: no scaling or blending goes unseen. */
function noisePicture(width = side.width, height = side.height): Buffer {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  const pixels = context.createImageData(width, height);
  for (let i = 0; i < pixels.data.length; i++)
    pixels.data[i] = i % 4 === 3 ? 255 : (Math.imul(i + 1, 2_654_435_761) >>> 24) & 255;
  context.putImageData(pixels, 0, 0);
  return canvas.toBuffer('image/png');
}

test('repainting keeps every pixel outside the mask and inside the place, and changes the others', async t => {
  const { rendered, folder } = openStudio(t);
  const path = join(await folder(), 'a.png');
  const original = noisePicture();
  await writeFile(path, original);
  const place = { x: 30, y: 20, ...side };
  const plan: ImagePlan = {
    ...imagePlan,
    width: 200,
    height: 140,
    count: 2,
    prompt: 'a red cat on a meadow',
    grid: true,
    work: {
      kind: 'repaint',
      media: 'm',
      place,
      mask: { kind: 'areas', areas: [{ ...side, points: [10, 10, 70, 10, 70, 60, 10, 60] }] },
    },
  };
  const result = await rendered(plan, { inputs: { m: path } });
  const kept = await pixelsOf(original);
  const one = await pixelsOf(await bytesOf(result));
  const other = await pixelsOf(await bytesOf(result, 'primary', 1));
  let same = 0;
  let changed = 0;
  for (let y = 0; y < side.height; y++) {
    for (let x = 0; x < side.width; x++) {
      const masked = x >= 10 && x < 70 && y >= 10 && y < 60;
      const [was, is] = [kept.at(x, y), one.at(x + place.x, y + place.y)];
      if (masked) changed += was.every((part, i) => part === is[i]) ? 0 : 1;
      else {
        assert.deepEqual(is, was, `pixel ${x}, ${y}`);
        assert.deepEqual(other.at(x + place.x, y + place.y), was);
        same += 1;
      }
    }
  }
  assert.equal(same, side.width * side.height - 60 * 50);
  assert.ok(changed > 2900, `${changed} of 3000 are repainted`);
  assert.notDeepEqual(one.data, other.data);
  const grid = await pixelsOf(await bytesOf(result, 'grid'));
  assert.deepEqual([grid.width, grid.height], [200, 140]);
  assert.deepEqual(
    result.outputs.map(({ role, index }) => [role, index]),
    [
      ['primary', 0],
      ['primary', 1],
      ['grid', 0],
    ],
  );
  const cell = (left: number) =>
    one.at(100, 70).map((_, i) => grid.at(left + 10, 5)[i]! - one.at(20, 10)[i]!);
  assert.ok(
    cell(0).every(part => Math.abs(part) < 24),
    `the first cell is the first picture: ${cell(0)}`,
  );
});

test('the white parts of a mask picture are repainted, the black ones are not', async t => {
  const { rendered, folder } = openStudio(t);
  const directory = await folder();
  const [path, maskPath] = [join(directory, 'a.png'), join(directory, 'mask.png')];
  const original = noisePicture();
  await writeFile(path, original);
  const mask = createCanvas(60, 40);
  const context = mask.getContext('2d');
  context.fillRect(0, 0, 60, 40);
  context.fillStyle = '#ffffff';
  context.fillRect(30, 0, 30, 40);
  await writeFile(maskPath, mask.toBuffer('image/png'));
  const work = {
    kind: 'repaint',
    media: 'm',
    place: { x: 0, y: 0, ...side },
    mask: { kind: 'picture', media: 'k' },
  } as const;
  const result = await rendered({ ...imagePlan, ...side, work }, { inputs: { m: path, k: maskPath } });
  const [was, is] = [await pixelsOf(original), await pixelsOf(await bytesOf(result))];
  for (let y = 0; y < side.height; y++)
    for (let x = 0; x < 59; x++) assert.deepEqual(is.at(x, y), was.at(x, y), `pixel ${x}, ${y}`);
  for (const x of [64, 90, 119]) assert.notDeepEqual(is.at(x, 40), was.at(x, 40));
});

test('an extended picture is unchanged in the middle and its border continues', async t => {
  const { rendered, folder } = openStudio(t);
  const path = join(await folder(), 'a.png');
  const canvas = createCanvas(120, 80);
  const context = canvas.getContext('2d');
  context.fillStyle = '#2060c0';
  context.fillRect(0, 0, 120, 40);
  context.fillStyle = '#c0a040';
  context.fillRect(0, 40, 120, 40);
  await writeFile(path, canvas.toBuffer('image/png'));
  const work = { kind: 'extend', media: 'm' } as const;
  const plan = { ...imagePlan, width: 200, height: 140, prompt: 'desert', work };
  const is = await pixelsOf(await bytesOf(await rendered(plan, { inputs: { m: path } })));
  for (let y = 0; y < 80; y++)
    for (let x = 0; x < 120; x++)
      assert.deepEqual(is.at(x + 40, y + 30), y < 40 ? [0x20, 0x60, 0xc0] : [0xc0, 0xa0, 0x40]);
  for (const x of [39, 160])
    for (const [y, colour] of [
      [45, [0x20, 0x60, 0xc0]],
      [95, [0xc0, 0xa0, 0x40]],
    ] as const) {
      const away = is.at(x, y).map((part, i) => Math.abs(part - colour[i]!));
      assert.ok(Math.max(...away) < 12, `${x}, ${y} is away by ${away}`);
    }
  const [red, , blue] = is.at(100, 3);
  assert.ok(blue > red, 'the sky keeps the colour of the upper edge');
});

for (const [kind, sky, ground] of [
  ['light', '#e8eef4', '#d8d0c0'],
  ['dark', '#060a18', '#0a0a0c'],
  ['black', '#000000', '#000000'],
  ['white', '#ffffff', '#ffffff'],
] as const) {
  test(`around a ${kind} picture, without words, four narrow borders differ`, async t => {
    const { rendered, folder } = openStudio(t);
    const path = join(await folder(), 'a.png');
    const canvas = createCanvas(200, 160);
    const context = canvas.getContext('2d');
    context.fillStyle = sky;
    context.fillRect(0, 0, 200, 80);
    context.fillStyle = ground;
    context.fillRect(0, 80, 200, 80);
    await writeFile(path, canvas.toBuffer('image/png'));
    const work = { kind: 'extend', media: 'm' } as const;
    const plan = { ...imagePlan, width: 220, height: 176, count: 4, prompt: '', work };
    const result = await rendered(plan, { inputs: { m: path } });
    const made = await Promise.all(
      [0, 1, 2, 3].map(async index => pixelsOf(await bytesOf(result, 'primary', index))),
    );
    const inside = (x: number, y: number) => x >= 10 && x < 210 && y >= 8 && y < 168;
    const difference = (one: (typeof made)[number], other: (typeof made)[number]) => {
      const sum = { inside: 0, outside: 0, pixels: 0 };
      for (let y = 0; y < 176; y++)
        for (let x = 0; x < 220; x++) {
          const away = one
            .at(x, y)
            .reduce((most, part, i) => Math.max(most, Math.abs(part - other.at(x, y)[i]!)), 0);
          if (inside(x, y)) sum.inside += away;
          else {
            sum.outside += away;
            sum.pixels += 1;
          }
        }
      return { inside: sum.inside, border: sum.outside / sum.pixels };
    };
    for (const [index, one] of made.entries())
      for (const other of made.slice(index + 1)) {
        const { inside: changed, border } = difference(one, other);
        assert.equal(changed, 0);
        assert.ok(border > 7, `the borders differ by ${border}`);
      }
  });
}

test('an upscaled picture keeps its shapes; a creative one has added detail that depends on the seed', async t => {
  const { rendered, folder } = openStudio(t);
  const path = join(await folder(), 'a.png');
  const wave = (x: number, y: number) => 128 + 90 * Math.sin(x * 0.9) * Math.cos(y * 0.7);
  const small = createCanvas(60, 40);
  const context = small.getContext('2d');
  const pixels = context.createImageData(60, 40);
  for (let i = 0; i < 60 * 40; i++)
    pixels.data.set([wave(i % 60, Math.floor(i / 60)), 90, 40, 255].map(Math.round), i * 4);
  context.putImageData(pixels, 0, 0);
  await writeFile(path, small.toBuffer('image/png'));
  const plan = { ...imagePlan, width: 180, height: 120 };
  const inputs = { m: path };
  const soft = await pixelsOf(
    await bytesOf(
      await rendered({ ...plan, work: { kind: 'upscale', media: 'm', creative: false } }, { inputs }),
    ),
  );
  let worst = 0;
  for (let y = 15; y < 105; y++)
    for (let x = 15; x < 165; x++)
      worst = Math.max(worst, Math.abs(soft.at(x, y)[0] - wave((x + 0.5) / 3 - 0.5, (y + 0.5) / 3 - 0.5)));
  assert.ok(worst < 4, `at most ${worst} of 255 away from the true wave`);
  const creative = { kind: 'upscale', media: 'm', creative: true } as const;
  const made = async (seed: number) =>
    (await pixelsOf(await bytesOf(await rendered({ ...plan, work: creative }, { inputs, seed })))).data;
  const [once, other] = await Promise.all([made(1), made(2)]);
  assert.notDeepEqual(once, soft.data);
  assert.notDeepEqual(once, other);
});

test('a tile shows no seam, and chaos and stylize change the picture', async t => {
  const { rendered } = openStudio(t);
  const plan = { ...imagePlan, width: 160, height: 96, prompt: 'flowers on a meadow' };
  const made = async (parameters: NonNullable<ImagePlan['parameters']>) =>
    pixelsOf(await bytesOf(await rendered({ ...plan, parameters })));
  const [plain, tile, wild, plainer, rich] = await Promise.all([
    made({}),
    made({ tile: true }),
    made({ chaos: 90 }),
    made({ stylize: 0 }),
    made({ stylize: 1000 }),
  ]);
  const step = (is: typeof tile, from: [number, number], to: [number, number]) =>
    is.at(...from).reduce((sum, part, i) => sum + Math.abs(part - is.at(...to)[i]!), 0);
  const acrossSeam = (is: typeof tile) => {
    let sum = 0;
    for (let y = 0; y < 96; y++) sum += step(is, [159, y], [0, y]) / 96;
    for (let x = 0; x < 160; x++) sum += step(is, [x, 95], [x, 0]) / 160;
    return sum;
  };
  assert.ok(acrossSeam(plain) > 100, `${acrossSeam(plain)} without`);
  assert.ok(acrossSeam(tile) < 30, `${acrossSeam(tile)} as a tile`);
  const colourful = ({ data }: typeof tile) => {
    let sum = 0;
    for (let i = 0; i < data.length; i += 4)
      sum += Math.max(data[i]!, data[i + 1]!, data[i + 2]!) - Math.min(data[i]!, data[i + 1]!, data[i + 2]!);
    return sum / (data.length / 4);
  };
  assert.ok(colourful(plainer) < colourful(plain) * 0.8, 'plain is paler');
  assert.ok(colourful(rich) > colourful(plain) * 1.15, 'painted is richer');
  let away = 0;
  for (let i = 0; i < wild.data.length; i++) away += Math.abs(wild.data[i]! - plain.data[i]!);
  assert.ok(away / wild.data.length > 15, `chaos changes by ${away / wild.data.length}`);
});

test('a picture that cannot be decoded is a failed render with a sentence', async t => {
  const { start, folder } = openStudio(t);
  const path = join(await folder(), 'a.png');
  await writeFile(path, Buffer.concat([noisePicture().subarray(0, 60), Buffer.alloc(500, 7)]));
  const work = { kind: 'extend', media: 'm' } as const;
  const { render } = await start({ ...imagePlan, work }, { inputs: { m: path } });
  assert.deepEqual(await render.outcome, {
    kind: 'failed',
    message: 'An input picture could not be decoded.',
  });
});
