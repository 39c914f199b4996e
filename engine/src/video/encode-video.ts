import { mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Dictionary, Encoder, FilterAPI, Frame, Log, Muxer, type Packet, Rational } from 'node-av';
import * as av from 'node-av/constants';
import { isReceived, originComment, setCodecOption, soundRate } from '../av.ts';

export interface FilmSettings {
  readonly path: string;
  /** Pixels, even. */
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  /** Interleaved stereo at 48 kHz, -1 to 1; absent: the file has no audio stream. */
  readonly sound?: Float32Array;
  /** 1: both ears are mixed into one channel. */
  readonly channels?: 1 | 2;
  /** Kept as the description in the file. */
  readonly metadata?: string;
}

export interface Film {
  /** The next frame, as RGBA bytes. */
  write(rgba: Buffer): void;
  /** Ends the streams and gives the file its name. */
  finish(): Promise<void>;
}

const stereo = 2;
const aacSamples = 1024;
const aboveFullHd = 1920 * 1088;
const toBt709 =
  'scale=out_color_matrix=bt709:out_range=tv,format=yuv420p,setparams=range=tv:colorspace=bt709:color_primaries=bt709:color_trc=bt709';

export async function openFilm(settings: FilmSettings): Promise<Film> {
  Log.setLevel(av.AV_LOG_ERROR);
  const { width, height, sound, channels = 2 } = settings;
  const rate = toRational(settings.fps);
  const timeBase = new Rational(rate.den, rate.num);
  const unfinished = `${settings.path}.part.mp4`;
  const muxer = await Muxer.open(unfinished, {
    format: 'mp4',
    options: { movflags: '+faststart' },
    configure: context => {
      context.setFlags(av.AVFMT_FLAG_BITEXACT);
      const { metadata: description } = settings;
      context.metadata = Dictionary.fromObject({
        comment: originComment,
        ...(description === undefined ? {} : { description }),
      });
    },
  });
  const filter = FilterAPI.create(toBt709, { framerate: rate });
  const picture = await Encoder.create(av.FF_ENCODER_LIBX264, {
    configure: context => {
      setCodecOption(context, 'preset', width * height > aboveFullHd ? 'ultrafast' : 'veryfast');
      setCodecOption(context, 'crf', '21');
      // Macroblock-tree makes the same pictures into other bytes in one run of twenty.
      setCodecOption(context, 'mbtree', '0');
    },
    context: {
      threadCount: 2,
      timeBase,
      framerate: new Rational(rate.num, rate.den),
      gopSize: Math.round(settings.fps * 2),
      colorRange: av.AVCOL_RANGE_MPEG,
      colorSpace: av.AVCOL_SPC_BT709,
      colorPrimaries: av.AVCOL_PRI_BT709,
      colorTrc: av.AVCOL_TRC_BT709,
    },
  });
  const pictureStream = muxer.addStream(picture);
  const voice =
    sound === undefined
      ? undefined
      : await Encoder.create(av.FF_ENCODER_AAC, {
          bitrate: 160_000,

          configure: context => context.setFlags(av.AV_CODEC_FLAG_BITEXACT),
        });
  const voiceStream = voice === undefined ? 0 : muxer.addStream(voice);
  let frames = 0;
  let samples = 0;

  function drain(encoder: Encoder, stream: number): void {
    for (let packet = encoder.receiveSync(); isReceived(packet); packet = encoder.receiveSync()) {
      const within = trim(packet, encoder === voice);
      if (within) muxer.writePacketSync(packet, stream);
      packet.free();
    }
  }

  /** The last AAC packet is padded; its duration says how much of it counts. False: all of it is padding. */
  function trim(packet: Packet, isSound: boolean): boolean {
    if (!isSound || sound === undefined) return true;
    const left = BigInt(sound.length / stereo) - packet.pts;
    if (packet.duration > left) packet.duration = left;
    return left > 0n;
  }

  function drainFilter(): void {
    for (let frame = filter.receiveSync(); isReceived(frame); frame = filter.receiveSync()) {
      picture.encodeSync(frame);
      frame.free();
      drain(picture, pictureStream);
    }
  }

  function writeSound(until: number): void {
    if (voice === undefined || sound === undefined) return;
    const all = sound.length / stereo;
    while (samples < all && Math.min(samples + aacSamples, all) <= until) {
      const end = samples + aacSamples;
      const frame = Frame.fromAudioBuffer(planar(sound.subarray(samples * stereo, end * stereo), channels), {
        nbSamples: aacSamples,
        format: av.AV_SAMPLE_FMT_FLTP,
        sampleRate: soundRate,
        channelLayout: channels === 1 ? av.AV_CHANNEL_LAYOUT_MONO : av.AV_CHANNEL_LAYOUT_STEREO,
        timeBase: { num: 1, den: soundRate },
        pts: BigInt(samples),
      });
      voice.encodeSync(frame);
      frame.free();
      samples = end;
      drain(voice, voiceStream);
    }
  }

  return {
    write(rgba) {
      const frame = Frame.fromVideoBuffer(rgba, {
        width,
        height,
        format: av.AV_PIX_FMT_RGBA,
        timeBase,
        pts: BigInt(frames),
      });
      filter.processSync(frame);
      frame.free();
      frames += 1;
      drainFilter();
      writeSound(Math.round((frames / settings.fps) * soundRate));
    },
    async finish() {
      filter.flushSync();
      drainFilter();
      picture.flushSync();
      drain(picture, pictureStream);
      if (voice !== undefined) {
        writeSound(Number.POSITIVE_INFINITY);
        voice.flushSync();
        drain(voice, voiceStream);
      }
      await muxer.close();
      filter.close();
      picture.close();
      voice?.close();
      await rename(unfinished, settings.path);
    },
  };
}

/** Encodes two frames and a little sound into a file that is thrown away; throws when a library is missing or broken. */
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

function toRational(fps: number): { num: number; den: number } {
  if (Number.isInteger(fps)) return { num: fps, den: 1 };
  const whole = Math.round(fps);
  return Math.abs((whole * 1000) / 1001 - fps) < 0.01
    ? { num: whole * 1000, den: 1001 }
    : { num: Math.round(fps * 1000), den: 1000 };
}

/** AAC takes 1024 samples at a time; the last part is filled up with silence. */
function planar(interleaved: Float32Array, channels: 1 | 2): Buffer {
  const planes = new Float32Array(aacSamples * channels);
  for (let i = 0; i < interleaved.length / stereo; i++) {
    const [left, right] = [interleaved[i * stereo]!, interleaved[i * stereo + 1]!];
    if (channels === 1) planes[i] = (left + right) / 2;
    else {
      planes[i] = left;
      planes[aacSamples + i] = right;
    }
  }
  return Buffer.from(planes.buffer);
}
