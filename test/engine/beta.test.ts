/** The beta models, drawn by the local engine and compared with the earlier picture. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createCanvas } from '@napi-rs/canvas';
import { dataUrl } from '../../testkit/media/media-fields.ts';
import { type FinishedJob, openFinishedJobs } from './finished-jobs.ts';
import { apart, assertPicture, assertPictures, type Pixels, pngOf } from './pictures.ts';

const jobs = openFinishedJobs();

const base = jobs.job('gamma-v3-image', { prompt: 'A tower on a meadow', n: 2, aspect_ratio: '1:1' });
const idOf = async (job: () => Promise<FinishedJob>) => (await job()).id;

/** The job's own picture of that number. */
async function pictureOf(job: () => Promise<FinishedJob>, index: number): Promise<Pixels> {
  const image = (await job()).body.images[index];
  return assertPicture(jobs, image, [image.width, image.height]);
}

type Box = readonly [left: number, top: number, right: number, bottom: number];
const isIn = (x: number, y: number, [left, top, right, bottom]: Box) =>
  x >= left && x < right && y >= top && y < bottom;

/** How many counted pixels of `made` are those of the original, which lies at that offset, and how many are not. */
function compare(
  made: Pixels,
  original: Pixels,
  [left, top]: readonly [number, number],
  isCounted: (x: number, y: number) => boolean,
) {
  let same = 0;
  let changed = 0;
  for (let y = Math.max(0, top); y < Math.min(made.height, top + original.height); y++) {
    for (let x = Math.max(0, left); x < Math.min(made.width, left + original.width); x++) {
      if (!isCounted(x, y)) continue;
      const at = (y * made.width + x) * 4;
      const from = ((y - top) * original.width + x - left) * 4;
      if ([0, 1, 2, 3].every(part => made.data[at + part] === original.data[from + part])) same += 1;
      else changed += 1;
    }
  }
  return { same, changed };
}

/** The keys that users of the family read. */
function assertWords({ id, body }: FinishedJob, count: number, actions = ['edit', 'outpaint', 'upscale']) {
  assert.deepEqual(
    [body.jobId, body.urls, body.images.map((image: { imageNo: number }) => image.imageNo)],
    [
      id,
      body.images.map((image: { url: string }) => image.url),
      // A follow-up names the first four.
      Array.from({ length: count }, (_, i) => (i < 4 ? i : undefined)),
    ],
  );
  assert.deepEqual(body.available_actions, actions);
}

const [width, height] = [640, 560];
/** The picture hangs over the canvas at its natural size. */
const imgPos = { x: -200, y: -240, width: 1024, height: 1024 };
/** Of the picture, and so on the canvas at 100 to 400 and 110 to 360. */
const points = [300, 350, 600, 350, 600, 600, 300, 600];
const masked: Box = [100, 110, 400, 360];
const repaint = (seed: number) => async () => ({
  jobId: await idOf(base),
  imageNo: 1,
  remixPrompt: `A red cat --seed ${seed}`,
  canvas: { width, height },
  imgPos,
  mask: { areas: [{ width: 1024, height: 1024, points }] },
});
const edited = jobs.job('beta-edit', repaint(7));
const same = jobs.job('beta-edit', repaint(7));
const other = jobs.job('beta-edit', repaint(8));
const half = jobs.job('beta-edit', async () => {
  const mask = createCanvas(512, 512);
  const context = mask.getContext('2d');
  context.fillRect(0, 0, 512, 512);
  context.fillStyle = '#ffffff';
  context.fillRect(256, 0, 256, 512);
  return {
    jobId: await idOf(base),
    imageNo: 0,
    remixPrompt: 'A stormy sea',
    canvas: { width: 512, height: 512 },
    imgPos: { x: 0, y: 0, width: 1024, height: 1024 },
    mask: { url: dataUrl(pngOf(mask)) },
  };
});
const framed = jobs.job('beta-edit', async () => ({
  jobId: await idOf(edited),
  imageNo: 3,
  remixPrompt: 'Snow',
  canvas: { width: 701, height: 601 },
  imgPos: { x: 33, y: 21, width, height },
}));

