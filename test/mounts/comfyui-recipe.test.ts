/** The recipe for ComfyUI: a workflow that becomes a model, and the calls that ComfyUI's own nodes make to the gateway. */
import assert from 'node:assert/strict';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';
import { seconds } from '../../src/domain/clock.ts';
import { startGateway, type TestGateway, untilAdvanced } from '../../testkit/gateway/gateway.ts';
import { runProgram } from '../../testkit/gateway/program.ts';
import { picture } from '../../testkit/media/media-maker.ts';
import { comfyui } from '../../testkit/upstreams/comfyui.ts';
import { type Fake, startFake } from '../../testkit/upstreams/fake.ts';
import { schemasFolder } from '../../testkit/upstreams/published.ts';

const pathOf = (base: URL, name: string) => fileURLToPath(new URL(name, base));
const workflows = new URL('../../testkit/workflows/', import.meta.url);

let folder: string;
let fake: Fake;
let gateway: TestGateway;
let key: string;
let page: string;

/** The blocks of the page in one language, in its order. */
const blocksOf = (language: string): readonly string[] =>
  [...page.matchAll(new RegExp(`^ *\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\``, 'gm'))].map(
    ([, code = '']) => code,
  );

before(async () => {
  page = await readFile(new URL('../../docs/recipes/comfyui.md', import.meta.url), 'utf8');
  folder = await mkdtemp(join(tmpdir(), 'atelier-comfyui-recipe-'));
  fake = await startFake(comfyui(false), folder, 'the-key');
  const config = join(folder, 'atelier.yaml');
  const env = { ATELIER_CONFIG: config, ATELIER_DATA_DIR: join(folder, 'data'), GPU1_KEY: 'the-key' };
  const [accounts = '', mounts = ''] = blocksOf('yaml');
  await writeFile(
    config,
    accounts.replace('http://10.0.0.11:8188', fake.url).replace('# api_key', 'api_key'),
  );
  await copyFile(pathOf(schemasFolder, 'comfyui-flux-2-klein.json'), join(folder, 'klein.json'));
  const [commands = ''] = blocksOf('sh');
  const [, imported = ''] = /npx atelier (models import comfyui) klein\.json/.exec(commands) ?? [];
  const { code, stderr } = await runProgram([...imported.split(' '), join(folder, 'klein.json')], { env });
  assert.equal(code, 0, stderr);
  // The second model of this machine: the video that the node of ComfyUI asks for.
  const settings = parse(await readFile(config, 'utf8'));
  settings.routes['eta2.6-t2v'] = [
    { account: 'gpu1', workflow: pathOf(workflows, 'wan-t2v.yaml'), ignores: ['sound'] },
  ];
  await writeFile(config, stringify({ ...settings, ...parse(mounts) }));
  gateway = await startGateway({ env: { ATELIER_CONFIG: config, GPU1_KEY: 'the-key' } });
  key = await gateway.key();
});
after(async () => {
  await gateway?.close();
  await fake?.close();
  await rm(folder, { recursive: true, force: true });
});

/** What nginx of the recipe does with a request of a node. */
async function throughProxy(method: string, path: string, body?: FormData | object) {
  const [config = ''] = blocksOf('nginx');
  const locations = [...config.matchAll(/location (\S+) \{ proxy_pass https:\/\/atelier\.example(\S+); \}/g)];
  const [, from = '', to = ''] =
    locations.find(([, location = '']) => path.startsWith(location)) ??
    assert.fail(`no location of the recipe takes ${path}`);
  assert.match(config, /proxy_set_header Authorization "Bearer atl_\.\.\.";/);
  return gateway.ask(method, to + path.slice(from.length), { key, ...(body && { body }) });
}

test('a workflow that is imported is a model', async () => {
  const curl = blocksOf('sh')[1] ?? '';
  const [, path = ''] = /https:\/\/atelier\.example(\S+)/.exec(curl) ?? [];
  const [, body = ''] = /-d '([^']*)'/.exec(curl) ?? [];
  const made = await gateway.ask('POST', path, { key, body: JSON.parse(body) });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  const address = new URL(made.body.response_url).pathname;
  const result = await untilAdvanced(
    gateway.clock,
    1 * seconds,
    async () => {
      const answer = await gateway.ask('GET', address, { key });
      return answer.status === 200 && answer.body;
    },
    'the picture',
  );
  assert.equal(result.error, null);
  const { json } = fake.received().at(-1)!;
  const { prompt } = json as { prompt: Record<string, { inputs: Record<string, unknown> }> };
  assert.deepEqual(
    [prompt['4']?.inputs.text, prompt['8']?.inputs.width, prompt['8']?.inputs.height],
    ['A red fox in the snow', 1024, 768],
  );
});

test('the node for Sora: a form, the status until its end, and the content', async () => {
  const [, graph = ''] = /-d '(\{"prompt":[^']*)'/.exec(blocksOf('sh')[2] ?? '') ?? [];
  const { model, prompt, size, duration } = JSON.parse(graph).prompt['1'].inputs;
  const form = new FormData();
  for (const [name, value] of Object.entries({ prompt, model, seconds: String(duration), size }))
    form.append(name, value);
  const made = await throughProxy('POST', '/proxy/openai/v1/videos', form);
  assert.deepEqual([made.status, made.body.error], [200, null]);
  const path = `/proxy/openai/v1/videos/${made.body.id}`;
  await untilAdvanced(
    gateway.clock,
    1 * seconds,
    async () => (await throughProxy('GET', path)).body.status === 'completed',
    'the video to end',
  );
  const content = await throughProxy('GET', `${path}/content`);
  assert.deepEqual([content.status, content.headers.get('content-type')], [200, 'video/mp4']);
  const { json } = fake.received().at(-1)!;
  const sent = (json as { prompt: Record<string, { inputs: Record<string, unknown> }> }).prompt;
  assert.deepEqual(
    [sent['6']?.inputs.text, sent['40']?.inputs.width, sent['40']?.inputs.height],
    ['A boat, in fine detail and natural light', 1280, 720],
  );
});

test('the node for Sora with a picture of a model that takes none is refused, with the reason', async () => {
  const form = new FormData();
  for (const [name, value] of Object.entries({
    ...{ prompt: 'A boat', model: 'sora-2', seconds: '4', size: '1280x720' },
  }))
    form.append(name, value);
  const frame = new Uint8Array(await picture('png', 640, 360));
  form.append('input_reference', new Blob([frame], { type: 'image/png' }), 'image.png');
  const { status, body } = await throughProxy('POST', '/proxy/openai/v1/videos', form);
  assert.deepEqual([status, body.error.param], [422, 'input_reference']);
});

test('the node for DALL·E 2; that for DALL·E 3 has a word without a field', async () => {
  const words = { model: 'dall-e-2', n: 1, prompt: 'A fox', size: '1024x1024' };
  const made = await throughProxy('POST', '/proxy/openai/images/generations', words);
  assert.equal(made.status, 200, JSON.stringify(made.body));
  const image = await fetch(made.body.data[0].url);
  assert.equal(image.headers.get('content-type'), 'image/png');
  await image.arrayBuffer();
  const newer = {
    model: 'dall-e-2',
    prompt: 'A fox',
    quality: 'standard',
    size: '1024x1024',
    style: 'natural',
  };
  const refused = await throughProxy('POST', '/proxy/openai/images/generations', newer);
  assert.deepEqual([refused.status, refused.body.error.param], [422, 'style']);
});
