/** Decodes the sound of a file to interleaved stereo at 48 kHz. */
import { FilterAPI } from 'node-av';
import { isReceived, soundRate } from '../av.ts';
import { type MediaInput, openInput } from '../open-input.ts';

/** Channels of every decoded sound. */
const stereo = 2;

/**
 * The sound of a file, cut or filled with silence to exactly `samples` for each ear. The message of its error may be
 * shown to the client.
 */
export async function decodeSound(path: string, samples: number): Promise<Float32Array> {
  try {
    return await decode(await openInput(path, 'audio'), samples, null);
  } catch (cause) {
    throw new Error('An input sound could not be decoded.', { cause });
  }
}

/** The sound of a video in sync with its frames, from the first frame on; undefined where it has none. */
export async function soundOfVideo(path: string, samples: number): Promise<Float32Array | undefined> {
  const input = await openInput(path, 'video').catch((cause: unknown) => {
    throw new Error('An input video could not be decoded.', { cause });
  });
  // The sound may start before or after the first frame.
  const { startTime, timeBase } = input.stream;
  const silent = input.demuxer.audio() === undefined;
  await input.close();
  if (silent) return undefined;
  const from = startTime < 0n ? 0 : (Number(startTime) * timeBase.num) / timeBase.den;
  try {
    return await decode(await openInput(path, 'audio'), samples, from);
  } catch (cause) {
    throw new Error('An input sound could not be decoded.', { cause });
  }
}

/** From that second of the file, silent where the sound begins later; null: from where the sound begins. */
async function decode(input: MediaInput, samples: number, from: number | null): Promise<Float32Array> {
  const sound = new Float32Array(samples * stereo);
  // Mono is copied to both channels: FFmpeg's own conversion makes it 3 dB quieter.
  const isMono = input.stream.codecpar.channelLayout.nbChannels === 1;
  const filter = FilterAPI.create(
    [
      ...(isMono ? ['pan=stereo|c0=c0|c1=c0'] : []),
      `aresample=${soundRate}${from === null ? '' : `:first_pts=${Math.round(from * soundRate)}`}`,
      'aformat=sample_fmts=flt:channel_layouts=stereo',
    ].join(','),
  );
  let filled = 0;
  const drain = () => {
    for (let frame = filter.receiveSync(); isReceived(frame); frame = filter.receiveSync()) {
      const bytes = frame.toBuffer();
      const count = Math.min(sound.length - filled, frame.nbSamples * stereo);
      for (let i = 0; i < count; i++) sound[filled + i] = bytes.readFloatLE(i * 4);
      filled += count;
      frame.free();
    }
  };
  try {
    for await (const packet of input.demuxer.packets(input.stream.index)) {
      for await (const frame of input.decoder.frames(packet)) {
        if (frame === null) continue;
        filter.processSync(frame);
        frame.free();
        drain();
      }
      packet?.free();
      if (filled >= sound.length) return sound;
    }
    filter.flushSync();
    drain();
    if (filled === 0) throw new Error('expected a sound, got a file nothing could be decoded from');
    return sound;
  } finally {
    filter.close();
    await input.close();
  }
}
