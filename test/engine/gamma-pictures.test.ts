/** The gamma picture models, drawn by the local engine and measured. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { pixelsOf } from '../../engine/test/renders.ts';
import { type FinishedJob, openFinishedJobs } from './finished-jobs.ts';
import { apart, assertPicture, assertPictures, drawing, type Pixels, pngOf } from './pictures.ts';

const jobs = openFinishedJobs();
const enabled = { enabled: true };

const bars = drawing('#203050', '#f0c080', 576, 432);
const light = drawing('#f4f0e8', '#2060c0', 400, 400);
const rawBars = pngOf(bars).toString('base64');
const rawLight = light.toBuffer('image/jpeg', 95).toString('base64');

interface Case {
  readonly name: string;
  readonly job: () => Promise<FinishedJob>;
  readonly count: number;
  readonly size: readonly [width: number, height: number];
  readonly marked?: true;
}

/** PNGs in that number and size, each another, with a marked copy of each where it was requested. */
function testPictures({ name, job, count, size, marked }: Case): void {
  test(`${name}: ${count} of ${size[0]} by ${size[1]}`, async () => {
    const { id, body } = await job();
    const pictures = await assertPictures(jobs, body, count, size);
    for (const [index, picture] of pictures.entries())
      for (const later of pictures.slice(index + 1)) assert.ok(apart(picture, later) > 1);
    const { task_id, task_status, task_status_msg, task_result } = body;
    assert.deepEqual([task_id, task_status, task_status_msg], [id, 'succeed', '']);
    assert.deepEqual(
      task_result.images.map(({ watermark_url: _, ...image }: Record<string, unknown>) => image),
      body.images.map(({ index, url }: Record<string, unknown>) => ({ index, url })),
    );
    for (const [index, image] of task_result.images.entries()) {
      assert.equal('watermark_url' in image, marked === true);
      if (marked) assertMark(pictures[index]!, await assertPicture(jobs, image.watermark_url, size));
    }
  });
}

/** The copy is the same picture to the pixel but for its lower right corner. */
function assertMark(clean: Pixels, marked: Pixels): void {
  const { width, height } = clean;
  let changed = 0;
  for (let i = 0; i < clean.data.length; i++) {
    if (clean.data[i] === marked.data[i]) continue;
    const pixel = i >> 2;
    assert.ok(pixel % width > width * 0.4 && pixel / width > height * 0.9, `changed at ${pixel % width}`);
    changed += 1;
  }
  assert.ok(changed > 2000, `${changed} parts of pixels are changed`);
}

async function assertOthers(one: () => Promise<FinishedJob>, other: () => Promise<FinishedJob>) {
  const [first, second] = [
    await jobs.stored((await one()).body.images[0]),
    await jobs.stored((await other()).body.images[0]),
  ];
  assert.equal(first.bytes.equals(second.bytes), false);
}

/** How far a picture is from another that is drawn over it, 0 to 255. */
async function awayFrom(job: () => Promise<FinishedJob>, index: number, picture: Buffer): Promise<number> {
  const { bytes } = await jobs.stored((await job()).body.images[index]);
  const [small, wanted] = [await pixelsOf(await scaled(bytes)), await pixelsOf(await scaled(picture))];
  return apart(small, wanted);
}

async function scaled(picture: Buffer): Promise<Buffer> {
  const canvas = createCanvas(64, 48);
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(await loadImage(picture), 0, 0, 64, 48);
  return pngOf(canvas);
}

describe('gamma-v2-image', () => {
  const model = 'gamma-v2-image';
  const fox = { prompt: 'A fox in tall grass', aspect_ratio: '1:1' };
  const one = jobs.job(model, fox);
  const again = jobs.job(model, fox);
  const several = jobs.job(model, {
    prompt: 'A harbour in the evening',
    negative_prompt: 'boats',
    n: 2,
    aspect_ratio: '2:3',
    watermark_info: enabled,
  });
  const like = jobs.job(model, { prompt: 'The same in snow', image: rawBars, n: 2, aspect_ratio: '4:3' });
  const large = jobs.job(model, { prompt: 'Dunes', resolution: '2k' });

  testPictures({ name: 'from words', job: one, count: 1, size: [1024, 1024] });
  testPictures({ name: 'with marked copies', job: several, count: 2, size: [832, 1248], marked: true });
  testPictures({ name: 'from a picture', job: like, count: 2, size: [1152, 864] });
  testPictures({ name: 'in 2k', job: large, count: 1, size: [2560, 1440] });

  test('the same input again gives other pictures', () => assertOthers(one, again));

  test('what is made from a picture looks like it', async () => {
    for (const index of [0, 1]) {
      const [near, far] = [
        await awayFrom(like, index, pngOf(bars)),
        await awayFrom(like, index, pngOf(light)),
      ];
      assert.ok(near < far / 2, `away by ${near}, from another by ${far}`);
    }
  });
});

describe('gamma-v3-image', () => {
  const model = 'gamma-v3-image';
  const balloon = { prompt: 'A red balloon over a lake', aspect_ratio: '9:16' };
  const one = jobs.job(model, balloon);
  const again = jobs.job(model, balloon);
  const several = jobs.job(model, { prompt: 'A cliff in a storm', n: 4, aspect_ratio: '21:9' });
  const subject = jobs.job(model, async () => ({
    prompt: 'The same as a sailor',
    image: (await jobs.upload('face.png', 'image/png', pngOf(light))).url,
    image_reference: 'face',
    element_list: [{ element_id: 160_001 }],
    aspect_ratio: '3:4',
    watermark_info: enabled,
  }));

  testPictures({ name: 'from words', job: one, count: 1, size: [720, 1280] });
  testPictures({ name: 'several', job: several, count: 4, size: [1568, 672] });
  testPictures({ name: 'with a subject', job: subject, count: 1, size: [864, 1152], marked: true });

  test('the same input again gives other pictures', () => assertOthers(one, again));
});

describe('gamma-v2-multi-image2image', () => {
  const model = 'gamma-v2-multi-image2image';
  const friends = {
    prompt: 'Both at the table',
    subject_image_list: [{ subject_image: rawBars }, { subject_image: rawLight }],
  };
  const two = jobs.job(model, { ...friends, scene_image: rawBars, style_image: rawLight, n: 2 });
  const one = jobs.job(model, async () => ({
    subject_image_list: [
      { subject_image: (await jobs.upload('light.png', 'image/png', pngOf(light))).asset },
    ],
    aspect_ratio: '3:2',
    watermark_info: enabled,
  }));
  const plain = jobs.job(model, { ...friends, aspect_ratio: '1:1' });
  const again = jobs.job(model, { ...friends, aspect_ratio: '1:1' });

  testPictures({ name: 'with a scene and a style', job: two, count: 2, size: [1280, 720] });
  testPictures({ name: 'one subject', job: one, count: 1, size: [1248, 832], marked: true });
  testPictures({ name: 'two subjects', job: plain, count: 1, size: [1024, 1024] });

  test('the same input again gives other pictures', () => assertOthers(plain, again));
});
