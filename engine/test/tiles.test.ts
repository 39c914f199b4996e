/** HEIC pictures that are stored as tiles. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createCanvas } from '@napi-rs/canvas';
import { type TiledPicture, tiled } from '../../testkit/media/craft-bytes.ts';
import { bytesOf, imagePlan, openStudio, pixelsOf } from './renders.ts';

/** Of a tile, in pixels. */
const side = 64;
/** One for each tile, far enough apart to survive the encoder. */
const colours = {
  red: [220, 30, 30],
  green: [30, 190, 60],
  blue: [40, 60, 210],
  yellow: [230, 210, 40],
} as const;
type Name = keyof typeof colours;
/** The tiles as they are stored, row by row. */
const inRows: readonly Name[] = ['red', 'green', 'blue', 'yellow'];

/** One tile as phones store it: a picture of its own. */
async function tile(name: Name): Promise<Buffer> {
  const canvas = createCanvas(side, side);
  const context = canvas.getContext('2d');
  context.fillStyle = `rgb(${colours[name].join(',')})`;
  context.fillRect(0, 0, side, side);
  return canvas.encode('avif', { quality: 90 });
}

/** Four tiles, of which the right and the lower ones stand over the edge of the picture. */
const pictureOf = async (more: Partial<TiledPicture> = {}): Promise<Buffer> =>
  tiled({ tiles: await Promise.all(inRows.map(tile)), columns: 2, width: 100, height: 90, ...more });

for (const [how, more, size, corners] of [
  ['as it lies', {}, [100, 90], ['red', 'green', 'blue', 'yellow']],
  ['turned once', { quarters: 1 }, [90, 100], ['green', 'yellow', 'red', 'blue']],
  ['turned three times', { quarters: 3 }, [90, 100], ['blue', 'red', 'yellow', 'green']],
  ['upside down', { mirror: 0 }, [100, 90], ['blue', 'yellow', 'red', 'green']],
  ['left and right exchanged', { mirror: 1 }, [100, 90], ['green', 'red', 'yellow', 'blue']],
] as const) {
  test(`a picture of tiles is put together, cut to its size and shown ${how}`, async t => {
    const { rendered, folder } = openStudio(t);
    const path = join(await folder(), 'phone.avif');
    await writeFile(path, await pictureOf(more));
    const [width, height] = size;
    const work = { kind: 'extend', media: 'm' } as const;
    const made = await rendered({ ...imagePlan, width, height, work }, { inputs: { m: path } });
    const { at } = await pixelsOf(await bytesOf(made));
    const near = (name: Name, x: number, y: number) => {
      const away = at(x, y).map((part, i) => Math.abs(part - colours[name][i]!));
      assert.ok(Math.max(...away) < 16, `${x}, ${y} is not ${name}: ${at(x, y)}`);
    };
    near(corners[0], 3, 3);
    near(corners[1], width - 4, 3);
    near(corners[2], 3, height - 4);
    near(corners[3], width - 4, height - 4);
    // Before the cut each tile fills 64 pixels: they meet there, and not in the middle.
    if (how === 'as it lies') {
      near('red', 60, 60);
      near('green', 67, 60);
      near('blue', 60, 67);
      near('yellow', 67, 67);
    }
  });
}

test('a picture with too few tiles, or with one that cannot be decoded, is not drawn', async t => {
  const { start, folder } = openStudio(t);
  const directory = await folder();
  const tiles = await Promise.all(inRows.map(tile));
  const broken = Buffer.from(tiles[3]!);
  broken.fill(0, broken.indexOf('mdat') + 4);
  const pieces = {
    'broken.avif': await pictureOf({ tiles: tiles.with(3, broken) }),
    'few.avif': await pictureOf({ tiles: tiles.slice(0, 3) }),
  };
  for (const [name, bytes] of Object.entries(pieces)) {
    const path = join(directory, name);
    await writeFile(path, bytes);
    const work = { kind: 'extend', media: 'm' } as const;
    const { render } = await start({ ...imagePlan, work }, { inputs: { m: path } });
    assert.deepEqual(await render.outcome, {
      kind: 'failed',
      message: 'An input picture could not be decoded.',
    });
  }
});
