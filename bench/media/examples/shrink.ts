/** Makes small copies of results for the console: pictures as WebP, videos as H.264 without sound, sounds as mp3. */
import { readFile, writeFile } from 'node:fs/promises';
import { type Canvas, createCanvas, ImageData, loadImage } from '@napi-rs/canvas';
import { Encoder, FilterAPI, Frame, Muxer, Rational } from 'node-av';
import * as av from 'node-av/constants';
import { isReceived, setCodecOption, soundRate } from '../../../engine/src/av.ts';
import { decodeSound } from '../../../engine/src/sound/decode-sound.ts';
import { writeSound } from '../../../engine/src/sound/encode-audio.ts';
import { openFrames } from '../../../engine/src/video/source-video.ts';

/** Pixels, even. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** How a small video is written; `crf` is the quality of x264, where more is smaller. */
export interface VideoSettings extends Size {
  readonly fps: number;
  readonly crf: number;
  readonly seconds: number;
}

/** The picture in a box of that size, without borders: what exceeds it is cut off evenly. */
export async function shrinkPicture(
  from: string,
  to: string,
  { width, height }: Size,
  format: 'webp' | 'jpeg',
  quality: number,
): Promise<void> {
  const picture = await loadImage(await readFile(from));
  const canvas = createCanvas(width, height);
  const scale = Math.max(width / picture.width, height / picture.height);
  const [across, down] = [picture.width * scale, picture.height * scale];
  canvas.getContext('2d').drawImage(picture, (width - across) / 2, (height - down) / 2, across, down);
  await writeFile(to, await encode(canvas, format, quality));
}

const encode = (canvas: Canvas, format: 'webp' | 'jpeg', quality: number): Promise<Buffer> =>
  format === 'webp' ? canvas.encode('webp', quality) : canvas.encode('jpeg', quality);

/** Frames of a video in that size and rate; at most `seconds` of them. */
async function framesOf(from: string, { width, height, fps, seconds }: Omit<VideoSettings, 'crf'>) {
  const reader = await openFrames(from, { fps, size: { width, height }, pixels: 'rgba' });
  const frames: Buffer[] = [];
  for (let frame = await reader.next(); frame; frame = await reader.next()) {
    frames.push(Buffer.from(frame));
    if (frames.length >= Math.round(seconds * fps)) break;
  }
  await reader.close();
  return frames;
}

/** Writes the video, and the frame in its middle as its poster where a path is given for it. */
export async function shrinkVideo(
  from: string,
  to: string,
  settings: VideoSettings,
  poster?: string,
): Promise<void> {
  const frames = await framesOf(from, settings);
  await writeVideo(frames, to, settings);
  const middle = frames[Math.floor(frames.length / 2)];
  if (poster === undefined || !middle) return;
  const canvas = createCanvas(settings.width, settings.height);
  const pixels = new Uint8ClampedArray(middle);
  canvas.getContext('2d').putImageData(new ImageData(pixels, settings.width, settings.height), 0, 0);
  await writeFile(poster, await canvas.encode('webp', 72));
}

/** As the engine writes films, but slower and smaller. */
async function writeVideo(frames: readonly Buffer[], to: string, { width, height, fps, crf }: VideoSettings) {
  const muxer = await Muxer.open(to, {
    format: 'mp4',
    options: { movflags: '+faststart' },
    configure: context => context.setFlags(av.AVFMT_FLAG_BITEXACT),
  });
  const filter = FilterAPI.create('scale=flags=area,format=yuv420p', { framerate: { num: fps, den: 1 } });
  const encoder = await Encoder.create(av.FF_ENCODER_LIBX264, {
    configure: context => {
      setCodecOption(context, 'preset', 'veryslow');
      setCodecOption(context, 'crf', String(crf));
    },
    context: {
      threadCount: 2,
      timeBase: new Rational(1, fps),
      framerate: new Rational(fps, 1),
      gopSize: fps * 5,
    },
  });
  const stream = muxer.addStream(encoder);
  const drain = () => {
    for (let packet = encoder.receiveSync(); isReceived(packet); packet = encoder.receiveSync()) {
      muxer.writePacketSync(packet, stream);
      packet.free();
    }
  };
  const drainFilter = () => {
    for (let frame = filter.receiveSync(); isReceived(frame); frame = filter.receiveSync()) {
      encoder.encodeSync(frame);
      frame.free();
      drain();
    }
  };
  for (const [index, rgba] of frames.entries()) {
    const format = av.AV_PIX_FMT_RGBA;
    const timeBase = new Rational(1, fps);
    const frame = Frame.fromVideoBuffer(rgba, { width, height, format, timeBase, pts: BigInt(index) });
    filter.processSync(frame);
    frame.free();
    drainFilter();
  }
  filter.flushSync();
  drainFilter();
  encoder.flushSync();
  drain();
  await muxer.close();
  filter.close();
  encoder.close();
}

/** One channel at a third of the engine's rate: enough for speech. */
const speechRate = soundRate / 3;

/** A sound as a small mp3. */
export async function shrinkSound(from: string, to: string, seconds: number, bitrate: number): Promise<void> {
  const stereo = await decodeSound(from, Math.round(seconds * soundRate));
  const mono = new Float32Array(Math.floor(stereo.length / 6));
  // Six values are three samples of two channels: their mean is the low-pass before the lower rate.
  for (let index = 0; index < mono.length; index++) {
    let sum = 0;
    for (let at = 0; at < 6; at++) sum += stereo[index * 6 + at] ?? 0;
    mono[index] = sum / 6;
  }
  const settings = { path: to, sampleRate: speechRate, channels: 1, bitrate, constantBitrate: true } as const;
  await writeSound('mp3', [mono], settings, async () => {});
}
