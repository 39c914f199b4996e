/** The recipe for programs of fal runs as it is written, with the address and the key of a gateway. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { createFalClient } from '@fal-ai/client';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.close());

test('the JavaScript of docs/recipes/from-fal.md prints the address of a file', async () => {
  const page = await readFile(new URL('../../docs/recipes/from-fal.md', import.meta.url), 'utf8');
  const blocks = [...page.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code = '']) => code);
  const [, configured = '', call = ''] = blocks;
  const code = (configured + call)
    .replace('https://atelier.example', gateway.url)
    .replace('process.env.ATELIER_KEY', JSON.stringify(await gateway.key()));
  let fal = createFalClient();
  const stand = {
    config: (options: Parameters<typeof createFalClient>[0]) => {
      fal = createFalClient(options);
    },
    subscribe: (...call: Parameters<typeof fal.subscribe>) => fal.subscribe(...call),
  };
  const printed: string[] = [];
  const run = new Function('fal', 'console', `return (async () => {${code}})()`);
  await run(stand, { log: (text: string) => printed.push(text) });
  assert.equal(printed.length, 1);
  assert.equal((await fetch(printed[0]!)).headers.get('content-type'), 'audio/wav');
});
