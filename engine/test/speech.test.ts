/** Speech: formats, pauses, speed, voices, effects, subtitles. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SpeechPlan } from '../src/render-plan.ts';
import {
  bytesOf,
  dataOfWav,
  decodeFile,
  namesIn,
  openStudio,
  rms,
  samplesOfPcm,
  samplesOfWav,
  speechPlan,
} from './renders.ts';

/** A line of the subtitle file (decisions 4, delta); times in ms. */
interface Subtitle {
  text: string;
  time_begin: number;
  time_end: number;
  text_begin: number;
  text_end: number;
}

test('every format has its name, type, codec, rate and channels', async t => {
  const { start } = openStudio(t);
  for (const [format, mimeType, codec, sampleRate, channels] of [
    ['mp3', 'audio/mpeg', 'mp3float', 32_000, 1],
    ['mp3', 'audio/mpeg', 'mp3float', 8000, 2],
    ['flac', 'audio/flac', 'flac', 22_050, 2],
    ['wav', 'audio/wav', 'pcm_s16le', 44_100, 1],
    ['wav', 'audio/wav', 'pcm_s16le', 24_000, 2],
  ] as const) {
    const { render, directory } = await start({ ...speechPlan, format, sampleRate, channels });
    const end = await render.outcome;
    assert.equal(end.kind, 'rendered');
    if (end.kind !== 'rendered') return;
    assert.deepEqual(await namesIn(directory), [`audio.${format}`]);
    assert.equal(end.rendered.outputs[0]?.mimeType, mimeType);
    const file = await decodeFile(end.rendered.outputs[0]!.path);
    assert.deepEqual([file.codecs, file.sampleRate, file.channels], [[codec], sampleRate, channels]);
    assert.equal(file.comment, 'rendered locally (procedural, not an AI model)');
    assert.ok(Math.abs(file.samples / sampleRate - 0.72) < 0.25, `${file.samples / sampleRate} seconds`);
    assert.ok(file.loudness(0, 0.6) > 0.03);
  }
});

test('pcm is bare samples, equal in both channels', async t => {
  const { rendered } = openStudio(t);
  const one = await bytesOf(await rendered({ ...speechPlan, format: 'pcm' }));
  const two = await bytesOf(await rendered({ ...speechPlan, format: 'pcm', channels: 2 }));
  const wav = await bytesOf(await rendered(speechPlan));
  assert.ok(dataOfWav(wav).equals(one), 'the wav file has the same samples');
  assert.equal(two.length, one.length * 2);
  assert.deepEqual(
    samplesOfPcm(two).filter((_, i) => i % 2 === 1),
    samplesOfPcm(one),
  );
});

test('a bit rate that mp3 does not know becomes the nearest and is reported', async t => {
  const { rendered } = openStudio(t);
  const real = async (sampleRate: number, bitrate: number, constantBitrate = false) => {
    const speech = await rendered({ ...speechPlan, format: 'mp3', sampleRate, bitrate, constantBitrate });
    return [speech.bitrate, await frameBitrate(await bytesOf(speech), sampleRate)];
  };
  assert.deepEqual(await real(32_000, 128_000), [128_000, 128_000]);
  assert.deepEqual(await real(44_100, 256_000, true), [256_000, 256_000]);
  assert.deepEqual(await real(24_000, 256_000), [160_000, 160_000]);
  assert.deepEqual(await real(8000, 256_000), [64_000, 64_000]);
  assert.equal((await rendered(speechPlan)).bitrate, undefined);
});

test('a pause is silent for exactly its milliseconds', async t => {
  const { rendered } = openStudio(t);
  const pieces = [{ text: 'One' }, { pauseMs: 750 }, { text: 'two' }, { pauseMs: 10 }, { text: 'three.' }];
  const samples = samplesOfWav(await bytesOf(await rendered({ ...speechPlan, pieces })));
  const parts = await Promise.all(
    ['One', 'two', 'three.'].map(async text =>
      samplesOfWav(await bytesOf(await rendered({ ...speechPlan, pieces: [{ text }] }))),
    ),
  );
  const pauses = samples.length - parts.reduce((sum, part) => sum + part.length, 0);
  assert.ok(Math.abs(pauses - 0.76 * 16_000) <= 16, `${pauses} samples of pause`);
  const first = parts[0]!.length;
  assert.equal(rms(samples.subarray(first, first + 12_000)), 0);
  assert.notEqual(rms(samples.subarray(first + 12_000, first + 12_800)), 0);
});

