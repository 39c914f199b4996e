/** Models of an operator, made by a self-hosted engine. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';
import { picture } from '../../testkit/media/media-maker.ts';
import { untilEnded } from '../../testkit/upstream/studio.ts';
import { cog } from '../../testkit/upstreams/cog.ts';
import { type Fake, startFake } from '../../testkit/upstreams/fake.ts';

const model = 'acme-image-1';
const media = { type: 'string', media: 'image' };

describe('an engine of one’s own', () => {
  let folder: string;
  let gateway: TestGateway;
  let fake: Fake;
  let key: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-own-engine-'));
    fake = await startFake(cog, await mkdtemp(join(folder, 'fake-')), 'the-key');
    const path = join(folder, 'atelier.yaml');
    const properties = {
      prompt: { type: 'string' },
      width: { type: 'integer', default: 640 },
      seed: { type: 'integer' },
      base: media,
      style: media,
    };
    const settings = {
      models: {
        [model]: {
          kind: 'image',
          title: 'Acme',
          summary: 'Draws.',
          schema: { type: 'object', required: ['prompt'], properties },
          examples: [{ prompt: 'A fox' }],
        },
      },
      accounts: { rack: { provider: 'cog', base_url: fake.url, api_key: 'env:KEY' } },
      routes: {
        [model]: [
          {
            account: 'rack',
            input: { words: 'prompt', w: 'width', h: 'height', base: 'image_1', pictures: 'count' },
          },
        ],
      },
    };
    await writeFile(path, JSON.stringify(settings));
    gateway = await startGateway({ env: { ATELIER_CONFIG: path, KEY: 'the-key' } });
    key = await gateway.key();
  });
  after(async () => {
    await gateway.close();
    await fake.close();
    await rm(folder, { recursive: true, force: true });
  });

  const create = (body: unknown) => gateway.ask('POST', `/v1/queue/${model}`, { key, body });

  test('is given the fields of an operator’s model that it has arguments for', async () => {
    const base = `data:image/png;base64,${Buffer.from(await picture('png', 64, 64)).toString('base64')}`;
    const made = await create({ prompt: 'A fox', base });
    assert.equal(made.status, 200, JSON.stringify(made.body));
    const id = made.body.request_id;
    assert.equal(await untilEnded(gateway, key, { id, model, mark: '' }), null);
    assert.deepEqual(
      fake.received().map(({ json }) => json),
      [{ input: { words: 'A fox', w: 640, h: 1024, base, pictures: 1 } }],
    );
  });

  test('never gets a job that needs more', async () => {
    const known = fake.received().length;
    const seeded = await create({ prompt: 'A fox', seed: 7, base: 'https://files.test/a.png' });
    assert.deepEqual([seeded.status, seeded.body], [422, { detail: 'seed: is not available here' }]);
    const styled = await create({
      prompt: 'A fox',
      base: 'https://files.test/a.png',
      style: 'https://files.test/b.png',
    });
    assert.deepEqual([styled.status, styled.body], [422, { detail: 'style: is not available here' }]);
    assert.equal(fake.received().length, known);
  });
});
