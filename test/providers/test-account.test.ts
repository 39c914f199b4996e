/** The free call that tests the key of an account. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { parse } from 'yaml';
import { z } from 'zod';
import { contractCatalog } from '../../src/catalog/index.ts';
import { systemClock } from '../../src/domain/clock.ts';
import type { TestResult } from '../../src/domain/provider.ts';
import { openOutbound } from '../../src/media/outbound.ts';
import { providers } from '../../src/providers/index.ts';

/** What an upstream answers to a valid key and to a wrong one, by its public documents. */
interface FreeCall {
  readonly path: string;
  readonly settings?: Readonly<Record<string, string>>;
  readonly welcome: readonly [status: number, body: unknown];
  readonly refusal: readonly [status: number, body: unknown, reason: string];
}

const exampleSchema = z.object({
  accounts: z.record(z.string(), z.record(z.string(), z.unknown())),
});

const engine = (path: string, body: unknown): FreeCall => ({
  path,
  welcome: [200, body],
  refusal: [401, {}, 'status 401'],
});
const arkCall: FreeCall = {
  path: '/contents/generations/tasks?page_num=1&page_size=1',
  welcome: [200, { items: [], total: 0 }],
  refusal: [401, { error: { code: 'AuthenticationError', message: 'wrong key' } }, 'wrong key'],
};
const calls: Readonly<Record<string, FreeCall>> = {
  relay: {
    path: '/v1/queue/beta-edit/requests/00000000-0000-7000-8000-000000000000/status',
    welcome: [404, { detail: 'Request not found' }],
    refusal: [401, { error: { code: 'UNAUTHORIZED', message: 'Invalid API key' } }, 'Invalid API key'],
  },
  replicate: {
    path: '/account',
    welcome: [200, { type: 'user', username: 'ann' }],
    refusal: [401, { title: 'Unauthenticated', detail: 'wrong token', status: 401 }, 'wrong token'],
  },
  kling: {
    path: '/v1/images/generations?pageNum=1&pageSize=1',
    welcome: [200, { code: 0, message: 'SUCCEED', request_id: 'r', data: [] }],
    refusal: [401, { code: 1002, message: 'wrong key', request_id: 'r' }, 'wrong key'],
  },
  minimax: {
    path: '/v1/files/list?GroupId=g&purpose=voice_clone',
    settings: { group_id: 'g' },
    welcome: [200, { files: [], base_resp: { status_code: 0, status_msg: 'success' } }],
    refusal: [200, { base_resp: { status_code: 2049, status_msg: 'invalid api key' } }, 'invalid api key'],
  },
  ark: arkCall,
  modelark: arkCall,
  gemini: {
    path: '/models?pageSize=1',
    welcome: [200, { models: [] }],
    refusal: [
      400,
      {
        error: {
          code: 400,
          message: 'wrong key',
          status: 'INVALID_ARGUMENT',
          details: [{ reason: 'API_KEY_INVALID' }],
        },
      },
      'wrong key',
    ],
  },
  vidu: {
    path: '/ent/v2/credits',
    welcome: [200, { remains: [{ credit_remain: 5 }] }],
    refusal: [401, { code: 401, reason: 'Unauthorized', message: 'wrong key' }, 'wrong key'],
  },
  dashscope: {
    path: '/api/v1/tasks?page_no=1&page_size=1',
    welcome: [200, { data: [], total: 0, request_id: 'r' }],
    refusal: [401, { code: 'InvalidApiKey', message: 'wrong key', request_id: 'r' }, 'wrong key'],
  },
  youchuan: {
    path: '/v1/tob/subscribe',
    settings: { app: 'app', secret: 'sk-1234' },
    welcome: [200, { plan: 'pro' }],
    refusal: [401, { code: 401, reason: 'Invalid_App_Identifier', message: 'wrong app' }, 'wrong app'],
  },
  'openai-compatible': engine('/v1/models', { object: 'list', data: [] }),
  comfyui: engine('/system_stats', { system: { comfyui_version: '1' }, devices: [] }),
  cog: engine('/health-check', { status: 'READY', setup: { status: 'succeeded' } }),
  lightx2v: engine('/v1/service/status', { service_status: 'idle' }),
};

