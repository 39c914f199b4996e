/** Prices in the settings: estimates, costs of jobs, and the usage of keys. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { FoundMedia } from '../../src/catalog/media.ts';
import { quoteInput } from '../../src/catalog/quote-input.ts';
import { readConfig } from '../../src/config/config.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { withoutPlaces } from '../../testkit/gateway/without-places.ts';

const token = 'the-admin-token-of-this-very-test';
const model = 'gamma-v3-image';

describe('prices', () => {
  let folder: string;
  let path: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-prices-'));
    path = join(folder, 'atelier.yaml');
  });
  after(() => rm(folder, { recursive: true, force: true }));
  const write = (prices: unknown) => writeFile(path, JSON.stringify({ prices }));

  function faults(): readonly string[] {
    try {
      readConfig({ ATELIER_CONFIG: path });
      return [];
    } catch (failure) {
      return withoutPlaces(failure instanceof Error ? failure.message : '').split('\n');
    }
  }

  test('are refused with every fault: of a currency, a unit, a number and a model', async () => {
    await write({
      currency: 'dollars',
      models: { [model]: { pixel: 1, image: -1 }, 'no-such-model': { image: 1 } },
    });
    assert.deepEqual(faults(), [
      `${path} prices.currency: must be three letters, such as USD`,
      `${path} prices.models.${model}.image: must be between 0 and 1000000`,
      `${path} prices.models.${model}.pixel: unknown key`,
    ]);
    await write({ currency: 'EUR', models: { 'no-such-model': { image: 1 } } });
    assert.deepEqual(faults(), [`${path} prices.models.no-such-model: there is no such model`]);
    await write({
      currency: 'EUR',
      models: { [model]: { token: 1_000_000, max: { token: 1_000_000_000 } } },
    });
    assert.deepEqual(faults(), [
      `${path} prices.models.${model}: token: price times max.token must be at most 1000000`,
    ]);
  });

  test('charge a factor of the cost where a unit has no price of its own', async () => {
    const tier = { cost: { image: 0.07, token: 0.000003 }, factor: 1.1, token: 0.1, max: { token: 10 } };
    await write({ currency: 'EUR', models: { [model]: tier } });
    const { prices } = readConfig({ ATELIER_CONFIG: path });
    assert.deepEqual(prices?.models.get(model), [
      {
        when: {},
        max: { token: 10 },
        units: { image: 0.077, token: 0.1 },
        cost: { image: 0.07, token: 0.000003 },
      },
    ]);
    await write({ currency: 'EUR', models: { [model]: { cost: { image: 0.07 }, factor: 0 } } });
    assert.deepEqual(faults(), [`${path} prices.models.${model}.factor: must be above 0 and at most 1000`]);
    await write({ currency: 'EUR', models: { [model]: { cost: { image: 0.07, token: 1 } } } });
    assert.deepEqual(faults(), [
      `${path} prices.models.${model}: cost: says what a unit costs, not what is charged; add a price, or factor: N`,
      `${path} prices.models.${model}: token: no input says how many a job uses; add max: { token: N }, the most of one job`,
    ]);
  });

  test('quote a video that nothing is known of as long as its field allows', async () => {
    const motion = 'gamma-v2-6-motion-control';
    await write({ currency: 'EUR', models: { [motion]: { second: 0.1 } } });
    const { prices, catalog } = readConfig({ ATELIER_CONFIG: path });
    const found = catalog.find(motion);
    assert.ok(found);
    const input = found.schema.parse(found.examples[0]);
    const [{ limits }] = found.media(input).filter(item => item.limits.kind === 'video') as [FoundMedia];
    assert.ok(limits.seconds && Number.isFinite(limits.seconds.max));
    assert.equal(quoteInput(prices, found, input)?.lines[0]?.quantity, limits.seconds.max);
  });

  for (const dialect of dialects) {
    describe(dialect, () => {
      let gateway: TestGateway;
      before(async () => {
        await write({ currency: 'EUR', models: { [model]: { image: 0.25 } } });
        const env = { ATELIER_ADMIN_TOKEN: token, ATELIER_CONFIG: path };
        gateway = await startGateway({ dialect, env });
      });
      after(() => gateway.close());

      test('show what a run would cost, what it did cost, and what a key used', async () => {
        const ask = (method: string, end: string, body?: unknown) =>
          gateway.ask(method, `/admin/v1/${end}`, { key: token, body });
        const input = { prompt: 'A boat', n: 2, resolution: '1k' };
        const judged = await ask('POST', `models/${model}/validate`, input);
        assert.deepEqual(judged.body.estimate, { amount: 0.5, currency: 'EUR' });
        const key = await gateway.key({ userName: 'ann', name: 'shop' });
        const made = await gateway.ask('POST', `/v1/queue/${model}`, { key, body: input });
        const response = () => gateway.ask('GET', made.body.response_url, { key });
        await until(async () => (await response()).status === 200, 'the pictures');
        const job = await ask('GET', `jobs/${made.body.request_id}`);
        assert.deepEqual(job.body.cost, { amount: 0.5, currency: 'EUR' });
        for (const [by, label] of [
          ['key', 'shop'],
          ['user', 'ann'],
          ['model', model],
        ]) {
          const { body } = await ask('GET', `usage?by=${by}`);
          assert.deepEqual(
            body.costs.map((line: Record<string, unknown>) => [line.label, line.amount, line.currency]),
            [[label, 0.5, 'EUR']],
          );
        }
      });
    });
  }
});
