/** Routes of a model: which account a job goes to. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ConfigError, readConfig } from '../../src/config/config.ts';
import { seconds } from '../../src/domain/clock.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';
import { withoutPlaces } from '../../testkit/gateway/without-places.ts';
import { picture } from '../../testkit/media/media-maker.ts';
import type { RuleInput } from '../../testkit/upstream/script.ts';
import { untilEnded } from '../../testkit/upstream/studio.ts';
import { type Fake, startFake } from '../../testkit/upstreams/fake.ts';
import { fal } from '../../testkit/upstreams/fal.ts';
import { relay } from '../../testkit/upstreams/relay.ts';

/** So often that a choice by chance would not pass. */
const often = 5;

describe('the routes of a model', () => {
  let folder: string;
  let gateway: TestGateway;
  let fakes: Readonly<Record<'one' | 'two' | 'third', Fake>>;
  let key: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-routes-'));
    const start = async (name: string, protocol: Parameters<typeof startFake>[0]) => {
      const own = await mkdtemp(join(folder, name));
      return startFake(protocol, own, `key-${name}`);
    };
    fakes = {
      one: await start('one', relay),
      two: await start('two', relay),
      third: await start('third', fal),
    };
    const both = [{ account: 'one' }, { account: 'two' }];
    const settings = {
      accounts: {
        one: { provider: 'relay', base_url: fakes.one.url, api_key: 'env:ONE' },
        two: { provider: 'relay', base_url: fakes.two.url, api_key: 'env:TWO' },
        third: { provider: 'fal', base_url: fakes.third.url, api_key: 'env:THIRD' },
      },
      routes: {
        'gamma-v3-image': [{ account: 'one' }],
        'beta-upscale': both,
        'beta-outpaint': [{ account: 'two' }],
        'beta-edit': [{ account: 'two' }, { account: 'local' }],
        'alpha-1-5-pro': both,
        'zeta-v6-i2v': [{ account: 'two' }],
        'epsilon-q2-turbo-extend': both,
        'delta-speech-01-turbo': [
          { account: 'one', weight: 1000 },
          { account: 'two', weight: 0.001 },
        ],
        'eta2.6-t2v': [{ account: 'third' }, { account: 'one' }],
      },
    };
    const path = join(folder, 'atelier.yaml');
    await writeFile(path, JSON.stringify(settings));
    const keys = { ONE: 'key-one', TWO: 'key-two', THIRD: 'key-third' };
    gateway = await startGateway({ env: { ATELIER_CONFIG: path, ...keys } });
    key = await gateway.key();
  });
  after(async () => {
    await gateway.close();
    for (const fake of Object.values(fakes)) await fake.close();
    await rm(folder, { recursive: true, force: true });
  });

  const ask = (model: string, body: unknown) => gateway.ask('POST', `/v1/queue/${model}`, { key, body });

  /** Makes a job to its end; where it was sent, as what, and the result. */
  async function make(model: string, body: unknown) {
    const before = Object.values(fakes).map(fake => fake.received().length);
    const made = await ask(model, body);
    assert.equal(made.status, 200, JSON.stringify(made.body));
    const id: string = made.body.request_id;
    // In steps that leave a blocked account blocked for a while.
    const error = await untilEnded(gateway, key, { id, model, mark: '' }, 5 * seconds);
    const sent = Object.entries(fakes).flatMap(([name, fake], place) =>
      fake
        .received()
        .slice(before[place])
        .map(({ json }) => ({ name, json })),
    );
    const { body: result } = await gateway.ask('GET', `/v1/queue/${model}/requests/${id}/response`, { key });
    return { id, error, sent, result };
  }

  /** What the upstream itself calls its newest job. */
  const newestOf = (fake: Fake): string =>
    fake.ledger().findLast(entry => entry.kind === 'charge')?.id ?? 'none';

  test('send a job that points at a picture to the account that made it, by the name it has there', async () => {
    const picture = await make('gamma-v3-image', { prompt: 'A red boat', n: 1 });
    const there = newestOf(fakes.one);
    for (let round = 0; round < often; round++) {
      const { error, sent } = await make('beta-upscale', { jobId: picture.id, imageNo: 0 });
      assert.deepEqual([error, sent], [null, [{ name: 'one', json: { jobId: there, imageNo: 0, type: 0 } }]]);
    }
    const refused = await ask('beta-outpaint', { jobId: picture.id, imageNo: 0, scale: 2 });
    assert.deepEqual(
      [refused.status, refused.body.detail],
      [422, 'jobId: the referenced job ran at an account that has no route for this model'],
    );
  });

  test('send a final to the account of its draft, without what it took over from it', async () => {
    const words = { type: 'text', text: 'A red boat' };
    const draft = await make('alpha-1-5-pro', { content: [words], draft: true });
    const name = draft.sent[0]?.name === 'one' ? 'one' : 'two';
    const there = newestOf(fakes[name]);
    for (let round = 0; round < often; round++) {
      const { error, sent } = await make('alpha-1-5-pro', {
        content: [{ type: 'draft_task', draft_task: { id: draft.id } }],
        resolution: '1080p',
      });
      assert.equal(error, null);
      assert.deepEqual(
        sent.map(one => [one.name, Reflect.get(Object(one.json), 'content')]),
        [[name, [{ type: 'draft_task', draft_task: { id: there } }]]],
      );
    }
  });

  test('send what continues a video to the account that made it, by the name of the file there', async () => {
    const { body } = await gateway.ask('POST', '/v1/files', { key, body: await pictureForm() });
    const video = await make('zeta-v6-i2v', {
      image: body.id,
      prompt: 'Waves',
      duration: 1,
      quality: '360p',
    });
    const there = newestOf(fakes.two);
    const file = /file_[0-9A-Za-z]{24}/.exec(video.result.video.url)?.[0];
    for (let round = 0; round < often; round++) {
      const { error, sent } = await make('epsilon-q2-turbo-extend', { video_creation_id: file, duration: 1 });
      assert.equal(error, null);
      assert.deepEqual(
        sent.map(one => [one.name, Reflect.get(Object(one.json), 'video_creation_id')]),
        [['two', `creation-of-${there}`]],
      );
    }
  });

  test('send a job only to accounts whose upstream takes all of it', async () => {
    for (let round = 0; round < often; round++) {
      const { error, sent } = await make('eta2.6-t2v', { prompt: 'A red boat', duration: 8 });
      assert.deepEqual([error, sent.map(({ name }) => name)], [null, ['one']]);
    }
    const used = new Set<string>();
    for (let round = 0; round < 4 * often; round++) {
      const { sent } = await make('eta2.6-t2v', { prompt: 'A red boat', duration: 5, size: '1280*720' });
      for (const { name } of sent) used.add(name);
    }
    assert.deepEqual([...used].toSorted(), ['one', 'third']);
  });

  describe('of which one is preferred', () => {
    const speechBody = { text: 'Hello.', voice_setting: { voice_id: 'calm-man' } };
    const endUnder = async (act: RuleInput['act'], accepts: boolean) => {
      await fakes.one.play({ rules: [{ on: 'create', accepts, act }] });
      const { error, sent } = await make('delta-speech-01-turbo', speechBody);
      await fakes.one.play({});
      return [error, sent.map(({ name }) => name)];
    };

    test('never lead on after an answer that is unknown', async () => {
      assert.deepEqual(await endUnder({ kind: 'reset', at: 'nothing' }, true), [
        'submission_uncertain',
        ['one'],
      ]);
    });

    test('lead on to another account after a certain refusal', async () => {
      assert.deepEqual(await endUnder({ kind: 'answer', status: 401 }, false), [null, ['one', 'two']]);
    });
  });
});

