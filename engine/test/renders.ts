/** Plans, an engine for a test, and measurements of pictures, films and sounds. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { crc32 } from 'node:zlib';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { Codec, Decoder, Demuxer, FilterAPI, type Frame } from 'node-av';
import { AV_PIX_FMT_YUV420P } from 'node-av/constants';
import { openSharedEngine } from '../../testkit/gateway/shared-engine.ts';
import {
  openRenderEngine,
  type RenderEngine,
  type RenderedOutput,
  type RenderResult,
} from '../src/engine.ts';
import type { ImagePlan, RenderPlan, SpeechPlan, VideoPlan } from '../src/render-plan.ts';

/** The smallest picture on which things can be recognised; tests change what they are about. */
export const imagePlan: ImagePlan = {
  kind: 'image',
  width: 160,
  height: 90,
  count: 1,
  prompt: 'a sailing boat on the sea at sunset',
  seed: null,
  references: [],
  watermark: 'none',
};

/** One second of a small film with composed sound. */
export const videoPlan: VideoPlan = {
  kind: 'video',
  width: 160,
  height: 90,
  fps: 24,
  shots: [{ seconds: 1, prompt: 'snow over a forest at night' }],
  seed: null,
  sound: true,
  watermark: 'none',
};

/** Two words in one voice, with nothing changed. */
export const speechPlan: SpeechPlan = {
  kind: 'speech',
  pieces: [{ text: 'Hello world.' }],
  language: null,
  voices: [{ id: 'Wise_Woman', weight: 1 }],
  speed: 1,
  volume: 1,
  pitchSemitones: 0,
  emotion: null,
  format: 'wav',
  sampleRate: 16_000,
  channels: 1,
  bitrate: 128_000,
  constantBitrate: false,
  modify: { pitch: 0, intensity: 0, timbre: 0, effect: null },
  pronunciations: [],
  marker: false,
  subtitles: 'none',
};

const sharedEngine = openSharedEngine({ concurrency: 2 });

/** Tests judge what is drawn: the time of a render on a busy machine is not their matter. */
const LONG_RENDER_MS = 5 * 60_000;

/** An engine, and folders that are removed after the test. With a `concurrency` the engine is the test's own. */
export function openStudio(t: TestContext, concurrency?: number) {
  const engine: RenderEngine = concurrency === undefined ? sharedEngine : openRenderEngine({ concurrency });
  const folders: string[] = [];
  t.after(async () => {
    if (engine !== sharedEngine) await engine.close();
    await Promise.all(folders.map(folder => rm(folder, { recursive: true, force: true })));
  });
  const folder = async () => {
    const path = await mkdtemp(join(tmpdir(), 'render-'));
    folders.push(path);
    return path;
  };
  const start = async (
    plan: RenderPlan,
    more: { seed?: number; inputs?: Record<string, string>; timeoutMs?: number } = {},
  ) => {
    const directory = await folder();
    const { seed = 7, inputs = {}, timeoutMs = LONG_RENDER_MS } = more;
    return { directory, render: engine.start({ plan, seed, directory, inputs, timeoutMs }) };
  };
  const rendered = async (
    plan: RenderPlan,
    more: Parameters<typeof start>[1] = {},
  ): Promise<RenderResult> => {
    const { render } = await start(plan, more);
    const end = await render.outcome;
    if (end.kind !== 'rendered') throw new Error(`expected a rendered plan, got ${JSON.stringify(end)}`);
    return end.rendered;
  };
  return { engine, folder, start, rendered };
}

/** Bytes of the output in that role. */
export async function bytesOf(
  rendered: RenderResult,
  role: RenderedOutput['role'] = 'primary',
  index = 0,
): Promise<Buffer> {
  const output = rendered.outputs.find(one => one.role === role && one.index === index);
  if (output === undefined) throw new Error(`expected an output in the role ${role}`);
  return readFile(output.path);
}

/** RGBA of a picture that the canvas reads; `at` gives red, green and blue. */
export async function pixelsOf(picture: Buffer) {
  const image = await loadImage(picture);
  const { width, height } = image;
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  const at = (x: number, y: number): [number, number, number] => {
    const i = (y * width + x) * 4;
    return [data[i]!, data[i + 1]!, data[i + 2]!];
  };
  return { data, width, height, at };
}

