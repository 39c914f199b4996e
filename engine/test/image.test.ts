/** New pictures: size, number, watermarks, references and words. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createCanvas } from '@napi-rs/canvas';
import { imageSize } from 'image-size';
import { bytesOf, imagePlan, namesIn, noteOf, openStudio, pixelsOf } from './renders.ts';

test('pictures have the exact size, have the requested number and differ', async t => {
  const { start } = openStudio(t);
  const { render, directory } = await start({ ...imagePlan, width: 151, height: 87, count: 3 });
  const end = await render.outcome;
  assert.equal(end.kind, 'rendered');
  assert.deepEqual(await namesIn(directory), ['image-0.png', 'image-1.png', 'image-2.png']);
  const pictures =
    end.kind === 'rendered'
      ? await Promise.all([0, 1, 2].map(index => bytesOf(end.rendered, 'primary', index)))
      : [];
  for (const picture of pictures)
    assert.deepEqual(imageSize(picture), { width: 151, height: 87, type: 'png' });
  assert.equal(new Set(pictures.map(picture => picture.toString('base64'))).size, 3);
});

test('a copy is marked in the lower right and nowhere else', async t => {
  const { rendered } = openStudio(t);
  const copy = await rendered({ ...imagePlan, width: 640, height: 360, watermark: 'copy' });
  const clean = await pixelsOf(await bytesOf(copy, 'primary'));
  const marked = await pixelsOf(await bytesOf(copy, 'watermarked'));
  assert.deepEqual(
    await bytesOf(await rendered({ ...imagePlan, width: 640, height: 360 })),
    await bytesOf(copy, 'primary'),
  );
  const burned = await rendered({ ...imagePlan, width: 640, height: 360, watermark: 'burned' });
  assert.deepEqual(await bytesOf(burned), await bytesOf(copy, 'watermarked'));
  const changed = { left: 640, top: 360 };
  for (let i = 0; i < clean.data.length; i += 4) {
    if (clean.data[i] === marked.data[i]) continue;
    changed.left = Math.min(changed.left, (i / 4) % 640);
    changed.top = Math.min(changed.top, Math.floor(i / 4 / 640));
  }
  assert.ok(changed.left > 400 && changed.left < 600, `from column ${changed.left}`);
  assert.ok(changed.top > 320 && changed.top < 350, `from row ${changed.top}`);
});

test('every picture has a comment about its origin', async t => {
  const { rendered } = openStudio(t);
  const made = await rendered({ ...imagePlan, count: 2, grid: true, watermark: 'copy' });
  const notes = await Promise.all(
    made.outputs.map(async ({ role, index }) => [role, noteOf(await bytesOf(made, role, index))]),
  );
  const note = 'rendered locally (procedural, not an AI model)';
  assert.deepEqual(notes, [
    ['primary', note],
    ['watermarked', note],
    ['primary', note],
    ['watermarked', note],
    ['grid', note],
  ]);
});

test('what the negative prompt names is not drawn', async t => {
  const { rendered } = openStudio(t);
  const plan = { ...imagePlan, prompt: 'a quiet meadow at noon with a cat', width: 320, height: 180 };
  const withCat = await bytesOf(await rendered(plan));
  const without = await bytesOf(await rendered({ ...plan, negativePrompt: 'cats' }));
  assert.notDeepEqual(withCat, without);
});

test('a base picture covers the whole canvas and keeps its shapes', async t => {
  const { rendered, folder } = openStudio(t);
  const base = createCanvas(100, 100);
  const context = base.getContext('2d');
  context.fillStyle = '#101010';
  context.fillRect(0, 0, 50, 100);
  context.fillStyle = '#f0f0f0';
  context.fillRect(50, 0, 50, 100);
  const path = join(await folder(), 'base.png');
  await writeFile(path, base.toBuffer('image/png'));
  const plan = { ...imagePlan, prompt: 'moody light', references: [{ use: 'base' as const, media: 'm' }] };
  const { at } = await pixelsOf(await bytesOf(await rendered(plan, { inputs: { m: path } })));
  const light = (x: number, y: number) => at(x, y).reduce((sum, part) => sum + part, 0) / 3;
  for (const y of [20, 45, 70])
    assert.ok(light(120, y) - light(40, y) > 100, `row ${y}: ${light(40, y)} and ${light(120, y)}`);
});

test('the colours of a style picture become those of the scene', async t => {
  const { rendered, folder } = openStudio(t);
  const style = createCanvas(64, 64);
  style.getContext('2d').fillStyle = '#20c040';
  style.getContext('2d').fillRect(0, 0, 64, 64);
  const path = join(await folder(), 'style.png');
  await writeFile(path, style.toBuffer('image/png'));
  const plan = {
    ...imagePlan,
    prompt: 'mountains at sunset',
    references: [{ use: 'style' as const, media: 'm' }],
  };
  const { at } = await pixelsOf(await bytesOf(await rendered(plan, { inputs: { m: path } })));
  const [red, green, blue] = at(8, 4);
  assert.ok(green > red + 40 && green > blue + 40, `${red} ${green} ${blue}`);
});

test('text is drawn where the prompt has it in double quotes', async t => {
  const { rendered } = openStudio(t);
  const plain = await bytesOf(await rendered({ ...imagePlan, prompt: 'a poster about nothing' }));
  const lettered = await pixelsOf(
    await bytesOf(await rendered({ ...imagePlan, prompt: 'a poster about nothing "你好 HI"' })),
  );
  const bright = lettered.data.filter((value, i) => i % 4 === 0 && value > 235).length;
  assert.ok(bright > 60, `${bright} bright pixels`);
  assert.ok(plain.length > 0);
});

test('a fox is orange and a wolf is grey', async t => {
  const { rendered } = openStudio(t);
  const orange = async (prompt: string) => {
    const { data } = await pixelsOf(await bytesOf(await rendered({ ...imagePlan, prompt })));
    let found = 0;
    for (let i = 0; i < data.length; i += 4)
      found += data[i]! > 170 && data[i]! > data[i + 1]! * 1.6 && data[i + 1]! > data[i + 2]! * 1.2 ? 1 : 0;
    return found;
  };
  const [fox, wolf] = await Promise.all([
    orange('a fox at noon in a meadow'),
    orange('a wolf at noon in a meadow'),
  ]);
  assert.ok(fox > 150, `${fox} orange pixels`);
  assert.ok(wolf < 20, `${wolf} orange pixels`);
});

test('picture n shows the n-th variant, and the first again after the last', async t => {
  const { rendered } = openStudio(t);
  const [sea, city] = ['the sea at noon', 'a city at night'] as const;
  const variants = [{ prompt: sea }, { prompt: city, parameters: { stylize: 0 } }];
  const [varied, first, second] = await Promise.all([
    rendered({ ...imagePlan, prompt: 'unused', count: 3, variants }),
    rendered({ ...imagePlan, prompt: sea, count: 3 }),
    rendered({ ...imagePlan, prompt: city, parameters: { stylize: 0 }, count: 2 }),
  ]);
  assert.ok((await bytesOf(varied, 'primary', 0)).equals(await bytesOf(first, 'primary', 0)));
  assert.ok((await bytesOf(varied, 'primary', 1)).equals(await bytesOf(second, 'primary', 1)));
  assert.ok((await bytesOf(varied, 'primary', 2)).equals(await bytesOf(first, 'primary', 2)));
});
