/** Films from a source video: extend, edit, motion and sound. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createCanvas } from '@napi-rs/canvas';
import { Encoder, Frame, Log, Muxer, type Packet } from 'node-av';
import {
  AV_CHANNEL_LAYOUT_MONO,
  AV_LOG_ERROR,
  AV_PIX_FMT_YUV420P,
  AV_SAMPLE_FMT_FLTP,
  FF_ENCODER_AAC,
  FF_ENCODER_LIBX264,
} from 'node-av/constants';
import type { VideoPlan } from '../src/render-plan.ts';
import { stepBetween } from '../src/video/estimate-motion.ts';
import { coverGray, decodeFile, distance, openStudio, ssim, videoPlan } from './renders.ts';

/** Wide enough for motion to be measured. */
const width = 320;
const plan: VideoPlan = { ...videoPlan, width, height: 180, sound: false };
/** A film of one shot. */
const shot = (prompt: string, seconds: number) => ({ shots: [{ seconds, prompt }] });

/** A picture with details everywhere, so that any movement over it can be seen. */
function town(): Buffer {
  const canvas = createCanvas(640, 360);
  const context = canvas.getContext('2d');
  for (let i = 0; i < 260; i++) {
    context.fillStyle = `hsl(${(i * 47) % 360} 60% ${20 + ((i * 29) % 60)}%)`;
    context.fillRect((i * 97) % 640, (i * 61) % 360, 20 + ((i * 13) % 50), 15 + ((i * 7) % 40));
  }
  return canvas.toBuffer('image/png');
}

test('a source is extended, edited, followed by motion, and its sound kept', async t => {
  const { rendered, folder } = openStudio(t);
  const directory = await folder();
  const inputs: Record<string, string> = { a: join(directory, 'a.png'), b: join(directory, 'b.png') };
  await writeFile(join(directory, 'a.png'), town());
  const plain = createCanvas(320, 180);
  plain.getContext('2d').fillStyle = '#e8e0c8';
  plain.getContext('2d').fillRect(0, 0, 320, 180);
  plain.getContext('2d').fillStyle = '#804020';
  plain.getContext('2d').fillRect(130, 60, 60, 60);
  await writeFile(join(directory, 'b.png'), plain.toBuffer('image/png'));
  const made = async (change: Partial<VideoPlan>, keep: number[]) => {
    const result = await rendered({ ...plan, ...change }, { inputs });
    return { path: result.outputs[0]!.path, film: await decodeFile(result.outputs[0]!.path, keep) };
  };
  const source = await made(
    { ...shot('pan right', 1), firstFrame: { media: 'a' }, sound: true },
    [0, 12, 23],
  );
  inputs.s = source.path;
  const onwards = { source: { media: 's', use: 'extend' } } as const;
  const use = (kind: 'edit' | 'motion' | 'feature', keepSound = false) => ({
    source: { media: 's', use: kind, keepSound },
  });

  const [onward, ended, edited, driven, alike, other] = await Promise.all([
    made({ ...shot('', 0.75), ...onwards }, [0, 3]),
    made({ ...shot('', 0.75), ...onwards, lastFrame: { media: 'b' } }, [0, 17]),
    made({ ...shot('night, snow, noir', 1), ...use('edit', true) }, [0, 12, 23]),
    made({ ...shot('', 1), firstFrame: { media: 'b' }, ...use('motion') }, [0, 23]),
    made({ ...shot('desert', 0.25), ...use('feature', true), sound: true }, [0]),
    made({ ...shot('desert', 0.25) }, [0]),
  ]);
  const like = ssim(onward.film.pictures.get(0), source.film.pictures.get(23), width);
  assert.ok(like > 0.95, `it begins on the last frame: ${like}`);
  const size = { width, height: 180 };
  const step = stepBetween(onward.film.pictures.get(0)!, onward.film.pictures.get(3)!, size);
  assert.ok(step.x < -0.004, `it continues to the right: ${step.x}`);
  assert.equal(onward.film.codecs.length, 1);
  assert.ok(ssim(ended.film.pictures.get(0), source.film.pictures.get(23), width) > 0.95);
  const end = await coverGray(plain.toBuffer('image/png'), width, 180);
  assert.ok(ssim(ended.film.pictures.get(17), end, width) > 0.95);

  for (const frame of [0, 12, 23]) {
    const [was, is] = [source.film.pictures.get(frame), edited.film.pictures.get(frame)];
    assert.ok(distance(was, is) > 4, `frame ${frame} is changed`);
    assert.ok(ssim(was, is, width) > ssim(source.film.pictures.get(frame === 12 ? 0 : 12), is, width) + 0.1);
  }
  assert.deepEqual(edited.film.codecs, ['h264', 'aac']);
  assert.equal(edited.film.samples, 48_000);
  assert.ok(Math.abs(edited.film.loudness(0.3, 0.8) - source.film.loudness(0.3, 0.8)) < 0.02);

  assert.ok(ssim(driven.film.pictures.get(0), end, width) > 0.95);
  const middle = (plane: Buffer | undefined) => {
    let [sum, count] = [0, 0];
    plane?.forEach((value, i) => {
      if (value > 120) return;
      sum += i % width;
      count += 1;
    });
    return sum / Math.max(1, count);
  };
  const moved = middle(driven.film.pictures.get(23)) - middle(driven.film.pictures.get(0));
  assert.ok(moved < -20, `the square moves to the left by ${moved}`);

  assert.ok(
    distance(alike.film.pictures.get(0), other.film.pictures.get(0)) > 5,
    'the look follows the source',
  );
  assert.equal(alike.film.codecs.length, 2);
});