describe('the free call of a provider', () => {
  let server: Server;
  let requests: string[] = [];
  let scripted: readonly [number, unknown] = [200, {}];
  const outbound = openOutbound({ allowPrivate: true });
  before(async () => {
    server = createServer((request, response) => {
      requests.push(`${request.method} ${request.url}`);
      response
        .writeHead(scripted[0], { 'content-type': 'application/json' })
        .end(scripted[1] === '<html>' ? scripted[1] : JSON.stringify(scripted[1]));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(async () => {
    server.close();
    await outbound.close();
  });

  const openAccount = (name: string, settings: object) => {
    const definition = providers.find(provider => provider.name === name);
    const { open } = definition!.settings(z.string()).parse(settings);
    return open({
      catalog: contractCatalog,
      clock: systemClock,
      outbound,
      linkTo: () => null,
      folder: '/nowhere',
    });
  };

  async function tested(name: string, settings: object, answer: readonly [number, unknown]) {
    const { port } = server.address() as AddressInfo;
    const opened = openAccount(name, { base_url: `http://127.0.0.1:${port}`, ...settings });
    requests = [];
    scripted = answer;
    const result = await opened.provider.test?.();
    await opened.close();
    return result;
  }

  test('has an entry here for every provider that has one', async () => {
    const found: string[] = [];
    for (const { name } of providers) {
      const file = await readFile(new URL(`../../examples/settings/${name}.yaml`, import.meta.url), 'utf8');
      const [account] = Object.values(exampleSchema.parse(parse(file)).accounts);
      const { provider: _, slots: __, rate: ___, ...settings } = account!;
      const opened = openAccount(name, settings);
      if (opened.provider.test) found.push(name);
      await opened.close();
    }
    assert.deepEqual(found.toSorted(), Object.keys(calls).toSorted());
  });

  const accepted: TestResult = { kind: 'accepted' };
  for (const [name, { path, settings = {}, welcome, refusal }] of Object.entries(calls)) {
    const own = name === 'youchuan' ? settings : { api_key: 'sk-1234', ...settings };
    test(`of ${name} distinguishes an accepted key from a rejected one`, async () => {
      assert.deepEqual(await tested(name, own, welcome), accepted);
      assert.deepEqual(requests, [`GET ${path}`]);
      const [status, body, reason] = refusal;
      assert.deepEqual(await tested(name, own, [status, body]), {
        kind: 'refused',
        reason: `the upstream rejected the account: ${reason}`,
      });
    });
    for (const status of [200, 404, 500]) {
      test(`of ${name} reads a page with the status ${status} as no answer about the account`, async () => {
        assert.deepEqual(await tested(name, own, [status, '<html>']), {
          kind: 'unclear',
          reason: `the upstream answered ${status} to a free call`,
        });
      });
    }
  }

  for (const [status, reason] of [
    ['SETUP_FAILED', 'the setup of its model failed (SETUP_FAILED): see the log of the container'],
    ['DEFUNCT', 'the container is broken (DEFUNCT): start it again'],
    ['UNHEALTHY', "the model's own health check fails (UNHEALTHY)"],
    ['DREAMING', 'its health check reports an unknown state'],
  ] as const) {
    test(`of cog reads the state ${status} in an answer with the status 200`, async () => {
      assert.deepEqual(await tested('cog', {}, [200, { status }]), { kind: 'unclear', reason });
    });
  }

  for (const name of ['fal', 'pixverse']) {
    test(`of ${name} is not known, so nothing is requested`, async () => {
      assert.equal(await tested(name, { api_key: 'sk-1234' }, [200, {}]), undefined);
      assert.deepEqual(requests, []);
    });
  }
});
