/** Models of this year, imported from the schemas that their vendors publish, and used by every way into the gateway. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { createClient } from '../../client/src/index.ts';
import { makeProject } from '../../testkit/clients/packed-client.ts';
import { ask, until } from '../../testkit/gateway/gateway.ts';
import { runProgram, type Served, serve } from '../../testkit/gateway/program.ts';
import { picture } from '../../testkit/media/media-maker.ts';
import { comfyui } from '../../testkit/upstreams/comfyui.ts';
import { type Fake, startFake } from '../../testkit/upstreams/fake.ts';
import { fal } from '../../testkit/upstreams/fal.ts';
import { schemasFolder } from '../../testkit/upstreams/published.ts';
import { replicate } from '../../testkit/upstreams/replicate.ts';

const endpoint = 'fal-ai/nano-banana-2/edit';
const workflow = fileURLToPath(new URL('comfyui-flux-2-klein.json', schemasFolder));
const sentGraph = z.object({ prompt: z.record(z.string(), z.object({ inputs: z.unknown() })) });
const adminToken = 'admin-token-of-this-test-0123456789abcdef';

describe('models that are imported', () => {
  let folder: string;
  let file: string;
  let env: Readonly<Record<string, string>>;
  let fakes: { readonly fal: Fake; readonly replicate: Fake; readonly comfyui: Fake };
  let served: Served;
  let key: string;
  let png: Buffer;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-imports-'));
    file = join(folder, 'atelier.yaml');
    const start = async (name: string, protocol: Parameters<typeof startFake>[0]) =>
      startFake(protocol, await mkdtemp(join(folder, `${name}-`)), 'the-key');
    fakes = {
      fal: await start('fal', fal),
      replicate: await start('replicate', replicate),
      comfyui: await start('comfyui', comfyui(false)),
    };
    await writeFile(
      file,
      `# Which upstreams there are.
accounts:
  fal: { provider: fal, base_url: ${fakes.fal.url}, api_key: env:UPSTREAM_KEY }

  # Paid by the second.
  replicate: { provider: replicate, base_url: ${fakes.replicate.url}/v1, api_key: env:UPSTREAM_KEY }
  gpu1: { provider: comfyui, base_url: ${fakes.comfyui.url}, api_key: env:UPSTREAM_KEY }
`,
    );
    env = {
      ATELIER_DATA_DIR: join(folder, 'data'),
      ATELIER_CONFIG: file,
      ATELIER_ALLOW_PRIVATE_NETWORK: '1',
      ATELIER_ADMIN_TOKEN: adminToken,
      UPSTREAM_KEY: 'the-key',
    };
    png = await picture('png', 64, 64);
  });
  after(async () => {
    await served?.end('SIGTERM');
    await Promise.all([fakes.fal.close(), fakes.replicate.close(), fakes.comfyui.close()]);
    await rm(folder, { recursive: true, force: true });
  });

  const importModel = (...args: readonly string[]) => runProgram(['models', 'import', ...args], { env });
  const falSchema = () => `${fakes.fal.url}/api/openapi/queue/openapi.json?endpoint_id=${endpoint}`;

  test('a dry run prints what would be written, and what is not as published', async () => {
    const before = await readFile(file, 'utf8');
    const { code, stdout, stderr } = await importModel('fal', endpoint, '--schema', falSchema(), '--dry-run');
    assert.equal(code, 0, stderr);
    assert.deepEqual(stderr.split('\n'), [
      'Not as published:',
      '  image_urls: the upstream publishes no longest list; at most 10 are accepted (maxItems)',
      '  sync_mode: left out: results are fetched by address, never inside the answer',
      'Nothing was written.',
      '',
    ]);
    assert.match(stdout, /^models:\n {2}nano-banana-2-edit:\n {4}kind: image\n/);
    assert.equal(await readFile(file, 'utf8'), before);
  });

  test('are written beside what is there, with their mapping and their route', async () => {
    const imports = [
      await importModel('fal', endpoint, '--schema', falSchema(), '--json'),
      await importModel('replicate', 'google/nano-banana-2', '--json'),
      await importModel('comfyui', workflow, '--id', 'klein', '--json'),
    ];
    assert.deepEqual(
      imports.map(({ code, stderr }) => [code, stderr]),
      imports.map(() => [0, '']),
    );
    const [edit, banana, klein] = imports.map(({ stdout }) => JSON.parse(stdout));
    assert.deepEqual(
      [edit, banana, klein].map(({ id, account, written }) => [id, account, written]),
      [
        ['nano-banana-2-edit', 'fal', file],
        ['nano-banana-2', 'replicate', file],
        ['klein', 'gpu1', file],
      ],
    );
    assert.deepEqual(edit.route, {
      model: endpoint,
      body: {
        prompt: '{input.prompt}',
        image_urls: '{input.image_urls}',
        num_images: '{input.num_images}',
        seed: '{input.seed}',
        output_format: '{input.output_format}',
        aspect_ratio: '{input.aspect_ratio}',
      },
      outputs: [{ at: 'images[*].url' }],
    });
    assert.deepEqual(edit.model.schema.properties.prompt, {
      type: 'string',
      minLength: 3,
      maxLength: 50_000,
      widget: 'textarea',
      title: 'Prompt',
      description: 'What to change.',
    });
    assert.deepEqual(banana.model.schema.properties.image_input, {
      type: 'array',
      items: { type: 'string', media: 'image' },
      maxItems: 14,
      title: 'Image Input',
      description: 'Pictures to change or to refer to, at most 14.',
    });
    assert.deepEqual(klein.route.workflow.inputs, [
      { field: 'prompt', node: '4', input: 'text' },
      { field: 'width', node: '8', input: 'width' },
      { field: 'width', node: '9', input: 'width' },
      { field: 'height', node: '8', input: 'height' },
      { field: 'height', node: '9', input: 'height' },
      { field: 'steps', node: '9', input: 'steps' },
      { field: 'seed', node: '7', input: 'noise_seed' },
    ]);
    const text = await readFile(file, 'utf8');
    const [head] = text.split('\nmodels:');
    assert.equal(
      head,
      `# Which upstreams there are.
accounts:
  fal: { provider: fal, base_url: ${fakes.fal.url}, api_key: env:UPSTREAM_KEY }

  # Paid by the second.
  replicate: { provider: replicate, base_url: ${fakes.replicate.url}/v1, api_key: env:UPSTREAM_KEY }
  gpu1: { provider: comfyui, base_url: ${fakes.comfyui.url}, api_key: env:UPSTREAM_KEY }`,
    );
    const checked = await runProgram(['config', 'check'], { env });
    assert.deepEqual(JSON.parse(checked.stdout.slice(checked.stdout.indexOf('{'))).ownModels, {
      'nano-banana-2-edit': ['fal'],
      'nano-banana-2': ['replicate'],
      klein: ['gpu1'],
    });
  });

  test('an id that is there is replaced on request alone', async () => {
    const before = await readFile(file, 'utf8');
    const again = await importModel('comfyui', workflow, '--id', 'klein');
    assert.deepEqual(
      [again.code, again.stderr],
      [
        1,
        `${file} has klein already, and nothing was written. Choose another id with --id, or replace its model and its routes with --replace.\n`,
      ],
    );
    assert.equal((await importModel('comfyui', workflow, '--id', 'klein', '--replace')).code, 0);
    assert.equal(await readFile(file, 'utf8'), before);
  });

  test('are listed, described and drawn as forms like every other', async () => {
    served = await serve({ env });
    key = served.firstKey();
    const { body: list } = await ask(served.url, 'GET', '/v1/models', { key });
    const own = list.data.filter(({ family }: { family: string }) => family === 'own');
    assert.deepEqual(
      own.map(({ id, kind, title }: Record<string, string>) => [id, kind, title]),
      [
        ['nano-banana-2-edit', 'image', 'Nano banana 2 edit'],
        ['nano-banana-2', 'image', 'Nano banana 2'],
        ['klein', 'image', 'Comfyui flux 2 klein'],
      ],
    );
    const { body: form } = await ask(served.url, 'GET', '/admin/v1/models/nano-banana-2-edit', {
      key: adminToken,
    });
    assert.equal(form.input_schema.properties.image_urls.items.media.kind, 'image');
    const { body: openapi } = await ask(served.url, 'GET', '/openapi.json');
    for (const { id } of own) assert.ok(openapi.paths[`/v1/queue/${id}`], id);
  });

  test('the playground runs one of fal', async () => {
    const input = {
      prompt: 'Make it a winter morning',
      image_urls: [`data:image/png;base64,${png.toString('base64')}`],
      num_images: 1,
    };
    const path = '/admin/v1/models/nano-banana-2-edit';
    const checked = await ask(served.url, 'POST', `${path}/validate`, { key: adminToken, body: input });
    assert.deepEqual([checked.status, checked.body.valid], [200, true]);
    const { status, body } = await ask(served.url, 'POST', `${path}/run`, { key: adminToken, body: input });
    assert.equal(status, 200, JSON.stringify(body));
    const job = await until(async () => {
      const answer = await ask(served.url, 'GET', `/admin/v1/jobs/${body.request_id}`, { key: adminToken });
      return answer.body.state === 'completed' ? answer.body : null;
    }, 'the end of the job');
    assert.deepEqual([job.state, job.error, job.model], ['completed', null, 'nano-banana-2-edit']);
    assert.deepEqual(
      fakes.fal.received().map(({ path, json }) => [path, json]),
      [[`/${endpoint}`, { ...input, output_format: 'png', aspect_ratio: 'auto' }]],
    );
  });

  test('the command line runs one of ComfyUI, with a seed of the job and each size where it stands', async () => {
    const { code, stdout, stderr } = await runProgram(
      ['run', 'klein', 'prompt=A harbour at dusk', 'width:=512', 'seed:=7', '--json'],
      { env: { ...env, ATELIER_URL: served.url, ATELIER_API_KEY: key } },
    );
    assert.equal(code, 0, stderr);
    assert.equal(JSON.parse(stdout).images.length, 1);
    const graph = sentGraph.parse(fakes.comfyui.received()[0]?.json).prompt;
    assert.deepEqual(
      ['4', '7', '8', '9', '42'].map(id => graph[id]?.inputs),
      [
        { text: 'A harbour at dusk', clip: ['2', 0] },
        { noise_seed: 7 },
        { width: 512, height: 1024, batch_size: 1 },
        { steps: 4, width: 512, height: 1024 },
        { images: ['12', 0], filename_prefix: 'atelier/<key>' },
      ],
    );
  });

  test('the client runs one of Replicate', async () => {
    const client = createClient({ baseUrl: served.url, apiKey: key });
    const { data } = await client.subscribe('nano-banana-2', {
      input: { prompt: 'A kite over the dunes', resolution: '2K' },
    });
    assert.equal(Array.isArray(Reflect.get(data, 'images')), true);
    assert.deepEqual(
      fakes.replicate.received().map(({ path, json }) => [path, json]),
      [
        [
          '/v1/models/google/nano-banana-2/predictions',
          {
            input: {
              prompt: 'A kite over the dunes',
              aspect_ratio: 'match_input_image',
              resolution: '2K',
              google_search: false,
              image_search: false,
              output_format: 'jpg',
            },
          },
        ],
      ],
    );
  });

  test('what they do not take is refused before anything is sent', async () => {
    const refused = await ask(served.url, 'POST', '/v1/queue/nano-banana-2', {
      key,
      body: { prompt: 'A kite', resolution: '8K', sede: 1 },
    });
    assert.deepEqual(
      [refused.status, refused.body],
      [422, { detail: 'resolution: must be one of 512, 1K, 2K, 4K; sede: unknown field' }],
    );
    assert.equal(fakes.replicate.received().length, 1);
  });

  test('have types in a project that uses the client', async () => {
    const project = await makeProject();
    try {
      const types = join(project.folder, 'atelier-models.d.ts');
      const { code, stderr } = await runProgram(['client', 'types', '--out', types], {
        env: { ...env, ATELIER_URL: served.url, ATELIER_API_KEY: key },
      });
      assert.deepEqual([code, stderr], [0, `${types}: the types of 3 models\n`]);
      await project.check({
        right: `/// <reference path="./atelier-models.d.ts" />
import { createClient } from 'atelier-client';
const client = createClient({ baseUrl: 'http://gateway.test', apiKey: 'key' });
const { data } = await client.subscribe('klein', { input: { prompt: 'A fox', width: 512 } });
export const pictures: number = data.images.length;
// @ts-expect-error: not a value that the model takes
client.subscribe('nano-banana-2', { input: { prompt: 'A fox', resolution: '8K' } });
// @ts-expect-error: the pictures are required
client.subscribe('nano-banana-2-edit', { input: { prompt: 'A fox' } });
`,
      });
    } finally {
      await rm(project.folder, { recursive: true, force: true });
    }
  });
});
