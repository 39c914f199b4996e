import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Scope, scopes } from '../../src/domain/key.ts';
import { image } from '../../testkit/clients/queue.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

const input = { prompt: 'A red balloon' };
const detail = (words: string) => ({ detail: words });
const withoutFiles = {
  error: {
    message: 'This key may not use files',
    type: 'invalid_request_error',
    param: null,
    code: 'scope_missing',
  },
};
const refusals: Readonly<Record<Scope, unknown>> = {
  'jobs:create': detail('This key may not create jobs'),
  'jobs:read': detail('This key may not read jobs'),
  files: withoutFiles,
  'webhook-secret': detail('This key may not read the webhook secret'),
};

interface Asked {
  readonly method: string;
  /** As the OpenAPI document has it; `{model_id}`, `{request_id}` and `{file_id}` are filled in. */
  readonly path: string;
  /** Null: every key may ask. */
  readonly scope: Scope | null;
  /** The status where the key may. */
  readonly status: number;
  readonly body?: unknown;
}

const job = '/v1/queue/{model_id}/requests/{request_id}';
const documented: readonly Asked[] = [
  { method: 'POST', path: '/v1/queue/{model_id}', scope: 'jobs:create', status: 200, body: input },
  { method: 'GET', path: '/v1/queue/{model_id}/requests', scope: 'jobs:read', status: 200 },
  { method: 'GET', path: `${job}/status`, scope: 'jobs:read', status: 200 },
  { method: 'GET', path: `${job}/response`, scope: 'jobs:read', status: 202 },
  { method: 'PUT', path: `${job}/cancel`, scope: 'jobs:create', status: 200 },
  { method: 'GET', path: '/v1/jobs', scope: 'jobs:read', status: 200 },
  { method: 'GET', path: '/v1/jobs/{request_id}', scope: 'jobs:read', status: 200 },
  { method: 'GET', path: '/v1/webhooks/default/secret', scope: 'webhook-secret', status: 200 },
  {
    method: 'POST',
    path: '/v1/files',
    scope: 'files',
    status: 200,
    body: { data: 'aGVsbG8=', mime_type: 'text/plain' },
  },
  { method: 'GET', path: '/v1/files', scope: 'files', status: 200 },
  { method: 'GET', path: '/v1/files/{file_id}', scope: 'files', status: 200 },
  { method: 'GET', path: '/v1/files/{file_id}/content', scope: 'files', status: 302 },
  { method: 'DELETE', path: '/v1/files/{file_id}', scope: 'files', status: 200 },
  { method: 'GET', path: '/v1/models', scope: null, status: 200 },
  { method: 'GET', path: '/v1/models/{model_id}', scope: null, status: 200 },
  {
    method: 'POST',
    path: '/v1/models/{model_id}/validate',
    scope: 'jobs:create',
    status: 200,
    body: input,
  },
];
const undocumented: readonly Asked[] = [
  { method: 'GET', path: job, scope: 'jobs:read', status: 202 },
  { method: 'POST', path: '/v1/queue/{model_id}/sync', scope: null, status: 404, body: input },
  { method: 'GET', path: `${job}/status/stream`, scope: null, status: 400 },
];
const otherMount = [...documented, ...undocumented]
  .filter(({ path }) => path.startsWith('/v1/queue/'))
  .map(asked => ({ ...asked, path: `/model${asked.path}` }));

