/** Published schemas that cannot become a model: what is wrong, where, and what to do; and those of other servers. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { runProgram } from '../../testkit/gateway/program.ts';

/** A document of fal with one endpoint. */
const falDocument = (properties: unknown, required: readonly string[], output: unknown) => ({
  openapi: '3.0.4',
  info: {
    title: 'Queue',
    version: '1',
    'x-fal-metadata': { endpointId: 'acme/one', category: 'text-to-image' },
  },
  paths: {
    '/acme/one': {
      post: {
        requestBody: {
          content: { 'application/json': { schema: { type: 'object', properties, required } } },
        },
      },
    },
    '/acme/one/requests/{request_id}': {
      get: { responses: { 200: { content: { 'application/json': { schema: output } } } } },
    },
  },
});
const pictures = {
  type: 'object',
  properties: {
    images: { type: 'array', items: { type: 'object', properties: { url: { type: 'string' } } } },
  },
};
const prompt = { type: 'string' };
const cogDocument = {
  info: { title: 'Acme tts' },
  paths: { '/predictions': { post: {} } },
  components: {
    schemas: {
      Input: {
        required: ['text'],
        properties: {
          text: { type: 'string', 'x-order': 0 },
          speaker: { type: 'string', format: 'uri', title: 'Voice sample', 'x-order': 1 },
        },
      },
      Output: { type: 'object', properties: { wav: { type: 'string', format: 'uri' } } },
    },
  },
};

