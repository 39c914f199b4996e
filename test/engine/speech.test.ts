/** The speech models, spoken by the local engine and measured. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decodeFile, rms, samplesOfPcm, samplesOfWav } from '../../engine/test/renders.ts';
import { near } from './films.ts';
import { type FinishedJob, type Input, openFinishedJobs } from './finished-jobs.ts';
import { mp3Of } from './mp3.ts';

const jobs = openFinishedJobs();
const turbo = 'delta-speech-01-turbo';
const hd = 'delta-speech-02-hd';
const theta = 'theta-3.1-flash-tts-preview';

const calm = { voice_setting: { voice_id: 'calm-man' } };
const hello = { text: 'Hello, dear world.', ...calm };
const speak = (more: Input, model = turbo) => jobs.job(model, { ...hello, ...more });
const pcm = { format: 'pcm', sample_rate: 16_000 };
const bytesOf = async (job: () => Promise<FinishedJob>) =>
  (await jobs.stored((await job()).body.audio)).bytes;
const samplesOf = async (job: () => Promise<FinishedJob>) => samplesOfPcm(await bytesOf(job));

const wav = speak({ audio_setting: { format: 'wav', sample_rate: 22_050 } });
const mp3 = speak({ audio_setting: { sample_rate: 22_050 } });
const plain = speak({ audio_setting: pcm });

describe('formats', () => {
  const types = {
    mp3: ['audio/mpeg', 'mp3float'],
    flac: ['audio/flac', 'flac'],
    wav: ['audio/wav', 'pcm_s16le'],
  } as const;
  const ask = (model: string, audio_setting?: Input) => speak(audio_setting ? { audio_setting } : {}, model);
  const flac = ask(hd, { format: 'flac', sample_rate: 22_050 });
  /** Without a bitrate, it is the mean of the file; for wav it is that of its samples. */
  const cases = [
    ['the default', ask(turbo), 'mp3', 32_000, 1, 128_000],
    ['the best', ask(hd, { sample_rate: 44_100, bitrate: 256_000, channel: 2 }), 'mp3', 44_100, 2, 256_000],
    ['no such bitrate', ask(turbo, { sample_rate: 8000, bitrate: 256_000 }), 'mp3', 8000, 1, 64_000],
    ['small', ask(hd, { sample_rate: 24_000, bitrate: 32_000, channel: 2 }), 'mp3', 24_000, 2, 32_000],
    ['one channel', flac, 'flac', 22_050, 1, null],
    ['two', ask(turbo, { format: 'flac', sample_rate: 8000, channel: 2 }), 'flac', 8000, 2, null],
    ['one channel', wav, 'wav', 22_050, 1, 22_050 * 16],
    ['two', ask(hd, { format: 'wav', sample_rate: 16_000, channel: 2 }), 'wav', 16_000, 2, 16_000 * 16 * 2],
  ] as const;

  for (const [name, job, format, sampleRate, channels, bitrate] of cases) {
    const [type, codec] = types[format];
    test(`${format}, ${name}: ${sampleRate} Hz in ${channels}`, async () => {
      const { body } = await job();
      const { path, bytes } = await jobs.stored(body.audio);
      const file = await decodeFile(path);
      const { url, content_type, file_name, file_size, duration, ...stated } = body.audio;
      assert.deepEqual([content_type, stated], [type, { sample_rate: sampleRate, channels }]);
      assert.match(file_name, new RegExp(`\\.${format}$`));
      assert.equal(file_size, bytes.length);
      assert.deepEqual([file.codecs, file.sampleRate, file.channels], [[codec], sampleRate, channels]);
      assert.equal(file.comment, 'rendered locally (procedural, not an AI model)');
      near(file.samples / sampleRate, (await samplesOf(plain)).length / 16_000, 0.1, 'the length');
      // Players skip the encoder delay of an mp3; its frames contain it all the same.
      const leadIn = format === 'mp3' ? 1105 / sampleRate : 0;
      near(duration, file.samples / sampleRate + leadIn, 0.1, 'the reported duration');
      assert.ok(file.loudness(0, 1) > 0.03);
      const { audio_length, bitrate: statedBitrate, ...extra } = body.extra_info;
      assert.equal(audio_length, Math.round(duration * 1000));
      assert.equal(statedBitrate, bitrate ?? Math.round((bytes.length * 8) / duration));
      assert.deepEqual(extra, {
        audio_sample_rate: sampleRate,
        audio_size: bytes.length,
        word_count: 3,
        usage_characters: 18,
        audio_format: format,
        audio_channel: channels,
      });
      assert.deepEqual(body.data, { audio: url, status: 2 });
      assert.deepEqual(
        [body.trace_id, body.base_resp],
        [body.request_id, { status_code: 0, status_msg: 'success' }],
      );
      if (format === 'mp3') assert.deepEqual(mp3Of(bytes).bitrates, [bitrate]);
    });
  }

  const stereo = speak({ audio_setting: { ...pcm, channel: 2 } }, hd);
  test('pcm is bare samples; two channels carry the same', async () => {
    const { body } = await stereo();
    const [one, both] = [await bytesOf(plain), await bytesOf(stereo)];
    assert.equal(both.length, one.length * 2);
    assert.deepEqual(
      samplesOfPcm(both).filter((_, i) => i % 2 === 1),
      samplesOfPcm(one),
    );
    assert.deepEqual(
      [body.audio.sample_rate, body.audio.channels, body.audio.duration],
      [16_000, 2, Math.round(one.length / 32) / 1000],
    );
  });

  test('flac is exactly as long as the wav, mp3 to a millisecond', async () => {
    const wanted = samplesOfWav(await bytesOf(wav)).length;
    const [lossless, lossy] = await Promise.all(
      [flac, mp3].map(async job => decodeFile((await jobs.stored((await job()).body.audio)).path)),
    );
    assert.equal(lossless!.samples, wanted);
    near(lossy!.samples, wanted, 22);
  });

  const constant = speak({ force_cbr: true, audio_setting: { sample_rate: 44_100, bitrate: 64_000 } });
  test('with force_cbr each frame of an mp3 stands alone at the one bitrate', async () => {
    const { frames, bitrates, borrowed } = mp3Of(await bytesOf(constant));
    assert.ok(frames > 20, `${frames} frames`);
    assert.deepEqual([bitrates, borrowed], [[64_000], 0]);
    assert.equal((await constant()).body.extra_info.bitrate, 64_000);
  });

  const inHex = speak({ output_format: 'hex' }, hd);
  test('hex is the file itself', async () => {
    const { body } = await inHex();
    assert.equal(body.data.audio, (await bytesOf(inHex)).toString('hex'));
    assert.equal(body.data.status, 2);
  });
});