/** Brightness of a picture scaled by the canvas so that it covers the size, cut evenly at the edges. */
export async function coverGray(picture: Buffer, width: number, height: number): Promise<Buffer> {
  const image = await loadImage(picture);
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  const scale = Math.max(width / image.width, height / image.height);
  const [w, h] = [image.width * scale, image.height * scale];
  context.drawImage(image, (width - w) / 2, (height - h) / 2, w, h);
  const { data } = context.getImageData(0, 0, width, height);
  const gray = Buffer.alloc(width * height);
  for (let i = 0; i < gray.length; i++)
    gray[i] = Math.round(0.2126 * data[i * 4]! + 0.7152 * data[i * 4 + 1]! + 0.0722 * data[i * 4 + 2]!);
  return gray;
}

/** Likeness of two planes of brightness, 1 = the same: the mean over windows of 8 by 8, four pixels apart. */
export function ssim(one: Buffer | undefined, other: Buffer | undefined, width: number): number {
  if (one === undefined || other === undefined || one.length !== other.length)
    throw new Error('expected two planes of one size');
  const height = one.length / width;
  let sum = 0;
  let windows = 0;
  for (let y = 0; y + 8 <= height; y += 4) {
    for (let x = 0; x + 8 <= width; x += 4) {
      sum += likeness(one, other, y * width + x, width);
      windows += 1;
    }
  }
  return sum / windows;
}

/** The SSIM of one window of 8 by 8, with the constants of the method for values of 8 bits. */
function likeness(one: Buffer, other: Buffer, corner: number, width: number): number {
  let [a, b, aa, bb, ab] = [0, 0, 0, 0, 0];
  for (let i = 0; i < 64; i++) {
    const place = corner + (i >> 3) * width + (i & 7);
    const [p, q] = [one[place]!, other[place]!];
    a += p;
    b += q;
    aa += p * p;
    bb += q * q;
    ab += p * q;
  }
  const [meanA, meanB] = [a / 64, b / 64];
  const [varA, varB, both] = [aa / 64 - meanA ** 2, bb / 64 - meanB ** 2, ab / 64 - meanA * meanB];
  const [c1, c2] = [6.5025, 58.5225];
  return ((2 * meanA * meanB + c1) * (2 * both + c2)) / ((meanA ** 2 + meanB ** 2 + c1) * (varA + varB + c2));
}

/** Mean difference of brightness, 0 to 255. */
export function distance(one: Buffer | undefined, other: Buffer | undefined): number {
  if (one === undefined || other === undefined) throw new Error('expected two pictures');
  let sum = 0;
  for (let i = 0; i < one.length; i++) sum += Math.abs(one[i]! - other[i]!);
  return sum / one.length;
}

/** In alphabetical order. */
export const namesIn = async (directory: string): Promise<string[]> => (await readdir(directory)).sort();

/** The comment of a PNG or JPEG; throws for a PNG chunk with a wrong checksum, null without a comment. */
export function noteOf(picture: Buffer): string | null {
  if (picture.readUInt16BE() === 0xffd8) {
    for (let at = 2; picture[at + 1] !== 0xda; at += 2 + picture.readUInt16BE(at + 2))
      if (picture[at + 1] === 0xfe)
        return picture.toString('latin1', at + 4, at + 2 + picture.readUInt16BE(at + 2));
    return null;
  }
  let note: string | null = null;
  for (let at = 8; at < picture.length; ) {
    const end = at + 8 + picture.readUInt32BE(at);
    const content = picture.subarray(at + 4, end);
    if (picture.readUInt32BE(end) !== crc32(content)) throw new Error(`expected a sound chunk at ${at}`);
    const text = content.toString('latin1');
    if (text.startsWith('tEXtComment\0')) note = text.slice(12);
    at = end + 4;
  }
  return note;
}

/** Mono s16le of a plain wav file, -1 to 1. */
export const samplesOfWav = (bytes: Buffer): Float64Array => samplesOfPcm(dataOfWav(bytes));

/** The bare samples of a wav file that we wrote. */
export const dataOfWav = (bytes: Buffer): Buffer => bytes.subarray(44, 44 + bytes.readUInt32LE(40));

/** Mono or interleaved s16le, -1 to 1. */
export function samplesOfPcm(bytes: Buffer): Float64Array {
  return Float64Array.from({ length: bytes.length / 2 }, (_, i) => bytes.readInt16LE(i * 2) / 32_768);
}

