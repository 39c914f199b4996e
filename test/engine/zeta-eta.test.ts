/** The zeta and eta models, drawn by the local engine and measured. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { coverGray, distance, ssim } from '../../engine/test/renders.ts';
import { sound } from '../../testkit/media/media-maker.ts';
import { assertFilm, assertSeed, cut, type Plane } from './films.ts';
import { openFinishedJobs } from './finished-jobs.ts';
import { drawing, pngOf } from './pictures.ts';

const jobs = openFinishedJobs();
const zeta = 'zeta-v6-i2v';
const eta = 'eta2.6-t2v';

const away = (one: Plane, other: Plane) => distance(one.bytes, other.bytes);

describe(zeta, () => {
  const pier = drawing('#203050', '#f0c080', 640, 360);
  const tower = drawing('#c0d0e0', '#402010', 300, 400);
  const still = (name: string, type: string, bytes: Buffer) => jobs.upload(name, type, bytes);
  const seeded = async () => ({
    image: (await still('pier.png', 'image/png', pngOf(pier))).url,
    prompt: 'Waves roll under the pier',
    duration: 1,
    quality: '360p',
    seed: 7,
  });
  const short = jobs.job(zeta, seeded);
  const upright = jobs.job(zeta, async () => ({
    image: (await still('tower.jpg', 'image/jpeg', tower.toBuffer('image/jpeg', 95))).asset,
    prompt: 'Birds circle around the tower',
    duration: 1.52,
    quality: '540p',
    generate_audio_switch: true,
  }));
  const clips = jobs.job(zeta, async () => ({
    image: (await still('pier.webp', 'image/webp', pier.toBuffer('image/webp'))).url,
    prompt: 'The tide turns',
    duration: 2.5,
    quality: '360p',
    generate_multi_clip_switch: true,
  }));

  for (const [name, job, size, seconds, channels, given] of [
    ['360p', short, [640, 360], 1, 0, pier],
    ['540p, upright, with sound, a fraction of a second', upright, [540, 720], 1.52, 2, tower],
    ['several clips', clips, [640, 360], 2.5, 0, pier],
  ] as const) {
    test(`${name}: the film begins with the picture, in its shape`, async () => {
      const { id, body } = await job();
      const film = await assertFilm(jobs, { id, body }, { size, seconds, channels });
      const { bytes } = film.frame(0);
      const like = ssim(bytes, await coverGray(pngOf(given), size[0], size[1]), size[0]);
      assert.ok(like > 0.95, `${like}`);
      const { video_id, url, outputWidth, outputHeight, size: fileBytes, has_audio } = body;
      assert.deepEqual(
        [video_id, url, outputWidth, outputHeight, fileBytes, has_audio],
        [id, body.video.url, ...size, film.bytes.length, channels > 0],
      );
    });
  }

  test('the seed is the one of the request, and another one changes nothing else of the plan', async () =>
    assertSeed(await short(), await seeded()));
});

describe(eta, () => {
  const prompt = 'A sailboat crossing a calm bay at sunrise';
  const seeded = (more: object) => ({ prompt, duration: 2, size: '720*1280', ...more });
  const upright = jobs.job(eta, seeded({ seed: 7 }));
  const marked = jobs.job(eta, seeded({ seed: 7, watermark: true }));
  const square = jobs.job(eta, async () => ({
    prompt: '海边的灯塔',
    duration: 2,
    size: '960*960',
    audio_url: (await jobs.upload('waves.mp3', 'audio/mpeg', await sound('mp3', 1))).url,
    prompt_extend: false,
  }));
  const shots = jobs.job(eta, {
    prompt,
    negative_prompt: 'people',
    duration: 3,
    size: '832*1088',
    shot_type: 'multi',
    // Two shots of one scene may come out alike by chance.
    seed: 7,
  });

  for (const [name, job, size, seconds] of [
    ['one shot', upright, [720, 1280], 2],
    ['a guiding sound', square, [960, 960], 2],
    ['several shots', shots, [832, 1088], 3],
  ] as const) {
    test(`${name}: 30 frames a second in the exact size, with sound`, async () => {
      const { id, body } = await job();
      await assertFilm(jobs, { id, body }, { size, seconds, fps: 30, channels: 2 });
      assert.deepEqual(body.usage, {
        duration: seconds,
        output_video_duration: seconds,
        video_count: 1,
        SR: 720,
        size: size.join('*'),
      });
      assert.deepEqual([body.output.task_status, body.output.video_url], ['SUCCEEDED', body.video.url]);
    });
  }

  test('the seed is the one of the request, and another one changes nothing else of the plan', async () =>
    assertSeed(await upright(), seeded({ seed: 7 })));

  test('the guiding sound is heard, and silence where it has ended', async () => {
    const film = await assertFilm(jobs, await square(), {
      size: [960, 960],
      seconds: 2,
      fps: 30,
      channels: 2,
    });
    assert.ok(film.loudness(0.1, 0.9) > 0.02, `${film.loudness(0.1, 0.9)}`);
    assert.ok(film.loudness(1.3, 1.9) < 0.002, `${film.loudness(1.3, 1.9)}`);
  });

  test('a mark is in the lower right corner of the film itself and nowhere else', async () => {
    const wanted = { size: [720, 1280], seconds: 2, fps: 30, channels: 2 } as const;
    const [clean, film] = [
      await assertFilm(jobs, await upright(), wanted),
      await assertFilm(jobs, await marked(), wanted),
    ];
    assert.equal('watermarked_url' in (await marked()).body, false);
    for (const at of [0, 59]) {
      const [was, is] = [clean.frame(at), film.frame(at)];
      assert.ok(away(cut(was, [0.6, 0.95], [1, 1]), cut(is, [0.6, 0.95], [1, 1])) > 4);
      assert.ok(away(cut(was, [0, 0], [1, 0.8]), cut(is, [0, 0], [1, 0.8])) < 1);
    }
  });

  test('another shot shows the scene in another way', async () => {
    const film = await assertFilm(jobs, await shots(), {
      size: [832, 1088],
      seconds: 3,
      fps: 30,
      channels: 2,
    });
    assert.ok(away(film.frame(0), film.frame(89)) > 8, `${away(film.frame(0), film.frame(89))}`);
  });
});