describe('the spoken text', () => {
  const say = (text: string, more: Input = {}) => speak({ text, audio_setting: pcm, ...more });
  const pauses = ['0.01', '0.25', '1.37', '2'].map(
    seconds => [Number(seconds), say(`One<#${seconds}#>two.`)] as const,
  );

  test('a pause lasts as long as it states, to the hundredth', async () => {
    const [[shortest, first]] = pauses as [(typeof pauses)[number]];
    const least = (await samplesOf(first)).length;
    for (const [seconds, job] of pauses) {
      const samples = await samplesOf(job);
      near(samples.length - least, (seconds - shortest) * 16_000, 1, `${seconds}: the samples more`);
      near(longestSilence(samples) / 16_000, seconds, 0.005 + 0.15, `${seconds}: the silence`);
    }
  });

  const voices = ['calm-man', 'wise-woman', 'young-girl'].map(voice_id =>
    say(hello.text, { voice_setting: { voice_id } }),
  );
  const mixed = say(hello.text, {
    voice_setting: {},
    timbre_weights: [
      { voice_id: 'calm-man', weight: 60 },
      { voice_id: 'wise-woman', weight: 40 },
    ],
  });
  const again = say(hello.text);
  test('each voice sounds in its own way, as does their mix, and the same one as before', async () => {
    const spoken = await Promise.all(
      [...voices, mixed].map(async job => (await bytesOf(job)).toString('base64')),
    );
    assert.equal(new Set(spoken).size, 4);
    assert.ok((await bytesOf(again)).equals(await bytesOf(plain)));
  });

  const slow = say(hello.text, { voice_setting: { voice_id: 'calm-man', speed: 0.5 } });
  const silent = say(hello.text, { voice_setting: { voice_id: 'calm-man', vol: 0 } });
  const higher = say(hello.text, { voice_setting: { voice_id: 'calm-man', pitch: 12 } });
  const beaten = say(hello.text, { aigc_watermark: true });
  test('half the speed takes twice as long, no volume is silence, a pitch keeps the length', async () => {
    const usual = await samplesOf(plain);
    near((await samplesOf(slow)).length / usual.length, 2, 0.1);
    const [none, high] = [await samplesOf(silent), await samplesOf(higher)];
    assert.deepEqual([none.length, rms(none)], [usual.length, 0]);
    assert.equal(high.length, usual.length);
    assert.notDeepEqual(high, usual);
  });

  test('the marker is a rhythm after the words', async () => {
    const [usual, marked] = [await samplesOf(plain), await samplesOf(beaten)];
    assert.deepEqual(marked.subarray(0, usual.length), usual);
    assert.ok(rms(marked.subarray(usual.length)) > 0.01);
  });

  const effects = ['spacious_echo', 'robotic'].map(sound_effects =>
    speak({ audio_setting: { format: 'wav', sample_rate: 22_050 }, voice_modify: { sound_effects } }),
  );
  test('an effect makes another sound of it', async () => {
    const made = await Promise.all(
      [wav, ...effects].map(async job => (await bytesOf(job)).toString('base64')),
    );
    assert.equal(new Set(made).size, 3);
  });
});

