/** Promise I18: no input crashes the gateway or gets an undocumented answer. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import type { Connection } from '../../src/store/db/connection.ts';
import { createKey } from '../../src/store/people/keys.ts';
import { bodies, image, speech, turbo } from '../../testkit/clients/queue.ts';
import { formHeaders, formOf } from '../../testkit/clients/uploads.ts';
import { makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { unique } from '../../testkit/databases/rows.ts';
import { ask } from '../../testkit/gateway/gateway.ts';
import { type Served, serve } from '../../testkit/gateway/program.ts';
import { assertOrderly, exchange, mutationsOf } from './bare-exchange.ts';

/** FC_SEED plays the same bytes again. */
const seed = Number(process.env.FC_SEED ?? Date.now() % 2 ** 31);
const megabyte = 1024 * 1024;
/** Where most requests lack their end: they are answered at once or never. */
const shortMs = 150;
/** Most of them wait for the end of that time. */
const atOnce = 10;

describe(`I18 bounded input (seed ${seed})`, () => {
  let database: TestDatabase;
  let db: Connection;
  let served: Served;
  let key: string;
  let born: string;
  before(async () => {
    database = await makeDatabase('sqlite');
    db = await database.connect();
    const settings = join(database.folder, 'atelier.yaml');
    await writeFile(settings, 'limits: { queue: { per_second: 100000, burst: 1000000 } }');
    served = await serve({
      env: {
        ATELIER_DATA_DIR: database.folder,
        ATELIER_ROLE: 'api',
        ATELIER_LOG_LEVEL: 'error',
        ATELIER_CONFIG: settings,
      },
    });
    key = await newKey();
    born = await birth();
  });
  after(async () => {
    assert.equal(await served.end('SIGTERM'), 0);
    await database.remove();
  });

  /** Of a user who has uploaded nothing yet. */
  async function newKey(): Promise<string> {
    const wanted = { userName: unique('user'), name: null, models: null, expiresAt: null };
    return (await createKey(db, wanted, Date.now())).secret;
  }

  /** When the process that answers was started. */
  async function birth(): Promise<string> {
    const { body } = await ask(served.url, 'GET', '/metrics');
    const [, at] = /^process_start_time_seconds (\S+)$/m.exec(body) ?? [];
    if (at === undefined) throw new Error('expected the start of the process among its figures');
    return at;
  }

  /** The same process answers as before, and well. */
  async function isUnharmed(): Promise<void> {
    assert.equal(await birth(), born);
    const { status, body } = await ask(served.url, 'POST', `/v1/models/${speech}/validate`, {
      key,
      body: bodies[speech],
    });
    assert.deepEqual([status, body.valid], [200, true]);
  }

  const whole = (path: string, type: string, body: Uint8Array, as = key) => {
    const lines = [
      `POST ${path} HTTP/1.1`,
      'Host: x',
      `Authorization: Bearer ${as}`,
      `Content-Type: ${type}`,
      `Content-Length: ${body.length}`,
      'Connection: close',
    ];
    return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body]);
  };

  describe('C1: texts that mean to be JSON', () => {
    const nested = (depth: number) => `{"text":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    const many = (count: number) => `{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join()}}`;
    const texts: readonly (readonly [what: string, text: string, status: 400 | 422])[] = [
      ['an integer beyond all numbers', '{"text":1e400}', 422],
      ['a million levels', nested(1_000_000), 400],
      ['a hundred thousand keys', many(100_000), 400],
      ['a key of ten megabytes', `{"${'k'.repeat(10 * megabyte)}":1}`, 422],
      ['a number of a megabyte', `{"text":${'9'.repeat(megabyte)}}`, 422],
      ['__proto__', '{"text":"a","__proto__":{"admin":true}}', 422],
      ['constructor.prototype', '{"text":"a","constructor":{"prototype":{"admin":true}}}', 422],
      ['a minus zero', '{"text":-0}', 422],
      ['2^53 + 1', '{"text":9007199254740993}', 422],
      ['a megabyte of escapes', `{"text":${JSON.stringify('\\"'.repeat(megabyte / 4))}`, 400],
    ];
    for (const model of [speech, image, turbo]) {
      for (const [what, text, status] of texts) {
        test(`I18 ${what} sent to ${model}`, async () => {
          const body = text.replaceAll('"text"', model === speech ? '"text"' : '"prompt"');
          const answers = await exchange(
            served.url,
            whole(`/v1/queue/${model}`, 'application/json', Buffer.from(body)),
          );
          assertOrderly(answers);
          assert.deepEqual(
            answers.map(answer => answer.status),
            [status],
          );
          await isUnharmed();
        });
      }
    }

    test('I18 a right body with any few bytes changed', async () => {
      const right = Buffer.from(JSON.stringify({ ...bodies[image], n: 2, image_fidelity: 0.5 }));
      await assertOrderlyHowever(mutationsOf(right), body =>
        whole(`/v1/queue/${image}`, 'application/json', body),
      );
    });
  });

  describe('C3: base64', () => {
    test('I18 a right upload in base64 with any few bytes changed', async () => {
      const given = { data: Buffer.from('hello, world').toString('base64'), mime_type: 'text/plain' };
      const right = Buffer.from(JSON.stringify(given));
      await assertOrderlyHowever(mutationsOf(right), async body =>
        whole('/v1/files', 'application/json', body, await newKey()),
      );
    });
  });

  describe('C6: forms', () => {
    test('I18 a right form with any few bytes changed', async () => {
      const right = formOf(
        { says: 'name="purpose"', content: 'vision' },
        { says: `name="file"; filename="a.txt"; filename*=UTF-8''b.txt`, type: 'text/plain' },
      );
      const type = formHeaders['content-type'];
      await assertOrderlyHowever(mutationsOf(right), async body =>
        whole('/v1/files', type, body, await newKey()),
      );
    });

    test('I18 ten thousand fields, a hundred thousand part headers, forms within forms', async () => {
      const fields = formOf(
        ...Array.from({ length: 10_000 }, (_, at) => ({ says: `name="f${at}"`, content: '' })),
      );
      const headers = formOf({ says: `name="file"; filename="a"\r\n${'X-A: b\r\n'.repeat(100_000)}X-B: c` });
      const nested = formOf({
        says: 'name="file"; filename="a"',
        type: formHeaders['content-type'],
        content: fields,
      });
      const type = formHeaders['content-type'];
      // Of the head of a part no more is read than its first 80 KB, and they say enough.
      for (const [body, status] of [
        [fields, 400],
        [headers, 200],
        [nested, 400],
      ] as const) {
        const answers = await exchange(served.url, whole('/v1/files', type, body, await newKey()));
        assertOrderly(answers);
        assert.deepEqual(
          answers.map(answer => answer.status),
          [status],
        );
      }
      await isUnharmed();
    });
  });

  describe('C7: the protocol itself', () => {
    const host = 'Host: x\r\n';
    const end = '\r\n';
    const get = (path: string, headers = '') =>
      `GET ${path} HTTP/1.1\r\n${host}${headers}Connection: close\r\n${end}`;
    const post = (headers: string, body = '') =>
      `POST /v1/queue/${speech} HTTP/1.1\r\n${host}Content-Type: application/json\r\n${headers}${end}${body}`;
    const table: readonly (readonly [what: string, bytes: string, statuses: readonly number[]])[] = [
      ['two lengths that differ', post('Content-Length: 2\r\nContent-Length: 3\r\n', '{}'), [400]],
      ['two lengths that agree', post('Content-Length: 2\r\nContent-Length: 2\r\n', '{}'), [400]],
      ['a list of lengths', post('Content-Length: 2, 2\r\n', '{}'), [400]],
      [
        'a length and chunks',
        post('Content-Length: 2\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'),
        [400],
      ],
      ['a negative length', post('Content-Length: -1\r\n'), [400]],
      ['a length that is none', post('Content-Length: two\r\n', '{}'), [400]],
      ['a length with a plus', post('Content-Length: +2\r\n', '{}'), [400]],
      ['a length past all numbers', post(`Content-Length: ${'9'.repeat(40)}\r\n`), [400]],
      ['an unknown transfer coding', post('Transfer-Encoding: xchunked\r\n', '{}'), [400]],
      ['chunks twice', post('Transfer-Encoding: chunked, chunked\r\n', '0\r\n\r\n'), [400]],
      ['chunks that are not the last coding', post('Transfer-Encoding: chunked, identity\r\n', '{}'), [400]],
      ['a chunk of a wrong size', post('Transfer-Encoding: chunked\r\n', 'zz\r\n{}\r\n0\r\n\r\n'), [400]],
      ['a negative chunk', post('Transfer-Encoding: chunked\r\n', '-1\r\n{}\r\n0\r\n\r\n'), [400]],
      ['a blank before the colon', post('Content-Length : 2\r\n', '{}'), [400]],
      ['a header without a name', post(': a\r\n'), [400]],
      ['a header without a colon', post('Nonsense\r\n'), [400]],
      ['a folded header', post('X-A: b\r\n c\r\n'), [400]],
      ['NUL in a header', post('X-A: b\0c\r\n'), [400]],
      ['no Host', `GET /healthz HTTP/1.1\r\n${end}`, [400]],
      ['bare line feeds', `GET /healthz HTTP/1.1\nHost: x\n\n`, [400]],
      ['HTTP/0.9', 'GET /healthz\r\n\r\n', [200]],
      ['HTTP/3.7', `GET /healthz HTTP/3.7\r\n${host}${end}`, [400]],
      ['an unknown method', `BREW /healthz HTTP/1.1\r\n${host}${end}`, [400]],
      ['a method in small letters', `get /healthz HTTP/1.1\r\n${host}${end}`, [400]],
      ['TRACE', `TRACE / HTTP/1.1\r\n${host}Connection: close\r\n${end}`, [405]],
      ['OPTIONS *', `OPTIONS * HTTP/1.1\r\n${host}Connection: close\r\n${end}`, [404]],
      ['CONNECT', `CONNECT a.test:443 HTTP/1.1\r\n${host}${end}`, []],
      ['PRI, as HTTP/2 begins', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400]],
      ['a beginning of TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', [400]],
      ['an upgrade', get('/healthz', 'Upgrade: websocket\r\n'), [200]],
      ['an absolute form', get('http://a.test/healthz'), [200]],
      ['a path without a slash', get('healthz'), [400]],
      ['a path of slashes', get('//////'), [404]],
      ['dots', get('/v1/queue/../../etc/passwd'), [404]],
      ['encoded dots', get('/v1/queue/%2e%2e/%2e%2e/etc/passwd'), [404]],
      ['overlong UTF-8', get('/v1/models/%c0%af'), [404]],
      ['a cut escape', get('/v1/models/%'), [404]],
      ['NUL in a path', get('/v1/models/%00'), [401]],
      ['bytes that are not ASCII in a path', get('/v1/models/\xff\xfe'), [400]],
      ['headers of 20 KB', get('/healthz', `X-A: ${'a'.repeat(20_000)}\r\n`), [431]],
      ['ten thousand headers', get('/healthz', 'X: y\r\n'.repeat(10_000)), [431]],
      ['an unknown expectation', post('Expect: the-unexpected\r\nContent-Length: 2\r\n', '{}'), [417]],
      ['a body on GET', get('/healthz', 'Content-Length: 5\r\n').concat('hello'), [200]],
      [
        'as many requests at once as may be unanswered',
        get('/healthz').replace('Connection: close\r\n', '').repeat(63) + get('/healthz'),
        Array(64).fill(200),
      ],
      [
        'one more than that',
        get('/healthz').replace('Connection: close\r\n', '').repeat(65) + get('/healthz'),
        [],
      ],
    ];
    for (const [what, bytes, statuses] of table) {
      test(`I18 ${what}`, async () => {
        const answers = await exchange(served.url, Buffer.from(bytes, 'latin1'));
        assert.deepEqual(
          answers.map(({ status }) => status),
          statuses,
        );
        await isUnharmed();
      });
    }

    test('I18 a right request with any few bytes changed', async () => {
      const right = whole(`/v1/queue/${speech}`, 'application/json', Buffer.from('{"text":"a"}'));
      await assertOrderlyHowever(mutationsOf(right), bytes => bytes);
    });

    test('I18 bytes of any kind', async () => {
      await assertOrderlyHowever(fc.uint8Array({ maxLength: 2_000 }), bytes => bytes);
    });
  });

  describe('C8: types of bodies', () => {
    const right = Buffer.from(JSON.stringify({ txt: 'misspelt' }));
    const types: readonly (readonly [type: string, status: 400 | 415 | 422])[] = [
      ['application/json', 422],
      ['application/json;charset=utf-8', 422],
      ['APPLICATION/JSON', 422],
      ['application/json ; a=b', 422],
      ['application/json;', 422],
      ['application/json\t', 422],
      ['\tapplication/json', 422],
      ['application/json\t;a', 422],
      ['application/json, text/plain', 415],
      ['text/plain, application/json', 415],
      ['application/json+x', 415],
      ['application/vnd.api+json', 415],
      ['application/jsonx', 415],
      ['application /json', 415],
      ['application/ json', 415],
      ['application\\json', 415],
      ['application/json\x0b', 400],
      ['*/*', 415],
      ['"application/json"', 415],
      ['application', 415],
    ];
    for (const [type, status] of types) {
      test(`I18 ${JSON.stringify(type)} is validated like any body or not at all`, async () => {
        const [answer, ...more] = await exchange(served.url, whole(`/v1/queue/${speech}`, type, right));
        assert.deepEqual([answer?.status, more], [status, []]);
      });
    }

    test('I18 two types, one of them right', async () => {
      const twice = `application/json\r\nContent-Type: text/plain`;
      for (const type of [twice, twice.replace(/^(\S+)(.*: )(.*)$/s, '$3$2$1')]) {
        const answers = await exchange(served.url, whole(`/v1/queue/${speech}`, type, right));
        assertOrderly(answers);
        assert.equal(answers.length, 1);
      }
    });

    test('I18 a right type with any few bytes changed never lets a body pass unjudged', async () => {
      const before = await countJobs();
      await assertOrderlyHowever(mutationsOf(Buffer.from('application/json; charset=utf-8')), type =>
        whole(`/v1/queue/${speech}`, Buffer.from(type).toString('latin1'), right),
      );
      assert.equal(await countJobs(), before);
    });
    const countJobs = async () => (await db.read('SELECT count(*) AS jobs FROM jobs'))[0]?.jobs;
  });

  async function assertOrderlyHowever(
    bytes: fc.Arbitrary<Uint8Array>,
    requestOf: (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>,
  ): Promise<void> {
    const samples = fc.sample(bytes, { numRuns: 150, seed });
    while (samples.length > 0)
      await Promise.all(
        samples.splice(0, atOnce).map(async some => {
          const answers = await exchange(served.url, await requestOf(some), shortMs);
          assert.doesNotThrow(
            () => assertOrderly(answers),
            `after the bytes ${Buffer.from(some).toString('hex')}`,
          );
        }),
      );
    await isUnharmed();
  }
});