test('speed is linear, natural pauses included', async t => {
  const { rendered } = openStudio(t);
  for (const text of [
    'The quick brown fox jumps over the lazy dog and runs away',
    'Hello, dear world.',
    'One, two, three, four, five, six, and seven, then eight, nine, ten.',
    '你好，世界，今天，天气，很好，我们，去，海边。',
  ]) {
    const seconds = async (speed: number) =>
      samplesOfWav(await bytesOf(await rendered({ ...speechPlan, pieces: [{ text }], speed }))).length /
      16_000;
    const [normal, slow, fast] = await Promise.all([seconds(1), seconds(0.5), seconds(2)]);
    assert.ok(Math.abs(slow! / normal! - 2) < 0.1, `${text}: slow ${slow! / normal!}`);
    assert.ok(Math.abs(normal! / fast! - 2) < 0.1, `${text}: fast ${normal! / fast!}`);
  }
});

test('a pause of the plan has the same length at every speed', async t => {
  const { rendered } = openStudio(t);
  const pieces = (pauseMs: number) => [{ text: 'One, two' }, { pauseMs }, { text: 'three.' }];
  for (const speed of [0.5, 2]) {
    const [short, long] = await Promise.all(
      [100, 900].map(async pauseMs =>
        samplesOfWav(await bytesOf(await rendered({ ...speechPlan, pieces: pieces(pauseMs), speed }))),
      ),
    );
    assert.equal(long!.length - short!.length, 0.8 * 16_000);
  }
});

test('words of slow speech begin where they are heard', async t => {
  const { rendered } = openStudio(t);
  const text = 'One, two, three, four.';
  const speech = await rendered({ ...speechPlan, pieces: [{ text }], speed: 0.5, subtitles: 'word' });
  const words: Subtitle[] = JSON.parse((await bytesOf(speech, 'subtitle')).toString());
  const samples = samplesOfWav(await bytesOf(speech));
  assert.equal(words.length, 4);
  for (const { text, time_begin } of words.slice(1)) {
    const heard = (from: number, to: number) => rms(samples.subarray(from * 16, to * 16));
    assert.ok(heard(time_begin - 40, time_begin - 15) < 0.01, `silence before ${text}`);
    assert.ok(heard(time_begin, time_begin + 250) > 0.02, `${text} at ${time_begin}`);
  }
});

test('volume is a gain that never clips, and 0 is silence of the same length', async t => {
  const { rendered } = openStudio(t);
  const speak = async (volume: number) =>
    samplesOfWav(await bytesOf(await rendered({ ...speechPlan, volume })));
  const [silent, quiet, normal, loud] = [await speak(0), await speak(0.5), await speak(1), await speak(10)];
  assert.equal(rms(silent), 0);
  assert.equal(silent.length, normal.length);
  assert.ok(Math.abs(rms(quiet) / rms(normal) - 0.5) < 0.02, `${rms(quiet) / rms(normal)}`);
  assert.ok(rms(loud) > 2 * rms(normal));
  assert.ok(loud.every(sample => Math.abs(sample) < 0.99));
});

test('pitch moves by semitones and keeps the length', async t => {
  const { rendered } = openStudio(t);
  const speak = async (more: Partial<SpeechPlan>) =>
    samplesOfWav(await bytesOf(await rendered({ ...speechPlan, pieces: [{ text: 'aaaah' }], ...more })));
  const [low, normal, high] = [
    await speak({ pitchSemitones: -12 }),
    await speak({}),
    await speak({ pitchSemitones: 12 }),
  ];
  assert.equal(low.length, normal.length);
  assert.equal(high.length, normal.length);
  assert.ok(Math.abs(periodOf(low) / periodOf(normal) - 2) < 0.15, `low ${periodOf(low) / periodOf(normal)}`);
  assert.ok(
    Math.abs(periodOf(normal) / periodOf(high) - 2) < 0.15,
    `high ${periodOf(normal) / periodOf(high)}`,
  );
});

