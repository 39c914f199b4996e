/** Parameters and weights in a prompt of the beta models, and the variants that they bill. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { PromptParameters } from '../../engine/src/render-plan.ts';
import { readPrompt } from '../../src/catalog/prompt-parameters.ts';

/** The reason why a prompt is refused. */
function reasonOf(prompt: string): string {
  const read = readPrompt(prompt, { needsWords: true });
  return read.kind === 'broken' ? read.reason : 'read';
}

function readOf(prompt: string) {
  const read = readPrompt(prompt);
  assert.ok(read.kind === 'read', read.kind === 'broken' ? read.reason : '');
  return read;
}

const readings: readonly (readonly [written: string, parameters: PromptParameters])[] = [
  ['', {}],
  ['--ar 16:9', { aspectRatio: { across: 16, down: 9 } }],
  ['--aspect 3:1', { aspectRatio: { across: 3, down: 1 } }],
  ['--v 8.1', { version: '8.1' }],
  ['--version 7', { version: '7' }],
  ['--iw 1.5', { imageWeight: 1.5 }],
  ['--draft', { draft: true }],
  ['--no text', { no: ['text'] }],
  ['--no text, old  people,', { no: ['text', 'old people'] }],
  ['--quality .5', { quality: 0.5 }],
  ['--q 2', { quality: 2 }],
  ['--repeat 40', { repeat: 40 }],
  ['--r 1', { repeat: 1 }],
  ['--seed 0', { seed: 0 }],
  ['--seed 4294967295', { seed: 4_294_967_295 }],
  ['--stop 10', { stop: 10 }],
  ['--stop 100', { stop: 100 }],
  ['--relax', { speed: 'relax' }],
  ['--fast', { speed: 'fast' }],
  ['--turbo', { speed: 'turbo' }],
  ['--stylize 0', { stylize: 0 }],
  ['--s 1000', { stylize: 1000 }],
  ['--chaos 100', { chaos: 100 }],
  ['--c 0', { chaos: 0 }],
  ['--weird 3000', { weird: 3000 }],
  ['--w 1', { weird: 1 }],
  ['--style raw', { style: 'raw' }],
  ['--style scenic', { style: 'scenic' }],
  ['--exp 100', { exp: 100 }],
  ['--tile', { tile: true }],
  ['--sref random', { styleReferences: [{ source: 'random', weight: 1 }] }],
  [
    '--sref https://files.test/a.png::2 1234567::.5 random',
    {
      styleReferences: [
        { source: 'https://files.test/a.png', weight: 2 },
        { source: '1234567', weight: 0.5 },
        { source: 'random', weight: 1 },
      ],
    },
  ],
  ['--sw 1000', { styleWeight: 1000 }],
  ['--sv 6', { styleVersion: 6 }],
  ['--cref https://files.test/a.png', { characterReferences: ['https://files.test/a.png'] }],
  ['--cw 0', { characterWeight: 0 }],
  ['--oref https://files.test/a.png', { omniReference: 'https://files.test/a.png' }],
  ['--ow 1000', { omniWeight: 1000 }],
  ['\n--tile\t--seed   7 ', { tile: true, seed: 7 }],
  [
    '--ar 2:3 --no a --s 5 --turbo',
    { aspectRatio: { across: 2, down: 3 }, no: ['a'], stylize: 5, speed: 'turbo' },
  ],
  // Names are not case-sensitive; what the contract does not limit, or not know, is accepted.
  ['--SEED 7 --Tile', { seed: 7, tile: true }],
  ['--FAST', { speed: 'fast' }],
  ['--Style RAW', { style: 'raw' }],
  ['--stylize 5000', { stylize: 5000 }],
  ['--weird 90000', { weird: 90_000 }],
  ['--iw 3.1', { imageWeight: 3.1 }],
  ['--q 9', { quality: 9 }],
  ['--sv 100', { styleVersion: 100 }],
  ['--v new', { version: 'new' }],
  ['--ar wide --iw --q 1e0 --sv x --stylize', {}],
  ['--niji 6 --foo --ar=16:9 --profile abc', {}],
];

for (const [written, parameters] of readings) {
  test(`"${written}" is read`, () => {
    const segments = [{ text: 'a red kite', weight: 1 }];
    const [variant, ...others] = readOf(`a red kite ${written}`).variants;
    assert.deepEqual([variant?.segments, variant?.parameters, others], [segments, parameters, []]);
  });
}

const weighings: readonly (readonly [prompt: string, ...segments: (readonly [string, number])[]])[] = [
  ['hot dog', ['hot dog', 1]],
  ['hot:: dog', ['hot', 1], ['dog', 1]],
  ['hot::dog', ['hot', 1], ['dog', 1]],
  ['hot::2 dog', ['hot', 2], ['dog', 1]],
  ['hot::1.5 dog::-0.5', ['hot', 1.5], ['dog', -0.5]],
  ['hot::2 dog::-.5 --tile', ['hot', 2], ['dog', -0.5]],
  ['hot::0 dog', ['hot', 0], ['dog', 1]],
  ['a dog -- and a cat', ['a dog -- and a cat', 1]],
  ['a dog--a cat', ['a dog--a cat', 1]],
  ['the time is 10:30', ['the time is 10:30', 1]],
  ['100 % --5 of it', ['100 % --5 of it', 1]],
];

