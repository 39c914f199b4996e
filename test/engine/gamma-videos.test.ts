/** The gamma video models, drawn by the local engine and measured. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { coverGray, decodeFile, distance, ssim } from '../../engine/test/renders.ts';
import { dataUrl } from '../../testkit/media/media-fields.ts';
import { assertFilm, assertVideo, cut, type Film, movingClip, near, type Plane, shrink } from './films.ts';
import { type FinishedJob, openFinishedJobs } from './finished-jobs.ts';
import { drawing, pngOf } from './pictures.ts';

const jobs = openFinishedJobs();
const turbo = 'gamma-v3-turbo-t2v';
const omni = 'gamma-v3-omni-video';
const motion = 'gamma-v2-6-motion-control';
const enabled = { enabled: true };

const dancer = drawing('#203050', '#f0c080', 480, 480);
const knight = drawing('#c0d0e0', '#402010', 400, 600);
const rawPng = pngOf(dancer).toString('base64');

const away = (one: Plane, other: Plane) => distance(one.bytes, other.bytes);
const likePicture = async ({ bytes, width }: Plane, picture: Buffer) =>
  ssim(bytes, await coverGray(picture, width, bytes.length / width), width);

/** What the family calls a finished task with one video; marked copies are only there when they were requested. */
function assertTask({ id, body }: FinishedJob, seconds: number) {
  const { task_id, task_status, task_status_msg, task_info, task_result } = body;
  assert.deepEqual(
    [task_id, task_status, task_status_msg, task_info],
    [id, 'succeed', '', { external_task_id: '' }],
  );
  const [{ id: fileId, ...video }, ...others] = task_result.videos;
  assert.match(body.video.url, new RegExp(`/v1/f/${fileId}/`));
  assert.deepEqual(
    [video, others],
    [
      {
        url: body.video.url,
        duration: String(seconds),
        ...(body.watermarked_url && { watermark_url: body.watermarked_url }),
      },
      [],
    ],
  );
}

/** The marked copy is the same film but for its lower right corner. */
function assertMark(clean: Film, marked: Film): void {
  for (const at of [0, clean.frames - 1]) {
    const [was, is] = [clean.frame(at), marked.frame(at)];
    assert.ok(away(cut(was, [0.7, 0.94], [1, 1]), cut(is, [0.7, 0.94], [1, 1])) > 4);
    assert.ok(away(cut(was, [0, 0], [1, 0.8]), cut(is, [0, 0], [1, 0.8])) < 1);
  }
}

describe(turbo, () => {
  const settings = { duration: 3 };
  const prompt = 'City lights from above at night';
  const plain = jobs.job(turbo, { prompt, settings });
  const shots = jobs.job(turbo, {
    prompt: 'shot 1, 1, a desert at noon; shot 2, 2, a dark forest at night in snow',
    settings: { ...settings, aspect_ratio: '9:16' },
    options: { external_task_id: 'reel-1' },
  });
  const marked = jobs.job(turbo, {
    prompt,
    settings: { ...settings, aspect_ratio: '1:1' },
    options: { watermark_info: enabled },
  });

  for (const [name, job, size, external] of [
    ['16:9', plain, [1280, 720], ''],
    ['9:16', shots, [720, 1280], 'reel-1'],
    ['1:1', marked, [960, 960], ''],
  ] as const) {
    test(`${name}: a silent film`, async () => {
      const { id, body } = await job();
      await assertFilm(jobs, { id, body }, { size, seconds: 3, channels: 0 });
      const [{ id: fileId, ...video }] = body.outputs;
      assert.match(body.video.url, new RegExp(`/v1/f/${fileId}/`));
      assert.deepEqual(
        [body.id, body.external_id, body.message, video],
        [
          id,
          external,
          '',
          {
            type: 'video',
            url: body.video.url,
            duration: '3',
            ...(body.watermarked_url && { watermark_url: body.watermarked_url }),
          },
        ],
      );
    });
  }

  test('the shots follow one another after the seconds that they are given', async () => {
    const { path } = await jobs.stored((await shots()).body.video);
    const { pictures } = await decodeFile(path, [12, 40, 60]);
    const [first, second, end] = [12, 40, 60].map(at =>
      shrink({ bytes: pictures.get(at)!, width: 720 }, 36, 64),
    );
    assert.ok(
      away(first!, second!) > 2 * away(second!, end!),
      `${away(first!, second!)}, ${away(second!, end!)}`,
    );
    assert.ok(away(first!, second!) > 15, `${away(first!, second!)}`);
  });

  test('the marked copy is stored beside the clean film', async () => {
    const { body } = await marked();
    const wanted = { size: [960, 960], seconds: 3, channels: 0 } as const;
    assertMark(
      await assertVideo(jobs, body.video, wanted),
      await assertVideo(jobs, body.watermarked_url, wanted),
    );
    assert.equal('watermarked_url' in (await plain()).body, false);
  });
});

