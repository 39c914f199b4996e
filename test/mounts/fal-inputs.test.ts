/** Inputs of fal's endpoints become ours: what the provider writes for one of our inputs is read back as that input. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findModel } from '../../src/catalog/index.ts';
import { Refusal } from '../../src/domain/refusal.ts';
import { falEndpoints } from '../../src/http/mounts/fal/endpoints.ts';
import { genericWords } from '../../src/http/mounts/kit/generic-words.ts';
import { inTheirWords, translate } from '../../src/http/mounts/kit/translate.ts';
import { falMappings, falModels } from '../../src/providers/fal/models.ts';

/** Inputs of ours that the provider can send; more than the examples of the models have. */
const inputs: Readonly<Record<keyof typeof falModels, readonly unknown[]>> = {
  'alpha-2-0-mini': [
    { content: [{ type: 'text', text: 'waves' }], ratio: '16:9', duration: -1 },
    {
      content: [
        { type: 'text', text: 'waves' },
        { type: 'image_url', image_url: { url: 'https://files.test/a.png' }, role: 'reference_image' },
        { type: 'video_url', video_url: { url: 'https://files.test/a.mp4' }, role: 'reference_video' },
      ],
      ratio: 'adaptive',
    },
  ],
  'alpha-1-5-pro': [
    {
      content: [
        { type: 'text', text: 'waves' },
        { type: 'image_url', image_url: { url: 'https://files.test/a.png' }, role: 'first_frame' },
        { type: 'image_url', image_url: { url: 'https://files.test/b.png' }, role: 'last_frame' },
      ],
      resolution: '480p',
      duration: 6,
      seed: 3,
      camera_fixed: true,
    },
  ],
  'gamma-v2-6-motion-control': [
    {
      image_url: 'https://files.test/a.png',
      video_url: 'https://files.test/a.mp4',
      prompt: 'dance',
      character_orientation: 'video',
      keep_original_sound: 'no',
      mode: 'pro',
    },
  ],
  'gamma-v3-image': [
    { prompt: 'a lake', negative_prompt: 'text', n: 3, resolution: '2k', aspect_ratio: '1:1' },
    { prompt: 'a lake', image: 'https://files.test/a.png' },
  ],
  'gamma-v3-turbo-t2v': [
    { prompt: 'a lake', settings: { resolution: '1080p', aspect_ratio: '9:16', duration: 7 } },
  ],
  'gamma-v3-omni-video': [
    { prompt: 'a lake', mode: '4k', sound: 'on', duration: '6', aspect_ratio: '1:1' },
    {
      prompt: 'a lake',
      image_list: [
        { image_url: 'https://files.test/a.png', type: 'first_frame' },
        { image_url: 'https://files.test/b.png', type: 'end_frame' },
      ],
      duration: '5',
    },
    {
      multi_shot: true,
      shot_type: 'customize',
      multi_prompt: [
        { index: 1, prompt: 'a lake', duration: '2' },
        { index: 2, prompt: 'a hill', duration: '3' },
      ],
      aspect_ratio: '16:9',
      duration: '5',
    },
    { multi_shot: true, shot_type: 'intelligence', prompt: 'a lake', aspect_ratio: '9:16', duration: '5' },
  ],
  'epsilon-q2-turbo-img2video': [
    { images: ['https://files.test/a.png'], prompt: 'a lake', duration: 4, bgm: true, seed: 5 },
  ],
  'epsilon-q3-turbo-start-end2video': [
    { images: ['https://files.test/a.png', 'https://files.test/b.png'], prompt: 'a lake', audio: true },
  ],
  'zeta-v6-i2v': [
    { image: 'https://files.test/a.png', prompt: 'a lake', duration: 4, quality: '720p', seed: 8 },
  ],
  'eta2.6-t2v': [
    {
      prompt: 'a lake',
      negative_prompt: 'text',
      duration: 10,
      size: '832*1088',
      shot_type: 'multi',
      seed: 4,
    },
  ],
  'delta-speech-02-hd': [
    {
      text: 'Hello.',
      voice_setting: { voice_id: 'calm-man', speed: 1.5, emotion: 'happy' },
      text_normalization: true,
      pronunciation_dict: { tone: ['omg/oh my god'] },
    },
  ],
  'theta-3.1-flash-tts-preview': [{ text: 'Hello.', voice_name: 'Puck' }],
};

