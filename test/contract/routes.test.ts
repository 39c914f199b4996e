// What every route declares is what it does: its authentication, its refusals, its bodies, its documentation.
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import Fastify from 'fastify';
import { pino } from 'pino';
import { z } from 'zod';
import { hasScope, refusalOfScope, type Scope, scopes } from '../../src/domain/key.ts';
import { type RefusalName, refusals, refuse } from '../../src/domain/refusal.ts';
import { codeOf } from '../../src/domain/refusal-help.ts';
import { addRoute, openAddressRates } from '../../src/http/add-route.ts';
import { openApi } from '../../src/http/openapi.ts';
import { refusalsOf } from '../../src/http/refusals-of-route.ts';
import { methodsOf, type OpenRoute, type Route } from '../../src/http/route.ts';
import { queueMounts, routes } from '../../src/http/route-list.ts';
import { image } from '../../testkit/clients/queue.ts';
import { openTestClock } from '../../testkit/clock.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

const nameOf = (route: Route) => `${methodsOf(route).join('|')} ${route.path}`;
const adminToken = 'the-admin-token-of-this-very-test';

describe('the list of routes', () => {
  test('has every route that a file exports', async () => {
    // By its address, as the files are: where tests are built, the list of this file is of other modules.
    const list: typeof import('../../src/http/route-list.ts') = await import(
      new URL('../../src/http/route-list.ts', import.meta.url).href
    );
    const listed = new Set(list.routes.map(({ open }) => open));
    for (const folder of ['routes', 'admin']) {
      const url = new URL(`../../src/http/${folder}/`, import.meta.url);
      for (const file of await readdir(url)) {
        const exported: Readonly<Record<string, unknown>> = await import(new URL(file, url).href);
        for (const [name, value] of Object.entries(exported))
          if (isRoute(value)) assert.ok(listed.has(value.open), `${file} ${name} is not in route-list.ts`);
      }
    }
  });

  test('serves no method of a path twice', () => {
    const served = routes.flatMap(route => methodsOf(route).map(method => `${method} ${route.path}`));
    assert.deepEqual(served, [...new Set(served)]);
  });

  test('each is in the protocol, or states why it is not', () => {
    const { paths } = JSON.parse(JSON.stringify(openApi(routes, 'https://gateway.test')));
    const found = Object.entries<Record<string, { operationId: string }>>(paths).flatMap(([, operations]) =>
      Object.values(operations).map(({ operationId }) => operationId),
    );
    for (const route of routes) {
      if ('undocumented' in route.docs) assert.ok(route.docs.undocumented.length > 10, nameOf(route));
      else if ('operationId' in route.docs) assert.ok(found.includes(route.docs.operationId), nameOf(route));
      else
        assert.ok(
          found.some(id => id.startsWith('create')),
          nameOf(route),
        );
    }
    assert.deepEqual(found, [...new Set(found)]);
  });

  test('each documented one states its answers, and every refusal it can give', () => {
    const { paths } = JSON.parse(JSON.stringify(openApi(routes, 'https://gateway.test')));
    for (const route of routes) {
      if (!('operationId' in route.docs)) continue;
      const { operationId } = route.docs;
      const operation = Object.values<Record<string, { operationId: string; responses: Responses }>>(paths)
        .flatMap(operations => Object.values(operations))
        .find(each => each.operationId === operationId);
      for (const status of Object.keys(route.answers)) assert.ok(operation?.responses[status], operationId);
      for (const name of refusalsOf(route)) {
        const codes = operation?.responses[String(refusals[name].status)]?.headers?.['X-Error-Code'];
        assert.ok(codes?.schema.examples.includes(codeOf(name)), `${operationId} ${name}`);
      }
    }
  });

  test('every refusal is given by a route, or by the server before one is found', () => {
    const beforeRoutes: readonly RefusalName[] = [
      'method_not_allowed',
      'file_method_not_allowed',
      'headers_too_large',
    ];
    const given = new Set([...beforeRoutes, ...routes.flatMap(route => [...refusalsOf(route)])]);
    assert.deepEqual(
      Object.keys(refusals).filter(name => !given.has(name as RefusalName)),
      [],
    );
  });
});

interface Responses {
  readonly [status: string]: {
    readonly headers?: { readonly 'X-Error-Code': { readonly schema: { readonly examples: string[] } } };
  };
}

const isRoute = (value: unknown): value is Route =>
  typeof value === 'object' && value !== null && 'auth' in value && 'open' in value;