const outpaint = (of: () => Promise<FinishedJob>, imageNo: number, scale: number, more = {}) =>
  jobs.job('beta-outpaint', async () => ({ jobId: await idOf(of), imageNo, scale, ...more }));
const upscale = (of: () => Promise<FinishedJob>, more = {}) =>
  jobs.job('beta-upscale', async () => ({ jobId: await idOf(of), ...more }));
const little = outpaint(framed, 0, 1.1);
const calm = { remixPrompt: 'A {calm, stormy} sea --seed 7' };
const wider = outpaint(edited, 2, 1.5, calm);
const widerAgain = outpaint(edited, 2, 1.5, calm);
const twice = outpaint(half, 3, 2, { remixPrompt: 'A dark forest --no water' });
const soft = upscale(framed);
const softNo = upscale(half, { imageNo: 2, type: 0 });
const creative = upscale(half, { imageNo: 2, type: 1 });

describe('beta-edit', () => {
  test('every pixel outside the areas is the one of the earlier picture, and those inside are painted anew', async () => {
    const job = await edited();
    const original = await pictureOf(base, 1);
    const pictures = await assertPictures(jobs, job.body, 4, [width, height]);
    assertWords(job, 4);
    for (const picture of pictures) {
      assert.deepEqual(
        compare(picture, original, [-200, -240], (x, y) => !isIn(x, y, masked)),
        { same: width * height - 300 * 250, changed: 0 },
      );
      const { changed } = compare(picture, original, [-200, -240], (x, y) => isIn(x, y, masked));
      assert.ok(changed > 0.98 * 300 * 250, `${changed} are painted anew`);
    }
    for (const [index, picture] of pictures.entries())
      for (const later of pictures.slice(index + 1)) assert.ok(apart(picture, later) > 1);
  });

  test('the grid shows the four pictures', async () => {
    const job = await edited();
    const grid = await assertPicture(jobs, job.body.image_url, [width, height]);
    for (const [index, [left, top]] of [
      [0, 0],
      [320, 0],
      [0, 280],
      [320, 280],
    ].entries()) {
      const picture = await pictureOf(edited, index);
      let away = 0;
      for (let y = 2; y < 278; y++)
        for (let x = 2; x < 318; x++) {
          const [is, was] = [grid.at(left! + x, top! + y), picture.at(2 * x, 2 * y)];
          away += is.reduce((sum, part, i) => sum + Math.abs(part - was[i]!), 0) / 3;
        }
      assert.ok(away / (276 * 316) < 8, `cell ${index} is away by ${away / (276 * 316)}`);
    }
  });

  test('the same --seed gives the same bytes and another one other pictures', async () => {
    const [one, two, three] = [await edited(), await same(), await other()];
    assert.deepEqual([one.body.seed, two.body.seed, three.body.seed], [7, 7, 8]);
    for (let index = 0; index < 4; index++) {
      const [first, twin, stranger] = await Promise.all(
        [one, two, three].map(async ({ body }) => (await jobs.stored(body.images[index])).bytes),
      );
      assert.ok(first!.equals(twin!), `picture ${index}`);
      assert.equal(first!.equals(stranger!), false, `picture ${index}`);
    }
  });

  test('the black half of a mask picture is kept, the white one is not', async () => {
    const job = await half();
    const original = await pictureOf(base, 0);
    assertWords(job, 4);
    for (const picture of await assertPictures(jobs, job.body, 4, [512, 512])) {
      const { changed } = compare(picture, original, [0, 0], x => x < 256);
      assert.equal(changed, 0);
      const painted = compare(picture, original, [0, 0], x => x >= 256);
      assert.ok(painted.changed > 0.98 * 256 * 512, `${painted.changed} are painted anew`);
    }
  });

  test('without a mask the picture stays whole and the rest of the canvas is filled around it', async () => {
    const job = await framed();
    const original = await pictureOf(edited, 3);
    for (const picture of await assertPictures(jobs, job.body, 4, [701, 601])) {
      assert.deepEqual(
        compare(picture, original, [33, 21], () => true),
        { same: width * height, changed: 0 },
      );
      for (const [x, y] of [
        [5, 5],
        [690, 300],
        [350, 595],
      ] as const)
        assert.ok(Math.max(...picture.at(x, y)) > 8, `${x}, ${y} is painted: ${picture.at(x, y)}`);
    }
  });
});