for (const [prompt, ...segments] of weighings) {
  test(`"${prompt}" has its weights`, () => {
    assert.deepEqual(
      readOf(prompt).variants[0]?.segments,
      segments.map(([text, weight]) => ({ text, weight })),
    );
  });
}

const expansions: readonly (readonly [prompt: string, ...texts: string[]])[] = [
  ['a {red, green} bird', 'a red bird', 'a  green bird'],
  ['{a,b}{c,d}', 'ac', 'ad', 'bc', 'bd'],
  ['a {red,{dark,light} green} bird', 'a red bird', 'a dark green bird', 'a light green bird'],
  ['a {red\\, pastel,yellow} bird', 'a red, pastel bird', 'a yellow bird'],
  ['a \\{plain\\} bird', 'a {plain} bird'],
  ['a {red} bird', 'a red bird'],
  ['a bird{, flying}', 'a bird', 'a bird flying'],
  ['red, green', 'red, green'],
  ['a \\ b \\\\ c', 'a \\ b \\ c'],
  ['{{{{{{{{{{deep}}}}}}}}}}', 'deep'],
];

for (const [prompt, ...texts] of expansions) {
  test(`"${prompt}" stands for ${texts.length} prompts`, () => {
    assert.deepEqual(
      readOf(prompt).variants.map(({ segments }) => segments.map(({ text }) => text).join('::')),
      texts,
    );
  });
}

const bills: readonly (readonly [prompt: string, billedJobs: number])[] = [
  ['a bird', 1],
  ['a bird --repeat 3', 3],
  ['a {red,green} bird', 2],
  ['a {red,green} bird --r 20', 40],
  ['a {red,green,blue} {bird,fish} --r 2', 12],
  ['a bird {--r 2,--r 3}', 5],
  ['a bird --ar {1:1,2:3,3:2}', 3],
];

for (const [prompt, billedJobs] of bills) {
  test(`"${prompt}" is billed as ${billedJobs}`, () => {
    assert.equal(readOf(prompt).billedJobs, billedJobs);
  });
}

test('variants of parameters keep each their own', () => {
  assert.deepEqual(
    readOf('a bird --ar {1:1,2:3}').variants.map(({ parameters }) => parameters.aspectRatio),
    [
      { across: 1, down: 1 },
      { across: 2, down: 3 },
    ],
  );
});

test('a prompt of parameters alone is read where no text is required', () => {
  const [variant] = readOf('--no people --seed 7').variants;
  assert.deepEqual(variant, {
    text: '--no people --seed 7',
    names: ['--no', '--seed'],
    segments: [],
    parameters: { no: ['people'], seed: 7 },
  });
});

test('a variant is written with its parameters, except --repeat', () => {
  assert.deepEqual(
    readOf(' a {red,blue} kite::2  birds --Repeat 2 --tile --niji 6 --no a, b').variants.map(
      ({ text, names }) => [text, names.join(' ')],
    ),
    [
      ['a red kite::2  birds --tile --niji 6 --no a, b', '--repeat --tile --niji --no'],
      ['a blue kite::2  birds --tile --niji 6 --no a, b', '--repeat --tile --niji --no'],
    ],
  );
});

const sref = '--sref must be image URLs, style codes or random, each with ::weight or without';