describe('an input of ours, written by the provider and read by the mount', () => {
  for (const [id, written] of Object.entries(inputs))
    test(id, () => {
      const mapping = falMappings[id as keyof typeof falModels];
      const endpoint = falEndpoints[id]!;
      for (const input of written) {
        const parsed = findModel(id)!.parse(input);
        assert.ok(parsed.ok, JSON.stringify(parsed));
        assert.deepEqual(mapping.faults(parsed.input), []);
        const { path, body } = mapping.map(parsed.input)!;
        const preset = endpoint.paths[path];
        assert.ok(preset, path);
        const again = findModel(id)!.parse(translate(endpoint, body, preset));
        assert.ok(again.ok, JSON.stringify(again));
        // What they say is the same once the provider writes it again.
        assert.deepEqual(mapping.map(again.input), { path, body });
      }
    });
});

test('every model of the provider is an endpoint', () => {
  assert.deepEqual(Object.keys(falEndpoints).toSorted(), Object.keys(falModels).toSorted());
});

test('a word that is said twice is refused by name', () => {
  const endpoint = falEndpoints['gamma-v3-turbo-t2v']!;
  assert.throws(
    () => translate(endpoint, { duration: '5', settings: { duration: 4 } }),
    new Refusal('input_invalid', { subject: 'settings: is said twice', fields: ['settings'] }),
  );
});

test('a refusal names the words of the endpoint', () => {
  const endpoint = falEndpoints['gamma-v3-turbo-t2v']!;
  const ours = new Refusal('input_invalid', {
    subject: 'prompt: is required; settings.duration: must be between 3 and 15',
    fields: ['prompt', 'settings.duration'],
  });
  const theirs = inTheirWords(endpoint, ours);
  assert.ok(theirs instanceof Refusal);
  assert.equal(theirs.message, 'prompt: is required; duration: must be between 3 and 15');
  assert.deepEqual(theirs.details.fields, ['prompt', 'duration']);
});

describe('common words, by what the fields of a model mean', () => {
  const ours = (id: string, input: Readonly<Record<string, unknown>>) =>
    translate(genericWords(findModel(id)!), input);

  test('a text, a length and a picture find their fields', () => {
    assert.deepEqual(ours('gamma-v3-turbo-t2v', { prompt: 'a lake', duration: '7', num_images: 1 }), {
      prompt: 'a lake',
      settings: { duration: 7 },
    });
    assert.deepEqual(ours('epsilon-q2-turbo-img2video', { image_url: 'https://files.test/a.png' }), {
      images: ['https://files.test/a.png'],
    });
    assert.deepEqual(ours('theta-3.1-flash-tts-preview', { prompt: 'Hello.', voice: 'Puck' }), {
      text: 'Hello.',
      voice_name: 'Puck',
    });
  });

  test('a word without a field is refused, unless it asks for what the model makes anyway', () => {
    const refusal = (subject: string, field: string) =>
      new Refusal('input_invalid', { subject: `${field}: ${subject}`, fields: [field] });
    assert.throws(
      () => ours('theta-3.1-flash-tts-preview', { text: 'Hello.', seed: 3 }),
      refusal('theta-3.1-flash-tts-preview has no field for it', 'seed'),
    );
    assert.throws(
      () => ours('gamma-v3-turbo-t2v', { prompt: 'a lake', num_images: 2 }),
      refusal('gamma-v3-turbo-t2v has no field for it, and makes something else', 'num_images'),
    );
  });
});
