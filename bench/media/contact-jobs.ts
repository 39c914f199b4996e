/** A small job of every model, for the contact sheet of the documentation. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { findModel } from '../../src/catalog/index.ts';
import type { Kind } from '../../src/catalog/model.ts';

/** What a job of one model made. */
export interface Shown {
  readonly modelId: string;
  readonly kind: Kind;
  /** What was asked for, in a few words. */
  readonly caption: string;
  /** The video, the sound, or the pictures. */
  readonly paths: readonly [string, ...string[]];
  /** Of a video or a sound. */
  readonly seconds: number;
}

interface Bench {
  /** Base of the gateway's addresses. */
  readonly url: string;
  readonly secret: string;
  /** Where the results are kept. */
  readonly folder: string;
}

const produced = z.object({ url: z.url(), duration: z.number().optional() });
const result = z.object({
  request_id: z.string(),
  error: z.null(),
  video: produced.optional(),
  audio: produced.optional(),
  images: z.array(produced).optional(),
  creations: z.array(z.object({ id: z.string() })).optional(),
});

interface Made {
  readonly shown: Shown;
  readonly jobId: string;
  /** The address of the first file, as later jobs take it. */
  readonly url: string;
  /** The id of the video, where the family gives one. */
  readonly creationId: string;
}

const daySize = { width: 1280, height: 720 };

/** One job of the contact sheet: model, caption, body. */
type Make = (modelId: string, caption: string, body: object) => Promise<Made>;

/** Pictures first: every other job is made of words or of them. */
export async function makeJobs(bench: Bench): Promise<readonly Shown[]> {
  const make: Make = (modelId, caption, body) => makeJob(bench, modelId, caption, body);
  const pictures = await makePictures(make);
  const videos = makeVideos(make, pictures);
  const made = await Promise.all([
    ...videos,
    ...makeFollowing(make, pictures, videos),
    ...makeEdits(make, pictures),
    ...makeSpeech(make),
  ]);
  return [pictures.lake, pictures.day, ...made].map(({ shown }) => shown);
}

async function makePictures(make: Make) {
  const [lake, day, night, hiker, fox, cat] = await Promise.all([
    make('gamma-v3-image', 'A lake in the mountains', {
      prompt: 'A lake between snowy mountains at sunset, a small sailboat, golden light',
    }),
    make('gamma-v2-image', 'A lighthouse by the sea', {
      prompt: 'A lighthouse by the blue sea on a sunny day, gulls, soft clouds',
    }),
    make('gamma-v2-image', 'The same coast at night', {
      prompt: 'A lighthouse by the sea on a starry night, moon',
    }),
    make('gamma-v2-image', 'A hiker', { prompt: 'A hiker on a hill before mountain peaks at dawn, clouds' }),
    make('gamma-v2-image', 'A fox', { prompt: 'A fox in an autumn forest, falling leaves, warm afternoon' }),
    make('gamma-v2-image', 'A cat', {
      prompt: 'An orange cat on a lawn at noon, close-up',
      aspect_ratio: '1:1',
    }),
  ]);
  return { lake, day, night, hiker, fox, cat };
}

type Pictures = Awaited<ReturnType<typeof makePictures>>;

const makeVideos = (make: Make, { lake, day, night }: Pictures) =>
  [
    make('alpha-1-5-pro', 'A cottage in the snow', {
      content: [{ type: 'text', text: 'A cottage in a pine forest on a snowy evening, golden light' }],
      resolution: '480p',
      duration: 4,
      seed: 11,
    }),
    make('alpha-2-0-mini', 'Balloons over lavender', {
      content: [{ type: 'text', text: 'Red balloons rise over a meadow of lavender flowers at dawn' }],
      resolution: '480p',
      duration: 4,
    }),
    make('eta2.6-t2v', 'A castle under northern lights', {
      prompt: 'A castle by a fjord under an aurora, stars, reflections',
      size: '1280*720',
      duration: 2,
      seed: 5,
    }),
    make('gamma-v3-turbo-t2v', 'A desert, a city, a coral reef', {
      prompt:
        'shot 1, 1, a camel in the desert, dunes at sunset\nshot 2, 1, neon city street at night in the rain\nshot 3, 1, fish over a coral reef',
      settings: { duration: 3 },
    }),
    make('zeta-v6-i2v', 'The camera closes in on the boat', {
      image: lake.url,
      prompt: 'The camera pushes in, birds fly by',
      duration: 3,
      quality: '540p',
    }),
    make('epsilon-q3-turbo-start-end2video', 'Day turns into night', {
      images: [day.url, night.url],
      prompt: 'Day turns into night',
      duration: 3,
      resolution: '540p',
      audio: false,
    }),
  ] as const;