/** What is in a file, as it was decoded. */
export interface Streams {
  /** Of the video first, then of the audio. */
  readonly codecs: readonly string[];
  /** Pixel or sample format of the first stream. */
  readonly pixels: string | null;
  readonly frames: number;
  readonly width: number;
  readonly height: number;
  readonly sampleRate: number;
  readonly channels: number;
  /** For each channel, as decoded and trimmed by the container. */
  readonly samples: number;
  readonly colours: readonly number[];
  readonly comment: string | null;
}

/** Decodes the whole file; `keep` names the frames whose brightness is wanted. */
export async function decodeFile(path: string, keep: readonly number[] = []) {
  const { comment, video, audio } = await readHeader(path);
  const pictures = new Map<number, Buffer>();
  const sound: Float32Array[] = [];
  let frames = 0;
  let pixels: string | null = null;
  if (video !== undefined) {
    const gray = FilterAPI.create('format=gray');
    await eachFrame(path, 'video', frame => {
      pixels ??= frame.isVideo() ? pixelFormatOf(frame) : null;
      if (keep.includes(frames)) {
        for (const picture of gray.processAllSync(frame)) pictures.set(frames, picture.toBuffer());
      }
      frames += 1;
    });
    gray.close();
  }
  if (audio !== undefined) {
    const mono = FilterAPI.create('pan=mono|c0=c0,aformat=sample_fmts=flt');
    await eachFrame(path, 'audio', frame => {
      for (const part of mono.processAllSync(frame)) {
        // A copy, since floats must start at a multiple of four.
        const bytes = new Uint8Array(part.toBuffer());
        sound.push(new Float32Array(bytes.buffer, 0, part.nbSamples));
      }
    });
    mono.close();
  }
  const all = joined(sound);
  const streams: Streams = {
    codecs: [video, audio].flatMap(one => (one === undefined ? [] : [one.codec])),
    pixels,
    frames,
    samples: all.length,
    width: video?.width ?? 0,
    height: video?.height ?? 0,
    sampleRate: audio?.sampleRate ?? 0,
    channels: audio?.channels ?? 0,
    colours: video?.colours ?? [],
    comment,
  };
  let peak = 0;
  for (const sample of all) peak = Math.max(peak, Math.abs(sample));
  const loudness = (from: number, to: number) =>
    rms(all.subarray(from * streams.sampleRate, to * streams.sampleRate));
  return { ...streams, streams, pictures, loudness, peak };
}

/** All parts in one array. */
function joined(parts: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Root of the mean square, 0 to 1. */
export function rms(samples: Float32Array | Float64Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return Math.sqrt(sum / Math.max(1, samples.length));
}

/** Names of the formats that tests expect; any other is shown by its number. */
const pixelFormats = new Map<number, string>([[AV_PIX_FMT_YUV420P, 'yuv420p']]);
const pixelFormatOf = (frame: Frame): string => pixelFormats.get(frame.format) ?? `format ${frame.format}`;

/** What the container says before anything is decoded. */
async function readHeader(path: string) {
  const demuxer = await Demuxer.open(path);
  const video = demuxer.video()?.codecpar;
  const audio = demuxer.audio()?.codecpar;
  const header = {
    comment: demuxer.metadata.comment ?? null,
    video: video && {
      codec: Codec.findDecoder(video.codecId)?.name ?? '',
      width: video.width,
      height: video.height,
      colours: [video.colorSpace, video.colorPrimaries, video.colorTrc, video.colorRange],
    },
    audio: audio && {
      codec: Codec.findDecoder(audio.codecId)?.name ?? '',
      sampleRate: audio.sampleRate,
      channels: audio.channelLayout.nbChannels,
    },
  };
  await demuxer.close();
  return header;
}

/** Decodes one stream to its end; `take` must not keep a frame, which is freed after it. */
async function eachFrame(path: string, kind: 'video' | 'audio', take: (frame: Frame) => void): Promise<void> {
  const demuxer = await Demuxer.open(path);
  const stream = kind === 'video' ? demuxer.video() : demuxer.audio();
  if (stream === undefined) throw new Error(`expected ${kind} in ${path}`);
  const decoder = await Decoder.create(stream);
  for await (const frame of decoder.frames(demuxer.packets(stream.index))) {
    if (frame === null) continue;
    take(frame);
    frame.free();
  }
  decoder.close();
  await demuxer.close();
}
