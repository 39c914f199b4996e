/** The alpha models, drawn by the local engine and measured. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { coverGray, distance, ssim } from '../../engine/test/renders.ts';
import { dataUrl } from '../../testkit/media/media-fields.ts';
import { sound } from '../../testkit/media/media-maker.ts';
import { assertFilm, cut, movingClip, near, type Plane, shrink } from './films.ts';
import { openFinishedJobs } from './finished-jobs.ts';
import { assertPicture, drawing, pngOf } from './pictures.ts';

const jobs = openFinishedJobs();
const mini = 'alpha-2-0-mini';
const pro = 'alpha-1-5-pro';

const text = (words: string) => ({ type: 'text', text: words });
const frame = (url: string, role?: string) => ({
  type: 'image_url',
  image_url: { url },
  ...(role !== undefined && { role }),
});

/** 4:3, a little smaller than the frame of that ratio. */
const dusk = drawing('#203050', '#f0c080', 480, 360);
const noon = drawing('#c0d0e0', '#402010', 480, 360);

const likeness = (one: Plane, other: Plane) => ssim(one.bytes, other.bytes, one.width);
const likePicture = async (plane: Plane, picture: Buffer) =>
  ssim(plane.bytes, await coverGray(picture, plane.width, plane.bytes.length / plane.width), plane.width);
const away = (one: Plane, other: Plane) => distance(one.bytes, other.bytes);
const lowerRight = (plane: Plane) => cut(plane, [0.7, 0.93], [1, 1]);
const upperHalf = (plane: Plane) => cut(plane, [0, 0], [1, 0.5]);

describe(mini, () => {
  const spoken = jobs.job(mini, {
    content: [text('A lighthouse at dusk, a sailor says "Good evening"')],
    resolution: '480p',
    ratio: '16:9',
    duration: 4,
  });
  const upright = {
    content: [text('A vertical film of a paper boat in the rain')],
    resolution: '480p',
    duration: 4,
    generate_audio: false,
  };
  const silent = jobs.job(mini, upright);
  const again = jobs.job(mini, upright);
  const pair = jobs.job(mini, {
    content: [
      frame(dataUrl(dusk.toBuffer('image/jpeg', 95)), 'first_frame'),
      frame(dataUrl(pngOf(noon)), 'last_frame'),
    ],
    resolution: '480p',
    duration: 4,
    generate_audio: false,
    watermark: true,
  });
  const references = jobs.job(mini, async () => {
    const clip = { video: { width: 640, height: 640, fps: '24' }, seconds: 2 };
    const film = await jobs.upload('film.mp4', 'video/mp4', await movingClip('film.mp4', clip));
    return {
      content: [
        text('The dancer of the picture moves to the song'),
        frame(dataUrl(pngOf(noon)), 'reference_image'),
        { type: 'video_url', video_url: { url: film.url }, role: 'reference_video' },
        { type: 'audio_url', audio_url: { url: dataUrl(await sound('wav', 2)) }, role: 'reference_audio' },
      ],
      resolution: '480p',
      duration: -1,
    };
  });

  test('a text becomes a film with sound in one channel', async () => {
    const job = await spoken();
    const film = await assertFilm(jobs, job, { size: [864, 496], seconds: 4, channels: 1 });
    assert.ok(film.loudness(0, 4) > 0.005, `${film.loudness(0, 4)}`);
    const { video, ratio, resolution, framespersecond, generate_audio, content, usage } = job.body;
    assert.deepEqual(
      { ratio, resolution, framespersecond, generate_audio, content, usage },
      {
        ratio: '16:9',
        resolution: '480p',
        framespersecond: 24,
        generate_audio: true,
        content: { video_url: video.url },
        usage: { completion_tokens: 40_176, total_tokens: 40_176 },
      },
    );
    assert.equal('watermarked_url' in job.body || 'last_frame' in job.body, false);
  });

  test('the adaptive ratio follows a word of the text, and without sound there is no audio stream', async () => {
    const job = await silent();
    await assertFilm(jobs, job, { size: [496, 864], seconds: 4, channels: 0 });
    assert.deepEqual([job.body.ratio, job.body.generate_audio], ['9:16', false]);
  });

  test('the same input again is another job with another seed and another film', async () => {
    const [one, other] = [await silent(), await again()];
    assert.notEqual(one.body.seed, other.body.seed);
    const [first, second] = [await jobs.stored(one.body.video), await jobs.stored(other.body.video)];
    assert.equal(first.bytes.equals(second.bytes), false);
  });

  test('a pair of frames gives the ratio, is where the film begins and ends, and the mark lies over it', async () => {
    const job = await pair();
    const film = await assertFilm(jobs, job, { size: [752, 560], seconds: 4, channels: 0 });
    assert.equal(job.body.ratio, '4:3');
    const [start, end] = [film.frame(0), film.frame(95)];
    for (const [shown, given] of [
      [start, dusk],
      [end, noon],
    ] as const) {
      const wanted = { bytes: await coverGray(pngOf(given), 752, 560), width: 752 };
      assert.ok(likeness(upperHalf(shown), upperHalf(wanted)) > 0.95);
      assert.ok(away(lowerRight(shown), lowerRight(wanted)) > 5, 'marked in the lower right corner');
    }
  });

  test('-1 seconds are as many as the result reports, in the shape of the reference video', async () => {
    const job = await references();
    await assertFilm(jobs, job, { size: [640, 640], seconds: 5, channels: 1 });
    assert.equal(job.body.ratio, '1:1');
    assert.equal(job.body.duration, 5);
  });
});

