/** GET /v1/models, one model, and POST /v1/models/{model_id}/validate. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { models } from '../../src/catalog/index.ts';
import { bodies, create, image, speech, turbo } from '../../testkit/clients/queue.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

describe('the models', () => {
  let gateway: TestGateway;
  let key: string;
  before(async () => {
    gateway = await startGateway({ role: 'api' });
    key = await gateway.key();
  });
  after(() => gateway.close());

  const get = (path: string) => gateway.ask('GET', path, { key });
  const validate = (model: string, body: unknown, as = key, headers: Readonly<Record<string, string>> = {}) =>
    gateway.ask('POST', `/v1/models/${model}/validate`, { key: as, body, headers });
  const countJobs = async (): Promise<number> =>
    Number((await gateway.gateway.db.read('SELECT count(*) AS jobs FROM jobs'))[0]?.jobs);

  describe('GET /v1/models', () => {
    test('200: every model, a line each', async () => {
      const { status, headers, body } = await get('/v1/models');
      assert.equal(status, 200);
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.deepEqual(
        body.data.map((line: { id: string }) => line.id),
        models.map(model => model.id),
      );
      const lines = new Map(body.data.map((line: { id: string }) => [line.id, line]));
      assert.deepEqual(lines.get(speech), {
        id: speech,
        object: 'model',
        owned_by: 'atelier',
        kind: 'speech',
        family: 'theta',
        title: 'Speech in thirty voices',
        summary: 'Speaks a text in one of thirty preset voices; the style can be asked for in the text.',
        accepts_callback: false,
      });
      assert.deepEqual({ ...body, data: [] }, { object: 'list', data: [] });
    });
  });

  describe('GET /v1/models/{model_id}', () => {
    for (const model of models) {
      test(`200: ${model.id} whole`, async () => {
        const { status, body } = await get(`/v1/models/${model.id}`);
        assert.equal(status, 200);
        const { input_schema, ...rest } = body;
        const { id, kind, family, title, summary, acceptsCallback, maxBodyBytes, examples } = model;
        assert.deepEqual(rest, {
          ...{ id, object: 'model', owned_by: 'atelier', kind, family, title, summary },
          accepts_callback: acceptsCallback,
          limits: { max_body_bytes: maxBodyBytes },
          rules: [...model.rules, ...model.mediaRules].map(({ says, fields }) => ({ says, fields })),
          examples: JSON.parse(JSON.stringify(examples)),
        });
        assert.equal(input_schema.type, 'object');
        assert.equal(input_schema.additionalProperties, false);
        assert.deepEqual(Object.keys(input_schema.properties), Object.keys(model.schema.shape));
      });
    }

    test('404: an unknown model is named', async () => {
      const { status, body } = await get('/v1/models/unknown');
      assert.equal(status, 404);
      assert.deepEqual(body, { detail: 'App not found: unknown' });
    });
  });

  describe('POST /v1/models/{model_id}/validate', () => {
    test('200: what would become a job, and nothing is stored', async () => {
      const before = await countJobs();
      const png =
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
      for (const [model, body] of Object.entries(bodies)) {
        const answer = await validate(model, body);
        assert.equal(answer.status, 200);
        assert.deepEqual(answer.body, {
          object: 'validation',
          model,
          valid: true,
          billed_jobs: 1,
          quote: null,
        });
      }
      assert.equal((await validate(image, { prompt: 'x', image: png })).status, 422);
      assert.equal(await countJobs(), before);
      assert.deepEqual(await gateway.keptFiles(), []);
    });

    test('200: an Idempotency-Key is not used up by it', async () => {
      const headers = { 'idempotency-key': 'dry' };
      assert.equal((await validate(speech, { text: 'One.' }, key, headers)).status, 200);
      const { body, headers: given } = await gateway.ask('POST', `/v1/queue/${speech}`, {
        key,
        body: { text: 'Two.' },
        headers,
      });
      assert.equal(given.get('idempotent-replayed'), null);
      assert.match(body.request_id, /^[0-9a-f-]{36}$/);
    });

    test('every refusal is the one of a creation', async () => {
      const narrow = await gateway.key({ models: [turbo] });
      const { request_id } = await create(gateway, key, {
        model: image,
        body: { prompt: 'x', external_task_id: 'mine' },
      });
      const used = `external_task_id: already used by request ${request_id}`;
      const json = { 'content-type': 'application/json' };
      const table: readonly [string, unknown, string, Readonly<Record<string, string>>, number, string][] = [
        ['unknown', {}, key, json, 404, 'App not found: unknown'],
        [speech, bodies[speech], narrow, json, 403, 'Model not allowed for this user'],
        [`${speech}?webhook=1`, bodies[speech], key, json, 400, 'webhook not supported'],
        [speech, bodies[speech], key, { ...json, 'x-webhook': '1' }, 400, 'webhook not supported'],
        [
          speech,
          { ...bodies[speech], callback_url: 'https://a.test' },
          key,
          json,
          400,
          'webhook not supported',
        ],
        [
          speech,
          bodies[speech],
          key,
          { 'content-type': 'text/plain' },
          415,
          'Content-Type must be application/json',
        ],
        [speech, '[]', key, json, 400, 'Request body must be a JSON object'],
        [speech, { txt: 1 }, key, json, 422, 'text: is required; txt: unknown field, did you mean text?'],
        [
          speech,
          bodies[speech],
          key,
          { ...json, 'cancel-after': 'x' },
          422,
          'Cancel-After: must be a time such as 90s, 5m or 3600 (seconds), at most 30 days',
        ],
        [
          image,
          { prompt: 'x', image_reference: 'face' },
          key,
          json,
          422,
          'image: an image is required when image_reference is set',
        ],
        [
          image,
          { prompt: 'x', image: 'file_000000000000000000000000' },
          key,
          json,
          422,
          'image: file not found',
        ],
        [image, { prompt: 'x', external_task_id: 'mine' }, key, json, 422, used],
      ];
      for (const [target, body, as, headers, status, detail] of table) {
        const [model = '', query] = target.split('?');
        const suffix = query === undefined ? '' : `?${query}`;
        const dry = await gateway.ask('POST', `/v1/models/${model}/validate${suffix}`, {
          key: as,
          body,
          headers,
        });
        assert.deepEqual([dry.status, dry.body], [status, { detail }]);
        const real = await gateway.ask('POST', `/v1/queue/${model}${suffix}`, { key: as, body, headers });
        assert.deepEqual([real.status, real.body], [status, { detail }]);
        assert.equal(dry.headers.get('x-error-fields'), real.headers.get('x-error-fields'));
      }
    });
  });
});
