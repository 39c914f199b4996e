/** Writes a film as an mp4 file: H.264 frames and an AAC soundtrack, interleaved. */
import { mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Dictionary, Log, Muxer } from 'node-av';
import * as av from 'node-av/constants';
import { soundRate } from '../av.ts';
import { originComment } from '../origin-comment.ts';
import { openFrameEncoder } from './encode-frames.ts';
import { openSoundtrackEncoder } from './encode-soundtrack.ts';

/** What a film is written with. */
export interface FilmSettings {
  /** Where the finished file is; while it is written it has another name beside it. */
  readonly path: string;
  /** Pixels, even. */
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  /** Interleaved stereo at 48 kHz, -1 to 1; absent: the file has no audio stream. */
  readonly sound?: Float32Array;
  /** 1: both ears are mixed into one channel. */
  readonly channels?: 1 | 2;
  /** Stored as the description in the file. */
  readonly metadata?: string;
}

/** A film while it is written. */
export interface Film {
  /** The next frame, as RGBA bytes. */
  write(rgba: Buffer): void;
  /** Ends the streams and gives the file its name. */
  finish(): Promise<void>;
}

/** Opens a film for writing. The same frames and sound give the same bytes. */
export async function openFilm(settings: FilmSettings): Promise<Film> {
  Log.setLevel(av.AV_LOG_ERROR);
  const { path, fps, sound, channels = 2 } = settings;
  const unfinished = `${path}.part.mp4`;
  const muxer = await openMuxer(unfinished, settings.metadata);
  const picture = await openFrameEncoder(muxer, settings);
  const soundtrack = sound && (await openSoundtrackEncoder(muxer, sound, channels));
  let frames = 0;
  return {
    write(rgba) {
      picture.write(rgba, frames);
      frames += 1;
      // Sound is written as far as the frames reach, so that a player finds both close together.
      soundtrack?.writeUntil(Math.round((frames / fps) * soundRate));
    },
    async finish() {
      picture.flush();
      soundtrack?.flush();
      await muxer.close();
      picture.close();
      soundtrack?.close();
      await rename(unfinished, path);
    },
  };
}

/** The index goes to the front of the file; nothing in it depends on time or version. */
const openMuxer = (path: string, description: string | undefined): Promise<Muxer> =>
  Muxer.open(path, {
    format: 'mp4',
    options: { movflags: '+faststart' },
    configure: context => {
      context.setFlags(av.AVFMT_FLAG_BITEXACT);
      context.metadata = Dictionary.fromObject({
        comment: originComment,
        ...(description === undefined ? {} : { description }),
      });
    },
  });

/** Encodes two frames and a little sound into a temporary file; throws when a library is missing or broken. */
export async function checkEncoding(): Promise<void> {
  const { createCanvas } = await import('@napi-rs/canvas');
  const directory = await mkdtemp(join(tmpdir(), 'atelier-try-'));
  try {
    const canvas = createCanvas(64, 64);
    canvas.getContext('2d').fillRect(0, 0, 64, 64);
    const path = join(directory, 'try.mp4');
    const film = await openFilm({ path, width: 64, height: 64, fps: 24, sound: new Float32Array(8000) });
    film.write(canvas.data());
    film.write(canvas.data());
    await film.finish();
    const { size } = await stat(path);
    if (size < 1000) throw new Error(`expected an encoded film, got ${size} bytes`);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
