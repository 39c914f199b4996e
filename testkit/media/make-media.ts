/** Encodes the films, sounds and pictures that tests send. */
import { writeFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { createCanvas } from '@napi-rs/canvas';
import { Encoder, Muxer } from 'node-av/api';
import { AV_LOG_ERROR, type FFEncoderCodec } from 'node-av/constants';
import { FilterGraph, Frame, Log, Packet } from 'node-av/lib';
import { kept } from './kept-files.ts';

export interface ClipPlan {
  readonly path: string;
  /** `pattern` is what is drawn; a plain `color` is the quickest to encode. */
  readonly video?: {
    width: number;
    height: number;
    fps: string;
    codec?: string;
    frames?: string;
    pattern?: 'testsrc' | 'color';
  };
  readonly audio?: { sampleRate: number; channels: 1 | 2; codec?: string };
  readonly seconds: number;
  readonly muxerOptions?: Record<string, string>;
}

/** A true film or sound, encoded in the container that the path's extension names; the same plan, the same bytes. */
export async function makeClip({ path, ...plan }: ClipPlan): Promise<void> {
  await kept(`${extname(path)} ${JSON.stringify(plan)}`, path, () => encode({ path, ...plan }));
}

async function encode({ path, video, audio, seconds, muxerOptions }: ClipPlan): Promise<void> {
  Log.setLevel(AV_LOG_ERROR);
  await using muxer = await Muxer.open(path, muxerOptions ? { options: muxerOptions } : {});
  const streams: Stream[] = [];
  if (video) {
    const { width, height, fps, codec = 'libx264', frames = 'yuv420p', pattern = 'testsrc' } = video;
    const options = codec === 'libx264' ? { options: { preset: 'ultrafast' as const } } : {};
    const encoder = await Encoder.create(codec as FFEncoderCodec, options);
    const source = `${pattern}=size=${width}x${height}:rate=${fps}:duration=${seconds},format=${frames}`;
    const graph = openGraph(`${source},buffersink@out`);
    // Only of x264 it is known that each of its key frames stands alone.
    const isStill = pattern === 'color' && codec === 'libx264';
    streams.push({ graph, encoder, index: muxer.addStream(encoder), isStill });
  }
  if (audio) {
    const { sampleRate, channels, codec = 'aac' } = audio;
    const layout = channels === 1 ? 'mono' : 'stereo';
    const encoder = await Encoder.create(codec as FFEncoderCodec, { autoResample: true });
    const source = `sine=frequency=440:sample_rate=${sampleRate}:duration=${seconds},aformat=channel_layouts=${layout}`;
    const graph = openGraph(`${source},abuffersink@out`);
    streams.push({ graph, encoder, index: muxer.addStream(encoder), isStill: false });
  }
  await Promise.all(
    streams.map(async stream => {
      await (stream.isStill ? writeStill(muxer, stream) : writeMoving(muxer, stream));
      stream.encoder.close();
      stream.graph.free();
    }),
  );
}

interface Stream {
  readonly graph: FilterGraph;
  readonly encoder: Encoder;
  readonly index: number;
  /** Every frame is the same picture. */
  readonly isStill: boolean;
}

async function writeMoving(muxer: Muxer, { graph, encoder, index }: Stream): Promise<void> {
  for await (const frame of framesOf(graph)) {
    await encoder.encode(frame);
    frame.free();
    await drain(encoder, muxer, index);
  }
  await encoder.flush();
  await drain(encoder, muxer, index);
}

/** One key frame, written again and again: films of eight million pixels a frame are encoded a dozen times faster. */
async function writeStill(muxer: Muxer, { graph, encoder, index }: Stream): Promise<void> {
  let key: Packet | null = null;
  for await (const frame of framesOf(graph)) {
    if (key === null) {
      await encoder.encode(frame);
      await encoder.flush();
      const packet = await encoder.receive();
      if (!(packet instanceof Packet)) throw new Error('expected the encoder to give the first frame');
      key = packet;
    }
    key.pts = frame.pts;
    key.dts = frame.pts;
    frame.free();
    const packet = key.clone();
    if (packet === null) throw new Error('expected the packet to be copied');
    await muxer.writePacket(packet, index);
    packet.free();
  }
  key?.free();
}

function openGraph(description: string): FilterGraph {
  const graph = new FilterGraph();
  graph.alloc();
  if (graph.parsePtr(description) < 0 || graph.configSync() < 0) throw new Error(`bad graph: ${description}`);
  return graph;
}

async function* framesOf(graph: FilterGraph): AsyncGenerator<Frame> {
  const sink = graph.getFilter('buffersink@out') ?? graph.getFilter('abuffersink@out');
  if (!sink) throw new Error('the graph has no end');
  for (;;) {
    const frame = new Frame();
    frame.alloc();
    if ((await sink.buffersinkGetFrame(frame)) < 0) return frame.free();
    frame.timeBase = sink.buffersinkGetTimeBase();
    yield frame;
  }
}

async function drain(encoder: Encoder, muxer: Muxer, index: number): Promise<void> {
  for (;;) {
    const packet = await encoder.receive();
    if (!(packet instanceof Packet)) return;
    await muxer.writePacket(packet, index);
    packet.free();
  }
}

/** A true picture, in the format asked for. */
export async function makePicture(
  path: string,
  format: 'png' | 'jpeg' | 'webp' | 'gif' | 'avif',
  width: number,
  height: number,
): Promise<Uint8Array> {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  context.fillStyle = 'teal';
  context.fillRect(0, 0, width, height);
  const bytes = new Uint8Array(await canvas.encode(format as 'png'));
  await writeFile(path, bytes);
  return bytes;
}