for (const dialect of dialects) {
  describe(`scopes of a key (${dialect})`, () => {
    /** Of the role api: what is in line stays there. */
    let gateway: TestGateway;
    let keys: Readonly<Record<Scope, string>>;
    let whole: string;
    let fileId: string;
    before(async () => {
      gateway = await startGateway({ dialect, role: 'api' });
      const keyOf = (scope: Scope) => gateway.key({ userName: 'ann', scopes: [scope] });
      keys = {
        'jobs:create': await keyOf('jobs:create'),
        'jobs:read': await keyOf('jobs:read'),
        files: await keyOf('files'),
        'webhook-secret': await keyOf('webhook-secret'),
      };
      whole = await gateway.key({ userName: 'ann' });
      const body = { data: 'aGVsbG8=', mime_type: 'text/plain' };
      fileId = (await gateway.ask('POST', '/v1/files', { key: whole, body })).body.id;
    });
    after(() => gateway.close());

    const create = async () =>
      String((await gateway.ask('POST', `/v1/queue/${image}`, { key: whole, body: input })).body.request_id);
    const ask = async ({ method, path, body }: Asked, key: string) => {
      const filled = path
        .replace('{model_id}', image)
        .replace('{request_id}', path.includes('{request_id}') ? await create() : '')
        .replace('{file_id}', fileId);
      return gateway.ask(method, filled, { key, body });
    };

    for (const asked of [...documented, ...undocumented, ...otherMount]) {
      const needed = asked.scope ?? 'any key';
      test(`${asked.method} ${asked.path} needs ${needed}`, async () => {
        // The one that may comes last: it may end the file.
        for (const scope of scopes.toSorted((a, b) => Number(a === needed) - Number(b === needed))) {
          const { status, body } = await ask(asked, keys[scope]);
          if (asked.scope === null || asked.scope === scope) assert.equal(status, asked.status, scope);
          else assert.deepEqual([status, body], [403, refusals[asked.scope]], scope);
        }
      });
    }

    test('every endpoint of the OpenAPI document that asks for a key is in this test', async () => {
      const { body } = await gateway.ask('GET', '/openapi.json');
      const found = Object.entries<Record<string, unknown>>(body.paths).flatMap(([path, operations]) =>
        Object.keys(operations).map(
          method => `${method.toUpperCase()} ${path.replace(/^(\/v1\/queue\/)[^/{]+$/, '$1{model_id}')}`,
        ),
      );
      const tested = documented.map(({ method, path }) => `${method} ${path}`);
      assert.deepEqual([...new Set(found)].toSorted(), tested.toSorted());
    });

    test('a key without a restriction has all of them', async () => {
      assert.equal((await gateway.ask('GET', '/v1/webhooks/default/secret', { key: whole })).status, 200);
    });

    test('a key that is limited to models reads the webhook secret only where that is named', async () => {
      const secretFor = async (key: string) => gateway.ask('GET', '/v1/webhooks/default/secret', { key });
      const limited = await gateway.key({ userName: 'ann', models: [image] });
      const { status, body } = await secretFor(limited);
      assert.deepEqual([status, body], [403, refusals['webhook-secret']]);
      for (const path of ['/v1/jobs', '/v1/files'])
        assert.equal((await gateway.ask('GET', path, { key: limited })).status, 200);
      const named = await gateway.key({ userName: 'ann', models: [image], scopes: ['webhook-secret'] });
      assert.equal((await secretFor(named)).status, 200);
    });

    test('tools for language models have the scopes of the key', async () => {
      const call = async (name: string, given: unknown, key: string) => {
        const answer = await gateway.ask('POST', '/mcp', {
          key,
          headers: { accept: 'application/json, text/event-stream' },
          body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } },
        });
        assert.equal(answer.status, 200);
        return JSON.parse(/^data: (\{.*\})$/m.exec(String(answer.body))?.[1] ?? 'null').result;
      };
      const tools: readonly (readonly [name: string, scope: Scope | null, given: unknown])[] = [
        ['list_models', null, {}],
        ['describe_model', null, { model: image }],
        ['estimate_cost', 'jobs:create', { model: image, input }],
        ['submit_job', 'jobs:create', { model: image, input }],
        ['job_status', 'jobs:read', { request_id: await create() }],
        ['upload_file', 'files', { data: 'aGVsbG8=', mime_type: 'text/plain' }],
      ];
      for (const [name, needed, given] of tools) {
        for (const scope of scopes) {
          const result = await call(name, given, keys[scope]);
          const isAllowed = needed === null || needed === scope;
          assert.equal(result.isError ?? false, !isAllowed, `${name} with ${scope}`);
          if (isAllowed) continue;
          const { http_status, ...told } = result.structuredContent;
          assert.deepEqual([http_status, told], [403, refusals[needed]], `${name} with ${scope}`);
        }
      }
    });
  });
}
