/** The epsilon models, drawn by the local engine and measured. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createCanvas } from '@napi-rs/canvas';
import { coverGray, decodeFile, distance, noteOf, pixelsOf, ssim } from '../../engine/test/renders.ts';
import { dataUrl } from '../../testkit/media/media-fields.ts';
import { assertFilm, assertSeed, assertVideo, cut, type Film, movingClip, type Plane } from './films.ts';
import { type FinishedJob, openFinishedJobs } from './finished-jobs.ts';
import { drawing, pngOf } from './pictures.ts';

const jobs = openFinishedJobs();
const still = 'epsilon-q2-turbo-img2video';
const extend = 'epsilon-q2-turbo-extend';
const between = 'epsilon-q3-turbo-start-end2video';

const pier = drawing('#203050', '#f0c080', 640, 360);
const square = drawing('#305020', '#f0e0c0', 540, 540);
const later = drawing('#c0d0e0', '#402010', 520, 560);
const url = (picture: Buffer) => dataUrl(picture);
const wide = [960, 540] as const;
const small = { resolution: '540p', duration: 1 };

type Corner = readonly [from: readonly [number, number], to: readonly [number, number]];
const topLeft: Corner = [
  [0, 0],
  [0.3, 0.08],
];
const bottomLeft: Corner = [
  [0, 0.9],
  [0.2, 1],
];
const bottomRight: Corner = [
  [0.7, 0.93],
  [1, 1],
];
const middle: Corner = [
  [0.3, 0.2],
  [0.7, 0.8],
];

const likePicture = async ({ bytes, width }: Plane, picture: Buffer) =>
  ssim(bytes, await coverGray(picture, width, bytes.length / width), width);
const apart = (one: Film, other: Film, at: number, [from, to]: Corner) =>
  distance(cut(one.frame(at), from, to).bytes, cut(other.frame(at), from, to).bytes);

/** Two films of one size and length: the second is marked in that corner, and the same elsewhere. */
function assertMark(clean: Film, marked: Film, corner: Corner): void {
  for (const at of [0, clean.frames - 1]) {
    assert.ok(apart(clean, marked, at, corner) > 4, `${apart(clean, marked, at, corner)}`);
    assert.ok(apart(clean, marked, at, middle) < 1, `${apart(clean, marked, at, middle)}`);
  }
}

/** The fields that users of the family read, and the cover, which is a picture of the film. */
async function assertTask({ id, body }: FinishedJob, size: readonly [number, number], more: object = {}) {
  const { id: taskId, state, err_code, payload, bgm, creations } = body;
  assert.deepEqual(
    { taskId, state, err_code, payload, bgm },
    {
      taskId: id,
      state: 'success',
      err_code: '',
      payload: '',
      bgm: false,
      ...more,
    },
  );
  assert.equal(creations.length, 1);
  assert.equal(creations[0].url, body.video.url);
  assert.match(body.video.url, new RegExp(`/v1/f/${creations[0].id}/`));
  assert.equal(creations[0].watermarked_url, body.watermarked_url);
  const cover = await jobs.stored(creations[0].cover_url);
  const { width, height } = await pixelsOf(cover.bytes);
  assert.deepEqual([cover.type, width, height], ['image/jpeg', ...size]);
  assert.equal(noteOf(cover.bytes), 'rendered locally (procedural, not an AI model)');
}