describe('subtitles', () => {
  const text = 'The tide is out. Hi 😀!<#0.5#>你好，世界。';
  const titled = (subtitle_type: string) =>
    speak({ text, audio_setting: pcm, subtitle_enable: true, subtitle_type }, hd);
  const [bySentence, byWord] = [titled('sentence'), titled('word')];
  interface Subtitle {
    readonly text: string;
    readonly time_begin: number;
    readonly time_end: number;
    readonly text_begin: number;
    readonly text_end: number;
  }
  const subtitlesOf = async (job: () => Promise<FinishedJob>): Promise<Subtitle[]> => {
    const { bytes, type } = await jobs.stored((await job()).body.data.subtitle_file);
    assert.equal(type, 'application/json');
    return JSON.parse(bytes.toString());
  };

  test('each sentence is reported with the time in which it is heard', async () => {
    const sentences = await subtitlesOf(bySentence);
    assert.deepEqual(
      sentences.map(sentence => sentence.text),
      ['The tide is out.', 'Hi 😀!', '你好，世界。'],
    );
    const samples = await samplesOf(bySentence);
    const heard = (from: number, to: number) => rms(samples.subarray(from * 16, to * 16));
    assert.equal(sentences[0]?.time_begin, 0);
    for (const [index, { time_begin, time_end }] of sentences.entries()) {
      assert.ok(heard(time_begin, time_end) > 0.02, `${time_begin} to ${time_end} is heard`);
      const next = sentences[index + 1]?.time_begin ?? samples.length / 16;
      if (next - time_end > 2)
        assert.equal(heard(time_end + 1, next - 1), 0, `${time_end} to ${next} is silent`);
    }
    assert.equal(sentences[2]!.time_begin - sentences[1]!.time_end, 500);
    near(sentences[2]!.time_end, samples.length / 16, 1, 'the end');
  });

  test('words lie within their sentences', async () => {
    const [sentences, words] = [await subtitlesOf(bySentence), await subtitlesOf(byWord)];
    assert.ok(words.length > 6, `${words.length}`);
    for (const [index, word] of words.entries()) {
      const sentence = sentences.find(
        one => one.text_begin <= word.text_begin && word.text_end <= one.text_end,
      );
      assert.ok(sentence, word.text);
      assert.ok(word.time_begin >= sentence.time_begin && word.time_end <= sentence.time_end, word.text);
      assert.ok(
        word.time_begin >= (words[index - 1]?.time_end ?? 0) && word.time_end > word.time_begin,
        word.text,
      );
      assert.ok(sentence.text.includes(word.text));
    }
  });

  test('without them there is no file', async () => {
    assert.equal('subtitle_file' in (await plain()).body.data, false);
  });
});

describe(theta, () => {
  const tide = { text: 'The tide is out.' };
  const kore = jobs.job(theta, tide);
  const named = jobs.job(theta, { ...tide, voice_name: 'Kore' });
  const puck = jobs.job(theta, { ...tide, voice_name: 'Puck' });
  const slowly = jobs.job(theta, { text: `Say slowly: ${tide.text}` });
  const chinese = jobs.job(theta, { text: '今天天气很好。', voice_name: 'Leda' });

  for (const [name, job, voice, characters] of [
    ['the default voice', kore, 'Kore', 16],
    ['another voice', puck, 'Puck', 16],
    ['another script', chinese, 'Leda', 7],
  ] as const) {
    test(`${name}: a 24 kHz 16-bit mono WAV`, async () => {
      const { body } = await job();
      const { bytes, path } = await jobs.stored(body.audio);
      const { samples: decoded, comment } = await decodeFile(path);
      assert.deepEqual(
        [decoded, comment],
        [samplesOfWav(bytes).length, 'rendered locally (procedural, not an AI model)'],
      );
      assert.deepEqual(
        [
          bytes.toString('latin1', 0, 4),
          bytes.readUInt16LE(20),
          bytes.readUInt16LE(22),
          bytes.readUInt32LE(24),
          bytes.readUInt16LE(34),
        ],
        ['RIFF', 1, 1, 24_000, 16],
      );
      const samples = samplesOfWav(bytes);
      assert.ok(rms(samples) > 0.03);
      near(body.audio.duration, samples.length / 24_000, 0.001);
      assert.deepEqual(
        [body.audio.content_type, body.audio.sample_rate, body.audio.channels],
        ['audio/wav', 24_000, 1],
      );
      const [prompt, candidates] = [Math.ceil(characters / 4), Math.ceil(body.audio.duration * 25)];
      assert.deepEqual(
        [body.voice_name, body.usageMetadata],
        [
          voice,
          {
            promptTokenCount: prompt,
            candidatesTokenCount: candidates,
            totalTokenCount: prompt + candidates,
          },
        ],
      );
    });
  }

  test('the default voice is Kore, and Puck sounds in another way', async () => {
    assert.ok((await bytesOf(kore)).equals(await bytesOf(named)));
    assert.equal((await bytesOf(kore)).equals(await bytesOf(puck)), false);
  });

  test('a style that is requested in the text is followed and not spoken', async () => {
    const [usual, slow] = [samplesOfWav(await bytesOf(kore)), samplesOfWav(await bytesOf(slowly))];
    near(slow.length / usual.length, 1.25, 0.06);
  });
});

/** Samples of the longest run of nothing at all. */
function longestSilence(samples: Float64Array): number {
  let [longest, run] = [0, 0];
  for (const sample of samples) {
    run = sample === 0 ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}
