/** Models that an operator defines: their fields, defaults, faults, descriptions and media. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readCustomModel } from '../../src/catalog/custom/model.ts';
import { describe as describeModel } from '../../src/catalog/describe.ts';
import { formatFaults } from '../../src/catalog/faults.ts';
import type { Model } from '../../src/catalog/model.ts';

const head = { kind: 'video', title: 'Acme', summary: 'Draws.' };
const withSchema = (properties: object, more: object = {}) => ({
  ...head,
  schema: { type: 'object', properties, ...more },
  examples: [{}],
});

function modelOf(written: unknown): Model {
  const read = readCustomModel('acme-1', written);
  assert.ok(read.ok, read.ok ? '' : formatFaults(read.faults));
  return read.model;
}

function sentenceIn(model: Model, body: unknown): string {
  const parsed = model.parse(body);
  return parsed.ok ? 'accepted' : formatFaults(parsed.faults);
}

function faultsOf(written: unknown): readonly string[] {
  const read = readCustomModel('acme-1', written);
  return read.ok ? [] : read.faults.map(({ path, reason }) => `${path}: ${reason}`);
}

describe('the fields of an operator’s model', () => {
  const fields: readonly (readonly [what: string, property: object, bad: unknown, reason: string])[] = [
    ['a string of a least length', { type: 'string', minLength: 3 }, 'ab', 'must be at least 3 characters'],
    [
      'a string, counted in characters',
      { type: 'string', maxLength: 2 },
      '🦊🦊🦊',
      'must be at most 2 characters',
    ],
    ['a string of a list', { type: 'string', enum: ['a', 'b'] }, 'c', 'must be one of a, b'],
    ['a string that is fixed', { type: 'string', const: 'a' }, 'b', 'must be a'],
    [
      'a string of a form',
      { type: 'string', maxLength: 9, pattern: '^[a-z]+\\d$' },
      'ab',
      'must match ^[a-z]+\\d$',
    ],
    ['a string that is none', { type: 'string' }, 5, 'must be a string'],
    ['an integer between two', { type: 'integer', minimum: 1, maximum: 9 }, 10, 'must be between 1 and 9'],
    [
      'an integer beyond 2^53',
      { type: 'integer', minimum: 1, maximum: 9 },
      2n ** 60n,
      'must be between 1 and 9',
    ],
    ['an integer with a part', { type: 'integer' }, 1.5, 'must be an integer'],
    ['an integer as a string', { type: 'integer' }, '5', 'must be an integer'],
    ['an integer of a list', { type: 'integer', enum: [5, 10] }, 6, 'must be one of 5, 10'],
    ['a number of one bound', { type: 'number', minimum: 0.5 }, 0.25, 'must be at least 0.5'],
    [
      'a number above',
      { type: 'number', exclusiveMinimum: 0, maximum: 2 },
      0,
      'must be above 0 and at most 2',
    ],
    ['a number below', { type: 'number', exclusiveMaximum: 1 }, 1, 'must be below 1'],
    ['a flag', { type: 'boolean' }, 'yes', 'must be true or false'],
    ['a flag that is fixed', { type: 'boolean', const: true }, false, 'must be true'],
    [
      'a list that is too long',
      { type: 'array', items: { type: 'boolean' }, maxItems: 1 },
      [true, true],
      'must have at most 1 item',
    ],
    [
      'a medium',
      { type: 'string', media: 'image' },
      'x',
      'must be an http or https URL or a data URL in base64 or a file id',
    ],
    ['an object', { type: 'object', properties: {} }, 'x', 'must be an object'],
  ];
  for (const [what, property, bad, reason] of fields) {
    test(`take ${what}`, () => {
      const model = modelOf(withSchema({ field: property }));
      assert.equal(sentenceIn(model, {}), 'accepted');
      assert.equal(sentenceIn(model, { field: bad }), `field: ${reason}`);
    });
  }

  test('mean nothing as null, "" and [], at any depth, and are refused so where they are required', () => {
    const properties = {
      prompt: { type: 'string', minLength: 1 },
      seconds: { type: 'integer', default: 5 },
      tags: { type: 'array', items: { type: 'string' }, maxItems: 3 },
      scenes: {
        type: 'array',
        maxItems: 2,
        items: { type: 'object', properties: { mood: { type: 'string', default: 'calm' } } },
      },
    };
    const model = modelOf({
      ...withSchema(properties, { required: ['prompt'] }),
      examples: [{ prompt: 'a' }],
    });
    const parsed = model.parse({ prompt: 'a', seconds: null, tags: [], scenes: [{ mood: '' }, {}] });
    const scenes = [{ mood: 'calm' }, { mood: 'calm' }];
    assert.deepEqual(parsed.ok && parsed.input, { prompt: 'a', seconds: 5, scenes });
    assert.equal(sentenceIn(model, { prompt: '' }), 'prompt: must not be empty');
    assert.equal(sentenceIn(model, { prompt: null }), 'prompt: must be a string');
    assert.equal(
      sentenceIn(model, { prompt: 'a', sconds: null }),
      'sconds: unknown field, did you mean seconds?',
    );
  });

  test('are required where the schema requires them, and have their defaults otherwise', () => {
    const properties = {
      prompt: { type: 'string' },
      seconds: { type: 'integer', default: 5 },
      camera: { type: 'object', default: {}, properties: { zoom: { type: 'number', default: 1 } } },
    };
    const model = modelOf({
      ...withSchema(properties, { required: ['prompt'] }),
      examples: [{ prompt: 'a' }],
    });
    assert.equal(sentenceIn(model, {}), 'prompt: is required');
    const parsed = model.parse({ prompt: 'a', camera: {} });
    assert.deepEqual(parsed.ok && parsed.input, { prompt: 'a', seconds: 5, camera: { zoom: 1 } });
  });

  test('report all their faults at once, with unknown ones and the nearest name', () => {
    const items = {
      type: 'object',
      required: ['size'],
      properties: { size: { type: 'integer', minimum: 1 } },
    };
    const model = modelOf(
      withSchema({ shots: { type: 'array', items, maxItems: 5 }, duration: { type: 'integer' } }),
    );
    assert.equal(
      sentenceIn(model, { shots: [{ size: 0 }, { sise: 1 }], duraton: 5, callback_url: 'nowhere' }),
      [
        'shots.0.size: must be at least 1',
        'shots.1.size: is required',
        'shots.1.sise: unknown field, did you mean size?',
        'callback_url: must be an http or https URL',
        'duraton: unknown field, did you mean duration?',
      ].join('; '),
    );
  });

  test('are published as they were written, each under a title', () => {
    const frame = { type: 'string', media: { kind: 'image', maxBytes: 1024, ratio: { min: 0.5 } } };
    const model = modelOf(
      withSchema({ first_frame: frame, size: { type: 'integer', enum: [1, 2], unit: 'px' } }),
    );
    const { input_schema: schema, accepts_callback: isCalledBack, family } = describeModel(model);
    assert.deepEqual([isCalledBack, family], [true, 'own']);
    const { first_frame, size } = schema.properties ?? {};
    assert.deepEqual(JSON.parse(JSON.stringify(first_frame)), {
      type: ['string', 'null'],
      title: 'First frame',
      media: {
        kind: 'image',
        forms: ['url', 'data-url'],
        formats: ['image/jpeg', 'image/png', 'image/webp'],
        maxBytes: 1024,
        ratio: { min: 0.5, max: null },
      },
    });
    assert.deepEqual(size, { type: ['integer', 'null'], enum: [1, 2, null], title: 'Size', unit: 'px' });
    assert.deepEqual(schema.additionalProperties, false);
  });

  test('that are media are found at any depth', () => {
    const items = { type: 'object', properties: { picture: { type: 'string', media: 'image' } } };
    const model = modelOf(withSchema({ pages: { type: 'array', items, maxItems: 3 } }));
    const found = model.media({ pages: [{}, { picture: 'https://a.test/b.png' }] });
    assert.deepEqual(
      found.map(({ path, limits }) => [path.join('.'), limits.kind]),
      [['pages.1.picture', 'image']],
    );
  });
});

describe('the rules of an operator’s model', () => {
  const properties = {
    a: { type: 'string' },
    b: { type: 'string' },
    seconds: { type: 'integer', default: 5 },
    camera: { type: 'object', properties: { zoom: { type: 'integer' } } },
  };
  const ruled = (rule: object, example: object) => ({
    ...withSchema(properties),
    rules: [rule],
    examples: [example],
  });
  const counted: readonly (readonly [given: string, good: object, bad: object])[] = [
    ['exactly_one', { a: '1' }, { b: '2' }],
    ['at_most_one', { a: '1' }, { b: '2' }],
    ['at_least_one', { a: '1' }, { a: null }],
    ['all_or_none', { a: '1', b: '2' }, { b: null }],
  ];
  for (const [given, good, bad] of counted) {
    test(`apply to ${given} of their fields`, () => {
      const model = modelOf(
        ruled({ says: 'that is the rule', fields: ['a', 'b'], given, broken_by: bad }, good),
      );
      const broken = Object.fromEntries(
        Object.entries({ ...good, ...bad }).filter(([, value]) => value !== null),
      );
      assert.deepEqual(
        [sentenceIn(model, good), sentenceIn(model, broken)],
        ['accepted', 'a: that is the rule'],
      );
    });
  }

  test('apply to what follows from values and from what is present', () => {
    const rule = {
      says: 'ten seconds need a and no zoom',
      when: { seconds: [10] },
      requires: { a: 'given', 'camera.zoom': 'absent' },
      broken_by: { seconds: 10 },
    };
    const model = modelOf(ruled(rule, {}));
    assert.equal(sentenceIn(model, { seconds: 10, a: 'x' }), 'accepted');
    assert.equal(sentenceIn(model, { seconds: 9, camera: { zoom: 1 } }), 'accepted');
    const sentence = 'seconds: ten seconds need a and no zoom';
    assert.equal(sentenceIn(model, { seconds: 10, a: 'x', camera: { zoom: 1 } }), sentence);
  });

  test('are tried at the start', () => {
    const rule = { says: 'one of both', fields: ['a', 'b'], given: 'at_least_one' };
    assert.deepEqual(faultsOf(ruled({ ...rule, broken_by: { b: '1' } }, { a: '1' })), [
      'rules.0.broken_by: applied to the first example, it breaks no rule',
    ]);
    assert.deepEqual(faultsOf(ruled({ ...rule, broken_by: { a: 5 } }, { a: '1' })), [
      'rules.0.broken_by: applied to the first example, it breaks something else: a: must be a string',
    ]);
    assert.deepEqual(faultsOf(ruled({ ...rule, fields: ['a', 'camera.pan'], broken_by: {} }, { a: '1' })), [
      'rules.0: there is no field camera.pan',
    ]);
  });
});

describe('a description of a model that is wrong', () => {
  const refused: readonly (readonly [what: string, written: unknown, faults: readonly string[]])[] = [
    [
      'in many places',
      withSchema(
        {
          'a b': { type: 'string' },
          constructor: { type: 'string' },
          kind: { type: 'strin' },
          size: { type: 'string', anyOf: [], format: 'uri' },
          list: { type: 'array', items: { type: 'boolean' } },
        },
        { $ref: '#' },
      ),
      [
        'schema.properties.a b: must be a letter, then letters, digits or _, 64 at most',
        'schema.properties.constructor: is not an allowed name',
        'schema.properties.kind.type: must be string, integer, number, boolean, array or object',
        'schema.properties.size.anyOf: unsupported keyword',
        'schema.properties.size.format: unsupported keyword',
        'schema.properties.list.maxItems: is required',
        'schema.$ref: unsupported keyword',
      ],
    ],
    [
      'against itself',
      withSchema(
        {
          a: { type: 'string', default: 'x' },
          b: { type: 'string', minLength: 3, maxLength: 2 },
          c: { type: 'integer', minimum: 3, maximum: 2 },
          d: { type: 'string', media: 'image', enum: ['a'] },
        },
        { required: ['a', 'z'] },
      ),
      [
        'schema.required: there is no property z',
        'schema.properties.a: has a default, so that it cannot be required',
        'schema.properties.b.minLength: is above maxLength',
        'schema.properties.c.minimum: leaves no number below the maximum',
        'schema.properties.d.enum: has no meaning beside media',
      ],
    ],
    [
      'in names and defaults',
      withSchema({
        callback_url: { type: 'string' },
        WebhookUrl: { type: 'string' },
        n: { type: 'integer', default: 1.5 },
      }),
      [
        'schema.properties.callback_url: is a reserved name',
        'schema.properties.WebhookUrl: is a reserved name',
        'schema.properties.n.default: must be an integer',
      ],
    ],
    [
      'in its examples',
      { ...withSchema({ n: { type: 'integer' } }), examples: [{}, { n: 'x', wwww: 1 }] },
      ['examples.1: n: must be an integer; wwww: unknown field'],
    ],
    [
      'and too large',
      withSchema({ n: { type: 'string', enum: ['x'.repeat(65_536)] } }),
      ['schema: must be at most 64 KiB'],
    ],
    ['and too deep', withSchema({ n: nested(30) }), ['schema: must not be deeper than 24 levels']],
    [
      'and no schema at all',
      { ...head, schema: { type: 'array' }, examples: [{}] },
      ['schema.type: must be object', 'schema.properties: is required'],
    ],
  ];
  for (const [what, written, faults] of refused) {
    test(`${what} is refused with every fault`, () => assert.deepEqual(faultsOf(written), faults));
  }
});

function nested(levels: number): object {
  return levels === 0 ? { type: 'string' } : { type: 'object', properties: { n: nested(levels - 1) } };
}

describe('a pattern', () => {
  const lasting = 'is too expensive to match: use fewer repetitions, or a smaller maxLength or maxItems';
  const notTaken = (what: string) =>
    `uses unsupported syntax (${what}): no lookarounds, back-references or modifiers, and at most 1000 repetitions`;
  const patterns: readonly (readonly [
    pattern: string,
    maxLength: number | undefined,
    fault: string | null,
  ])[] = [
    ['^[A-Za-z0-9_-]{1,64}$', 64, null],
    ['^(#[0-9a-f]{6}|[a-z]+)$', 7, null],
    ['^\\p{Script=Greek}+$', 20, null],
    ['^(a+)+$', 20_000, null],
    ['^.*.*.*.*$', 20_000, null],
    ['[ab]{9999}c', 20_000, notTaken('invalid repeat count')],
    ['^(?=a)$', 20, notTaken('invalid or unsupported Perl syntax')],
    ['^(.)\\1$', 20, notTaken('invalid escape sequence')],
    ['^(?i:a)$', 20, notTaken('(?i:')],
    ['a[]', 20, notTaken('an empty character class')],
    ['[ab]{900}c', 20_000, lasting],
    ['^[a-z$', 20, 'is no regular expression'],
    ['^a$', undefined, 'needs a maxLength beside it'],
  ];
  for (const [pattern, maxLength, fault] of patterns) {
    test(`${pattern} is ${fault === null ? 'taken' : 'refused'}`, () => {
      const property = { type: 'string', pattern, ...(maxLength !== undefined && { maxLength }) };
      const faults = fault === null ? [] : [`schema.properties.field.pattern: ${fault}`];
      assert.deepEqual(faultsOf(withSchema({ field: property })), faults);
    });
  }

  test('of the items of a list costs as many steps as it may have items', () => {
    const items = { type: 'string', maxLength: 500, pattern: '^[a-z]{1,100}$' };
    const list = (maxItems: number) => withSchema({ field: { type: 'array', items, maxItems } });
    assert.deepEqual(faultsOf(list(5)), []);
    assert.deepEqual(faultsOf(list(100)), [`schema.properties.field.items.pattern: ${lasting}`]);
  });

  // A backtracking engine tries the first in 2^20000 ways, and the second in a million.
  for (const [pattern, maxLength] of [
    ['^(a+)+$', 20_000],
    ['[ab]{900}c', 1_000],
  ] as const) {
    test(`${pattern} that is accepted is matched in bounded time for any text`, () => {
      const model = modelOf(withSchema({ field: { type: 'string', maxLength, pattern } }));
      for (let text = 0; text < 20; text++) {
        const field = `${'a'.repeat(maxLength - 1)}!`;
        assert.equal(sentenceIn(model, { field }), `field: must match ${pattern}`);
      }
    });
  }
});

describe('what engines hear of an operator’s model', () => {
  test('are the fields that have a parameter, and media in their order', () => {
    const picture = { type: 'string', media: 'image' };
    const properties = {
      prompt: { type: 'string' },
      negative_prompt: { type: 'string' },
      width: { type: 'integer' },
      duration: { type: 'integer' },
      seed: { type: 'integer' },
      start: picture,
      end: picture,
      mood: { type: 'string' },
    };
    const model = modelOf(withSchema(properties));
    assert.deepEqual(model.unmappedFields, ['mood']);
    const start = 'https://a.test/1.png';
    const end = 'https://a.test/2.png';
    assert.deepEqual(
      model.render({
        prompt: 'a',
        negative_prompt: 'b',
        width: 641,
        duration: 3,
        seed: 7,
        start,
        end,
        mood: 'c',
      }),
      {
        kind: 'video',
        width: 642,
        height: 720,
        negativePrompt: 'b',
        seed: 7,
        watermark: 'none',
        fps: 24,
        shots: [{ seconds: 3, prompt: 'a' }],
        sound: false,
        firstFrame: { media: start },
        references: [{ kind: 'image', media: end }],
      },
    );
  });

  test('and the engine of this machine refuses what is too large for it', () => {
    const number = { type: 'integer' };
    const picture = modelOf({ ...withSchema({ width: number, n: number }), kind: 'image' });
    assert.deepEqual(picture.renderFaults({ width: 4096, n: 11 }), [
      { path: 'width', reason: 'must be between 64 and 2048 here' },
      { path: 'n', reason: 'must be between 1 and 10 here' },
    ]);
    const speech = modelOf({ ...withSchema({ text: { type: 'string' } }), kind: 'speech' });
    assert.deepEqual(speech.renderFaults({ text: ' ' }), [{ path: 'text', reason: 'is required here' }]);
    assert.deepEqual(speech.renderFaults({ text: 'a' }), []);
  });
});