describe(pro, () => {
  const words = [text('A red balloon over mountains at sunset')];
  const preview = { content: words, draft: true, duration: 4, generate_audio: false, ratio: '16:9', seed: 7 };
  const draft = jobs.job(pro, preview);
  const same = jobs.job(pro, preview);
  const marked = jobs.job(pro, { ...preview, watermark: true });
  const other = jobs.job(pro, { ...preview, seed: 8 });
  const final = jobs.job(pro, async () => ({
    content: [{ type: 'draft_task', draft_task: { id: (await draft()).id } }],
    resolution: '720p',
  }));
  const still = jobs.job(pro, {
    content: [text('The wind rises'), frame(dataUrl(dusk.toBuffer('image/webp')))],
    resolution: '480p',
    duration: 4,
    camera_fixed: true,
    watermark: true,
    return_last_frame: true,
  });
  const next = jobs.job(pro, async () => ({
    content: [frame((await still()).body.last_frame.url, 'first_frame')],
    resolution: '480p',
    duration: 4,
    generate_audio: false,
  }));
  const pair = jobs.job(pro, async () => ({
    content: [
      frame(dataUrl(pngOf(noon)), 'last_frame'),
      frame((await jobs.upload('dusk.png', 'image/png', pngOf(dusk))).asset, 'first_frame'),
      text('Night falls'),
    ],
    resolution: '480p',
    ratio: '1:1',
    duration: -1,
    generate_audio: false,
    service_tier: 'flex',
  }));

  test('the same seed gives the same bytes and another seed another film', async () => {
    const [one, two, three] = [await draft(), await same(), await other()];
    assert.deepEqual([one.body.seed, two.body.seed, three.body.seed], [7, 7, 8]);
    const [film, twin, stranger] = await Promise.all(
      [one, two, three].map(async ({ body }) => (await jobs.stored(body.video)).bytes),
    );
    assert.ok(film!.equals(twin!), 'the same seed');
    assert.equal(film!.equals(stranger!), false);
  });

  test('a draft is a film in 480p', async () => {
    const job = await draft();
    await assertFilm(jobs, job, { size: [864, 496], seconds: 4, channels: 0 });
    assert.deepEqual([job.body.draft, job.body.resolution], [true, '480p']);
  });

  test('its final shows the same scene larger, for as long', async () => {
    const job = await final();
    const large = await assertFilm(jobs, job, { size: [1280, 720], seconds: 4, channels: 0 });
    assert.deepEqual(
      [job.body.draft, job.body.draft_task_id, job.body.seed, job.body.ratio],
      [false, (await draft()).id, 7, '16:9'],
    );
    const size = { size: [864, 496], seconds: 4, channels: 0 } as const;
    const [small, stranger] = [
      await assertFilm(jobs, await draft(), size),
      await assertFilm(jobs, await other(), size),
    ];
    for (const at of [0, 95]) {
      const [wanted, shown, foreign] = [large, small, stranger].map(film => shrink(film.frame(at), 108, 62));
      assert.ok(likeness(wanted!, shown!) > 0.8, `frame ${at}: ${likeness(wanted!, shown!)}`);
      assert.ok(likeness(wanted!, foreign!) < 0.8, `another scene: ${likeness(wanted!, foreign!)}`);
    }
  });

  test('a mark is in the lower right corner and nowhere else', async () => {
    const size = { size: [864, 496], seconds: 4, channels: 0 } as const;
    const [clean, film] = [
      await assertFilm(jobs, await draft(), size),
      await assertFilm(jobs, await marked(), size),
    ];
    for (const at of [0, 95]) {
      assert.ok(away(lowerRight(clean.frame(at)), lowerRight(film.frame(at))) > 5);
      near(away(upperHalf(clean.frame(at)), upperHalf(film.frame(at))), 0, 1);
    }
  });

  test('a film begins with its first frame, and gives its last one as a PNG without the mark', async () => {
    const { body } = await still();
    const film = await assertFilm(
      jobs,
      { id: body.request_id, body },
      {
        size: [752, 560],
        seconds: 4,
        channels: 1,
      },
    );
    const wanted = await coverGray(pngOf(dusk), 752, 560);
    const [begin, end] = [film.frame(0), film.frame(95)];
    assert.ok(likeness(upperHalf(begin), upperHalf({ bytes: wanted, width: 752 })) > 0.95);
    assert.deepEqual(
      [body.last_frame.content_type, body.last_frame.width, body.last_frame.height],
      ['image/png', 752, 560],
    );
    assert.equal(body.content.last_frame_url, body.last_frame.url);
    await assertPicture(jobs, body.last_frame, [752, 560]);
    const { bytes } = await jobs.stored(body.last_frame);
    const last = { bytes: await coverGray(bytes, 752, 560), width: 752 };
    assert.ok(likeness(upperHalf(end), upperHalf(last)) > 0.95);
    assert.ok(away(lowerRight(end), lowerRight(last)) > 5, 'the film is marked there');
  });

  test('the last frame of one film is the first frame of the next', async () => {
    const film = await assertFilm(jobs, await next(), { size: [752, 560], seconds: 4, channels: 0 });
    const { bytes } = await jobs.stored((await still()).body.last_frame);
    const like = await likePicture(film.frame(0), bytes);
    assert.ok(like > 0.95, `${like}`);
  });

  test('two frames are distinguished by their roles and cut to the requested ratio', async () => {
    const job = await pair();
    const film = await assertFilm(jobs, job, { size: [640, 640], seconds: 5, channels: 0 });
    assert.deepEqual([job.body.ratio, job.body.duration, job.body.service_tier], ['1:1', 5, 'flex']);
    const [begins, ends] = [
      await likePicture(film.frame(0), pngOf(dusk)),
      await likePicture(film.frame(119), pngOf(noon)),
    ];
    assert.ok(begins > 0.95, `${begins}`);
    assert.ok(ends > 0.95, `${ends}`);
    assert.equal('last_frame' in job.body, false);
  });
});
