/** Reads frames of a video file with FFmpeg: at a rate and size, or the first and last one as pictures. */
import { createCanvas, ImageData } from '@napi-rs/canvas';
import { FilterAPI, type Frame } from 'node-av';
import * as av from 'node-av/constants';
import { isReceived } from '../av.ts';
import { type MediaInput, openInput } from '../open-input.ts';
import type { Picture } from '../picture/pictures.ts';
import type { Size } from '../size.ts';

/** Frames of a video file in order, at a constant rate, scaled and cropped to a size. */
export interface FrameReader {
  /** Bytes of the next frame; undefined after the last. Its error message may be shown to the client. */
  next(): Promise<Buffer | undefined>;
  close(): Promise<void>;
}

/** The form in which frames are read. */
export interface ReadSettings {
  /** Frames are repeated or dropped to this rate. */
  readonly fps: number;
  /** Covered by each frame; the excess is cropped. */
  readonly size: Size;
  /** Four bytes a pixel, or one of brightness. */
  readonly pixels: 'rgba' | 'gray';
  /** Begins this many seconds before the end; absent: at the beginning. */
  readonly lastSeconds?: number;
}

/** Pixels; larger pictures are scaled down. */
const longestSide = 4096;

/** Opens a reader; close it, even after the last frame. */
export async function openFrames(path: string, settings: ReadSettings): Promise<FrameReader> {
  const input = await openSource(path);
  const { width, height } = settings.size;
  const filter = FilterAPI.create(
    [
      `fps=fps=${settings.fps}`,
      ...uprightGraph(input),
      `scale=w=${width}:h=${height}:force_original_aspect_ratio=increase:flags=bicubic`,
      `crop=${width}:${height}`,
      `format=${settings.pixels}`,
    ].join(','),
  );
  if (settings.lastSeconds !== undefined) await seekBack(input, settings.lastSeconds);
  const frames = filterFrames(input, filter);
  return {
    next: async () => (await frames.next()).value ?? undefined,
    async close() {
      await frames.return(undefined);
      filter.close();
      await input.close();
    },
  };
}

/** The very last frame, upright. */
export const lastPictureOf = (path: string): Promise<Picture> => pictureOf(path, true);

/** The first frame, upright. */
export const firstPictureOf = (path: string): Promise<Picture> => pictureOf(path, false);

/** Decodes to the first or last frame; the last one is found from 1.5 seconds before the end. */
async function pictureOf(path: string, last: boolean): Promise<Picture> {
  const input = await openSource(path);
  const filter = FilterAPI.create(
    [
      ...uprightGraph(input),
      `scale=w='min(iw,${longestSide})':h='min(ih,${longestSide})':force_original_aspect_ratio=decrease`,
      'format=rgba',
    ].join(','),
  );
  let latest: Frame | undefined;
  try {
    if (last) await seekBack(input, 1.5);
    for await (const frame of decodeFrames(input)) {
      latest?.free();
      latest = frame;
      if (!last) break;
    }
    const [upright] = latest === undefined ? [] : filter.processAllSync(latest);
    if (upright === undefined) throw decodeError();
    const { width, height } = upright;
    const canvas = createCanvas(width, height);
    const pixels = new Uint8ClampedArray(upright.toBuffer());
    upright.free();
    canvas.getContext('2d').putImageData(new ImageData(pixels, width, height), 0, 0);
    return { canvas, width, height };
  } finally {
    latest?.free();
    filter.close();
    await input.close();
  }
}

/** A message that may be shown to the client. */
const decodeError = (cause?: unknown) =>
  new Error('An input video could not be decoded.', cause === undefined ? {} : { cause });

/** Opens the file; a failure is reported as a decode error. */
async function openSource(path: string): Promise<MediaInput> {
  try {
    return await openInput(path, 'video');
  } catch (cause) {
    throw decodeError(cause);
  }
}

/** To the nearest key frame before that many seconds from the end. */
async function seekBack({ demuxer }: MediaInput, seconds: number): Promise<void> {
  const from = demuxer.duration - seconds;
  // Stream -1: the position is in seconds of the file. For a stream it would not be rescaled.
  if (from > 0) await demuxer.seek(from, -1, av.AVSEEK_FLAG_BACKWARD);
}

/** Every decoded frame through the filter; throws where nothing could be decoded. */
async function* filterFrames(input: MediaInput, filter: FilterAPI): AsyncGenerator<Buffer, undefined> {
  let count = 0;
  for await (const frame of decodeFrames(input)) {
    filter.processSync(frame);
    frame.free();
    for (let out = filter.receiveSync(); isReceived(out); out = filter.receiveSync()) {
      const bytes = out.toBuffer();
      out.free();
      count += 1;
      yield bytes;
    }
  }
  filter.flushSync();
  for (let out = filter.receiveSync(); isReceived(out); out = filter.receiveSync()) {
    const bytes = out.toBuffer();
    out.free();
    count += 1;
    yield bytes;
  }
  if (count === 0) throw decodeError();
}

/** A file that breaks off gives the frames before the break; one without any is an error. */
async function* decodeFrames({ demuxer, decoder, stream }: MediaInput): AsyncGenerator<Frame, undefined> {
  let count = 0;
  try {
    for await (const packet of demuxer.packets(stream.index)) {
      for await (const frame of decoder.frames(packet)) {
        if (frame === null) continue;
        count += 1;
        yield frame;
      }
      packet?.free();
    }
  } catch (cause) {
    if (count === 0) throw decodeError(cause);
  }
}

/** Whether width and height change places when the video is displayed. */
export const isRotatedSideways = (input: MediaInput): boolean =>
  uprightGraph(input).some(step => step.startsWith('transpose'));

/** Filters that rotate frames upright: phones record sideways with a matrix, which the decoder does not apply. */
function uprightGraph({ stream }: MediaInput): string[] {
  const matrix = stream.codecpar.getCodedSideData(av.AV_PKT_DATA_DISPLAYMATRIX);
  if (matrix === null || matrix.length < 8) return [];
  const degrees = Math.round((Math.atan2(matrix.readInt32LE(4), matrix.readInt32LE(0)) * 180) / Math.PI);
  if (Math.abs(degrees - 90) < 2) return ['transpose=clock'];
  if (Math.abs(degrees + 90) < 2) return ['transpose=cclock'];
  if (Math.abs(Math.abs(degrees) - 180) < 2) return ['hflip', 'vflip'];
  return [];
}
