/** PNG files as the engine writes them, read by another decoder. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCanvas } from '@napi-rs/canvas';
import { encodePicture } from '../src/picture/encode-picture.ts';
import { noteOf, pixelsOf } from './renders.ts';

for (const [what, width, height, alpha] of [
  ['an opaque picture', 151, 87, 1],
  ['one pixel', 1, 1, 1],
  ['a picture with transparent parts', 64, 32, 0.5],
] as const) {
  test(`${what} is the same after decoding`, async () => {
    const canvas = createCanvas(width, height);
    const context = canvas.getContext('2d');
    for (let column = 0; column < width; column++) {
      context.fillStyle = `hsl(${column * 7} 80% ${(column * 3) % 100}% / ${alpha})`;
      context.fillRect(column, 0, 1, height);
    }
    const png = await encodePicture(canvas, 'png');
    assert.equal(noteOf(png), 'rendered locally (procedural, not an AI model)');
    const decoded = await pixelsOf(png);
    assert.deepEqual([decoded.width, decoded.height], [width, height]);
    assert.deepEqual(decoded.data, context.getImageData(0, 0, width, height).data);
  });
}
