/** The recipes for programs of fal and Replicate run as they are written, with the address and the key of a gateway. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { createReplicate } from '@ai-sdk/replicate';
import { createFalClient } from '@fal-ai/client';
import { generateImage } from 'ai';
import Replicate from 'replicate';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.close());

/** Runs two blocks of a recipe, the second and the third unless said otherwise, and gives what they print. */
async function printedBy(
  recipe: string,
  names: Readonly<Record<string, unknown>>,
  first = 1,
): Promise<string> {
  const page = await readFile(new URL(`../../docs/recipes/${recipe}`, import.meta.url), 'utf8');
  const blocks = [...page.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code = '']) => code);
  const code = blocks
    .slice(first, first + 2)
    .join('')
    .replace('https://atelier.example', gateway.url)
    .replace('process.env.ATELIER_KEY', JSON.stringify(await gateway.key()));
  const printed: string[] = [];
  const console = { log: (text: string) => printed.push(text) };
  const all = { ...names, console };
  await new Function(...Object.keys(all), `return (async () => {${code}})()`)(...Object.values(all));
  assert.equal(printed.length, 1);
  return printed[0]!;
}

const typeAt = async (url: string) => (await fetch(url)).headers.get('content-type');

test('docs/recipes/from-fal.md', async () => {
  let client = createFalClient();
  // The package's own `fal` is one for the whole process.
  const fal = {
    config: (options: Parameters<typeof createFalClient>[0]) => {
      client = createFalClient(options);
    },
    subscribe: (endpoint: string, options: object) => client.subscribe(endpoint, options as never),
  };
  assert.equal(await typeAt(await printedBy('from-fal.md', { fal })), 'audio/wav');
});

test('docs/recipes/from-replicate.md', async () => {
  assert.equal(await typeAt(await printedBy('from-replicate.md', { Replicate })), 'audio/mpeg');
});

test('docs/recipes/from-replicate.md: the AI SDK', async () => {
  assert.equal(await printedBy('from-replicate.md', { createReplicate, generateImage }, 4), 'image/png');
});