describe('atelier.yaml', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-yaml-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  test('names every fault of its routes at once', async () => {
    const path = join(folder, 'atelier.yaml');
    const routes = {
      'beta-edit': [{ account: 'studio' }],
      'eta2.6-t2v': [{ account: 'studio', fast: true }, { account: 'studio' }, { account: 'nobody' }],
      eta9: [{ account: 'local' }],
    };
    const accounts = { studio: { provider: 'fal', api_key: 'env:KEY' } };
    await writeFile(path, JSON.stringify({ accounts, routes }));
    assert.throws(
      () => readConfig({ ATELIER_CONFIG: path, KEY: 'a' }),
      (fault: unknown) => {
        assert.ok(fault instanceof ConfigError);
        const lines = withoutPlaces(fault.message)
          .split('\n')
          .map(line => line.trim());
        assert.deepEqual(
          lines.filter(line => line.includes('routes')).map(line => line.replace(path, '').trim()),
          [
            'routes.beta-edit.0.account: a fal account does not serve this model',
            'routes.eta2.6-t2v.0.fast: unknown key',
            'routes.eta2.6-t2v.1.account: the account has a route of this model already',
            'routes.eta2.6-t2v.2.account: there is no account nobody',
            'routes.eta9: there is no such model',
          ],
        );
        return true;
      },
    );
  });
});

async function pictureForm(): Promise<FormData> {
  const form = new FormData();
  form.append('file', new File([new Uint8Array(await picture('jpeg', 640, 640))], 'picture.jpg'));
  return form;
}