test('voices differ by name, mix, and are stable', async t => {
  const { rendered } = openStudio(t);
  const speak = async (...voices: SpeechPlan['voices']) =>
    (await bytesOf(await rendered({ ...speechPlan, voices }))).toString('base64');
  const woman = await speak({ id: 'Wise_Woman', weight: 1 });
  const man = await speak({ id: 'Deep_Voice_Man', weight: 1 });
  const mixed = await speak({ id: 'Wise_Woman', weight: 50 }, { id: 'Deep_Voice_Man', weight: 50 });
  assert.equal(new Set([woman, man, mixed]).size, 3);
  assert.ok((await speak({ id: 'Wise_Woman', weight: 99 })) === woman, 'the same voice gives the same bytes');
});

test('a child that spoke otherwise before speaks as a new one', async t => {
  const { rendered } = openStudio(t, 1);
  const plan: SpeechPlan = { ...speechPlan, pieces: [{ text: 'The tide is out.' }] };
  const first = await bytesOf(await rendered(plan));
  const others: readonly SpeechPlan[] = [
    { ...speechPlan, pieces: [{ text: 'A long sentence of many words. '.repeat(6) }], speed: 1.7 },
    { ...speechPlan, pieces: [{ text: '海边的灯塔' }, { text: 'Guten Abend.' }], emotion: 'happy' },
  ];
  for (const other of others) {
    await rendered(other);
    const again = await bytesOf(await rendered(plan));
    assert.ok(again.equals(first), 'the same bytes');
  }
});

test('emotions, modifications and effects each change the sound', async t => {
  const { rendered } = openStudio(t);
  const none = speechPlan.modify;
  const changes: Partial<SpeechPlan>[] = [
    {},
    { emotion: 'happy' },
    { emotion: 'sad' },
    { emotion: 'angry' },
    { emotion: 'fearful' },
    { emotion: 'disgusted' },
    { emotion: 'surprised' },
    { emotion: 'calm' },
    { modify: { ...none, pitch: 60 } },
    { modify: { ...none, intensity: 80 } },
    { modify: { ...none, intensity: -80 } },
    { modify: { ...none, timbre: 70 } },
    { modify: { ...none, effect: 'spacious_echo' } },
    { modify: { ...none, effect: 'auditorium_echo' } },
    { modify: { ...none, effect: 'lofi_telephone' } },
    { modify: { ...none, effect: 'robotic' } },
    { marker: true },
    { pronunciations: [{ source: 'world', replacement: 'planet' }] },
  ];
  const sounds = await Promise.all(
    changes.map(async change => samplesOfWav(await bytesOf(await rendered({ ...speechPlan, ...change })))),
  );
  assert.equal(
    new Set(sounds.map(sound => Buffer.from(sound.buffer).toString('base64'))).size,
    changes.length,
  );
  for (const [index, sound] of sounds.entries()) {
    assert.ok(rms(sound) > 0.02, `${JSON.stringify(changes[index])}: ${rms(sound)}`);
  }
});

test('the marker is fifteen beats of rhythm at the end', async t => {
  const { rendered } = openStudio(t);
  const plain = samplesOfWav(await bytesOf(await rendered(speechPlan)));
  const marked = samplesOfWav(await bytesOf(await rendered({ ...speechPlan, marker: true })));
  assert.equal(marked.length - plain.length, 15 * 0.075 * 16_000);
});

test('subtitles have sentences and words with their times and positions', async t => {
  const { rendered } = openStudio(t);
  const pieces = [{ text: 'Hi 😀 R&B <b>. Next one!' }, { pauseMs: 500 }, { text: '你好，世界。' }];
  const read = async (subtitles: 'sentence' | 'word'): Promise<Subtitle[]> => {
    const speech = await rendered({ ...speechPlan, pieces, subtitles });
    assert.deepEqual(
      speech.outputs.map(({ role, mimeType }) => [role, mimeType]),
      [
        ['primary', 'audio/wav'],
        ['subtitle', 'application/json'],
      ],
    );
    assert.equal(speech.words, 10);
    return JSON.parse((await bytesOf(speech, 'subtitle')).toString());
  };
  const sentences = await read('sentence');
  assert.deepEqual(
    sentences.map(({ text, text_begin, text_end }) => [text, text_begin, text_end]),
    [
      ['Hi 😀 R&B <b>.', 0, 13],
      ['Next one!', 14, 23],
      ['你好，世界。', 23, 29],
    ],
  );
  assert.equal(sentences[2]!.time_begin - sentences[1]!.time_end, 500);
  const words = await read('word');
  const whole = [...'Hi 😀 R&B <b>. Next one!你好，世界。'];
  for (const word of words) assert.equal(whole.slice(word.text_begin, word.text_end).join(''), word.text);
  assert.deepEqual(
    words.filter(word => word.text_begin >= 23).map(word => word.text),
    ['你好，', '世', '界。'],
  );
  for (const [index, word] of words.entries()) {
    assert.ok(word.time_begin >= (words[index - 1]?.time_end ?? 0) && word.time_end >= word.time_begin);
  }
  assert.equal(words.at(-1)?.time_end, sentences[2]!.time_end);
});

