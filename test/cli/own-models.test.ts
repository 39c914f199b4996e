/** Models of an operator in a running gateway: described, validated, routed, reloaded. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { parse } from 'yaml';
import { z } from 'zod';
import { ask, until } from '../../testkit/gateway/gateway.ts';
import { runProgram, type Served, serve } from '../../testkit/gateway/program.ts';
import { withoutPlaces } from '../../testkit/gateway/without-places.ts';
import { lumen } from '../../testkit/upstreams/declarative.ts';
import { type Fake, startFake } from '../../testkit/upstreams/fake.ts';

const members = z.record(z.string(), z.unknown());
const page = readFileSync(new URL('../../docs/adding-a-model.md', import.meta.url), 'utf8');
/** The worked example as the page has it. */
const example = z
  .object({ models: members, accounts: z.object({ lumen: members }), routes: members })
  .parse(parse(/```yaml\n(.*?)```/s.exec(page)?.[1] ?? ''));

const film = 'lumen-film-1';
const sketch = 'sketch-1';
/** Without a route: the engine of this machine makes it. */
const sketchModel = {
  kind: 'image',
  title: 'Sketch',
  summary: 'Draws small pictures.',
  schema_file: 'sketch.json',
  examples: [{ prompt: 'A fox' }],
};
const sketchSchema = {
  type: 'object',
  required: ['prompt'],
  properties: {
    prompt: { type: 'string', minLength: 1 },
    width: { type: 'integer', minimum: 16, maximum: 4096, default: 64 },
    height: { type: 'integer', minimum: 16, maximum: 4096, default: 64 },
  },
};