test('a kept sound is heard with the pictures it belongs to, though it begins later than they', async t => {
  const { rendered, folder } = openStudio(t);
  const path = join(await folder(), 'late.mp4');
  await makeLateSound(path, 0.5);
  const source = { media: 's', use: 'edit', keepSound: true } as const;
  const made = await rendered({ ...plan, ...shot('noir', 1), source }, { inputs: { s: path } });
  const film = await decodeFile(made.outputs[0]!.path);
  assert.equal(film.samples, 48_000);
  assert.ok(film.loudness(0, 0.4) < 0.01, `before it begins: ${film.loudness(0, 0.4)}`);
  assert.ok(film.loudness(0.6, 1) > 0.1, `after: ${film.loudness(0.6, 1)}`);
});

/** A second of grey pictures, and as much of a tone that begins so many seconds after them. */
async function makeLateSound(path: string, seconds: number): Promise<void> {
  Log.setLevel(AV_LOG_ERROR);
  await using muxer = await Muxer.open(path);
  const picture = await Encoder.create(FF_ENCODER_LIBX264, { options: { preset: 'ultrafast' } });
  const voice = await Encoder.create(FF_ENCODER_AAC);
  const streams = [muxer.addStream(picture), muxer.addStream(voice)] as const;
  const late = BigInt(seconds * 48_000);
  const write = async (packets: readonly Packet[], stream: number, by: bigint) => {
    for (const packet of packets) {
      packet.pts += by;
      packet.dts += by;
      await muxer.writePacket(packet, stream);
      packet.free();
    }
  };
  for (let at = 0; at < 24; at++) {
    using frame = Frame.fromVideoBuffer(Buffer.alloc((64 * 64 * 3) / 2, 128), {
      width: 64,
      height: 64,
      format: AV_PIX_FMT_YUV420P,
      timeBase: { num: 1, den: 24 },
      pts: BigInt(at),
    });
    await write(await picture.encodeAll(frame), streams[0], 0n);
  }
  for (let at = 0; at < 48; at++) {
    const tone = Float32Array.from({ length: 1024 }, (_, i) => 0.5 * Math.sin((at * 1024 + i) * 0.06));
    using frame = Frame.fromAudioBuffer(Buffer.from(tone.buffer), {
      nbSamples: 1024,
      format: AV_SAMPLE_FMT_FLTP,
      sampleRate: 48_000,
      channelLayout: AV_CHANNEL_LAYOUT_MONO,
      timeBase: { num: 1, den: 48_000 },
      pts: BigInt(at * 1024),
    });
    await write(await voice.encodeAll(frame), streams[1], late);
  }
  await write(await picture.encodeAll(null), streams[0], 0n);
  await write(await voice.encodeAll(null), streams[1], late);
  picture.close();
  voice.close();
}

test('motion is measured to a part of a pixel', () => {
  const size = { width: 192, height: 108 };
  const plane = (shift: number, grow: number) =>
    Buffer.from(
      Array.from({ length: size.width * size.height }, (_, i) => {
        const x = ((i % size.width) - 96) / grow - shift;
        const y = (Math.floor(i / size.width) - 54) / grow;
        return 128 + 50 * Math.sin(x * 0.21 + Math.sin(y * 0.13)) + 45 * Math.cos(y * 0.24 + x * 0.05);
      }),
    );
  const aside = stepBetween(plane(0, 1), plane(3.3, 1), size);
  assert.ok(Math.abs(aside.x * 192 - 3.3) < 0.3 && Math.abs(aside.y * 108) < 0.3, JSON.stringify(aside));
  const closer = stepBetween(plane(0, 1), plane(0, 1.03), size);
  assert.ok(Math.abs(closer.scale - 1.03) < 0.006, JSON.stringify(closer));
  const flat = Buffer.alloc(size.width * size.height, 90);
  assert.deepEqual(stepBetween(flat, flat, size), { x: 0, y: 0, scale: 1, turn: 0 });
});

test('a source that cannot be decoded is a failed render with a sentence', async t => {
  const { start, folder } = openStudio(t);
  const directory = await folder();
  const path = join(directory, 'a.mp4');
  await writeFile(path, '#EXTM3U\n#EXTINF:4,\nhttp://127.0.0.1:9/secret.ts\n');
  const sources = [
    { media: 's', use: 'extend' },
    { media: 's', use: 'edit', keepSound: false },
    { media: 's', use: 'motion', keepSound: false },
  ] as const;
  const ends = sources.map(async source => {
    const { render } = await start({ ...plan, source }, { inputs: { s: path } });
    return render.outcome;
  });
  for (const end of await Promise.all(ends))
    assert.deepEqual(end, { kind: 'failed', message: 'An input video could not be decoded.' });
});