/** Videos that are made of earlier ones, or extended. */
function makeFollowing(make: Make, { hiker, fox }: Pictures, video: ReturnType<typeof makeVideos>) {
  const followed = [
    video[3].then(shots =>
      make('gamma-v3-omni-video', 'It snows in an earlier video', {
        prompt: 'Let heavy snow fall in <<<video_1>>>',
        video_list: [{ video_url: shots.url, refer_type: 'base' }],
        mode: 'std',
      }),
    ),
    video[4].then(closingIn =>
      make('gamma-v2-6-motion-control', 'A hiker, moved as another video moves', {
        image_url: hiker.url,
        video_url: closingIn.url,
        character_orientation: 'video',
        mode: 'std',
      }),
    ),
    make('epsilon-q2-turbo-img2video', 'Leaves fall around the fox', {
      images: [fox.url],
      prompt: 'Leaves fall, the camera closes in slowly',
      resolution: '540p',
      duration: 4,
    }),
  ] as const;
  const extended = followed[2].then(clip =>
    make('epsilon-q2-turbo-extend', 'Goes on where that one ended', {
      video_creation_id: clip.creationId,
      prompt: 'Rain sets in, fog, the camera pulls back',
      resolution: '540p',
      duration: 3,
    }),
  );
  return [...followed, extended];
}

const makeEdits = (make: Make, { lake, day, night, fox, cat }: Pictures) =>
  [
    make('gamma-v2-multi-image2image', 'A cat, framed, at the lake', {
      prompt: 'A bird at the lake',
      subject_image_list: [{ subject_image: cat.url }],
      scene_image: lake.url,
    }),
    make('beta-edit', 'A balloon where a mask is', {
      jobId: day.jobId,
      imageNo: 0,
      remixPrompt: 'A red balloon over the blue sea on a sunny day, soft clouds --seed 4',
      canvas: daySize,
      imgPos: { x: 0, y: 0, ...daySize },
      mask: { areas: [{ ...daySize, points: ellipse(420, 210, 270, 170) }] },
    }),
    make('beta-outpaint', 'More to all sides', {
      jobId: night.jobId,
      imageNo: 0,
      scale: 1.3,
      remixPrompt: 'The sea on a starry night --seed 3',
    }),
    make('beta-upscale', 'Twice as large, with more detail', { jobId: fox.jobId, imageNo: 0, type: 1 }),
  ] as const;

const makeSpeech = (make: Make) =>
  [
    make('delta-speech-01-turbo', '"The tide is out, …"', {
      text: 'The tide is out,<#0.4#>and the boats are resting.',
      voice_setting: { voice_id: 'calm-man' },
    }),
    make('delta-speech-02-hd', '"今天天气很好，…"', {
      text: '今天天气很好，我们去海边走走吧！',
      voice_setting: { voice_id: 'young-girl', emotion: 'happy' },
      audio_setting: { sample_rate: 44_100, format: 'wav' },
    }),
    make('theta-3.1-flash-tts-preview', '"The parcel has arrived!"', {
      text: 'Say cheerfully: the parcel has arrived!',
      voice_name: 'Puck',
    }),
  ] as const;

/** Points of a mask area, clockwise. */
function ellipse(x: number, y: number, across: number, down: number): readonly number[] {
  const points = 24;
  return Array.from({ length: points }, (_, point) => (point / points) * 2 * Math.PI).flatMap(angle => [
    Math.round(x + across * Math.cos(angle)),
    Math.round(y + down * Math.sin(angle)),
  ]);
}

async function makeJob(bench: Bench, modelId: string, caption: string, body: object): Promise<Made> {
  const kind = findModel(modelId)?.kind;
  if (!kind) throw new Error(`expected a model, got ${modelId}`);
  const handle = z
    .object({ request_id: z.string(), response_url: z.url() })
    .parse(await ask(bench, `${bench.url}/v1/queue/${modelId}`, body));
  const {
    video,
    audio,
    images = [],
    creations = [],
    request_id: jobId,
  } = await ended(bench, handle.response_url);
  const files = [video, audio, ...images].filter(file => file !== undefined);
  const paths = await Promise.all(files.map((file, index) => keep(bench, file.url, `${jobId}-${index}`)));
  const [first] = files;
  const [path, ...more] = paths;
  if (!first || path === undefined) throw new Error(`expected a file of ${modelId}, got none`);
  console.log(`${modelId}: ${caption}`);
  return {
    shown: { modelId, kind, caption, paths: [path, ...more], seconds: first.duration ?? 0 },
    jobId,
    url: first.url,
    creationId: creations[0]?.id ?? '',
  };
}

async function ended(bench: Bench, responseUrl: string): Promise<z.output<typeof result>> {
  for (;;) {
    const body = await ask(bench, responseUrl);
    const status = z.object({ status: z.string() }).parse(body);
    if (status.status === 'COMPLETED') return result.parse(body);
  }
}

async function ask({ secret }: Bench, url: string, body?: object): Promise<unknown> {
  const answer = await fetch(url, {
    method: body ? 'POST' : 'GET',
    headers: {
      authorization: `Bearer ${secret}`,
      prefer: 'wait=60',
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(120_000),
  });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

async function keep({ folder }: Bench, url: string, name: string): Promise<string> {
  const path = join(folder, name);
  const answer = await fetch(url, { signal: AbortSignal.timeout(60_000) });
  await writeFile(path, Buffer.from(await answer.arrayBuffer()));
  return path;
}