describe('authentication of every route', () => {
  let gateway: TestGateway;
  let keys: ReadonlyMap<Scope, string>;
  let viewer: Readonly<Record<string, string>>;
  before(async () => {
    const env = { ATELIER_ADMIN_TOKEN: adminToken, ATELIER_METRICS_TOKEN: 'the-metrics-token-of-this-test' };
    gateway = await startGateway({ role: 'api', env });
    const made = scopes.map(async scope => [scope, await gateway.key({ scopes: [scope] })] as const);
    keys = new Map(await Promise.all(made));
    const person = { name: 'vera', role: 'viewer', password: 'a password of a viewer' };
    await gateway.ask('POST', '/admin/v1/people', { key: adminToken, body: person });
    const { headers, body } = await gateway.ask('POST', '/admin/v1/session', {
      body: { name: person.name, password: person.password },
    });
    const cookie = headers.getSetCookie().map(line => line.split(';', 1)[0]);
    viewer = { cookie: cookie.join('; '), 'x-csrf-token': body.csrf_token };
  });
  after(() => gateway.close());

  const pathOf = ({ path }: Route) =>
    path
      .replace(':modelId', image)
      .replace(/:\w+/, '00000000-0000-7000-8000-000000000000')
      .replace('*', 'file/name');
  const ask = async (route: Route, options: Parameters<TestGateway['ask']>[2] = {}) => {
    const answer = await gateway.ask(methodsOf(route)[0]!, pathOf(route), options);
    return { status: answer.status, code: answer.headers.get('x-error-code') };
  };

  for (const route of routes) {
    const needed: Scope | 'any-key' = route.auth === 'key' ? route.scope : 'any-key';
    switch (route.auth) {
      case 'key':
        test(`${nameOf(route)} needs a key with ${route.scope}`, async () => {
          assert.deepEqual(await ask(route), { status: 401, code: codeOf('key_missing') });
          assert.deepEqual(await ask(route, { key: 'atl_wrong' }), {
            status: 401,
            code: codeOf('key_invalid'),
          });
          for (const [scope, key] of keys) {
            if (needed === 'any-key' || hasScope({ models: null, scopes: [scope] }, needed)) continue;
            const refusal: RefusalName = refusalOfScope[needed];
            assert.deepEqual(await ask(route, { key }), { status: 403, code: codeOf(refusal) }, scope);
          }
        });
        break;
      case 'admin':
      case 'session':
        test(`${nameOf(route)} needs an operator${route.auth === 'admin' ? ` (${route.role})` : ''}`, async () => {
          assert.deepEqual(await ask(route), { status: 401, code: codeOf('key_missing') });
          const [key] = [...keys.values()];
          const wrong = await ask(route, { key: key! });
          assert.ok([401, 429].includes(wrong.status), String(wrong.status));
          if (route.auth === 'admin' && route.role !== 'viewer')
            assert.deepEqual(await ask(route, { headers: viewer }), {
              status: 403,
              code: codeOf('role_insufficient'),
            });
          else if (route.method === 'GET') {
            const { status } = await ask(route, { headers: viewer });
            assert.ok(![401, 403].includes(status), String(status));
          }
          if (route.method !== 'GET')
            assert.deepEqual(await ask(route, { headers: { cookie: viewer.cookie! } }), {
              status: 403,
              code: codeOf('csrf_missing'),
            });
        });
        break;
      case 'signed':
        test(`${nameOf(route)} needs a signature`, async () => {
          const { status } = await ask(route);
          assert.ok([403, 404].includes(status), String(status));
        });
        break;
      case 'metrics':
        test(`${nameOf(route)} needs the metrics token`, async () => {
          assert.equal((await ask(route)).status, 401);
          assert.equal((await ask(route, { key: 'the-metrics-token-of-this-test' })).status, 200);
        });
        break;
      case 'none':
        test(`${nameOf(route)} needs no credentials`, async () => {
          const { status } = await ask(route);
          assert.ok(![401, 403].includes(status), String(status));
        });
    }
  }

  test('the queue is the same below both of its mounts', () => {
    const [first, second] = queueMounts.map(mount =>
      routes
        .filter(({ path }) => path.startsWith(`${mount}/`))
        .map(route => ({ ...route, path: route.path.slice(mount.length), docs: null })),
    );
    assert.deepEqual(first, second);
  });
});

describe('declarations are verified in tests', () => {
  const declared: Omit<OpenRoute, 'open'> = {
    method: 'GET',
    path: '/',
    auth: 'none',
    addressRate: null,
    errors: 'detail',
    refusals: ['job_unknown'],
    answers: { 200: { description: 'A word.', body: z.object({ word: z.string() }) } },
    docs: { undocumented: 'a route of a test' },
  };
  const answerOf = async (handle: () => unknown) => {
    const app = Fastify();
    const clock = openTestClock();
    addRoute(app, { ...declared, open: () => handle }, async () => handle(), {
      log: pino({ level: 'silent' }),
      onRefused: () => {},
      takeFromStrangers: () => {},
      rates: openAddressRates(clock),
      verifiesDeclarations: true,
    });
    const { statusCode, body } = await app.inject('/');
    await app.close();
    return { status: statusCode, body: JSON.parse(body) };
  };
  const throwing = (name: RefusalName) => () => {
    throw refuse(name);
  };

  test('a declared refusal and a declared body pass', async () => {
    assert.equal((await answerOf(throwing('job_unknown'))).status, 404);
    assert.deepEqual(await answerOf(() => ({ word: 'a' })), { status: 200, body: { word: 'a' } });
  });

  test('any other refusal or body is an internal error', async () => {
    assert.equal((await answerOf(throwing('model_unknown'))).status, 500);
    assert.equal((await answerOf(() => ({ word: 1 }))).status, 500);
    assert.equal((await answerOf(() => ({ word: 'a', more: 1 }))).status, 500);
  });
});
