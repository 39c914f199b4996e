/** Which endpoint and which MCP tool needs which scope of a key. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Scope, scopes } from '../../src/domain/key.ts';
import { templateOf } from '../../src/http/openapi.ts';
import { type KeyRoute, methodsOf } from '../../src/http/route.ts';
import { routes } from '../../src/http/route-list.ts';
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

/** A route for keys, as this test calls it. */
interface Call {
  readonly method: string;
  /** As the OpenAPI document has it; `{model_id}`, `{request_id}` and `{file_id}` are filled in. */
  readonly path: string;
  readonly scope: Scope | 'any-key';
  /** The status where the key may; null: any but 401 and 403, where this test has no complete request. */
  readonly status: number | null;
  readonly body?: unknown;
}

/** Bodies of requests, by method and path. */
const bodies: Readonly<Record<string, unknown>> = {
  'POST /v1/queue/{model_id}': input,
  'POST /v1/queue/{model_id}/sync': input,
  'POST /v1/files': { data: 'aGVsbG8=', mime_type: 'text/plain' },
  'POST /v1/models/{model_id}/validate': input,
};
/** Statuses other than 200, where the key may. */
const statuses: Readonly<Record<string, number>> = {
  'GET /v1/queue/{model_id}/requests/{request_id}': 202,
  'GET /v1/queue/{model_id}/requests/{request_id}/response': 202,
  'GET /v1/queue/{model_id}/requests/{request_id}/status/stream': 400,
  'POST /v1/queue/{model_id}/sync': 404,
  'GET /v1/files/{file_id}/content': 302,
};
/** The scopes that the contract names. An endpoint beside it is tested by its own declaration. */
const scopesOfContract: Readonly<Record<string, Scope | 'any-key'>> = {
  'POST /v1/queue/{model_id}': 'jobs:create',
  'GET /v1/queue/{model_id}/requests': 'jobs:read',
  'GET /v1/queue/{model_id}/requests/{request_id}': 'jobs:read',
  'GET /v1/queue/{model_id}/requests/{request_id}/status': 'jobs:read',
  'GET /v1/queue/{model_id}/requests/{request_id}/status/stream': 'any-key',
  'GET /v1/queue/{model_id}/requests/{request_id}/response': 'jobs:read',
  'PUT /v1/queue/{model_id}/requests/{request_id}/cancel': 'jobs:create',
  'POST /v1/queue/{model_id}/sync': 'any-key',
  'GET /v1/jobs': 'jobs:read',
  'GET /v1/jobs/{request_id}': 'jobs:read',
  'GET /v1/webhooks/default/secret': 'webhook-secret',
  'POST /v1/files': 'files',
  'GET /v1/files': 'files',
  'GET /v1/files/{file_id}': 'files',
  'GET /v1/files/{file_id}/content': 'files',
  'DELETE /v1/files/{file_id}': 'files',
  'GET /v1/models': 'any-key',
  'GET /v1/models/{model_id}': 'any-key',
  'POST /v1/models/{model_id}/validate': 'jobs:create',
};

const keyRoutes = routes.filter(route => route.auth === 'key');
const nameOf = (route: KeyRoute): string => `${methodsOf(route)[0]} ${templateOf(route.path)}`;
/** Below the other mount the requests are the same. */
const calls: readonly Call[] = keyRoutes.map(route => {
  const [method = ''] = methodsOf(route);
  const name = nameOf(route).replace(' /model/v1/', ' /v1/');
  const path = templateOf(route.path);
  const body = bodies[name];
  const isComplete =
    (body !== undefined || method !== 'POST') &&
    !/\{/.test(path.replaceAll(/\{(model_id|request_id|file_id)\}/g, ''));
  return { method, path, scope: route.scope, status: statuses[name] ?? (isComplete ? 200 : null), body };
});

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
    const ask = async ({ method, path, body }: Call, key: string) => {
      const filled = path
        .replace('{model_id}', image)
        .replace('{request_id}', path.includes('{request_id}') ? await create() : '')
        .replace('{file_id}', fileId);
      return gateway.ask(method, filled, { key, body });
    };

    for (const call of calls) {
      const { scope: needed } = call;
      test(`${call.method} ${call.path} needs ${needed}`, async () => {
        // The allowed one comes last: it may delete the file.
        for (const scope of scopes.toSorted((a, b) => Number(a === needed) - Number(b === needed))) {
          const { status, body } = await ask(call, keys[scope]);
          if (needed !== 'any-key' && needed !== scope)
            assert.deepEqual([status, body], [403, refusals[needed]], scope);
          else if (call.status === null) assert.ok(status !== 401 && status !== 403, `${scope}: ${status}`);
          else assert.equal(status, call.status, scope);
        }
      });
    }

    test('every endpoint of the contract needs the scope that it names, below both mounts', () => {
      const declared = new Map(keyRoutes.map(route => [nameOf(route), route.scope]));
      for (const [name, scope] of Object.entries(scopesOfContract)) {
        assert.equal(declared.get(name), scope, name);
        if (!name.includes(' /v1/queue/')) continue;
        assert.equal(declared.get(name.replace(' /v1/', ' /model/v1/')), scope, name);
      }
    });

    test('every endpoint of the OpenAPI document is for keys, and so in this test', async () => {
      const { body } = await gateway.ask('GET', '/openapi.json');
      const found = Object.entries<Record<string, unknown>>(body.paths).flatMap(([path, operations]) =>
        Object.keys(operations).map(
          method => `${method.toUpperCase()} ${path.replace(/^(\/v1\/queue\/)[^/{]+$/, '$1{model_id}')}`,
        ),
      );
      const tested = keyRoutes.filter(({ docs }) => !('undocumented' in docs)).map(nameOf);
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
          const { http_status, ...refusal } = result.structuredContent;
          assert.deepEqual([http_status, refusal], [403, refusals[needed]], `${name} with ${scope}`);
        }
      }
    });
  });
}