test('markup in the text is spoken, not interpreted', async t => {
  const { rendered } = openStudio(t);
  const text = 'Stop <break time="9s"/> now';
  const samples = samplesOfWav(await bytesOf(await rendered({ ...speechPlan, pieces: [{ text }] })));
  assert.ok(samples.length / 16_000 < 6, `${samples.length / 16_000} seconds`);
});

test('each script is spoken by a voice that knows it', async t => {
  const { rendered } = openStudio(t);
  for (const text of [
    '你好世界',
    'こんにちは',
    '안녕하세요',
    'Привет, мир',
    'مرحبا بالعالم',
    'שלום עולם',
    'Γειά σου',
    'สวัสดี',
    'नमस्ते',
    'வணக்கம்',
  ]) {
    const samples = samplesOfWav(await bytesOf(await rendered({ ...speechPlan, pieces: [{ text }] })));
    assert.ok(
      samples.length > 0.3 * 16_000 && samples.length < 3 * 16_000,
      `${text}: ${samples.length / 16_000} seconds`,
    );
    assert.ok(rms(samples) > 0.03, text);
  }
});

test('ten thousand characters are spoken to the end', async t => {
  const { rendered } = openStudio(t);
  const text = 'All work and no play. '.repeat(454);
  const speech = await rendered({
    ...speechPlan,
    pieces: [{ text }],
    speed: 2,
    sampleRate: 8000,
    subtitles: 'sentence',
  });
  const subtitles: Subtitle[] = JSON.parse((await bytesOf(speech, 'subtitle')).toString());
  assert.equal(subtitles.length, 454);
  assert.equal(speech.words, 454 * 5);
  assert.equal(subtitles.at(-1)?.text_end, 454 * 22 - 1);
  const samples = samplesOfWav(await bytesOf(speech));
  assert.ok(Math.abs(subtitles.at(-1)!.time_end - samples.length / 8) <= 1);
});

/** Of the second frame's header: the first may be information about the file. */
async function frameBitrate(bytes: Buffer, sampleRate: number): Promise<number> {
  const mpeg1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
  const mpeg2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
  const tagBytes = bytes.subarray(6, 10).reduce((sum, byte) => sum * 128 + byte, 0) + 10;
  const at = bytes.toString('latin1', 0, 3) === 'ID3' ? tagBytes : 0;
  const kilobits = (sampleRate >= 32_000 ? mpeg1 : mpeg2)[bytes[at + 2]! >> 4]!;
  const frameBytes = Math.floor((((sampleRate >= 32_000 ? 144 : 72) * kilobits) / sampleRate) * 1000);
  const next = bytes.indexOf(0xff, at + frameBytes);
  return (sampleRate >= 32_000 ? mpeg1 : mpeg2)[bytes[next + 2]! >> 4]! * 1000;
}

/** Samples of one vibration in the middle, by autocorrelation. */
function periodOf(samples: Float64Array): number {
  const middle = samples.subarray(samples.length * 0.3, samples.length * 0.3 + 3000);
  let best = 0;
  let strongest = 0;
  for (let lag = 30; lag < 500; lag++) {
    let sum = 0;
    for (let i = 0; i + 500 < middle.length; i++) sum += middle[i]! * middle[i + lag]!;
    if (sum > strongest * 1.08) {
      strongest = sum;
      best = lag;
    }
  }
  return best;
}
