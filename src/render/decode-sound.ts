import { Decoder, Demuxer, FilterAPI, Log } from 'node-av';
import * as av from 'node-av/constants';
import { isOwned, soundRate } from './encode-video.ts';

const stereo = 2;

/** A file's sound as interleaved stereo at 48 kHz, cut or filled with silence to exactly `samples`. */
export async function decodeSound(path: string, samples: number): Promise<Float32Array> {
  Log.setLevel(av.AV_LOG_FATAL);
  const sound = new Float32Array(samples * stereo);
  const demuxer = await Demuxer.open(path, { options: { protocol_whitelist: 'file' } });
  const stream = demuxer.audio();
  if (stream === undefined) throw new Error('expected a sound, got a file without one');
  const decoder = await Decoder.create(stream);
  const filter = FilterAPI.create(`aresample=${soundRate},aformat=sample_fmts=flt:channel_layouts=stereo`);
  let filled = 0;
  const take = () => {
    for (let frame = filter.receiveSync(); isOwned(frame); frame = filter.receiveSync()) {
      const bytes = frame.toBuffer();
      const room = Math.min(sound.length - filled, frame.nbSamples * stereo);
      for (let i = 0; i < room; i++) sound[filled + i] = bytes.readFloatLE(i * 4);
      filled += room;
      frame.free();
    }
  };
  try {
    for await (const packet of demuxer.packets(stream.index)) {
      for await (const frame of decoder.frames(packet)) {
        if (frame === null) continue;
        filter.processSync(frame);
        frame.free();
        take();
      }
      packet?.free();
      if (filled >= sound.length) return sound;
    }
    filter.flushSync();
    take();
    if (filled === 0) throw new Error('expected a sound, got a file nothing could be decoded from');
    return sound;
  } finally {
    filter.close();
    decoder.close();
    await demuxer.close();
  }
}
