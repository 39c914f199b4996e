/** Draws the contact sheet: the results of all models on one picture, by kind. */
import {
  type Canvas,
  createCanvas,
  type Image,
  ImageData,
  loadImage,
  type SKRSContext2D,
} from '@napi-rs/canvas';
import { soundRate } from '../../engine/src/av.ts';
import { fontOf } from '../../engine/src/paint/fonts.ts';
import { decodeSound } from '../../engine/src/sound/decode-sound.ts';
import { openFrames } from '../../engine/src/video/source-video.ts';
import { findModel } from '../../src/catalog/index.ts';
import type { Shown } from './make-job.ts';

const width = 1600;
const margin = 40;
const gap = 28;
const frameGap = 4;
const labelHeight = 60;
const headingHeight = 46;
const quality = 78;
const ink = '#1d2429';
const faint = '#6c767d';
const paper = '#faf9f6';
const waves = '#2f6f8f';

/** The grid of each kind: columns, stills of one result, and the aspect ratio of a still. */
const rows = {
  video: { title: 'Video', columns: 2, frames: 3, ratio: 16 / 9 },
  image: { title: 'Image', columns: 3, frames: 1, ratio: 16 / 9 },
  speech: { title: 'Speech', columns: 3, frames: 1, ratio: 5.4 },
} as const;

const frameRate = 12;

/** The results with their model ids and captions, grouped by kind, as a JPEG. */
export async function drawSheet(shown: readonly Shown[]): Promise<Buffer> {
  const groups = (['video', 'image', 'speech'] as const).map(kind => {
    const { columns, frames, ratio } = rows[kind];
    const members = shown.filter(one => one.kind === kind);
    const cellWidth = (width - 2 * margin - (columns - 1) * gap) / columns;
    const frameWidth = Math.floor((cellWidth - (frames - 1) * frameGap) / frames);
    const frameHeight = Math.round(frameWidth / ratio);
    const cellHeight = frameHeight + labelHeight;
    const height = headingHeight + Math.ceil(members.length / columns) * (cellHeight + gap) - gap;
    return { ...rows[kind], members, cellWidth, cellHeight, frameWidth, frameHeight, height };
  });
  const height = groups.reduce((sum, group) => sum + group.height, 2 * margin + (groups.length - 1) * gap);
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  context.fillStyle = paper;
  context.fillRect(0, 0, width, height);
  let top = margin;
  for (const group of groups) {
    write(context, group.title, 30, ink, margin, top + 24, width);
    for (const [index, member] of group.members.entries()) {
      const x = margin + (index % group.columns) * (group.cellWidth + gap);
      const y = top + headingHeight + Math.floor(index / group.columns) * (group.cellHeight + gap);
      const stills = await stillsOf(member, group.frameWidth, group.frameHeight);
      for (const [place, still] of stills.entries()) {
        const left = x + place * (group.frameWidth + frameGap);
        context.drawImage(still, left, y, group.frameWidth, group.frameHeight);
      }
      write(context, member.modelId, 22, ink, x, y + group.frameHeight + 28, group.cellWidth);
      write(context, captionOf(member), 17, faint, x, y + group.frameHeight + 53, group.cellWidth);
    }
    top += group.height + gap;
  }
  return canvas.encode('jpeg', quality);
}

/** The title of the model, the length, and the caption of the job. */
function captionOf({ modelId, caption, seconds }: Shown): string {
  const title = findModel(modelId)?.title ?? '';
  const length = seconds > 0 ? ` · ${Math.round(seconds * 10) / 10} s` : '';
  return `${title}${length} · ${caption}`;
}

/** Draws one line of text, shortened with … to `maxWidth`. */
function write(
  context: SKRSContext2D,
  text: string,
  pixels: number,
  colour: string,
  x: number,
  baseline: number,
  maxWidth: number,
): void {
  context.font = fontOf(pixels);
  context.fillStyle = colour;
  let words = text;
  while (context.measureText(words).width > maxWidth) words = `${words.replace(/…$/, '').slice(0, -1)}…`;
  context.fillText(words, x, baseline);
}

/** The stills of one result, at twice the size of their boxes. */
async function stillsOf(shown: Shown, frameWidth: number, frameHeight: number): Promise<readonly Canvas[]> {
  const size = { width: 2 * frameWidth, height: 2 * frameHeight };
  switch (shown.kind) {
    case 'video':
      return framesOf(shown.paths[0], size);
    case 'image':
      return [cover(await loadImage(shown.paths[0]), size)];
    case 'speech':
      return [drawWaves(await decodeSound(shown.paths[0], Math.round(shown.seconds * soundRate)), size)];
  }
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The first frame, the middle one and the last. */
async function framesOf(path: string, size: Size): Promise<readonly Canvas[]> {
  const reader = await openFrames(path, { fps: frameRate, size, pixels: 'rgba' });
  const frames: Buffer[] = [];
  for (let frame = await reader.next(); frame; frame = await reader.next()) frames.push(frame);
  await reader.close();
  const wanted = [frames[0], frames[Math.floor(frames.length / 2)], frames.at(-1)];
  return wanted.map(frame => {
    if (!frame) throw new Error(`expected frames in ${path}, got none`);
    const canvas = createCanvas(size.width, size.height);
    const pixels = new Uint8ClampedArray(frame);
    canvas.getContext('2d').putImageData(new ImageData(pixels, size.width, size.height), 0, 0);
    return canvas;
  });
}

/** Fills the size with the picture; what exceeds it is cut off evenly. */
function cover(picture: Image, { width, height }: Size): Canvas {
  const canvas = createCanvas(width, height);
  const scale = Math.max(width / picture.width, height / picture.height);
  const [across, down] = [picture.width * scale, picture.height * scale];
  canvas.getContext('2d').drawImage(picture, (width - across) / 2, (height - down) / 2, across, down);
  return canvas;
}

/** The loudness of the sound over time, as vertical bars. */
function drawWaves(stereo: Float32Array, { width, height }: Size): Canvas {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  context.fillStyle = '#eef2f3';
  context.fillRect(0, 0, width, height);
  const step = 8;
  const bars = Math.floor((width - 2 * step) / step);
  const perBar = Math.floor(stereo.length / bars);
  const levels = Array.from({ length: bars }, (_, bar) => {
    const part = stereo.subarray(bar * perBar, (bar + 1) * perBar);
    return Math.sqrt(part.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, perBar));
  });
  const loudest = Math.max(...levels, 1e-6);
  context.fillStyle = waves;
  for (const [bar, level] of levels.entries()) {
    const tall = Math.max(step / 2, (level / loudest) ** 0.7 * height * 0.86);
    context.beginPath();
    context.roundRect(step + bar * step, (height - tall) / 2, step * 0.6, tall, step * 0.3);
    context.fill();
  }
  return canvas;
}
