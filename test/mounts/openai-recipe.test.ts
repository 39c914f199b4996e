/** The recipes for programs of OpenAI run as they are written, with the address and the key of a gateway. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import OpenAI from 'openai';
import { seconds } from '../../src/domain/clock.ts';
import { startGateway, type TestGateway, untilAdvanced } from '../../testkit/gateway/gateway.ts';
import { picture } from '../../testkit/media/media-maker.ts';
import { type Fake, startFake } from '../../testkit/upstreams/fake.ts';
import { openaiCompatible } from '../../testkit/upstreams/openai-compatible.ts';

let folder: string;
let fake: Fake;
let gateway: TestGateway;
let key: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'atelier-recipe-'));
  fake = await startFake(openaiCompatible(false), folder, 'canary');
  const config = join(folder, 'atelier.yaml');
  const account = { provider: 'openai-compatible', base_url: fake.url, api_key: 'env:STUDIO_KEY' };
  const does: Readonly<Record<string, readonly string[]>> = {
    'eta2.6-t2v': [],
    'alpha-2-0-mini': ['first_frame'],
    'gamma-v2-image': ['image_1'],
    'theta-3.1-flash-tts-preview': [],
  };
  const routes = Object.fromEntries(
    Object.entries(does).map(([model, can]) => [
      model,
      [{ account: 'studio', does: can, ignores: ['sound'] }],
    ]),
  );
  await writeFile(config, JSON.stringify({ accounts: { studio: account }, routes }));
  gateway = await startGateway({ env: { ATELIER_CONFIG: config, STUDIO_KEY: 'canary' } });
  key = await gateway.key();
});
after(async () => {
  await gateway?.close();
  await fake.close();
  await rm(folder, { recursive: true, force: true });
});

const read = (name: string) => readFile(new URL(`../../docs/recipes/${name}`, import.meta.url), 'utf8');

test('docs/recipes/openai.md', async () => {
  const page = await read('openai.md');
  const [, client = '', calls = ''] = [...page.matchAll(/```js\n([\s\S]*?)```/g)].map(
    ([, code = '']) => code,
  );
  const code = `${client}${calls}`
    .replace('https://atelier.example', gateway.url)
    .replace('process.env.ATELIER_KEY', JSON.stringify(key));
  const printed: string[][] = [];
  const console = { log: (texts: string[]) => printed.push(texts) };
  await new Function('OpenAI', 'console', `return (async () => {${code}})()`)(OpenAI, console);
  const [[film, image, sound] = []] = printed;
  assert.deepEqual([film, sound], ['video/mp4', 'audio/wav']);
  assert.equal((await fetch(image ?? '')).headers.get('content-type'), 'image/png');
});

test('docs/recipes/open-webui.md: a picture, and an edit of two forms', async () => {
  const [, written = ''] = /```json\n([\s\S]*?)```/.exec(await read('open-webui.md')) ?? [];
  const body = JSON.parse(written);
  const made = await gateway.ask('POST', '/openai/v1/images/generations', { key, body });
  assert.deepEqual([made.status, typeof made.body.data[0].b64_json], [200, 'string']);
  const usual = await gateway.ask('POST', '/openai/v1/images/generations', {
    key,
    body: { ...body, size: '512x512' },
  });
  assert.deepEqual([usual.status, usual.body.error.param], [422, 'size']);
  for (const name of ['image', 'image[]']) {
    const form = new FormData();
    for (const [field, value] of Object.entries(body)) form.append(field, String(value));
    form.append(name, new Blob([new Uint8Array(await picture('png', 640, 360))]), 'image.png');
    const edited = await gateway.ask('POST', '/openai/v1/images/edits', { key, body: form });
    assert.deepEqual([edited.status, edited.body.data?.length], [200, 1]);
  }
});

test('docs/recipes/litellm.md: a video from words, and one from a picture', async () => {
  const words = { model: 'eta2.6-t2v', prompt: 'A boat', seconds: '4', size: '1280x720', user: 'ada' };
  const made = await gateway.ask('POST', '/openai/v1/videos', { key, body: words });
  const form = new FormData();
  for (const [field, value] of Object.entries({ ...words, model: 'alpha-2-0-mini' }))
    form.append(field, value);
  const frame = new Blob([new Uint8Array(await picture('png', 640, 360))], { type: 'image/png' });
  form.append('input_reference', frame, 'input_reference.png');
  const moved = await gateway.ask('POST', '/openai/v1/videos', { key, body: form });
  for (const { status, body } of [made, moved]) {
    assert.equal(status, 200, JSON.stringify(body));
    const path = `/openai/v1/videos/${body.id}`;
    const isCompleted = async () => (await gateway.ask('GET', path, { key })).body.status === 'completed';
    await untilAdvanced(gateway.clock, 1 * seconds, isCompleted, 'the video to end');
    const content = await gateway.ask('GET', `${path}/content?video_id=${body.id}`, { key });
    assert.equal(content.headers.get('content-type'), 'video/mp4');
    assert.equal((await gateway.ask('DELETE', path, { key })).status, 200);
  }
  const remix = await gateway.ask('POST', `/openai/v1/videos/${made.body.id}/remix`, { key, body: words });
  assert.equal(remix.status, 404);
});
