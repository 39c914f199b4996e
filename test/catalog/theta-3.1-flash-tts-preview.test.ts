/** theta-3.1-flash-tts-preview: input, voice, spoken text and body of the result. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureBody, nativeOf, output, successBody } from './ended-jobs.ts';
import { accepted, accepts, modelOf, refuses } from './tables.ts';

const model = modelOf('theta-3.1-flash-tts-preview');
const base = { text: 'The tide is out.' };
/** Contract 2.16, word for word. */
const voices =
  'Zephyr, Puck, Charon, Kore, Fenrir, Leda, Orus, Aoede, Callirrhoe, Autonoe, Enceladus, Iapetus, Umbriel, Algieba, Despina, Erinome, Algenib, Rasalgethi, Laomedeia, Achernar, Alnilam, Schedar, Gacrux, Pulcherrima, Achird, Zubenelgenubi, Vindemiatrix, Sadachbia, Sadaltager, Sulafat';

accepts(model, base, [
  ['a voice that is null', { voice_name: null }],
  ['an empty voice', { voice_name: '' }],
  ['one character', { text: 'x' }],
  ['a text without any bound', { text: 'word '.repeat(20_000) }],
  ['a text in Chinese', { text: '今天天气很好' }],
  ['an emoji alone', { text: '🎈' }],
  ['what looks like a pause of another family', { text: '<#0.5#>' }],
  ...voices.split(', ').map(voice_name => [`the voice ${voice_name}`, { voice_name }] as const),
]);

refuses(model, base, [
  ['no text', { text: undefined }, 'text: is required'],
  ['an empty text', { text: '' }, 'text: must not be empty'],
  ['a blank text', { text: '\t \n' }, 'text: must not be empty'],
  ['a text that is null', { text: null }, 'text: must be a string'],
  ['a text that is a list', { text: ['a'] }, 'text: must be a string'],
  ['an unknown voice', { voice_name: 'Bob' }, `voice_name: must be one of ${voices}`],
  ['a voice in small letters', { voice_name: 'kore' }, `voice_name: must be one of ${voices}`],
  ['a voice that is a number', { voice_name: 4 }, `voice_name: must be one of ${voices}`],
  ['a misspelt field', { voicename: 'Kore' }, 'voicename: unknown field, did you mean voice_name?'],
  [
    'a callback address, which the contract does not give it',
    { callback_url: 'https://client.test' },
    'callback_url: unknown field',
  ],
  [
    'a task id, which the contract does not give it',
    { external_task_id: 'x' },
    'external_task_id: unknown field',
  ],
  [
    'several faults at once',
    { text: '', voice_name: 'x', a: 1 },
    `text: must not be empty; voice_name: must be one of ${voices}; a: unknown field`,
  ],
]);

test('the voice is Kore where none is named', () => {
  assert.deepEqual(accepted(model, base), { text: 'The tide is out.', voice_name: 'Kore' });
});

const planOf = (body: unknown) => {
  const plan = model.render(accepted(model, body));
  assert.ok(plan.kind === 'speech');
  return plan;
};

test('the sound is a 24 kHz mono WAV in the voice that was named', () => {
  const plan = planOf({ ...base, voice_name: 'Puck' });
  assert.deepEqual(
    [plan.format, plan.sampleRate, plan.channels, plan.voices, plan.pieces],
    ['wav', 24_000, 1, [{ id: 'Puck', weight: 1 }], [{ text: 'The tide is out.' }]],
  );
});

for (const [text, spoken, emotion, speed] of [
  ['Say cheerfully: good morning', 'good morning', 'happy', 1],
  ['Read this slowly and sadly: the end', 'the end', 'sad', 0.8],
  ['Speak quickly: run', 'run', null, 1.25],
  ['Whisper: be quiet', 'be quiet', 'calm', 1],
  ['Say: good morning', 'good morning', null, 1],
  ['Speak in a low voice: come here', 'come here', null, 1],
  ['In a low voice: come here', 'come here', null, 1],
  ['In a gentle whisper: come here', 'come here', 'calm', 1],
  ['Read the family names: Smith, Jones', 'Read the family names: Smith, Jones', null, 1],
  ['Say to John: dinner is ready', 'Say to John: dinner is ready', null, 1],
  ['Whisper the password: swordfish', 'Whisper the password: swordfish', null, 1],
  ['Read chapter 3: the storm', 'Read chapter 3: the storm', null, 1],
  ['Note: nothing is asked for here', 'Note: nothing is asked for here', null, 1],
  ['Say:', 'Say:', null, 1],
] as const) {
  test(`"${text}" speaks "${spoken}"`, () => {
    const plan = planOf({ text });
    assert.deepEqual([plan.pieces, plan.emotion, plan.speed], [[{ text: spoken }], emotion, speed]);
  });
}

test('a success reports the voice and an estimate of the tokens', () => {
  const sound = output({ mimeType: 'audio/wav', seconds: 2.01, sampleRate: 24_000, channels: 1 });
  const body = successBody(model, base, { outputs: [sound] });
  assert.deepEqual(nativeOf(body), {
    voice_name: 'Kore',
    usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 51, totalTokenCount: 55 },
  });
  assert.deepEqual(body.audio, {
    url: 'https://files.test/primary-0',
    content_type: 'audio/wav',
    file_name: 'primary-0',
    file_size: 1000,
    duration: 2.01,
    sample_rate: 24_000,
    channels: 1,
  });
});

test('a failure reports the voice and no tokens', () => {
  assert.deepEqual(nativeOf(failureBody(model, base)), { voice_name: 'Kore' });
});
