/** Writes sound files: wav and pcm by hand, mp3 and flac with FFmpeg. */
import { open } from 'node:fs/promises';
import { Dictionary, Encoder, Frame, Log, Muxer } from 'node-av';
import * as av from 'node-av/constants';
import { isReceived, setCodecOption } from '../av.ts';
import { originComment } from '../origin-comment.ts';

/** Where a sound is written and how it is encoded. */
export interface SoundSettings {
  readonly path: string;
  /** Samples a second; the parts already have it. */
  readonly sampleRate: number;
  readonly channels: 1 | 2;
  /** Bits per second of an mp3: one of the rates that MPEG defines for the sample rate. */
  readonly bitrate: number;
  /** mp3 only. */
  readonly constantBitrate: boolean;
}

/** File formats of speech. */
type Format = 'mp3' | 'pcm' | 'flac' | 'wav';

/** RIFF header, format and the head of the data. */
const wavHeaderBytes = 44;
/** Placed after the samples: some readers expect these at byte 44. */
const wavInfoChunk = infoChunk('ICMT', originComment);
/** Samples of one frame at the rates of MPEG 1; half as many at the lower ones. */
const mp3Samples = 1152;
/** Samples of one flac frame. */
const flacSamples = 4096;

/** Kilobits per second that MPEG 1, 2 and 2.5 define. */
const mpeg1 = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const mpeg2 = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
/** LAME does not go above 64 kbit at the lowest sample rates. */
const mpeg25 = [8, 16, 24, 32, 40, 48, 56, 64];

/** The bit rate nearest to the requested one that mp3 has at this sample rate, in bits per second. */
export function nearestBitrate(requested: number, sampleRate: number): number {
  const rates = sampleRate >= 32_000 ? mpeg1 : sampleRate >= 16_000 ? mpeg2 : mpeg25;
  const away = (kilobits: number) => Math.abs(kilobits * 1000 - requested);
  return rates.reduce((best, next) => (away(next) < away(best) ? next : best)) * 1000;
}

/** Writes mono parts (-1 to 1) one after the other; with two channels both have the same sound. */
export async function writeSound(
  format: Format,
  parts: readonly Float32Array[],
  settings: SoundSettings,
  yieldToEventLoop: () => Promise<void>,
): Promise<void> {
  if (format === 'wav' || format === 'pcm')
    await writeUncompressed(format, parts, settings, yieldToEventLoop);
  else await writeEncoded(format, parts, settings, yieldToEventLoop);
}

/** Signed 16-bit little-endian samples, for wav with a header and a comment. */
async function writeUncompressed(
  format: 'wav' | 'pcm',
  parts: readonly Float32Array[],
  settings: SoundSettings,
  yieldToEventLoop: () => Promise<void>,
): Promise<void> {
  const file = await open(settings.path, 'w');
  try {
    const samples = parts.reduce((sum, part) => sum + part.length, 0);
    if (format === 'wav') await file.write(wavHeader(samples, settings));
    for (const part of parts) {
      await file.write(toS16(part, settings.channels));
      await yieldToEventLoop();
    }
    if (format === 'wav') await file.write(wavInfoChunk);
  } finally {
    await file.close();
  }
}

