/** Renders the first example of every model, as its page in the console shows it before the first run. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import {
  replaceJob,
  replacePlaceholders,
  type SampleName,
  sampleNames,
} from '../../../console/src/form/sample-input.ts';
import { models } from '../../../src/catalog/index.ts';
import type { Kind } from '../../../src/catalog/model.ts';
import { makeJob, type Shown, type Studio } from '../make-job.ts';
import { shrinkPicture, shrinkSound, shrinkVideo } from './shrink.ts';

/** All in one shape, so that cards stand in a grid. */
const frame = { width: 640, height: 360 };
/** A loop of a card: short, and of few frames. */
const loop = { ...frame, fps: 16, crf: 30, seconds: 3 };

/** What the models go on from that name a picture of an earlier job: another one each, so that cards differ. */
const earlierPictures: Readonly<Record<string, string>> = {
  'beta-edit': 'A lighthouse by the blue sea on a sunny day, gulls, soft clouds',
  'beta-outpaint': 'A castle by a fjord under an aurora, stars, reflections',
  'beta-upscale': 'A fox in an autumn forest, falling leaves, warm afternoon',
};

/** The id of the job. */
async function drawPicture(studio: Studio, prompt: string): Promise<string> {
  const { jobId } = await makeJob(studio, 'gamma-v2-image', prompt, { prompt, aspect_ratio: '1:1' });
  return jobId;
}

/** Ids of the uploaded samples. */
type SampleIds = Readonly<Record<SampleName, string>>;

/** Writes a WebP for each picture, an mp4 with its poster for each video and an mp3 for each sound. */
export async function renderExamples(studio: Studio, samples: string, folder: string): Promise<void> {
  const ids = await uploadSamples(studio, samples);
  for (const { id, kind, examples } of models) {
    const filled = replacePlaceholders(examples[0], name => ids[name]);
    const prompt = earlierPictures[id];
    const input = prompt === undefined ? filled : replaceJob(filled, await drawPicture(studio, prompt));
    // Without a mask the example of an edit covers the whole picture, and nothing of it is to be seen.
    const mask = id === 'beta-edit' && { mask: { url: ids.mask } };
    const { shown } = await makeJob(studio, id, 'example', { ...z.looseObject({}).parse(input), ...mask });
    await shrink(kind, shown, join(folder, id));
  }
}

/** By kind; a picture of several is the first. */
async function shrink(kind: Kind, { paths: [path], seconds }: Shown, to: string): Promise<void> {
  switch (kind) {
    case 'image':
      return shrinkPicture(path, `${to}.webp`, frame, 'webp', 78);
    case 'video':
      return shrinkVideo(path, `${to}.mp4`, loop, `${to}.webp`);
    case 'speech':
      return shrinkSound(path, `${to}.mp3`, seconds, 24_000);
  }
}

async function uploadSamples({ url, secret }: Studio, folder: string): Promise<SampleIds> {
  const uploaded: [string, string][] = [];
  for (const [name, file] of Object.entries(sampleNames)) {
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(await readFile(join(folder, file)))]), file);
    const answer = await fetch(`${url}/v1/files`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}` },
      body: form,
    });
    if (!answer.ok) throw new Error(`${file}: ${await answer.text()}`);
    uploaded.push([name, z.object({ id: z.string() }).parse(await answer.json()).id]);
  }
  return Object.fromEntries(uploaded) as SampleIds;
}
