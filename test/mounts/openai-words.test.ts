/** Words of other protocols as fields of the models of the catalog. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findModel } from '../../src/catalog/index.ts';
import { Refusal } from '../../src/domain/refusal.ts';
import {
  type GenericWords,
  GivenPicture,
  readGenericInput,
} from '../../src/http/mounts/kit/generic-input.ts';

const words: GenericWords = {
  meanings: {
    prompt: 'prompt',
    image: 'pictures',
    size: 'size',
    aspect_ratio: 'aspect_ratio',
    seconds: 'seconds',
    n: 'count',
    voice: 'voice',
    speed: 'speed',
    response_format: 'format',
    seed: 'seed',
    generate_audio: 'sound',
  },
  withoutEffect: { user: 'any', quality: ['auto'] },
};

const read = (id: string, body: Readonly<Record<string, unknown>>) => {
  const model = findModel(id);
  assert.ok(model, id);
  return readGenericInput(model, body, words);
};

/** The sentence of a refusal, and the word that it names. */
function refused(id: string, body: Readonly<Record<string, unknown>>) {
  try {
    read(id, body);
  } catch (failure) {
    assert.ok(failure instanceof Refusal);
    assert.equal(failure.entry.status, 422);
    return [failure.details.fields, failure.message];
  }
  throw new Error(`expected a refusal of ${JSON.stringify(body)}`);
}

const address = 'https://files.test/a.png';

describe('words that map', () => {
  const cases: readonly [id: string, body: object, input: object][] = [
    [
      'eta2.6-t2v',
      { prompt: 'A boat', size: '1280x720', seconds: '4', seed: '7' },
      { prompt: 'A boat', size: '1280*720', duration: 4, seed: 7 },
    ],
    [
      'gamma-v3-turbo-t2v',
      { prompt: 'A boat', aspect_ratio: '9:16', seconds: 5 },
      { prompt: 'A boat', settings: { aspect_ratio: '9:16', duration: 5, resolution: '720p' } },
    ],
    [
      'alpha-2-0-mini',
      { prompt: 'A boat', image: address, size: '1280x720', seconds: '4', generate_audio: 'false' },
      {
        content: [
          { type: 'text', text: 'A boat' },
          { type: 'image_url', image_url: { url: address }, role: 'first_frame' },
        ],
        generate_audio: false,
        duration: 4,
        resolution: '720p',
        ratio: '16:9',
      },
    ],
    [
      'gamma-v2-image',
      { prompt: 'A fox', n: 2, size: '1024x1024', user: 'me', quality: 'auto' },
      { prompt: 'A fox', n: 2, resolution: '1k', aspect_ratio: '1:1' },
    ],
    [
      'gamma-v2-multi-image2image',
      { prompt: 'Both', image: [address, { file_id: 'file_0123456789abcdefghijklmn' }] },
      {
        prompt: 'Both',
        subject_image_list: [{ subject_image: address }, { subject_image: 'file_0123456789abcdefghijklmn' }],
      },
    ],
    [
      'zeta-v6-i2v',
      { prompt: 'On', image: address, seconds: '4', size: '1280x720' },
      { prompt: 'On', image: address, duration: 4, quality: '720p' },
    ],
    [
      'delta-speech-02-hd',
      { prompt: 'Hello', voice: 'warm-woman', speed: 1.25, response_format: 'wav' },
      {
        text: 'Hello',
        voice_setting: { voice_id: 'warm-woman', speed: 1.25 },
        audio_setting: { format: 'wav' },
      },
    ],
    [
      'theta-3.1-flash-tts-preview',
      { prompt: 'Hello', voice: 'Puck', speed: 1, response_format: 'wav' },
      { text: 'Hello', voice_name: 'Puck' },
    ],
  ];
  for (const [id, body, input] of cases)
    test(`${id}: ${JSON.stringify(body)}`, () => {
      assert.deepEqual(read(id, { ...body }), input);
    });

  test('fields of the model pass through as they are, and null and empty words are omitted', () => {
    const body = { prompt: 'A boat', size: '720*1280', shot_type: 'multi', seconds: null, voice: '' };
    assert.deepEqual(read('eta2.6-t2v', body), { prompt: 'A boat', size: '720*1280', shot_type: 'multi' });
  });

  test('texts inside a field are numbers and booleans where it takes no text, as a form writes them', () => {
    const settings = { duration: '5', resolution: '720p' };
    assert.deepEqual(read('gamma-v3-turbo-t2v', { prompt: '5', settings }), {
      prompt: '5',
      settings: { duration: 5, resolution: '720p' },
    });
    const wrong = { duration: 'long' };
    const kept = read('gamma-v3-turbo-t2v', { prompt: 'A boat', settings: wrong });
    assert.deepEqual(kept.settings, wrong);
  });

  test('bytes are written as the field takes them: with a prefix, or as base64 alone', () => {
    const image = new GivenPicture(Buffer.alloc(30, 1), 'image/png');
    const base64 = image.bytes.toString('base64');
    assert.deepEqual(read('gamma-v2-image', { prompt: 'A fox', image }), { prompt: 'A fox', image: base64 });
    const { content } = read('alpha-2-0-mini', { prompt: 'A fox', image });
    assert.equal(JSON.stringify(content).includes(`"data:image/png;base64,${base64}"`), true);
  });
});

describe('words that do not map', () => {
  test('a size that is not available lists those that are', () => {
    assert.deepEqual(refused('gamma-v3-turbo-t2v', { prompt: 'A boat', size: '999x999' }), [
      ['size'],
      'size: gamma-v3-turbo-t2v makes 1280x720, 720x1280, 960x960, 1920x1080, 1080x1920, 1440x1440',
    ]);
  });

  test('a length that is not available names the bounds', () => {
    assert.deepEqual(refused('eta2.6-t2v', { prompt: 'A boat', seconds: '20' }), [
      ['seconds'],
      'seconds: must be between 2 and 15',
    ]);
  });

  test('a word without a field is refused, unless it asks for what is made anyway', () => {
    assert.deepEqual(refused('theta-3.1-flash-tts-preview', { prompt: 'Hello', speed: 2 }), [
      ['speed'],
      'speed: theta-3.1-flash-tts-preview has no field for it, and makes something else',
    ]);
    assert.deepEqual(refused('gamma-v2-image', { prompt: 'A fox', seed: 1 }), [
      ['seed'],
      'seed: gamma-v2-image has no field for it',
    ]);
    assert.deepEqual(refused('eta2.6-t2v', { prompt: 'A boat', image: address }), [
      ['image'],
      'image: eta2.6-t2v takes no picture',
    ]);
  });

  test('an address beyond all reason is refused before it is matched against anything', () => {
    const image = `https://files.test/${'a'.repeat(20_000)}`;
    assert.deepEqual(refused('zeta-v6-i2v', { prompt: 'On', image, size: '1280x720' }), [
      ['image'],
      'image: an address may have at most 16384 characters',
    ]);
  });

  test('a name that neither the protocol nor the model has is refused', () => {
    assert.deepEqual(refused('eta2.6-t2v', { prompt: 'A boat', camera: 'left' }), [
      ['camera'],
      'camera: eta2.6-t2v has no such field',
    ]);
  });
});
