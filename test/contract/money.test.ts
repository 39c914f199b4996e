/** Money as clients and operators see it: quotes, 402, costs, balances, tags, the admin API and the commands. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { ReloadableGateway } from '../../src/app/gateway.ts';
import { readConfig } from '../../src/config/config.ts';
import { monthOf } from '../../src/store/money/accounts.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';

const token = 'the-admin-token-of-this-very-test';
const image = 'gamma-v3-image';
/** The quickest to draw. */
const input = { prompt: 'A boat', resolution: '1k', aspect_ratio: '1:1' };
const prices = {
  currency: 'USD',
  hold: true,
  models: {
    [image]: [
      { when: { resolution: '1k' }, image: 0.04, cost: { image: 0.03 } },
      { when: { resolution: '2k' }, image: 0.08 },
    ],
    'eta2.6-t2v': { second: 0.1 },
  },
};

for (const dialect of dialects) {
  describe(`money on ${dialect}`, () => {
    let folder: string;
    let gateway: TestGateway;
    let settings: string;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'atelier-money-'));
      settings = join(folder, 'atelier.yaml');
      await writeFile(settings, JSON.stringify({ prices }));
      gateway = await startGateway({
        dialect,
        isAlone: true,
        env: { ATELIER_ADMIN_TOKEN: token, ATELIER_CONFIG: settings },
      });
    });
    after(async () => {
      const { body } = await gateway.ask('GET', '/admin/v1/money/check', { key: token });
      await gateway.close();
      await rm(folder, { recursive: true, force: true });
      assert.equal(body.ok, true);
    });

    let made = 0;
    /** A key of a new project with that limit. */
    async function keyOf(limit: string | null): Promise<{ readonly key: string; readonly project: string }> {
      const name = `project-${++made}`;
      const post = (path: string, body: unknown) => gateway.ask('POST', path, { key: token, body });
      assert.equal((await post('/admin/v1/projects', { name, limit })).status, 200);
      const { body } = await post('/admin/v1/keys', { user: name, project: name });
      assert.equal(body.project, name);
      return { key: body.secret, project: name };
    }
    /** As after SIGHUP. */
    const reload = () =>
      (gateway.gateway as ReloadableGateway).reload(readConfig({ ATELIER_CONFIG: settings }));
    const create = (key: string, body: unknown = input, headers: Record<string, string> = {}) =>
      gateway.ask('POST', `/v1/queue/${image}`, { key, body, headers });
    const balance = async (key: string) => (await gateway.ask('GET', '/v1/balance', { key })).body;
    const ended = (key: string, id: string) =>
      until(async () => {
        const { body } = await gateway.ask('GET', `/v1/jobs/${id}`, { key });
        return body.status === 'COMPLETED' && body;
      }, 'the job to end');

    test('a dry run quotes the tier of the input, and null where the model has no price', async () => {
      const { key } = await keyOf(null);
      const quoted = await gateway.ask('POST', `/v1/models/${image}/validate`, {
        key,
        body: { ...input, n: 3, resolution: '2k' },
      });
      const { price_version: version, ...quote } = quoted.body.quote;
      assert.deepEqual(quote, {
        amount: '0.24',
        currency: 'USD',
        lines: [{ unit: 'image', quantity: 3, price: '0.08' }],
      });
      assert.match(version, /^[0-9a-f]{16}$/);
      const free = await gateway.ask('POST', '/v1/models/gamma-v2-image/validate', {
        key,
        body: { prompt: 'A boat' },
      });
      assert.deepEqual([free.status, free.body.quote], [200, null]);
    });

    test('a job is held, charged and shown with its cost and tags', async () => {
      const { key, project } = await keyOf('1.00');
      const { body: handle } = await create(key, input, { 'atelier-tags': 'campaign=spring, team=web' });
      const body = await ended(key, handle.request_id);
      const cost = {
        amount: '0.04',
        currency: 'USD',
        lines: [{ unit: 'image', quantity: 1, price: '0.04', basis: 'computed' }],
      };
      assert.deepEqual([body.cost, body.tags], [cost, { campaign: 'spring', team: 'web' }]);
      const path = `/v1/queue/${image}/requests/${handle.request_id}/response`;
      const result = (await gateway.ask('GET', path, { key })).body;
      assert.deepEqual([result.cost, result.tags], [cost, { campaign: 'spring', team: 'web' }]);
      assert.deepEqual(await balance(key), {
        currency: 'USD',
        project: {
          ...{ name: project, limit: '1.00', spent: '0.04', held: '0.00' },
          ...{ uncertain: '0.00', available: '0.96' },
        },
        key: null,
      });
      const entries = await gateway.ask('GET', `/admin/v1/money/entries?job=${handle.request_id}`, {
        key: token,
      });
      assert.deepEqual(
        entries.body.data.map(({ kind, amount }: { kind: string; amount: string }) => [kind, amount]),
        [['charge', '0.04']],
      );
    });

    test('a creation beyond the limit is refused with what is left, and stores nothing', async () => {
      const { key, project } = await keyOf('0.05');
      const refused = await create(key, { ...input, n: 2 });
      assert.equal(refused.status, 402);
      assert.deepEqual(refused.body, {
        detail: `Insufficient budget: project ${project} has 0.05 USD left, this job may cost up to 0.08 USD`,
      });
      const jobs = await gateway.ask('GET', '/v1/jobs', { key });
      assert.deepEqual([jobs.body.data, (await balance(key)).project.held], [[], '0.00']);
    });

    test('a model without a price is refused where there is a limit', async () => {
      const { key, project } = await keyOf('0.05');
      const refused = await gateway.ask('POST', '/v1/queue/gamma-v2-image', {
        key,
        body: { prompt: 'A boat' },
      });
      assert.deepEqual(
        [refused.status, refused.body],
        [402, { detail: `No price is set for gamma-v2-image, and project ${project} has a limit` }],
      );
    });

    test('64 creations at once against room for 10 accept exactly 10', async () => {
      const { key } = await keyOf('0.40');
      const answers = await Promise.all(Array.from({ length: 64 }, () => create(key)));
      assert.deepEqual(
        [200, 402].map(status => answers.filter(answer => answer.status === status).length),
        [10, 54],
      );
      await Promise.all(
        answers
          .filter(({ status }) => status === 200)
          .map(({ body }) =>
            gateway.ask('PUT', `/v1/queue/${image}/requests/${body.request_id}/cancel`, { key }),
          ),
      );
    });

    test('a replay under an Idempotency-Key is held once', async () => {
      const { key } = await keyOf('0.06');
      const headers = { 'idempotency-key': `again-${dialect}` };
      const first = await create(key, input, headers);
      const second = await create(key, input, headers);
      assert.deepEqual([second.status, second.body.request_id], [200, first.body.request_id]);
      await ended(key, first.body.request_id);
      assert.equal((await balance(key)).project.spent, '0.04');
    });

    test('a signed quote is what the job is held under, for its own input, for 15 minutes', async () => {
      const { key } = await keyOf('1.00');
      const quoted = await gateway.ask('POST', `/v1/models/${image}/validate`, { key, body: input });
      const token = quoted.headers.get('atelier-quote') ?? '';
      const withQuote = (body: unknown, quote = token) => create(key, body, { 'atelier-quote': quote });
      const refusalOf = async (answer: ReturnType<typeof withQuote>) => {
        const { status, body } = await answer;
        return [status, body.detail];
      };
      assert.deepEqual(await refusalOf(withQuote({ ...input, n: 2 })), [
        422,
        'Atelier-Quote: is for another model or input',
      ]);
      const [content = '', mac] = token.split('.');
      assert.doesNotMatch(
        Buffer.from(content, 'base64url').toString(),
        /0\.03|cost/i,
        'what it costs the house',
      );
      const cheaper = Buffer.from(content, 'base64url').toString().replaceAll('0.04', '0.01');
      const forged = `${Buffer.from(cheaper).toString('base64url')}.${mac}`;
      assert.deepEqual(await refusalOf(withQuote(input, forged)), [
        422,
        'Atelier-Quote: is no quote of this gateway',
      ]);
      await writeFile(
        settings,
        JSON.stringify({ prices: { ...prices, models: { [image]: { image: 0.5 } } } }),
      );
      reload();
      const { body: handle } = await withQuote(input);
      const { body: dearer } = await create(key);
      const costs = await Promise.all(
        [handle, dearer].map(async ({ request_id }) => (await ended(key, request_id)).cost.amount),
      );
      await writeFile(settings, JSON.stringify({ prices }));
      reload();
      assert.deepEqual(costs, ['0.04', '0.50']);
      gateway.clock.advance(16 * 60_000);
      assert.deepEqual(await refusalOf(withQuote(input)), [
        422,
        'Atelier-Quote: has expired; validate the input again for a new quote',
      ]);
    });

    test('ill-formed tags are refused with the tag', async () => {
      const { key } = await keyOf(null);
      const refusals = [
        ['spring', '"spring" must be name=value'],
        ['Team=a', 'the name "Team" must be 1 to 64 of a-z, 0-9, "_", "." and "-"'],
        ['a=1, a=2', 'a is given twice'],
        [`a=${'x'.repeat(257)}`, 'the value of a must have at most 256 characters'],
        [Array.from({ length: 17 }, (_, at) => `t${at}=1`).join(), 'must be at most 16 tags, found 17'],
      ] as const;
      for (const [tags, reason] of refusals) {
        const refused = await create(key, input, { 'atelier-tags': tags });
        assert.deepEqual([refused.status, refused.body], [422, { detail: `Atelier-Tags: ${reason}` }]);
      }
    });

    test('spent money is reported by project, model, provider, day and tag, and as CSV', async () => {
      const { key, project } = await keyOf('1.00');
      const tags = { 'atelier-tags': `run=${dialect}, team=a-b` };
      const dayNow = () => new Date(gateway.clock.now()).toISOString().slice(0, 10);
      const dayBefore = dayNow();
      const { body: handle } = await create(key, input, tags);
      await ended(key, handle.request_id);
      const spend = (query: string) => gateway.ask('GET', `/admin/v1/money/spend?${query}`, { key: token });
      const line = async (by: string, label: string) => {
        const { status, body } = await spend(`by=${by}`);
        assert.deepEqual([status, body.by, body.truncated], [200, by, false]);
        return body.data.find((found: { label: string }) => found.label === label);
      };
      const { name: id, ...ofProject } = await line('project', project);
      assert.match(id, /^project_/);
      const margin = { amount: '0.04', cost: '0.03', margin: '0.01' };
      assert.deepEqual(ofProject, { label: project, jobs: 1, ...margin, currency: 'USD' });
      assert.equal((await line('tag', `run=${dialect}`)).amount, '0.04');
      assert.equal((await line('tag', 'team=a-b')).amount, '0.04');
      assert.ok((await line('provider', 'local')).jobs >= 1);
      // Two days, where the tests before advanced the clock over midnight.
      const days: { label: string; amount: string }[] = (await spend('by=day')).body.data;
      assert.ok([dayBefore, dayNow()].some(day => days.some(({ label }) => label === day)));
      const cents = days.reduce((sum, { amount }) => sum + Math.round(Number(amount) * 100), 0);
      assert.equal((await line('model', image)).amount, (cents / 100).toFixed(2));
      const csv = await spend('by=project&format=csv');
      assert.equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8');
      const rows = String(csv.body).split('\r\n');
      assert.equal(rows[0], 'project,label,jobs,amount,cost,margin,currency');
      assert.ok(rows.includes(`${id},${project},1,0.04,0.03,0.01,USD`), String(csv.body));
      const refused = await spend('by=colour');
      assert.deepEqual(
        [refused.status, refused.body],
        [422, { detail: 'by: must be one of project, key, model, provider, day, tag' }],
      );
      const used = await gateway.ask('GET', '/admin/v1/usage?by=project', { key: token });
      const jobs = used.body.jobs.find((found: { label: string }) => found.label === project);
      assert.deepEqual([jobs.name, jobs.completed], [id, 1]);
    });

    test('the budget of a tag refuses what it has no room for, names the tag, and is topped up', async () => {
      const { key } = await keyOf(null);
      const tag = `campaign=summer ${dialect}`;
      const headers = { 'atelier-tags': `team=web, ${tag}` };
      const limit = (body: unknown, of = tag) =>
        gateway.ask('PUT', `/admin/v1/tags/${encodeURIComponent(of)}/limit`, { key: token, body });
      const set = await limit({ limit: '0.05', monthly: true });
      const figures = { limit: '0.05', spent: '0.00', held: '0.00', uncertain: '0.00', available: '0.05' };
      const id = `campaign=summer%20${dialect}`;
      const budget = { object: 'tag', id, name: tag, ...figures, monthly: true, floor: '0.00' };
      assert.deepEqual([set.status, set.body], [200, budget]);
      const refused = await create(key, { ...input, n: 2 }, headers);
      assert.deepEqual(
        [refused.status, refused.body.detail],
        [402, `Insufficient budget: tag ${tag} has 0.05 USD left, this job may cost up to 0.08 USD`],
      );
      const post = (body: unknown) => gateway.ask('POST', '/admin/v1/money/entries', { key: token, body });
      const entry = { kind: 'top_up', amount: '0.03', reason: 'more', idempotency_key: 'more' };
      assert.equal((await post({ ...entry, tag })).body.available, '0.08');
      const { body: handle } = await create(key, { ...input, n: 2 }, headers);
      await ended(key, handle.request_id);
      const { body: list } = await gateway.ask('GET', '/admin/v1/tags', { key: token });
      const line = list.data.find(({ name }: { name: string }) => name === tag);
      assert.deepEqual([line.spent, line.available], ['0.08', '0.00']);
      const correction = { ...entry, kind: 'adjustment', request_id: handle.request_id };
      assert.deepEqual((await post({ ...correction, amount: '-0.02', idempotency_key: 'late' })).body, {
        ...{ object: 'money_posting', repeated: false, request_id: handle.request_id, charged: '0.06' },
      });
      assert.deepEqual((await post({ ...correction, amount: '-0.07', idempotency_key: 'again' })).body, {
        detail: 'amount: the job was charged 0.06 USD: a credit cannot be more',
      });
      const entries = await gateway.ask('GET', `/admin/v1/money/entries?job=${handle.request_id}`, {
        key: token,
      });
      assert.deepEqual(
        entries.body.data.map(({ account, amount }: Record<string, string>) => [
          account?.replace(/project_[^:]*/, '…'),
          amount,
        ]),
        ['0.08', '-0.02'].flatMap(amount =>
          ['project:…', `tag:${id}`, `tag:${id}:${monthOf(gateway.clock.now())}`].map(account => [
            account,
            amount,
          ]),
        ),
      );
      const unknown = await post({ ...entry, tag: 'team=nobody' });
      assert.deepEqual([unknown.status, unknown.body], [404, { detail: 'Tag has no budget' }]);
      assert.deepEqual((await limit({ limit: '1.00' }, 'Spring')).body, {
        detail: 'tag: "Spring" must be name=value',
      });
    });

    test('a dry run of another price book says what past jobs would have been charged, and changes nothing', async () => {
      const { key } = await keyOf('1.00');
      const { body: handle } = await create(key, { ...input, n: 2 });
      await ended(key, handle.request_id);
      const dryRun = (body: unknown) =>
        gateway.ask('POST', '/admin/v1/money/prices/dry-run', { key: token, body });
      const tiers = [{ when: { resolution: '1k' }, image: 0.05, cost: { image: 0.02 } }];
      const book = JSON.stringify({ currency: 'USD', models: { [image]: tiers } });
      const { status, body } = await dryRun({ book, days: 1 });
      const [line] = body.data;
      assert.deepEqual([status, body.data.length, line.model, line.unpriced_jobs], [200, 1, image, 0]);
      const images = Number(line.candidate) / 0.05;
      assert.ok(images >= 2, `${images} images`);
      assert.equal(line.present, (images * 0.04).toFixed(2));
      assert.equal(line.difference, (images * 0.01).toFixed(2));
      assert.equal(line.cost, (images * 0.02).toFixed(2));
      assert.deepEqual([body.jobs, body.truncated, body.currency], [line.jobs, false, 'USD']);
      const whole = await dryRun({
        book: 'prices:\n  currency: USD\n  models: { eta2.6-t2v: { second: 1 } }',
      });
      assert.deepEqual([whole.body.data[0].unpriced_jobs, whole.body.data[0].candidate], [line.jobs, '0.00']);
      const wrong = await dryRun({ book: 'currency: dollars\nmodels: {}' });
      assert.deepEqual(
        [wrong.status, wrong.body],
        [422, { detail: 'book: book currency: must be three letters, such as USD (line 1, column 1)' }],
      );
      const { body: present } = await gateway.ask('GET', '/admin/v1/money/prices', { key: token });
      assert.equal(present.version, body.present_version);
    });

    test('an operator tops a project up once for each idempotency key', async () => {
      const { key, project } = await keyOf('0.01');
      const body = { project, kind: 'top_up', amount: '0.99', reason: 'invoice 7', idempotency_key: 'inv-7' };
      const post = () => gateway.ask('POST', '/admin/v1/money/entries', { key: token, body });
      const [first, second] = [await post(), await post()];
      assert.deepEqual([first.body.repeated, first.body.available], [false, '1.00']);
      assert.deepEqual([second.body.repeated, second.body.available], [true, '1.00']);
      assert.equal((await balance(key)).project.limit, '1.00');
      const bad = { ...body, amount: '1.0000001' };
      const refused = await gateway.ask('POST', '/admin/v1/money/entries', { key: token, body: bad });
      assert.deepEqual(refused.body, {
        detail: 'amount: must be a decimal text such as "10.00", with at most six digits behind the point',
      });
    });
  });

  describe(`prices that change on ${dialect}`, () => {
    let folder: string;
    let settings: string;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'atelier-money-'));
      settings = join(folder, 'atelier.yaml');
    });
    after(() => rm(folder, { recursive: true, force: true }));
    const write = (of: unknown) => writeFile(settings, JSON.stringify({ prices: of }));
    const env = () => ({ ATELIER_ADMIN_TOKEN: token, ATELIER_CONFIG: settings });

    test('between quote, creation and end change nothing that was quoted', async () => {
      await write(prices);
      const api = await startGateway({ dialect, isAlone: true, role: 'api', env: env() });
      const post = (path: string, body: unknown) => api.ask('POST', path, { key: token, body });
      await post('/admin/v1/projects', { name: 'shop', limit: '0.10' });
      const { secret: key } = (await post('/admin/v1/keys', { user: 'ann', project: 'shop' })).body;
      const body = { ...input, n: 2 };
      const quoted = await api.ask('POST', `/v1/models/${image}/validate`, { key, body });
      const headers = { 'atelier-quote': quoted.headers.get('atelier-quote') ?? '' };
      await write({ ...prices, models: { [image]: { image: 5 } } });
      (api.gateway as ReloadableGateway).reload(readConfig(env()));
      const made = await api.ask('POST', `/v1/queue/${image}`, { key, body, headers });
      assert.equal(made.status, 200);
      await api.stop();
      // A restart under a third book, without a price of the model.
      await write({ ...prices, models: { 'eta2.6-t2v': { second: 9 } } });
      const gateway = await startGateway({ dialect, isAlone: true, env: env(), after: api });
      const job = await until(async () => {
        const answer = await gateway.ask('GET', `/v1/jobs/${made.body.request_id}`, { key });
        return answer.body.status === 'COMPLETED' && answer.body;
      }, 'the job to end');
      assert.deepEqual(job.cost, {
        amount: '0.08',
        currency: 'USD',
        lines: [{ unit: 'image', quantity: 2, price: '0.04', basis: 'computed' }],
      });
      const { body: balance } = await gateway.ask('GET', '/v1/balance', { key });
      assert.deepEqual([balance.project.spent, balance.project.available], ['0.08', '0.02']);
      await gateway.close();
    });

    test('with hold: false are estimates alone: a limit refuses nothing, and nothing is written but usage', async () => {
      await write({ ...prices, hold: false });
      const gateway = await startGateway({ dialect, isAlone: true, env: env() });
      const post = (path: string, body: unknown) => gateway.ask('POST', path, { key: token, body });
      await post('/admin/v1/projects', { name: 'shop', limit: '0.01' });
      const { secret: key } = (await post('/admin/v1/keys', { user: 'ann', project: 'shop' })).body;
      const quoted = await gateway.ask('POST', `/v1/models/${image}/validate`, { key, body: input });
      assert.equal(quoted.body.quote.amount, '0.04');
      const { body: made } = await gateway.ask('POST', `/v1/queue/${image}`, { key, body: input });
      const free = await gateway.ask('POST', '/v1/queue/gamma-v2-image', { key, body: { prompt: 'A boat' } });
      assert.equal(free.status, 200);
      const job = await until(async () => {
        const answer = await gateway.ask('GET', `/v1/jobs/${made.request_id}`, { key });
        return answer.body.status === 'COMPLETED' && answer.body;
      }, 'the job to end');
      assert.equal('cost' in job && job.cost !== null, false);
      const { body: balance } = await gateway.ask('GET', '/v1/balance', { key });
      assert.deepEqual(balance.project, {
        ...{ name: 'shop', limit: '0.01', spent: '0.00', held: '0.00' },
        ...{ uncertain: '0.00', available: '0.01' },
      });
      assert.deepEqual(await gateway.gateway.db.read('SELECT job_id FROM money_holds'), []);
      const seen = await gateway.ask('GET', `/admin/v1/jobs/${made.request_id}`, { key: token });
      assert.deepEqual(seen.body.cost, { amount: 0.04, currency: 'USD' });
      await gateway.close();
    });
  });
}
