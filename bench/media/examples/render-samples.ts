/** Renders the sample media of the console: a figure, a coast by day and by night, a clip, a voice and a mask. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createCanvas } from '@napi-rs/canvas';
import { sampleNames } from '../../../console/src/form/sample-input.ts';
import { makeJob, type Studio } from '../make-job.ts';
import { shrinkPicture, shrinkSound, shrinkVideo } from './shrink.ts';

// Within the bounds of every field of the catalog: sides from 700 px and 24 frames a second for videos to edit, four
// seconds for those to extend, two frames of one size for what leads from one to the other.
const figure = { width: 640, height: 640 };
const coast = { width: 840, height: 560 };
const clip = { width: 912, height: 704, fps: 24, crf: 36, seconds: 4.25 };
const maskSide = 1024;

/** Writes them into the folder. */
export async function renderSamples(studio: Studio, folder: string): Promise<void> {
  const to = (name: keyof typeof sampleNames) => join(folder, sampleNames[name]);
  const picture = async (
    name: keyof typeof sampleNames,
    prompt: string,
    ratio: string,
    size: typeof coast,
  ) => {
    const { shown } = await makeJob(studio, 'gamma-v2-image', name, { prompt, aspect_ratio: ratio });
    await shrinkPicture(shown.paths[0], to(name), size, 'jpeg', 70);
  };
  await picture('portrait', 'An orange cat on a lawn at noon, close-up', '1:1', figure);
  await picture('day', 'A lighthouse by the blue sea on a sunny day, gulls, soft clouds', '3:2', coast);
  await picture('night', 'A lighthouse by the sea on a starry night, moon', '3:2', coast);
  const film = await makeJob(studio, 'eta2.6-t2v', 'clip', {
    prompt: 'A sailboat on a calm bay before mountains at sunset',
    size: '1088*832',
    duration: 5,
    seed: 12,
  });
  await shrinkVideo(film.shown.paths[0], to('clip'), clip);
  const spoken = await makeJob(studio, 'theta-3.1-flash-tts-preview', 'voice', {
    text: 'The tide is out and the boats are resting.',
  });
  await shrinkSound(spoken.shown.paths[0], to('voice'), spoken.shown.seconds, 32_000);
  await writeFile(to('mask'), await drawMask());
}

/** White is what is painted: an ellipse in the upper half. */
async function drawMask(): Promise<Buffer> {
  const canvas = createCanvas(maskSide, maskSide);
  const context = canvas.getContext('2d');
  context.fillStyle = 'black';
  context.fillRect(0, 0, maskSide, maskSide);
  context.fillStyle = 'white';
  context.beginPath();
  context.ellipse(maskSide / 2, maskSide * 0.32, maskSide * 0.28, maskSide * 0.2, 0, 0, 2 * Math.PI);
  context.fill();
  return canvas.encode('png');
}