describe(omni, () => {
  const std = { mode: 'std', duration: '3' };
  const clip = (name: string, sound: boolean) => async () =>
    jobs.upload(
      name,
      'video/mp4',
      await movingClip(name, {
        video: { width: 720, height: 720, fps: '25' },
        ...(sound && { audio: { sampleRate: 44_100, channels: 1 as const } }),
        seconds: 3.2,
      }),
    );
  const words = jobs.job(omni, {
    prompt: 'A cat on a roof at dawn',
    aspect_ratio: '9:16',
    sound: 'on',
    ...std,
  });
  const frames = jobs.job(omni, {
    prompt: 'From one to the other',
    image_list: [
      { image_url: dataUrl(pngOf(knight)), type: 'end_frame' },
      { image_url: rawPng, type: 'first_frame' },
    ],
    ...std,
    duration: 3,
    watermark_info: enabled,
  });
  const edit = jobs.job(omni, async () => ({
    prompt: 'Let it snow in <<<video_1>>>',
    video_list: [{ video_url: (await clip('street.mp4', true)()).url }],
    ...std,
    duration: '9',
  }));
  const feature = jobs.job(omni, async () => ({
    multi_shot: true,
    shot_type: 'customize',
    multi_prompt: [
      { index: 2, prompt: 'The open sea at night', duration: '2' },
      { index: 1, prompt: 'The <<<image_1>>> leaves', duration: '1' },
    ],
    image_list: [{ image_url: rawPng }],
    video_list: [
      { video_url: (await clip('look.mp4', true)()).asset, refer_type: 'feature', keep_original_sound: 'no' },
    ],
    aspect_ratio: '1:1',
    ...std,
  }));

  for (const [name, job, size, seconds, channels] of [
    ['words with sound', words, [720, 1280], 3, 2],
    ['a pair of frames, silent', frames, [960, 960], 3, 0],
    ['an edited video is as long as it was and keeps its sound', edit, [960, 960], 3.2, 2],
    ['a video for its look, without its sound', feature, [960, 960], 3, 0],
  ] as const) {
    test(name, async () => {
      await assertFilm(jobs, await job(), { size, seconds, channels });
      assertTask(await job(), 3);
    });
  }

  test('frames are distinguished by their type, and the marked copy is stored beside the clean film', async () => {
    const { body } = await frames();
    const wanted = { size: [960, 960], seconds: 3, channels: 0 } as const;
    const film = await assertVideo(jobs, body.video, wanted);
    const [begins, ends] = [
      await likePicture(film.frame(0), pngOf(dancer)),
      await likePicture(film.frame(71), pngOf(knight)),
    ];
    assert.ok(begins > 0.95, `${begins}`);
    assert.ok(ends > 0.95, `${ends}`);
    assertMark(film, await assertVideo(jobs, body.watermarked_url, wanted));
  });

  test('the sound of the edited video is its own', async () => {
    const film = await assertFilm(jobs, await edit(), { size: [960, 960], seconds: 3.2, channels: 2 });
    for (const from of [0.2, 1.5, 2.7]) near(film.loudness(from, from + 0.3), 0.088, 0.02, 'the tone');
  });
});

describe(motion, () => {
  const source = (name: string, type: string, seconds: number, sound: boolean) => async () =>
    (
      await jobs.upload(
        name,
        type,
        await movingClip(name, {
          video: { width: 400, height: 360, fps: '25' },
          ...(sound && { audio: { sampleRate: 48_000, channels: 2 as const } }),
          seconds,
        }),
      )
    ).url;
  const kept = jobs.job(motion, async () => ({
    image_url: rawPng,
    video_url: await source('dance.mp4', 'video/mp4', 3, true)(),
    character_orientation: 'video',
    mode: 'std',
  }));
  const dropped = jobs.job(motion, async () => ({
    image_url: (await jobs.upload('knight.png', 'image/png', pngOf(knight))).url,
    video_url: await source('bow.mov', 'video/quicktime', 3.4, true)(),
    character_orientation: 'image',
    mode: 'std',
    keep_original_sound: 'no',
    watermark_info: enabled,
  }));
  const mute = jobs.job(motion, async () => ({
    image_url: dancer.toBuffer('image/jpeg', 95).toString('base64'),
    video_url: await source('walk.mp4', 'video/mp4', 3, false)(),
    character_orientation: 'video',
    element_list: [{ element_id: 160_001 }],
    mode: 'std',
  }));

  for (const [name, job, size, seconds, channels, character] of [
    ['with the sound of the motion', kept, [960, 960], 3, 2, dancer],
    ['without it', dropped, [784, 1176], 3.4, 0, knight],
    ['of a motion that has no sound', mute, [960, 960], 3, 0, dancer],
  ] as const) {
    test(`${name}: as long as the motion, in the shape of the character, beginning with it`, async () => {
      const film = await assertFilm(jobs, await job(), { size, seconds, channels });
      const like = await likePicture(film.frame(0), pngOf(character));
      assert.ok(like > 0.95, `${like}`);
      assertTask(await job(), 3);
    });
  }

  test('the marked copy is stored beside the clean film', async () => {
    const { body } = await dropped();
    const wanted = { size: [784, 1176], seconds: 3.4, channels: 0 } as const;
    assertMark(
      await assertVideo(jobs, body.video, wanted),
      await assertVideo(jobs, body.watermarked_url, wanted),
    );
  });
});
