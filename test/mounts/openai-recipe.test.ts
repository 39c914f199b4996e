/** The recipe for programs of OpenAI runs as it is written, with the address and the key of a gateway. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import OpenAI from 'openai';
import { startGateway } from '../../testkit/gateway/gateway.ts';
import { startFake } from '../../testkit/upstreams/fake.ts';
import { openaiCompatible } from '../../testkit/upstreams/openai-compatible.ts';

test('docs/recipes/openai.md', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-recipe-'));
  const fake = await startFake(openaiCompatible(false), folder, 'canary');
  const config = join(folder, 'atelier.yaml');
  const route = [{ account: 'studio', ignores: ['sound'] }];
  const account = { provider: 'openai-compatible', base_url: fake.url, api_key: 'env:STUDIO_KEY' };
  const models = ['eta2.6-t2v', 'gamma-v2-image', 'theta-3.1-flash-tts-preview'];
  const routes = Object.fromEntries(models.map(model => [model, route]));
  await writeFile(config, JSON.stringify({ accounts: { studio: account }, routes }));
  const gateway = await startGateway({ env: { ATELIER_CONFIG: config, STUDIO_KEY: 'canary' } });
  try {
    const page = await readFile(new URL('../../docs/recipes/openai.md', import.meta.url), 'utf8');
    const [, after = '', calls = ''] = [...page.matchAll(/```js\n([\s\S]*?)```/g)].map(
      ([, code = '']) => code,
    );
    const code = `${after}${calls}`
      .replace('https://atelier.example', gateway.url)
      .replace('process.env.ATELIER_KEY', JSON.stringify(await gateway.key()));
    const printed: string[][] = [];
    const console = { log: (texts: string[]) => printed.push(texts) };
    await new Function('OpenAI', 'console', `return (async () => {${code}})()`)(OpenAI, console);
    const [[film, picture, sound] = []] = printed;
    assert.deepEqual([film, sound], ['video/mp4', 'audio/wav']);
    assert.equal((await fetch(picture ?? '')).headers.get('content-type'), 'image/png');
  } finally {
    await gateway.close();
    await fake.close();
    await rm(folder, { recursive: true, force: true });
  }
});
