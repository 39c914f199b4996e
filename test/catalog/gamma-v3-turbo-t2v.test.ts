/** gamma-v3-turbo-t2v: input, shots, plan, options and body of the result. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureBody, jobId, nativeOf, output, successBody } from './ended-jobs.ts';
import { accepted, accepts, modelOf, refuses } from './tables.ts';

const model = modelOf('gamma-v3-turbo-t2v');
const base = { prompt: 'a lighthouse' };
const shots = (...seconds: number[]) =>
  seconds.map((length, index) => `shot ${index + 1}, ${length}, the sea`).join('\n');
const sum = 'prompt: the seconds of the shots must add up to settings.duration';

accepts(model, base, [
  ['settings that are null', { settings: null }],
  ['a prompt of 3072 characters', { prompt: 'x'.repeat(3072) }],
  ['3 seconds', { settings: { duration: 3 } }],
  ['15 seconds', { settings: { duration: 15 } }],
  ['1080p upright', { settings: { resolution: '1080p', aspect_ratio: '9:16' } }],
  ['empty settings', { settings: {} }],
  ['empty options', { options: {} }],
  ['1 shot', { prompt: shots(5) }],
  ['6 shots', { prompt: shots(1, 1, 1, 1, 1, 1), settings: { duration: 6 } }],
  ['shots between semicolons', { prompt: 'shot 1, 2, a; shot 2, 3, b' }],
  ['a shot of 512 characters', { prompt: `shot 1, 5, ${'🎈'.repeat(512)}` }],
  ['a prompt that only speaks of a shot', { prompt: 'shot in black and white, 5 birds' }],
  ['a callback address in options', { options: { callback_url: 'http://client.test/hook' } }],
  ['a task id of 256 characters', { options: { external_task_id: 'x'.repeat(256) } }],
]);

refuses(model, base, [
  ['no prompt', { prompt: undefined }, 'prompt: is required'],
  ['a blank prompt', { prompt: ' ' }, 'prompt: must not be empty'],
  ['a prompt of 3073 characters', { prompt: 'x'.repeat(3073) }, 'prompt: must be at most 3072 characters'],
  ['a prompt that is a list', { prompt: ['a'] }, 'prompt: must be a string'],
  ['2 seconds', { settings: { duration: 2 } }, 'settings.duration: must be between 3 and 15'],
  ['16 seconds', { settings: { duration: 16 } }, 'settings.duration: must be between 3 and 15'],
  ['seconds as text', { settings: { duration: '5' } }, 'settings.duration: must be an integer'],
  ['480p', { settings: { resolution: '480p' } }, 'settings.resolution: must be one of 720p, 1080p'],
  ['4:3', { settings: { aspect_ratio: '4:3' } }, 'settings.aspect_ratio: must be one of 16:9, 9:16, 1:1'],
  [
    'a misspelt setting',
    { settings: { durations: 5 } },
    'settings.durations: unknown field, did you mean duration?',
  ],
  ['a duration beside the settings', { duration: 5 }, 'duration: unknown field'],
  [
    'a callback address beside the options',
    { callback_url: 'https://client.test' },
    'callback_url: unknown field',
  ],
  [
    'a callback address on another scheme',
    { options: { callback_url: 'ftp://client.test' } },
    'options.callback_url: must be an http or https URL',
  ],
  [
    'a callback address with a password',
    { options: { callback_url: 'https://a:b@client.test' } },
    'options.callback_url: must be an http or https URL',
  ],
  [
    'a task id with a line break',
    { options: { external_task_id: 'a\nb' } },
    'options.external_task_id: must be 1 to 256 characters without control characters',
  ],
  [
    'a watermark that is text',
    { options: { watermark_info: { enabled: 'no' } } },
    'options.watermark_info.enabled: must be true or false',
  ],
  [
    '7 shots',
    { prompt: shots(1, 1, 1, 1, 1, 1, 1) },
    'prompt: at most 6 shots, found another at character 115',
  ],
  ['shots that are too long together', { prompt: shots(3, 3) }, sum],
  ['shots that are too short together', { prompt: shots(2, 2) }, sum],
  ['shots out of order', { prompt: 'shot 2, 5, a' }, 'prompt: expected shot 1, found shot 2 at character 1'],
  [
    'a shot of no time',
    { prompt: 'shot 1, 0, a' },
    'prompt: a shot must last at least 1 second at character 1',
  ],
  [
    'a shot of 513 characters',
    { prompt: `shot 1, 5, ${'x'.repeat(513)}` },
    'prompt: a shot must have at most 512 characters at character 1',
  ],
  [
    'words before the first shot',
    { prompt: 'Two shots: shot 1, 2, a; shot 2, 3, b' },
    'prompt: several shots must begin with the first, found words before `shot n,` at character 12',
  ],
  [
    'a shot in the middle of a plain prompt',
    { prompt: '🎈 as in shot 1, a boat' },
    'prompt: several shots must begin with the first, found words before `shot n,` at character 9',
  ],
  [
    'a shot without seconds',
    { prompt: 'shot 1, a boat' },
    'prompt: expected `shot n, m, words` at character 1',
  ],
  [
    'a second shot without words',
    { prompt: 'shot 1, 5, a\nshot 2, 3,' },
    'prompt: expected `shot n, m, words` at character 14',
  ],
  [
    'seconds that are not whole',
    { prompt: 'shot 1, 2.5, a boat; shot 2, 2.5, the sea' },
    'prompt: expected `shot n, m, words` at character 1',
  ],
  [
    'a second shot in the same line that has no number of its own',
    { prompt: 'shot 1, 2, a shot 1, 3, b' },
    'prompt: expected shot 2, found shot 1 at character 14',
  ],
  [
    'several faults at once',
    { prompt: '', settings: { duration: 1 } },
    'prompt: must not be empty; settings.duration: must be between 3 and 15',
  ],
]);

const written: readonly (readonly [what: string, prompt: string, ...shots: (readonly [number, string])[]])[] =
  [
    ['in one line', 'shot 1, 2, a boat shot 2, 3, the sea', [2, 'a boat'], [3, 'the sea']],
    ['with other marks', 'Shot 1，2，船；SHOT 2： 3， 海', [2, '船'], [3, '海']],
    ['with fullwidth digits', 'shot １，２，船 shot ２，３，海', [2, '船'], [3, '海']],
    ['as a list', '- shot 1, 2, a boat\n- shot 2, 3, the sea', [2, 'a boat'], [3, 'the sea']],
    ['numbered', '1. shot 1, 2, a boat\n2) shot 2, 3, the sea', [2, 'a boat'], [3, 'the sea']],
    ['with a colon', 'shot 1: 2, a boat\n\nshot 2: 3, the sea\n', [2, 'a boat'], [3, 'the sea']],
    [
      'with semicolons and lines in the words',
      'shot 1, 2, a boat; small\nand red; shot 2, 3, the sea，calm;',
      [2, 'a boat; small\nand red'],
      [3, 'the sea，calm'],
    ],
    ['with a word that only ends in shot', 'shot 1, 5, a snapshot 2, 3 birds', [5, 'a snapshot 2, 3 birds']],
  ];

for (const [what, prompt, ...cut] of written) {
  test(`shots are read ${what}`, () => {
    const plan = model.render(accepted(model, { prompt }));
    assert.deepEqual(
      plan.kind === 'video' && plan.shots,
      cut.map(([seconds, words]) => ({ seconds, prompt: words })),
    );
  });
}

test('the plan cuts the video into its shots and keeps a marked copy beside it', () => {
  const body = { prompt: shots(2, 3), options: { watermark_info: { enabled: true } } };
  assert.deepEqual(model.render(accepted(model, body)), {
    kind: 'video',
    width: 1280,
    height: 720,
    fps: 24,
    shots: [
      { seconds: 2, prompt: 'the sea' },
      { seconds: 3, prompt: 'the sea' },
    ],
    seed: null,
    sound: false,
    watermark: 'copy',
  });
});

test('the callback address and the task id are read from the options', () => {
  const input = accepted(model, {
    ...base,
    options: { callback_url: 'https://client.test', external_task_id: 'mine' },
  });
  assert.deepEqual([model.callbackUrl(input), model.externalTaskId(input)], ['https://client.test', 'mine']);
  const plain = accepted(model, base);
  assert.deepEqual([model.callbackUrl(plain), model.externalTaskId(plain)], [null, null]);
});

test('a success reports its video in the fields of the family', () => {
  const outputs = [
    output({ mimeType: 'video/mp4', seconds: 5.04 }),
    output({ mimeType: 'video/mp4', role: 'watermarked' }),
  ];
  const body = successBody(model, base, { outputs, externalTaskId: 'mine' });
  const [primary, marked] = outputs.map(({ url }) => url);
  assert.deepEqual(nativeOf(body), {
    id: jobId,
    external_id: 'mine',
    message: '',
    outputs: [{ type: 'video', id: 'file_primary-0', url: primary, watermark_url: marked, duration: '5' }],
  });
  assert.deepEqual([body.duration, body.watermarked_url], [5.04, marked]);
});

test('a failure reports its reason and has no outputs', () => {
  assert.deepEqual(nativeOf(failureBody(model, base)), {
    id: jobId,
    external_id: '',
    message: 'Runtime execution failed: the prompt was refused',
    outputs: [],
  });
});
