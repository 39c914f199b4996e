/** Fields of an input, given as arguments: names, types and nested members. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describe as describeModel } from '../../src/catalog/describe.ts';
import { findModel } from '../../src/catalog/index.ts';
import { parseField, setField } from '../../src/cli/client/input-fields.ts';
import { CommandError } from '../../src/cli/command-error.ts';

/** What the fields of a command line make of an empty input. */
function inputOf(model: string, ...fields: readonly string[]): unknown {
  const schema = describeModel(findModel(model)!).input_schema;
  return fields
    .map(parseField)
    .reduce((input, field) => setField(input, schema, field), {} as Readonly<Record<string, unknown>>);
}

describe('fields of a command line', () => {
  const table: readonly (readonly [string, readonly string[], unknown])[] = [
    ['gamma-v3-image', ['prompt=7', 'n=2'], { prompt: '7', n: 2 }],
    ['gamma-v3-image', ['prompt=a=b=c'], { prompt: 'a=b=c' }],
    ['gamma-v3-image', ['prompt=true', 'n=many'], { prompt: 'true', n: 'many' }],
    [
      'alpha-1-5-pro',
      ['draft=true', 'duration=-1', 'seed=4294967295'],
      { draft: true, duration: -1, seed: 4294967295 },
    ],
    ['gamma-v3-omni-video', ['duration=5', 'sound=on'], { duration: 5, sound: 'on' }],
    ['gamma-v3-omni-video', ['duration:="5"'], { duration: '5' }],
    ['delta-speech-02-hd', ['language_boost=null'], { language_boost: null }],
    ['delta-speech-02-hd', ['language_boost=Chinese,Yue'], { language_boost: 'Chinese,Yue' }],
    ['delta-speech-02-hd', ['audio_setting.sample_rate=16000'], { audio_setting: { sample_rate: 16000 } }],
    [
      'delta-speech-02-hd',
      ['pronunciation_dict.tone=a/b', 'pronunciation_dict.tone=c/d'],
      { pronunciation_dict: { tone: ['a/b', 'c/d'] } },
    ],
    [
      'alpha-1-5-pro',
      ['content.0.type=text', 'content.0.text=42', 'content:=[]', 'content.0.text=x'],
      { content: [{ text: 'x' }] },
    ],
    [
      'gamma-v3-image',
      ['element_list=[{"element_id":9007199254740993}]'],
      { element_list: [{ element_id: 9_007_199_254_740_993n }] },
    ],
    ['gamma-v3-image', ['nobody.knows=7'], { nobody: { knows: '7' } }],
  ];
  for (const [model, fields, input] of table)
    test(`${fields.join(' ')} of ${model}`, () => assert.deepEqual(inputOf(model, ...fields), input));

  for (const [field, words] of [
    ['prompt', /^prompt is not a field: write NAME=VALUE/],
    ['=7', /^=7 is not a field/],
    ['n:=two', /^n: two is not JSON$/],
    ['content.1.text=x', /^content\.1\.text: item 0 of the list comes first$/],
  ] as const)
    test(`${field} is refused in a sentence`, () => {
      assert.throws(
        () => inputOf('alpha-1-5-pro', field),
        failure => failure instanceof CommandError && words.test(failure.message),
      );
    });
});