describe(still, () => {
  const seeded = (seed: number) => ({ images: [url(pngOf(pier))], prompt: 'Zoom in', seed, ...small });
  const plain = jobs.job(still, seeded(7));
  const spoken = jobs.job(still, {
    images: [url(square.toBuffer('image/jpeg', 95))],
    prompt: 'She says: "Good evening"',
    audio: true,
    audio_type: 'speech_only',
    voice_id: 'warm-woman',
    resolution: '540p',
    duration: 2,
    payload: 'scene 1',
  });
  const music = jobs.job(still, {
    images: [url(square.toBuffer('image/webp'))],
    is_rec: true,
    bgm: true,
    watermark: true,
    wm_position: 1,
    ...small,
  });

  test('a silent film begins with the picture, in its shape', async () => {
    const job = await plain();
    const film = await assertFilm(jobs, job, { size: wide, seconds: 1, channels: 0 });
    const like = await likePicture(film.frame(0), pngOf(pier));
    assert.ok(like > 0.95, `${like}`);
    assert.ok((await likePicture(film.frame(23), pngOf(pier))) < 0.9, 'and moves on from it');
    assert.equal('watermarked_url' in job.body, false);
    await assertTask(job, wide);
  });

  test('the seed is the one of the request, and another one changes nothing else of the plan', async () =>
    assertSeed(await plain(), seeded(7)));

  test('with audio the words are heard', async () => {
    const job = await spoken();
    const film = await assertFilm(jobs, job, { size: [540, 540], seconds: 2, channels: 2 });
    assert.ok(film.loudness(0, 2) > 0.01, `${film.loudness(0, 2)}`);
    const like = await likePicture(film.frame(0), pngOf(square));
    assert.ok(like > 0.95, `${like}`);
    await assertTask(job, [540, 540], { payload: 'scene 1' });
  });

  test('music is heard without audio, and the marked copy is stored beside the clean film', async () => {
    const job = await music();
    const wanted = { size: [540, 540], seconds: 1, channels: 2 } as const;
    const clean = await assertFilm(jobs, job, wanted);
    assert.ok(clean.loudness(0, 1) > 0.003, `${clean.loudness(0, 1)}`);
    assertMark(clean, await assertVideo(jobs, job.body.watermarked_url, wanted), topLeft);
    const like = await likePicture(clean.frame(0), pngOf(square));
    assert.ok(like > 0.95, `the film itself is clean: ${like}`);
    await assertTask(job, [540, 540], { bgm: true });
  });
});

describe(extend, () => {
  const plan = {
    video: { width: 640, height: 480, fps: '25' },
    audio: { sampleRate: 48_000, channels: 2 },
    seconds: 4,
  } as const;
  let kept: ReturnType<typeof jobs.upload> | undefined;
  const source = () => {
    kept ??= movingClip('surf.mp4', plan).then(bytes => jobs.upload('surf.mp4', 'video/mp4', bytes));
    return kept;
  };
  const metadata = '{"Label":"1","ContentProducer":"studio"}';
  const uploaded = jobs.job(extend, async () => ({
    video_url: (await source()).url,
    prompt: 'The waves calm down',
    ...small,
  }));
  const again = jobs.job(extend, async () => ({
    video_url: (await source()).asset,
    images: [url(pngOf(later))],
    watermark: true,
    wm_url: (await jobs.upload('mark.png', 'image/png', mark())).url,
    meta_data: metadata,
    ...small,
    duration: 2,
  }));
  const chained = jobs.job(extend, async () => ({
    video_creation_id: (await again()).body.creations[0].id,
    payload: 'scene 2',
    ...small,
  }));

  function mark(): Buffer {
    const canvas = createCanvas(60, 30);
    canvas.getContext('2d').fillStyle = '#ff0000';
    canvas.getContext('2d').fillRect(0, 0, 60, 30);
    return pngOf(canvas);
  }

  test('it begins on the last frame of the clip, in its shape, and is only what is added', async () => {
    const job = await uploaded();
    const film = await assertFilm(jobs, job, { size: [720, 540], seconds: 1, channels: 0 });
    const { path } = await jobs.stored((await source()).url);
    const last = (await decodeFile(path, [0, 99])).pictures;
    const [start, end] = await Promise.all([0, 99].map(index => grayPng(last.get(index)!, 640)));
    const like = await likePicture(film.frame(0), end!);
    assert.ok(like > 0.95, `${like}`);
    assert.ok((await likePicture(film.frame(0), start!)) < 0.95, 'the clip began elsewhere');
    // Decisions 9: where no metadata are given, a label names Atelier and the job.
    const { Label, ContentProducer, ProduceID } = JSON.parse(film.metadata.description ?? '{}');
    assert.deepEqual([Label, ContentProducer, ProduceID], ['1', 'Atelier', job.id]);
    await assertTask(job, [720, 540]);
  });

  test('it ends on the end frame, keeps the metadata, and its copy has the mark of the caller', async () => {
    const job = await again();
    const wanted = { size: [720, 540], seconds: 2, channels: 0 } as const;
    const clean = await assertFilm(jobs, job, wanted);
    const like = await likePicture(clean.frame(47), pngOf(later));
    assert.ok(like > 0.95, `${like}`);
    assert.equal(clean.metadata.description, metadata);
    assertMark(clean, await assertVideo(jobs, job.body.watermarked_url, wanted), bottomLeft);
    await assertTask(job, [720, 540]);
  });

  test('the creation of one job is extended by another', async () => {
    const job = await chained();
    const film = await assertFilm(jobs, job, { size: [720, 540], seconds: 1, channels: 0 });
    const before = await assertFilm(jobs, await again(), { size: [720, 540], seconds: 2, channels: 0 });
    const like = ssim(film.frame(0).bytes, before.frame(47).bytes, 720);
    assert.ok(like > 0.95, `${like}`);
    await assertTask(job, [720, 540], { payload: 'scene 2' });
  });
});

