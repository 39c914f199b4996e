/** Which empty members of a body count as omitted. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { describe as describeModel } from '../../src/catalog/describe.ts';
import { formatFaults } from '../../src/catalog/faults.ts';
import { models } from '../../src/catalog/index.ts';
import type { Model } from '../../src/catalog/model.ts';
import { omittedStripper } from '../../src/catalog/strip-omitted.ts';
import { accepted, modelOf, withChange } from './tables.ts';

const sentenceFor = (model: Model, body: unknown): string => {
  const parsed = model.parse(body);
  return parsed.ok ? 'accepted' : formatFaults(parsed.faults);
};

describe('what counts as omitted', () => {
  for (const model of models) {
    const [example] = model.examples;
    const optional = Object.entries(model.schema.shape).filter(([, field]) => field._zod.optin !== undefined);
    const absent = optional.filter(([name]) => !(name in (example as object)));

    for (const [what, value] of [
      ['null', null],
      ['""', ''],
      ['[]', []],
    ] as const) {
      test(`${model.id} reads ${what} in every optional field as nothing`, () => {
        const change = Object.fromEntries(absent.map(([name]) => [name, value]));
        assert.deepEqual(accepted(model, withChange(example, change)), accepted(model, example));
      });

      test(`${model.id} refuses ${what} in a required field with its own sentence`, () => {
        for (const [name, field] of Object.entries(model.schema.shape)) {
          if (field._zod.optin !== undefined) continue;
          const parsed = model.parse(withChange(example, { [name]: value }));
          assert.ok(!parsed.ok && parsed.faults.some(({ path }) => path === name), name);
          assert.doesNotMatch(formatFaults(parsed.faults), /unknown field|is required/);
        }
      });
    }

    test(`${model.id} refuses an unknown name whatever its value`, () => {
      for (const value of [null, '', []])
        assert.equal(
          sentenceFor(model, withChange(example, { qqqqqqqqqqqq: value })),
          'qqqqqqqqqqqq: unknown field',
        );
    });
  }

  test('members of objects in lists and of groups in groups are left out, too', () => {
    const model = modelOf('gamma-v3-omni-video');
    const body = {
      prompt: 'a street',
      video_list: [{ video_url: 'https://files.test/a.mp4', refer_type: null, keep_original_sound: '' }],
      image_list: [{ image_url: 'https://files.test/a.png', type: '' }],
      aspect_ratio: '16:9',
      watermark_info: { enabled: null },
    };
    const { video_list, image_list, watermark_info } = accepted(model, body);
    assert.deepEqual(
      [video_list, image_list, watermark_info],
      [
        [{ video_url: 'https://files.test/a.mp4', refer_type: 'base', keep_original_sound: 'yes' }],
        [{ image_url: 'https://files.test/a.png' }],
        { enabled: false },
      ],
    );
  });

  test('items of a list stay, so that they are refused', () => {
    const model = modelOf('epsilon-q2-turbo-img2video');
    assert.equal(
      sentenceFor(model, { images: [''] }),
      'images.0: must be an http or https URL or a data URL in base64 or a file id',
    );
  });

  test('in a union the selected member determines what is optional', () => {
    const strip = omittedStripper(
      z.object({
        items: z.array(
          z.discriminatedUnion('type', [
            z.object({ type: z.literal('a'), note: z.string().optional() }),
            z.object({ type: z.literal('b'), note: z.string() }),
          ]),
        ),
      }),
    );
    assert.deepEqual(strip({ items: [{ type: 'a', note: '' }, { type: 'b', note: '' }, { note: '' }, 7] }), {
      items: [{ type: 'a' }, { type: 'b', note: '' }, { note: '' }, 7],
    });
  });

  test('one struct for all items of alpha may name the members of the others, while they are empty', () => {
    const model = modelOf('alpha-2-0-mini');
    const url = 'https://files.test/a.png';
    const text = { type: 'text', text: 'A boat', image_url: null, video_url: null, audio_url: [], role: '' };
    const image = { type: 'image_url', image_url: { url }, text: '', video_url: null, role: null };
    const parsed = model.parse({ content: [text, image] });
    assert.ok(parsed.ok, JSON.stringify(parsed));
    assert.equal(
      sentenceFor(model, { content: [{ ...text, image_url: { url } }] }),
      'content.0.image_url: unknown field',
    );
    assert.equal(
      sentenceFor(model, { content: [{ type: 'text', text: 'A boat', image: null }] }),
      'content.0.image: unknown field',
    );
  });

  test('a body that leaves nothing out is passed on as it is', () => {
    const strip = omittedStripper(z.object({ a: z.object({ b: z.string().optional() }) }));
    const body = { a: { b: 'x' } };
    assert.equal(strip(body), body);
  });

  test('the bodies that clients give back say so of the address and the task id, too', () => {
    const model = modelOf('gamma-v3-turbo-t2v');
    const input = accepted(model, { prompt: 'a', options: { callback_url: '', external_task_id: null } });
    assert.deepEqual([model.callbackUrl(input), model.externalTaskId(input)], [null, null]);
  });
});

describe('the published schema', () => {
  for (const model of models)
    test(`of ${model.id} states that exactly the optional fields may be null`, () => {
      const walk = (schema: unknown, path: string): void => {
        if (typeof schema !== 'object' || schema === null) return;
        const { properties = {}, required = [], items, oneOf, anyOf } = schema as Published;
        for (const [name, member] of Object.entries(properties)) {
          assert.equal(isNullable(member), !required.includes(name), `${path}${name}`);
          walk(member, `${path}${name}.`);
        }
        for (const inner of [items, ...(oneOf ?? []), ...(anyOf ?? [])]) walk(inner, path);
      };
      walk(describeModel(model).input_schema, '');
    });
});

interface Published {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Published>>;
  readonly required?: readonly string[];
  readonly items?: Published;
  readonly oneOf?: readonly Published[];
  readonly anyOf?: readonly Published[];
}

/** Also for an enum: null must be one of its values. */
const isNullable = ({ type, enum: values, anyOf }: Published): boolean =>
  anyOf
    ? anyOf.some(option => option.type === 'null')
    : (Array.isArray(type) || values !== undefined) &&
      (type === undefined || type.includes('null')) &&
      (values === undefined || values.includes(null));