describe('models of an operator', () => {
  let folder: string;
  let file: string;
  let fake: Fake;
  let served: Served;
  let key: string;
  let env: Readonly<Record<string, string>>;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-own-models-'));
    file = join(folder, 'atelier.yaml');
    fake = await startFake(lumen, await mkdtemp(join(folder, 'lumen-')), 'the-key');
    env = {
      ATELIER_DATA_DIR: join(folder, 'data'),
      ATELIER_CONFIG: file,
      ATELIER_ALLOW_PRIVATE_NETWORK: '1',
      LUMEN_KEY: 'the-key',
    };
    await writeFile(join(folder, 'sketch.json'), JSON.stringify(sketchSchema));
    await write({ [film]: example.models[film], [sketch]: sketchModel });
    served = await serve({ env });
    key = served.firstKey();
  });
  after(async () => {
    await served.end('SIGTERM');
    await fake.close();
    await rm(folder, { recursive: true, force: true });
  });

  const write = (models: Readonly<Record<string, unknown>>) =>
    writeFile(
      file,
      JSON.stringify({
        models,
        accounts: { lumen: { ...example.accounts.lumen, base_url: fake.url } },
        routes: film in models ? example.routes : {},
      }),
    );
  async function reload(): Promise<void> {
    const read = () => served.log().split('settings reloaded').length;
    const before = read();
    process.kill(served.pid, 'SIGHUP');
    await until(async () => read() > before, 'new settings');
  }
  const get = (path: string, by = key) => ask(served.url, 'GET', path, { key: by });
  const post = (path: string, body: unknown) => ask(served.url, 'POST', path, { key, body });
  async function create(model: string, body: unknown): Promise<string> {
    const made = await post(`/v1/queue/${model}`, body);
    assert.equal(made.status, 200, JSON.stringify(made.body));
    return `/v1/queue/${model}/requests/${made.body.request_id}`;
  }
  const statusOf = async (job: string): Promise<string> => (await get(`${job}/status`)).body.status;
  const untilEnded = (job: string) =>
    until(async () => (await statusOf(job)) === 'COMPLETED', `the end of ${job}`);
  /** A film that was made before its model was removed. */
  let earlier: string;

  test('are described like those of the contract', async () => {
    const { body: list } = await get('/v1/models');
    assert.deepEqual(
      list.data
        .filter(({ family }: { family: string }) => family === 'own')
        .map(({ id }: { id: string }) => id),
      [film, sketch],
    );
    const { body: model } = await get(`/v1/models/${film}`);
    assert.deepEqual(model.rules, [
      { says: 'a last frame needs a first frame', fields: ['last_frame', 'first_frame'] },
      { says: 'more than five seconds are made fast', fields: ['duration', 'quality'] },
    ]);
    assert.deepEqual(
      [model.kind, model.input_schema.properties.first_frame.media.kind, model.examples.length],
      ['video', 'image', 2],
    );
    const { body: described } = await ask(served.url, 'GET', '/openapi.json');
    assert.equal(described.paths[`/v1/queue/${film}`].post.summary, 'Lumen Film');
  });

  test('refuse with every fault at once, with the messages of all models', async () => {
    const body = {
      duration: 12,
      quality: 'best',
      last_frame: 'https://files.test/last.png',
      camera: { zoom: 0 },
      promt: 'A boat',
    };
    const detail = [
      'prompt: is required',
      'duration: must be between 2 and 8',
      'quality: must be one of fast, fine',
      'camera.zoom: must be above 0 and at most 4',
      'promt: unknown field, did you mean prompt?',
      'last_frame: a last frame needs a first frame',
    ].join('; ');
    for (const path of [`/v1/queue/${film}`, `/v1/models/${film}/validate`]) {
      const answer = await post(path, body);
      assert.deepEqual([answer.status, answer.body], [422, { detail }]);
    }
    const noPicture = await post(`/v1/queue/${film}`, {
      prompt: 'A boat',
      first_frame: `data:image/png;base64,${Buffer.from('no picture').toString('base64')}`,
    });
    assert.deepEqual(
      [noPicture.status, noPicture.body],
      [422, { detail: 'first_frame: must be jpeg, png, webp, found application/octet-stream' }],
    );
    const webhook = await post(`/v1/queue/${film}`, { prompt: 'A boat', webhook_url: 'https://a.test' });
    assert.deepEqual([webhook.status, webhook.body], [400, { detail: 'webhook not supported' }]);
    assert.equal(fake.received().length, 0);
  });

  test('are made where their route leads', async () => {
    earlier = await create(film, {
      prompt: 'A boat',
      quality: 'fine',
      camera: { zoom: 2 },
      external_task_id: 'one',
    });
    await untilEnded(earlier);
    assert.deepEqual(
      fake.received().map(({ path, json }) => [path, json]),
      [
        [
          '/v1/text-to-video',
          { model: 'film-1', prompt: 'A boat', seconds: 5, quality: 'fine', frames: {}, zoom: 2 },
        ],
      ],
    );
    const { status, body } = await get(`${earlier}/response`);
    assert.deepEqual([status, body.error, body.model, body.external_task_id], [200, null, film, 'one']);
    assert.equal(body.video.content_type, 'video/mp4');
    const again = await post(`/v1/queue/${film}`, { prompt: 'A boat', external_task_id: 'one' });
    assert.equal(again.status, 422);
  });

  test('without a route are drawn on this machine, within its bounds', async () => {
    const job = await create(sketch, { prompt: 'A fox in the snow' });
    await untilEnded(job);
    const { body } = await get(`${job}/response`);
    assert.deepEqual([body.images.length, body.images[0].width, body.images[0].height], [1, 64, 64]);
    const large = await post(`/v1/queue/${sketch}`, { prompt: 'A fox', width: 4000 });
    assert.deepEqual(
      [large.status, large.body],
      [422, { detail: 'width: must be between 64 and 2048 here' }],
    );
  });

  test('can be keys’ only ones', async () => {
    const made = await runProgram(['keys', 'create', '--user', 'sketcher', '--models', sketch, '--json'], {
      env,
    });
    const { key: sketcher } = JSON.parse(made.stdout);
    const answer = await ask(served.url, 'POST', `/v1/queue/${film}`, {
      key: sketcher,
      body: { prompt: 'A boat' },
    });
    assert.deepEqual([answer.status, answer.body], [403, { detail: 'Model not allowed for this user' }]);
    const { code, stderr } = await runProgram(['keys', 'create', '--user', 'a', '--models', 'sketch-2'], {
      env,
    });
    assert.deepEqual([code, stderr.split(':')[0]], [1, '--models names unknown models']);
  });

  test('change with reloaded settings', async () => {
    const { schema, ...rest } = z.looseObject({ schema: members }).parse(example.models[film]);
    const properties = { ...members.parse(schema.properties), mood: { type: 'string', enum: ['calm'] } };
    const changed = { ...rest, schema: { ...schema, properties } };
    const body = { prompt: 'A boat', mood: 'wild' };
    const sentence = async () => (await post(`/v1/models/${film}/validate`, body)).body.detail;
    assert.equal(await sentence(), 'mood: unknown field');
    await write({ [film]: changed, [sketch]: { ...sketchModel, off: true } });
    await reload();
    assert.equal(await sentence(), 'mood: must be calm');
    const { body: described } = await ask(served.url, 'GET', '/openapi.json');
    const shown = Object.keys(described.components.schemas[`${film}.input`].properties);
    assert.deepEqual([shown.includes('mood'), `/v1/queue/${sketch}` in described.paths], [true, false]);
    assert.equal((await get(`/v1/models/${sketch}`)).status, 404);
  });

  test('that are removed end their jobs in flight, and keep results', async () => {
    await fake.play({ runMs: 600_000 });
    const late = await create(film, { prompt: 'A slow boat' });
    await until(
      async () => (await statusOf(late)) === 'IN_PROGRESS' && fake.received().length === 2,
      'a job in flight',
    );
    await write({});
    await reload();
    const refused = await post(`/v1/queue/${film}`, { prompt: 'A boat' });
    assert.deepEqual([refused.status, refused.body], [404, { detail: `App not found: ${film}` }]);
    assert.equal(await statusOf(late), 'IN_PROGRESS');
    fake.completeJobs();
    await untilEnded(late);
    const { status, body } = await get(`${late}/response`);
    assert.deepEqual([status, body.error, body.video.content_type], [200, null, 'video/mp4']);
  });

  test('that are not there at the next start leave what was made', async () => {
    await served.end('SIGTERM');
    served = await serve({ env });
    const { status, body } = await get(`${earlier}/response`);
    assert.deepEqual(
      [status, body.error, body.model, body.video.content_type],
      [200, null, film, 'video/mp4'],
    );
    const { body: list } = await get(`/v1/queue/${film}/requests`);
    assert.deepEqual(
      list.data.map((job: { status: string }) => job.status),
      ['COMPLETED', 'COMPLETED'],
    );
    const cancelled = await ask(served.url, 'PUT', `${earlier}/cancel`, { key });
    assert.deepEqual([cancelled.status, cancelled.body.status], [400, 'ALREADY_COMPLETED']);
    const made = await runProgram(['keys', 'create', '--user', 'stranger', '--json'], { env });
    const { key: stranger } = JSON.parse(made.stdout);
    for (const path of [`${earlier}/status`, `/v1/queue/${film}/requests`]) {
      const answer = await get(path, stranger);
      assert.deepEqual([answer.status, answer.body], [404, { detail: `App not found: ${film}` }]);
    }
  });

  test('are checked by config check, with every fault and the accounts that serve them', async () => {
    const wrong = { kind: 'film', schema_file: 'nowhere.json' };
    await writeFile(
      file,
      JSON.stringify({
        models: {
          'acme 1': { ...sketchModel },
          'acme-2': wrong,
          'acme-3': { ...sketchModel, schema: {} },
          'acme-4': { ...sketchModel, kind: 'film', schema_file: undefined, schema: {} },
          [sketch]: { ...sketchModel, schema_file: undefined, schema: withMood(sketchSchema) },
        },
        accounts: { rack: { provider: 'cog', base_url: 'http://127.0.0.1:1' } },
        routes: {
          'acme-2': [{ account: 'local' }],
          [sketch]: [{ account: 'rack', input: { prompt: 'prompt' } }],
        },
      }),
    );
    const refused = await runProgram(['config', 'check'], { env });
    assert.equal(refused.code, 1);
    assert.deepEqual(
      refused.stderr
        .trimEnd()
        .split('\n')
        .slice(1)
        .map(line => withoutPlaces(line).replace(`  ${file} `, '')),
      [
        'models.acme 1: must be 1 to 63 lower-case letters, digits, . - or _',
        'models.acme-2.schema_file: cannot read nowhere.json',
        'models.acme-3.schema_file: set schema or schema_file, not both',
        'models.acme-4.kind: must be one of video, image, speech',
        `routes.${sketch}.0.account: field mood of ${sketch} is not mapped to any engine parameter`,
      ],
    );
    await write({ [film]: example.models[film], [sketch]: sketchModel });
    const { code, stdout } = await runProgram(['config', 'check'], { env });
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(stdout.slice(stdout.indexOf('{'))).ownModels, {
      [film]: ['lumen'],
      [sketch]: 'no route: rendered by the local engine',
    });
  });
});

const withMood = ({ properties, ...schema }: typeof sketchSchema) => ({
  ...schema,
  properties: { ...properties, mood: { type: 'string' } },
});