/** The encoder gets blocks of exactly its frame size, because it would wait for the rest of a shorter one. */
async function writeEncoded(
  format: 'mp3' | 'flac',
  parts: readonly Float32Array[],
  settings: SoundSettings,
  yieldToEventLoop: () => Promise<void>,
): Promise<void> {
  Log.setLevel(av.AV_LOG_ERROR);
  const { sampleRate, channels } = settings;
  const muxer = await Muxer.open(settings.path, {
    format,
    configure: context => {
      context.setFlags(av.AVFMT_FLAG_BITEXACT);
      context.metadata = Dictionary.fromObject({ comment: originComment });
    },
  });
  const timeBase = { num: 1, den: sampleRate };
  const encoder =
    format === 'mp3'
      ? await Encoder.create(av.FF_ENCODER_LIBMP3LAME, {
          bitrate: settings.bitrate,
          configure: context => {
            context.setFlags(av.AV_CODEC_FLAG_BITEXACT);
            // Without the bit reservoir every frame has the same size.
            setCodecOption(context, 'reservoir', settings.constantBitrate ? '0' : '1');
          },
        })
      : await Encoder.create(av.FF_ENCODER_FLAC, {
          context: { frameSize: flacSamples },
          configure: context => context.setFlags(av.AV_CODEC_FLAG_BITEXACT),
        });
  const stream = muxer.addStream(encoder);
  const drain = () => {
    for (let packet = encoder.receiveSync(); isReceived(packet); packet = encoder.receiveSync()) {
      muxer.writePacketSync(packet, stream);
      packet.free();
    }
  };
  let written = 0;
  const size = format === 'flac' ? flacSamples : sampleRate >= 32_000 ? mp3Samples : mp3Samples / 2;
  for (const block of blocksOf(parts, size)) {
    const frame = Frame.fromAudioBuffer(format === 'mp3' ? planes(block, channels) : toS16(block, channels), {
      nbSamples: block.length,
      format: format === 'mp3' ? av.AV_SAMPLE_FMT_S16P : av.AV_SAMPLE_FMT_S16,
      sampleRate,
      channelLayout: channels === 1 ? av.AV_CHANNEL_LAYOUT_MONO : av.AV_CHANNEL_LAYOUT_STEREO,
      timeBase,
      pts: BigInt(written),
    });
    // Only the last block can be shorter.
    if (block.length === size) encoder.encodeSync(frame);
    else encodeLast(encoder, frame);
    drain();
    frame.free();
    written += block.length;
    if (written % (64 * flacSamples) < block.length) await yieldToEventLoop();
  }
  encoder.flushSync();
  drain();
  await muxer.close();
  encoder.close();
}

/** Sends a short block directly to the codec: the encoder would wait for the rest of it and lose it. */
function encodeLast(encoder: Encoder, frame: Frame): void {
  const code = encoder.getCodecContext()?.sendFrameSync(frame) ?? -1;
  if (code < 0) throw new Error(`expected the codec to accept the last samples, got code ${code}`);
}

/** The parts as blocks of this many samples. The last one may be shorter; a single one is filled up with silence. */
function* blocksOf(parts: readonly Float32Array[], size: number): Generator<Float32Array> {
  let block = new Float32Array(size);
  let filled = 0;
  let blocks = 0;
  for (const part of parts) {
    for (let taken = 0; taken < part.length; ) {
      const count = Math.min(size - filled, part.length - taken);
      block.set(part.subarray(taken, taken + count), filled);
      filled += count;
      taken += count;
      if (filled < size) continue;
      yield block;
      blocks += 1;
      block = new Float32Array(size);
      filled = 0;
    }
  }
  if (filled > 0) yield blocks > 0 ? block.subarray(0, filled) : block;
}

/** The 44 bytes of a RIFF header for PCM. */
function wavHeader(samples: number, { sampleRate, channels }: SoundSettings): Buffer {
  const bytes = samples * channels * 2;
  const header = Buffer.alloc(wavHeaderBytes);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(bytes + wavHeaderBytes + wavInfoChunk.length - 8, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * channels * 2, 28);
  header.writeUInt16LE(channels * 2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(bytes, 40);
  return header;
}

/** A `LIST` chunk of one entry; texts end with a zero byte and have an even length. */
function infoChunk(name: string, text: string): Buffer {
  const length = text.length + 1;
  const list = Buffer.alloc(20 + length + (length % 2));
  list.write('LIST', 0, 'latin1');
  list.writeUInt32LE(list.length - 8, 4);
  list.write(`INFO${name}`, 8, 'latin1');
  list.writeUInt32LE(length, 16);
  list.write(text, 20, 'latin1');
  return list;
}

/** -1 to 1 as a signed 16-bit integer, clipped. */
const toInteger = (sample: number) => Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_767)));

/** Interleaved; every channel has the same samples. */
function toS16(samples: Float32Array, channels: 1 | 2): Buffer {
  const bytes = Buffer.alloc(samples.length * channels * 2);
  for (let i = 0; i < samples.length; i++) {
    const value = toInteger(samples[i]!);
    for (let channel = 0; channel < channels; channel++)
      bytes.writeInt16LE(value, (i * channels + channel) * 2);
  }
  return bytes;
}

/** One plane a channel, as libmp3lame takes them. */
function planes(samples: Float32Array, channels: 1 | 2): Buffer {
  const one = toS16(samples, 1);
  return channels === 1 ? one : Buffer.concat([one, one]);
}
