/** Runs mono sound through filter graphs of FFmpeg: pitch, tempo and effects. */
import { FilterAPI, Frame } from 'node-av';
import * as av from 'node-av/constants';
import { isReceived } from '../av.ts';

/** Filters mono sound (-1 to 1); the sample rate of the result is the one that the graph ends with. */
export function filterSound(samples: Float32Array, sampleRate: number, graph: string): Float32Array {
  if (samples.length === 0) return samples;
  const filter = FilterAPI.create(`${graph},aformat=sample_fmts=flt:channel_layouts=mono`);
  const frame = Frame.fromAudioBuffer(Buffer.from(samples.slice().buffer), {
    nbSamples: samples.length,
    format: av.AV_SAMPLE_FMT_FLT,
    sampleRate,
    channelLayout: av.AV_CHANNEL_LAYOUT_MONO,
    timeBase: { num: 1, den: sampleRate },
    pts: 0n,
  });
  const parts: Float32Array[] = [];
  // A graph returns less than it took until it is flushed.
  const drain = () => {
    for (let out = filter.receiveSync(); isReceived(out); out = filter.receiveSync()) {
      const bytes = out.toBuffer();
      parts.push(Float32Array.from({ length: out.nbSamples }, (_, i) => bytes.readFloatLE(i * 4)));
      out.free();
    }
  };
  filter.processSync(frame);
  drain();
  filter.flushSync();
  drain();
  frame.free();
  filter.close();
  const all = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let filled = 0;
  for (const part of parts) {
    all.set(part, filled);
    filled += part.length;
  }
  return all;
}

/** Filters that shift the pitch by semitones and keep the length; none for 0. */
export function pitchGraph(semitones: number, sampleRate: number): string[] {
  if (semitones === 0) return [];
  const ratio = 2 ** (semitones / 12);
  return [`asetrate=${Math.round(sampleRate * ratio)}`, `aresample=${sampleRate}`, ...tempoGraph(1 / ratio)];
}

/** Filters that play faster (above 1) or slower; one `atempo` covers only a half to double. */
export function tempoGraph(tempo: number): string[] {
  if (tempo === 1) return [];
  if (tempo < 0.5 || tempo > 2) return [...tempoGraph(Math.sqrt(tempo)), ...tempoGraph(Math.sqrt(tempo))];
  return [`atempo=${tempo.toFixed(6)}`];
}

/** Cut, or filled with silence, to exactly this many samples. */
export function fitLength(samples: Float32Array, length: number): Float32Array {
  if (samples.length >= length) return samples.subarray(0, length);
  const fitted = new Float32Array(length);
  fitted.set(samples);
  return fitted;
}
