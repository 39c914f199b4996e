/** Measurements of films that jobs made: streams, sizes, frames and sound. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Demuxer } from 'node-av';
import { decodeFile } from '../../engine/test/renders.ts';
import { findModel } from '../../src/catalog/index.ts';
import { type ClipPlan, makeClip } from '../../testkit/media/make-media.ts';
import type { FinishedJob, FinishedJobs, Input, Named } from './finished-jobs.ts';

export type Film = Awaited<ReturnType<typeof filmOf>>;

/** A stored video, decoded to its end by another reader than the one that the gateway probes with. */
export async function filmOf({ stored }: FinishedJobs, named: Named, frames: readonly number[] = []) {
  const { path, bytes, type } = await stored(named);
  assert.equal(type, 'video/mp4');
  const demuxer = await Demuxer.open(path);
  const { num, den } = demuxer.video()!.avgFrameRate;
  const { duration: seconds, metadata } = demuxer;
  await demuxer.close();
  const film = await decoded(path, frames);
  const { width } = film;
  /** Brightness of a requested frame. */
  const frame = (index: number): Plane => {
    const bytes = film.pictures.get(index);
    assert.ok(bytes, `frame ${index} of ${film.frames}`);
    return { bytes, width };
  };
  return { ...film, brand: bytes.toString('latin1', 4, 12), fps: num / den, seconds, metadata, frame, bytes };
}

interface Decoded {
  readonly frames: readonly number[];
  readonly film: ReturnType<typeof decodeFile>;
}
const decodedByPath = new Map<string, Decoded>();

/** Several tests use one film: it is decoded again only for frames that were not kept. */
function decoded(path: string, frames: readonly number[]): Decoded['film'] {
  const known = decodedByPath.get(path);
  if (known && frames.every(frame => known.frames.includes(frame))) return known.film;
  const made = { frames, film: decodeFile(path, frames) };
  decodedByPath.set(path, made);
  return made.film;
}

export interface FilmWanted {
  readonly size: readonly [width: number, height: number];
  readonly seconds: number;
  readonly fps?: number;
  /** 0: no audio stream. */
  readonly channels: 0 | 1 | 2;
}

/** The stored video is what was requested, and the result reports it correctly. Its first and last frames are kept. */
export async function assertFilm(
  jobs: FinishedJobs,
  { body }: FinishedJob,
  wanted: FilmWanted,
): Promise<Film> {
  const film = await assertVideo(jobs, body.video, wanted);
  const { url: _, content_type, file_name, file_size: __, duration, ...sides } = body.video;
  const [width, height] = wanted.size;
  assert.deepEqual([content_type, sides], ['video/mp4', { width, height, fps: wanted.fps ?? 24 }]);
  assert.match(file_name, new RegExp(`^${body.model.replaceAll('.', '\\.')}-[0-9a-f]{12}\\.mp4$`));
  assert.equal(body.duration, duration);
  near(duration, wanted.seconds, 0.1);
  near(duration, film.frames / film.fps, 0.001);
  return film;
}

/** The same of a video that a result names without its facts. */
export async function assertVideo(jobs: FinishedJobs, named: Named, wanted: FilmWanted): Promise<Film> {
  const { size, seconds, fps = 24, channels } = wanted;
  const frames = Math.round(seconds * fps);
  const film = await filmOf(jobs, named, [0, frames - 1]);
  const { brand, codecs, pixels, width, height } = film;
  assert.deepEqual(
    {
      brand,
      codecs,
      pixels,
      size: [width, height],
      frames: film.frames,
      fps: film.fps,
      channels: film.channels,
    },
    {
      brand: 'ftypisom',
      codecs: channels === 0 ? ['h264'] : ['h264', 'aac'],
      pixels: 'yuv420p',
      size,
      frames,
      fps,
      channels,
    },
  );
  assert.equal(film.comment, 'rendered locally (procedural, not an AI model)');
  near(film.seconds, seconds, 0.1);
  if (channels > 0) {
    assert.equal(film.sampleRate, 48_000);
    near(film.samples / film.sampleRate, seconds, 0.1);
  }
  return film;
}

/**
 * A job with seed 7 was drawn with it, and another seed changes nothing else in the plan. That one plan gives the same
 * bytes, and with another seed other ones, is tested where it is drawn twice: the films of alpha and `engine/test`.
 */
export function assertSeed({ body }: FinishedJob, input: Input): void {
  const model = findModel(body.model);
  const planOf = (seed: number) => {
    const parsed = model?.parse({ ...input, seed });
    assert.ok(model && parsed?.ok, JSON.stringify(parsed));
    return model.render(parsed.input, () => null);
  };
  assert.equal(body.seed, 7);
  const plan = planOf(7);
  assert.ok(plan.kind === 'video');
  assert.equal(plan.seed, 7);
  assert.deepEqual(planOf(8), { ...plan, seed: 8 });
}

export function near(value: number, wanted: number, by: number, what = 'it'): void {
  assert.ok(Math.abs(value - wanted) <= by, `${what} is ${value}, wanted ${wanted} within ${by}`);
}

/** Brightness of a picture, a byte a pixel. */
export interface Plane {
  readonly bytes: Buffer;
  readonly width: number;
}

/** A part of it; what lies between two shares of its sides. */
export function cut(
  { bytes, width }: Plane,
  from: readonly [number, number],
  to: readonly [number, number],
): Plane {
  const height = bytes.length / width;
  const [left, right] = [Math.round(from[0] * width), Math.round(to[0] * width)];
  const rows = [];
  for (let y = Math.round(from[1] * height); y < Math.round(to[1] * height); y++)
    rows.push(bytes.subarray(y * width + left, y * width + right));
  return { bytes: Buffer.concat(rows), width: right - left };
}

/** The same at a smaller size, each pixel the mean of those that it covers. */
export function shrink({ bytes, width }: Plane, toWidth: number, toHeight: number): Plane {
  const height = bytes.length / width;
  const small = Buffer.alloc(toWidth * toHeight);
  for (let y = 0; y < toHeight; y++) {
    for (let x = 0; x < toWidth; x++) {
      const [left, right] = [Math.floor((x * width) / toWidth), Math.ceil(((x + 1) * width) / toWidth)];
      const [top, end] = [Math.floor((y * height) / toHeight), Math.ceil(((y + 1) * height) / toHeight)];
      let sum = 0;
      for (let row = top; row < end; row++) for (let i = left; i < right; i++) sum += bytes[row * width + i]!;
      small[y * toWidth + x] = sum / ((right - left) * (end - top));
    }
  }
  return { bytes: small, width: toWidth };
}

/** A clip in which everything moves. */
export async function movingClip(name: string, plan: Omit<ClipPlan, 'path'>): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-clip-'));
  try {
    const path = join(folder, name);
    await makeClip({ path, ...plan });
    return await readFile(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