const refusals: readonly (readonly [prompt: string, reason: string])[] = [
  ['a --seed x', '--seed must be an integer between 0 and 4294967295, found x at character 10'],
  ['🎈🎈 --seed x', '--seed must be an integer between 0 and 4294967295, found x at character 11'],
  ['a --Seed 1 --SEED 1', '--SEED is given beside --Seed at character 12'],
  ['a {red,green} --seed x', '--seed must be an integer between 0 and 4294967295, found x at character 22'],
  ['a --seed 1 --seed 1', '--seed is given twice at character 12'],
  ['a --stylize 1 --s 2', '--s is given beside --stylize at character 15'],
  ['a --fast --relax', '--relax is given beside --fast at character 10'],
  ['a --tile big', '--tile takes no value, found big at character 10'],
  ['a --seed', '--seed must be an integer between 0 and 4294967295, found nothing at character 3'],
  ['a --seed -1', '--seed must be an integer between 0 and 4294967295, found -1 at character 10'],
  [
    'a --seed 4294967296',
    '--seed must be an integer between 0 and 4294967295, found 4294967296 at character 10',
  ],
  ['a --seed 1.5', '--seed must be an integer between 0 and 4294967295, found 1.5 at character 10'],
  ['a --seed 1 2', '--seed takes one value, found also 2 at character 12'],
  ['a --r 0', '--r must be an integer between 1 and 40, found 0 at character 7'],
  ['a --r 41', '--r must be an integer between 1 and 40, found 41 at character 7'],
  ['a --stop 9', '--stop must be an integer between 10 and 100, found 9 at character 10'],
  ['a --stop 101', '--stop must be an integer between 10 and 100, found 101 at character 10'],
  ['a --chaos 101', '--chaos must be an integer between 0 and 100, found 101 at character 11'],
  ['a --exp 101', '--exp must be an integer between 0 and 100, found 101 at character 9'],
  ['a --sw 1001', '--sw must be an integer between 0 and 1000, found 1001 at character 8'],
  ['a --cw 101', '--cw must be an integer between 0 and 100, found 101 at character 8'],
  ['a --ow 0', '--ow must be an integer between 1 and 1000, found 0 at character 8'],
  ['a --no', '--no must be followed by what must not be seen at character 3'],
  ['a --no ,, --tile', '--no must be followed by what must not be seen at character 3'],
  ['a --sref', `${sref}, found nothing at character 3`],
  ['a --sref blue', `${sref}, found blue at character 10`],
  ['a --sref 12::-1', `${sref}, found 12::-1 at character 10`],
  ['a --sref random ftp://a.test', `${sref}, found ftp://a.test at character 17`],
  ['a --cref me', '--cref must be image URLs, found me at character 10'],
  [
    'a --oref https://a.test https://b.test',
    '--oref takes one value, found also https://b.test at character 25',
  ],
  ['--tile', 'must have words before the parameters at character 1'],
  [' ::2 dog', 'must have words before :: at character 2'],
  ['hot:: ::dog', 'must have words before :: at character 7'],
  ['hot::2x dog', 'a weight must be a number between -1000 and 1000, found 2x at character 4'],
  ['hot::1e3 dog', 'a weight must be a number between -1000 and 1000, found 1e3 at character 4'],
  ['hot::1001 dog', 'a weight must be a number between -1000 and 1000, found 1001 at character 4'],
  ['hot dog::-3', 'the weights must add up to more than 0'],
  ['hot::1 dog::-1', 'the weights must add up to more than 0'],
  ['hot::0.1 dog::0.2 cat::-0.3', 'the weights must add up to more than 0'],
  ['a {red,green bird', 'found { without } at character 3'],
  ['a {red,{green} bird', 'found { without } at character 3'],
  ['a red} bird', 'found } without { at character 6'],
  ['a {} bird', 'found empty braces at character 3'],
  ['{{{{{{{{{{{deep}}}}}}}}}}}', 'braces must be at most 10 deep, found another at character 11'],
  [
    'a bird {--seed 1,--seed x}',
    '--seed must be an integer between 0 and 4294967295, found x at character 25',
  ],
  ['{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}', 'must make at most 40 jobs, found 64 variants'],
  ['{a,b}'.repeat(1000), 'must make at most 40 jobs, found more than a million variants'],
  ['a {red,green,blue} bird --r 20', 'must make at most 40 jobs, found 60'],
];

for (const [prompt, reason] of refusals) {
  test(`"${prompt.slice(0, 60)}" is refused: ${reason}`, () => {
    assert.equal(reasonOf(prompt), reason);
  });
}

test('the longest prompt of forty variants is read without copying itself for each brace', () => {
  const words = '{a}'.repeat(2600);
  const read = readOf(`{a,b,c,d}{a,b,c,d,e,f,g,h,i,j} ${words}`);
  assert.equal(read.billedJobs, 40);
  assert.equal(read.variants.at(-1)?.segments[0]?.text, `dj ${'a'.repeat(2600)}`);
});

/** Pieces that prompts are made of, well-formed and not. */
const pieces = fc.constantFrom(
  ...[
    'a',
    ' ',
    '🎈',
    '::',
    '::2',
    '::-1',
    ':',
    '{',
    '}',
    ',',
    '\\',
    '--',
    '\ud800',
    '\n',
    'random',
    '0',
    '1e9',
  ],
  ...readings.map(([written]) => ` ${written} `),
);

test('whatever is written is read or refused, never thrown', () => {
  const prompts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.array(pieces, { maxLength: 60 }).map(parts => parts.join('')),
  );
  fc.assert(
    fc.property(prompts, prompt => {
      const read = readPrompt(prompt, { needsWords: true });
      if (read.kind === 'broken') return assert.match(read.reason, /\S/);
      assert.ok(
        read.variants.length >= 1 && read.billedJobs >= read.variants.length && read.billedJobs <= 40,
      );
      for (const { segments } of read.variants) {
        assert.ok(segments.length >= 1 && segments.every(({ text }) => text === text.trim() && text !== ''));
        assert.ok(segments.reduce((sum, { weight }) => sum + weight, 0) > 0);
      }
    }),
    { numRuns: 1000 },
  );
});

test('a position is the place of the fault in code points', () => {
  const words = fc.string({ unit: fc.constantFrom('a', ' ', '🎈', '海'), maxLength: 50 });
  fc.assert(
    fc.property(words, before => {
      const prompt = `x${before} --cw x`;
      const at = Array.from(prompt).length;
      assert.equal(reasonOf(prompt), `--cw must be an integer between 0 and 100, found x at character ${at}`);
    }),
  );
});
