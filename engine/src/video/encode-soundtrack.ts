/** The AAC stream of a film, written in step with its frames. */
import { Encoder, Frame, type Muxer, type Packet } from 'node-av';
import * as av from 'node-av/constants';
import { isReceived, soundRate } from '../av.ts';

/** The sound of a film while it is written. */
export interface SoundtrackEncoder {
  /** Encodes all whole blocks up to this sample of each ear. */
  writeUntil(sample: number): void;
  /** Encodes the rest. */
  flush(): void;
  /** Frees the encoder; only after the muxer is closed. */
  close(): void;
}

const stereo = 2;
/** Samples of one AAC frame. */
const aacSamples = 1024;
/** Of AAC, for both channels. */
const bitsPerSecond = 160_000;

/** Adds the stream of a whole sound (interleaved stereo, -1 to 1) to the muxer. */
export async function openSoundtrackEncoder(
  muxer: Muxer,
  sound: Float32Array,
  channels: 1 | 2,
): Promise<SoundtrackEncoder> {
  const encoder = await Encoder.create(av.FF_ENCODER_AAC, {
    bitrate: bitsPerSecond,
    configure: context => context.setFlags(av.AV_CODEC_FLAG_BITEXACT),
  });
  const stream = muxer.addStream(encoder);
  const samples = sound.length / stereo;
  let written = 0;

  function drain(): void {
    for (let packet = encoder.receiveSync(); isReceived(packet); packet = encoder.receiveSync()) {
      if (trimPadding(packet, samples)) muxer.writePacketSync(packet, stream);
      packet.free();
    }
  }

  function writeUntil(sample: number): void {
    while (written < samples && Math.min(written + aacSamples, samples) <= sample) {
      const end = written + aacSamples;
      const frame = frameOf(sound.subarray(written * stereo, end * stereo), channels, written);
      encoder.encodeSync(frame);
      frame.free();
      written = end;
      drain();
    }
  }

  return {
    writeUntil,
    flush() {
      writeUntil(Number.POSITIVE_INFINITY);
      encoder.flushSync();
      drain();
    },
    close: () => void encoder.close(),
  };
}

/** One AAC frame; `from` is the index of its first sample. */
const frameOf = (interleaved: Float32Array, channels: 1 | 2, from: number): Frame =>
  Frame.fromAudioBuffer(planar(interleaved, channels), {
    nbSamples: aacSamples,
    format: av.AV_SAMPLE_FMT_FLTP,
    sampleRate: soundRate,
    channelLayout: channels === 1 ? av.AV_CHANNEL_LAYOUT_MONO : av.AV_CHANNEL_LAYOUT_STEREO,
    timeBase: { num: 1, den: soundRate },
    pts: BigInt(from),
  });

/** The last AAC packet is padded; its duration says how much of it counts. False: all of it is padding. */
function trimPadding(packet: Packet, samples: number): boolean {
  const left = BigInt(samples) - packet.pts;
  if (packet.duration > left) packet.duration = left;
  return left > 0n;
}

/** One plane a channel, filled up with silence to a whole AAC frame. */
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