describe('beta-outpaint', () => {
  for (const [name, job, of, imageNo, size, place, least, count] of [
    ['1.1 times, odd sides, without words', little, framed, 0, [736, 630], [17, 14], 2.5, 4],
    ['1.5 times, in two variants', wider, edited, 2, [784, 686], [72, 63], 0.5, 8],
    ['2 times', twice, half, 3, [724, 724], [106, 106], 0.5, 4],
  ] as const) {
    test(`${name}: the picture is untouched in the middle of a larger one`, async () => {
      const original = await pictureOf(of, imageNo);
      const made = await job();
      const pictures = await assertPictures(jobs, made.body, count, size);
      assertWords(made, count);
      await assertPicture(jobs, made.body.image_url, size);
      for (const picture of pictures) {
        assert.deepEqual(
          compare(picture, original, place, () => true),
          {
            same: original.width * original.height,
            changed: 0,
          },
        );
        const corners = [picture.at(1, 1), picture.at(size[0] - 2, 1), picture.at(1, size[1] - 2)];
        for (const corner of corners) assert.ok(Math.max(...corner) > 8, `painted: ${corner}`);
      }
      // Only the border differs.
      const border = 1 - (original.width * original.height) / (size[0] * size[1]);
      for (const [index, picture] of pictures.entries())
        for (const later of pictures.slice(index + 1)) {
          const away = apart(picture, later) / border;
          assert.ok(away > least, `the borders differ by ${away}`);
        }
    });
  }

  test('the same --seed gives the same bytes', async () => {
    const [one, two] = [await wider(), await widerAgain()];
    for (let index = 0; index < 4; index++) {
      const [first, twin] = [
        await jobs.stored(one.body.images[index]),
        await jobs.stored(two.body.images[index]),
      ];
      assert.ok(first.bytes.equals(twin.bytes), `picture ${index}`);
    }
  });
});

describe('beta-upscale', () => {
  for (const [name, job, of, imageNo, most] of [
    ['of the first picture', soft, framed, 0, 1],
    ['softly', softNo, half, 2, 1],
    ['with details of its own', creative, half, 2, 12],
  ] as const) {
    test(`${name}: one picture with twice the sides that shows the same`, async () => {
      const original = await pictureOf(of, imageNo);
      const made = await job();
      const size = [2 * original.width, 2 * original.height] as const;
      const [picture] = await assertPictures(jobs, made.body, 1, size);
      assertWords(made, 1);
      assert.equal(made.body.image_url, made.body.images[0].url);
      const away = apart(halved(picture!), original);
      assert.ok(away < most, `away by ${away}`);
    });
  }

  test('a creative one is another picture than a soft one', async () => {
    const [plain, richer] = [await pictureOf(softNo, 0), await pictureOf(creative, 0)];
    assert.ok(apart(plain, richer) > 0.5, `${apart(plain, richer)}`);
  });
});

/** Each pixel the mean of four. */
function halved(picture: Pixels): Pixels {
  const [width, height] = [picture.width / 2, picture.height / 2];
  const data = new Uint8ClampedArray(width * height * 4);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      for (let part = 0; part < 4; part++) {
        const from = (2 * y * picture.width + 2 * x) * 4 + part;
        const below = from + picture.width * 4;
        const { data: all } = picture;
        data[(y * width + x) * 4 + part] = (all[from]! + all[from + 4]! + all[below]! + all[below + 4]!) / 4;
      }
  return { ...picture, data, width, height };
}
