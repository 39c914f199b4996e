/** The jobs of the contact sheet: a small one of every model, some of them from results of earlier ones. */
import { type Made, makeJob, type Shown, type Studio } from './make-job.ts';

type Make = (modelId: string, caption: string, body: object) => Promise<Made>;

const daySize = { width: 1280, height: 720 };

/** One result of every model, in no particular order. Jobs run at the same time where they do not depend on others. */
export async function makeJobs(studio: Studio): Promise<readonly Shown[]> {
  const make: Make = (modelId, caption, body) => makeJob(studio, modelId, caption, body);
  const pictures = await makePictures(make);
  const videos = startVideos(make, pictures);
  const made = await Promise.all([
    ...videos,
    ...startVideosOfVideos(make, pictures, videos),
    ...startEdits(make, pictures),
    ...startSpeech(make),
  ]);
  return [pictures.lake, pictures.day, ...made].map(({ shown }) => shown);
}

type Pictures = Awaited<ReturnType<typeof makePictures>>;

/** The inputs of the other jobs. */
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

/** Videos from words or from the first pictures. */
function startVideos(make: Make, { lake, day, night }: Pictures) {
  return [
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
}

/** Videos that begin with the result of another video, and one from a picture that is then extended. */
function startVideosOfVideos(
  make: Make,
  { hiker, fox }: Pictures,
  videos: ReturnType<typeof startVideos>,
): readonly Promise<Made>[] {
  const [shotsOfThree, closingIn] = [videos[3], videos[4]];
  const started = [
    shotsOfThree.then(shots =>
      make('gamma-v3-omni-video', 'It snows in an earlier video', {
        prompt: 'Let heavy snow fall in <<<video_1>>>',
        video_list: [{ video_url: shots.url, refer_type: 'base' }],
        mode: 'std',
      }),
    ),
    closingIn.then(clip =>
      make('gamma-v2-6-motion-control', 'A hiker, moved as another video moves', {
        image_url: hiker.url,
        video_url: clip.url,
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
  const extended = started[2].then(clip =>
    make('epsilon-q2-turbo-extend', 'Goes on where that one ended', {
      video_creation_id: clip.creationId,
      prompt: 'Rain sets in, fog, the camera pulls back',
      resolution: '540p',
      duration: 3,
    }),
  );
  return [...started, extended];
}

/** Pictures from the first pictures. */
function startEdits(make: Make, { lake, day, night, fox, cat }: Pictures): readonly Promise<Made>[] {
  return [
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
  ];
}

/** One job for each speech model, in different languages and voices. */
function startSpeech(make: Make): readonly Promise<Made>[] {
  return [
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
  ];
}

/** Points of a mask area, clockwise. */
function ellipse(x: number, y: number, across: number, down: number): readonly number[] {
  const points = 24;
  return Array.from({ length: points }, (_, point) => (point / points) * 2 * Math.PI).flatMap(angle => [
    Math.round(x + across * Math.cos(angle)),
    Math.round(y + down * Math.sin(angle)),
  ]);
}
