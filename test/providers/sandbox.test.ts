/** The switches that a text may contain for the local engine. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RenderPlan } from '../../engine/src/render-plan.ts';
import { findModel } from '../../src/catalog/index.ts';
import { extractSandbox, readSwitches } from '../../src/providers/local/sandbox.ts';

const planOf = (modelId: string, body: unknown): RenderPlan => {
  const model = findModel(modelId);
  const parsed = model?.parse(body);
  if (!model || !parsed?.ok) throw new Error(`expected a sound body, got ${JSON.stringify(parsed)}`);
  return model.render(parsed.input);
};
const speechPlan = (text: string) => planOf('theta-3.1-flash-tts-preview', { text });
const sandboxOf = (text: string) => extractSandbox(speechPlan(text)).sandbox;

const whatExists =
  'available: [atelier:fail=CODE] with one of runtime_error, invalid_input, file_download_error, file_invalid, ' +
  'content_policy_violation, provider_unavailable, submission_uncertain, expired, cancelled, ' +
  'response_too_large, internal_error; [atelier:slow=SECONDS] with 1 to 600; and [atelier:progress]';

describe('a text without its switches', () => {
  const table: Readonly<Record<string, string>> = {
    'A red balloon': 'A red balloon',
    ' no switch, two  spaces ': ' no switch, two  spaces ',
    'A boat [atelier:slow=3]': 'A boat',
    '[atelier:slow=3] A boat': 'A boat',
    'A boat [atelier:slow=3] at sea': 'A boat at sea',
    'A boat [atelier:slow=3], at sea': 'A boat, at sea',
    '[atelier:slow=3][atelier:progress] [atelier:fail=expired]': '',
    'A boat [ATELIER:slow=3]': 'A boat',
    'A boat [atelier:nonsense]': 'A boat',
    'A boat [atelier:slow=3\nat sea': 'A boat\nat sea',
    'A boat [atelier:': 'A boat',
    'A boat [atelier] and [other:slow=3]': 'A boat [atelier] and [other:slow=3]',
  };
  for (const [text, rest] of Object.entries(table)) {
    test(`${JSON.stringify(text)} is ${JSON.stringify(rest)}`, () => {
      assert.equal(readSwitches(text).rest, rest);
    });
  }
});

describe('a switch', () => {
  test('is absent where the text has none', () => {
    assert.deepEqual(sandboxOf('A red balloon'), { failure: null, delayMs: 0 });
  });

  for (const [written, delayMs] of [
    ['[atelier:slow=1]', 1000],
    ['[atelier:slow=600]', 600_000],
    ['[atelier:progress]', 5000],
    ['[atelier:progress][atelier:slow=2]', 5000],
    ['[atelier:progress][atelier:slow=20]', 20_000],
  ] as const) {
    test(`${written} delays the end by ${delayMs} ms`, () => {
      assert.deepEqual(sandboxOf(`Hello ${written}`), { failure: null, delayMs });
    });
  }

  test('a failure can be late', () => {
    assert.deepEqual(sandboxOf('Hello [atelier:slow=7] [atelier:fail=expired]'), {
      failure: { code: 'expired', message: 'requested by the switch [atelier:fail=expired]' },
      delayMs: 7000,
    });
  });

  test('content_policy is short for content_policy_violation', () => {
    assert.deepEqual(sandboxOf('Hello [atelier:fail=content_policy]').failure, {
      code: 'content_policy_violation',
      message: 'requested by the switch [atelier:fail=content_policy]',
    });
  });

  for (const inner of [
    '',
    'fail',
    'fail=',
    'fail=nonsense',
    'fail=toString',
    'fail=expired=1',
    'slow',
    'slow=0',
    'slow=601',
    'slow=1.5',
    'slow=-1',
    'slow=+1',
    'progress=1',
    'Slow=3',
    ' slow=3',
    'nonsense',
  ]) {
    test(`[atelier:${inner}] is reported with the switches that exist`, () => {
      assert.deepEqual(sandboxOf(`Hello [atelier:slow=9][atelier:fail=expired][atelier:${inner}]`), {
        failure: {
          code: 'invalid_input',
          message: `the switch [atelier:${inner}] does not exist; ${whatExists}`,
        },
        delayMs: 0,
      });
    });
  }
});

describe('a plan', () => {
  const switched = ' [atelier:slow=3]';

  test('without a switch stays the very same', () => {
    const plan = speechPlan('A red balloon');
    assert.equal(extractSandbox(plan).plan, plan);
  });

  for (const [what, modelId, bodyOf] of [
    ['speech', 'theta-3.1-flash-tts-preview', (more: string) => ({ text: `The tide is out.${more}` })],
    [
      'speech with a pause',
      'delta-speech-02-hd',
      (more: string) => ({ text: `One.${more}<#0.5#>Two.${more}`, voice_setting: { voice_id: 'a' } }),
    ],
    ['a picture', 'gamma-v3-image', (more: string) => ({ prompt: `A fox${more}`, n: 2 })],
    [
      'what a picture must not show',
      'gamma-v3-image',
      (more: string) => ({ prompt: 'A fox', negative_prompt: `snow${more}` }),
    ],
    [
      'every variant of a picture',
      'beta-edit',
      (more: string) => ({
        jobId: '019e0000-0000-7000-8000-000000000001',
        imageNo: 0,
        remixPrompt: `A {red, blue} kite${more} --no clouds${more}`,
        canvas: { width: 1024, height: 1024 },
        imgPos: { x: 0, y: 0, width: 1024, height: 1024 },
      }),
    ],
    [
      'every shot of a film',
      'gamma-v3-turbo-t2v',
      (more: string) => ({
        prompt: `shot 1, 2, a paper boat${more}\nshot 2, 3, the boat sails${more}`,
        settings: { duration: 5 },
      }),
    ],
    [
      'a film in several shots of one text',
      'eta2.6-t2v',
      (more: string) => ({ prompt: `A harbour${more}`, shot_type: 'multi', duration: 8 }),
    ],
  ] as const) {
    test(`is the one without switches: ${what}`, () => {
      const { plan, sandbox } = extractSandbox(planOf(modelId, bodyOf(switched)));
      assert.deepEqual(plan, planOf(modelId, bodyOf('')));
      assert.deepEqual(sandbox, { failure: null, delayMs: 3000 });
    });
  }

  test('of speech that is nothing but switches is a second of silence', () => {
    const { plan } = extractSandbox(speechPlan('[atelier:progress] [atelier:slow=1]'));
    assert.deepEqual(plan, { ...speechPlan('x'), pieces: [{ pauseMs: 1000 }] });
  });

  test('of a picture that is nothing but switches has an empty prompt', () => {
    const { plan } = extractSandbox(planOf('gamma-v3-image', { prompt: '[atelier:progress]' }));
    assert.deepEqual(plan, { ...planOf('gamma-v3-image', { prompt: 'x' }), prompt: '' });
  });

  test('of speech finds a switch where a style is requested', () => {
    const { plan, sandbox } = extractSandbox(speechPlan('Say [atelier:slow=2] this.'));
    assert.deepEqual([plan, sandbox.delayMs], [speechPlan('Say this.'), 2000]);
  });
});