describe(between, () => {
  const seeded = (seed: number) => ({
    images: [url(pngOf(square)), url(later.toBuffer('image/jpeg', 95))],
    prompt: 'A tree loses its leaves',
    audio: false,
    // The label that is written without one names the job.
    meta_data: '{"by":"a test"}',
    seed,
    ...small,
  });
  const silent = jobs.job(between, seeded(7));
  const sounding = jobs.job(between, {
    images: [url(later.toBuffer('image/webp')), url(pngOf(square))],
    ...small,
    duration: 2,
  });
  const marked = jobs.job(between, async () => ({
    images: [(await jobs.upload('a.png', 'image/png', pngOf(pier))).asset, url(pngOf(pier))],
    is_rec: true,
    watermark: true,
    payload: 'scene 3',
    ...small,
  }));

  for (const [name, job, size, seconds, channels, start, end] of [
    ['without audio', silent, [540, 540], 1, 0, square, later],
    ['with audio, which is the default', sounding, [540, 582], 2, 2, later, square],
    ['from a picture to itself', marked, wide, 1, 2, pier, pier],
  ] as const) {
    test(`${name}: it begins with the start frame and ends with the end frame`, async () => {
      const film = await assertFilm(jobs, await job(), { size, seconds, channels });
      const [begins, ends] = [
        await likePicture(film.frame(0), pngOf(start)),
        await likePicture(film.frame(seconds * 24 - 1), pngOf(end)),
      ];
      assert.ok(begins > 0.95, `${begins}`);
      assert.ok(ends > 0.95, `${ends}`);
      await assertTask(await job(), size, job === marked ? { payload: 'scene 3' } : {});
    });
  }

  test('the seed is the one of the request, and another one changes nothing else of the plan', async () =>
    assertSeed(await silent(), seeded(7)));

  test('the marked copy is stored beside the clean film, marked in the lower right corner', async () => {
    const { body } = await marked();
    const wanted = { size: wide, seconds: 1, channels: 2 } as const;
    const [clean, copy] = [
      await assertVideo(jobs, body.video, wanted),
      await assertVideo(jobs, body.watermarked_url, wanted),
    ];
    assertMark(clean, copy, bottomRight);
  });
});

/** A plane of brightness as a picture. */
function grayPng(plane: Buffer, width: number): Buffer {
  const canvas = createCanvas(width, plane.length / width);
  const context = canvas.getContext('2d');
  const pixels = context.createImageData(canvas.width, canvas.height);
  for (let i = 0; i < plane.length; i++) pixels.data.set([plane[i]!, plane[i]!, plane[i]!, 255], i * 4);
  context.putImageData(pixels, 0, 0);
  return pngOf(canvas);
}