describe('an import', () => {
  let folder: string;
  let file: string;
  let env: Readonly<Record<string, string>>;
  const settings = `accounts:
  fal: { provider: fal, api_key: env:KEY }
  rack: { provider: cog, base_url: http://127.0.0.1:1 }
  studio: { provider: relay, base_url: http://127.0.0.1:1, api_key: env:KEY, dedupe: none }
`;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-import-refusals-'));
    file = join(folder, 'atelier.yaml');
    env = { ATELIER_CONFIG: file, ATELIER_DATA_DIR: join(folder, 'data'), KEY: 'a-key' };
    await writeFile(file, settings);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const importModel = (...args: readonly string[]) => runProgram(['models', 'import', ...args], { env });
  async function schema(content: unknown): Promise<string> {
    const path = join(folder, 'schema.json');
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  }
  /** Imports it, which fails and leaves the settings as they were; what it says. */
  async function refusal(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await importModel(...args);
    assert.deepEqual([code, stdout], [1, '']);
    assert.equal(await readFile(file, 'utf8'), settings);
    return stderr.replaceAll(folder, '').trimEnd();
  }
  const ofFal = async (properties: unknown, required: readonly string[], output: unknown = pictures) =>
    refusal('fal', 'acme/one', '--schema', await schema(falDocument(properties, required, output)));

  test('names a required field that cannot be mapped', async () => {
    assert.equal(
      await ofFal({ prompt, points: { type: 'object' } }, ['prompt', 'points']),
      'Nothing was written: points: is required by the upstream and cannot be mapped: its schema does not say what is in the object. Write the model by hand (docs/adding-a-model.md, Without a release), with a fixed value for it in the body of the route.',
    );
  });

  test('names a reference that leads nowhere', async () => {
    assert.equal(
      await ofFal({ prompt: { $ref: '#/components/schemas/Prompt' } }, []),
      'Nothing was written: the document refers to #/components/schemas/Prompt, which it does not have. Save it, mend it, and give the file: --schema FILE.',
    );
  });

  test('refuses a model without files, and one of another endpoint', async () => {
    assert.equal(
      await ofFal({ prompt }, ['prompt'], { type: 'object', properties: { text: { type: 'string' } } }),
      'Nothing was written: the output of acme/one names no file: this gateway serves pictures, videos and sound, not data. A model of files whose schema does not say so is written by hand (docs/adding-a-model.md, Without a release).',
    );
    const other = await schema(falDocument({ prompt }, [], pictures));
    assert.equal(
      await refusal('fal', 'acme/two', '--schema', other),
      'Nothing was written: /schema.json is the schema of acme/one, not of acme/two: give the address or the file of that endpoint.',
    );
  });

  test('refuses what is no schema, and no workflow', async () => {
    assert.equal(
      await refusal('fal', 'acme/one', '--schema', await schema('<html>')),
      'Nothing was written: /schema.json is not an OpenAPI document: it has no paths. Give the address of the document itself, usually …/openapi.json.',
    );
    assert.equal(
      await refusal('fal', 'acme/one', '--schema', join(folder, 'nowhere.json')),
      '/nowhere.json cannot be read: give the address or the file of the schema.',
    );
    assert.equal(
      await refusal('comfyui', await schema({ nodes: [] })),
      '/atelier.yaml has no account of the provider comfyui: add it first (atelier providers add, or docs/providers.md).',
    );
  });

  test('refuses private addresses, unknown accounts and wrong options', async () => {
    assert.match(
      await refusal('fal', 'acme/one', '--schema', 'http://127.0.0.1:1/openapi.json'),
      /^http:\/\/127\.0\.0\.1:1\/openapi\.json: .+ Save the schema and give the file: --schema FILE\.$/,
    );
    assert.equal(
      await refusal('fal', 'acme/one', '--account', 'fall'),
      '/atelier.yaml has no account of the provider fal that is called fall. See: atelier providers list',
    );
    assert.equal(
      await refusal('fal', 'acme/one', '--kind', 'music'),
      '--kind must be one of video, image, speech',
    );
    assert.equal(
      await refusal('openapi', 'http://127.0.0.1:1/openapi.json'),
      '/atelier.yaml has several accounts: name one with --account. There are: fal, rack, studio.',
    );
  });

  test('leaves nothing behind', async () => {
    assert.deepEqual((await readdir(folder)).toSorted(), ['atelier.yaml', 'schema.json']);
  });

  test('reads a container of Cog', async () => {
    const { code, stdout, stderr } = await importModel(
      ...['openapi', await schema(cogDocument), '--account', 'rack', '--dry-run', '--json'],
    );
    assert.deepEqual([code, stderr], [0, '']);
    const { id, model, route, notes } = JSON.parse(stdout);
    assert.deepEqual(
      [id, model.kind, model.schema, route, notes],
      [
        'acme-tts',
        'speech',
        {
          type: 'object',
          required: ['text'],
          properties: {
            text: { type: 'string', widget: 'textarea' },
            speaker: { type: 'string', media: 'audio', title: 'Voice sample' },
          },
        },
        {
          body: { text: '{input.text}', speaker: '{input.speaker}' },
          outputs: [{ at: 'output.wav' }],
        },
        [],
      ],
    );
  });

  test('reads a model of another gateway, without what every model has', async () => {
    const input = { type: 'object', properties: { prompt, callback_url: prompt }, required: ['prompt'] };
    const document = {
      info: { title: 'Atelier' },
      paths: Object.fromEntries(
        ['one', 'two'].map(id => [
          `/v1/queue/${id}`,
          { post: { summary: id, requestBody: { content: { 'application/json': { schema: input } } } } },
        ]),
      ),
    };
    const path = await schema(document);
    assert.equal(
      await refusal('openapi', path, '--account', 'studio'),
      'Nothing was written: /schema.json has several operations: name one with --operation. There are: /v1/queue/one, /v1/queue/two.',
    );
    assert.equal(
      await refusal('openapi', path, '--account', 'studio', '--operation', '/v1/queue/two'),
      'Nothing was written: whether two makes images, videos or speech is not in its schema: say so with --kind image, --kind video or --kind speech.',
    );
    const { stdout } = await importModel(
      ...['openapi', path, '--account', 'studio', '--operation', '/v1/queue/two', '--kind', 'video'],
      ...['--dry-run', '--json'],
    );
    const { id, model, route, notes } = JSON.parse(stdout);
    assert.deepEqual(
      [id, Object.keys(model.schema.properties), route, notes],
      ['two', ['prompt'], { model: 'two' }, ['callback_url: left out: every model has it']],
    );
  });
});
