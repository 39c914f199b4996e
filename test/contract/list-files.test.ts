/** GET /v1/files: pages, filters and bad queries. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { minutes } from '../../src/domain/clock.ts';
import { assertFile, fileError, uploadText } from '../../testkit/clients/uploads.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

const empty = { object: 'list', data: [], first_id: null, last_id: null, has_more: false };

for (const dialect of dialects)
  describe(dialect, () => listSuite(() => startGateway({ dialect, role: 'api' })));

function listSuite(start: () => Promise<TestGateway>): void {
  let gateway: TestGateway;
  let key: string;
  let foreign: string;
  /** The ids in order of creation. */
  const ids: string[] = [];
  before(async () => {
    gateway = await start();
    key = await gateway.key();
    for (let count = 0; count < 25; count++) {
      if (count % 10 === 9) gateway.clock.advance(1 * minutes);
      ids.push((await uploadText(gateway, key, `content ${count}`, `${count}.txt`)).id);
      gateway.clock.advance(1);
    }
    foreign = (await uploadText(gateway, await gateway.key())).id;
  });
  after(() => gateway.close());

  const list = (query: string, asker = key) => gateway.ask('GET', `/v1/files${query}`, { key: asker });
  const newest = () => ids.toReversed();

  describe('200', () => {
    const pages: readonly (readonly [query: string, expected: () => readonly string[], hasMore: boolean])[] =
      [
        ['', () => newest().slice(0, 20), true],
        ['?limit=25', () => newest(), false],
        ['?limit=24', () => newest().slice(0, 24), true],
        ['?limit=100', () => newest(), false],
        ['?limit=1', () => newest().slice(0, 1), true],
        ['?order=desc&limit=3', () => newest().slice(0, 3), true],
        ['?order=asc&limit=3', () => ids.slice(0, 3), true],
        ['?purpose=vision&limit=2', () => newest().slice(0, 2), true],
      ];
    for (const [query, expected, hasMore] of pages) {
      test(`the list asked by "${query}" begins where it should and says whether more follows`, async () => {
        const { status, body } = await list(query);
        assert.equal(status, 200);
        const { data, ...rest } = body;
        assert.deepEqual(
          data.map(({ id }: { id: string }) => id),
          expected(),
        );
        assert.deepEqual(rest, {
          object: 'list',
          first_id: expected()[0],
          last_id: expected().at(-1),
          has_more: hasMore,
        });
      });
    }

    for (const [order, expected] of [
      ['desc', newest],
      ['asc', () => ids],
    ] as const) {
      test(`pages of seven in order ${order} give every file once`, async () => {
        const seen: string[] = [];
        const more: boolean[] = [];
        let after = '';
        do {
          const { status, body } = await list(`?limit=7&order=${order}${after}`);
          assert.equal(status, 200);
          seen.push(...body.data.map(({ id }: { id: string }) => id));
          more.push(body.has_more);
          after = `&after=${body.last_id}`;
        } while (more.at(-1));
        assert.deepEqual(seen, expected());
        assert.deepEqual(more, [true, true, true, false]);
      });
    }

    test('after the last file there is nothing', async () => {
      const { status, body } = await list(`?after=${ids[0]}`);
      assert.equal(status, 200);
      assert.deepEqual(body, empty);
    });

    test('each file is listed whole, with an address that works', async () => {
      const { status, body } = await list('?limit=1');
      assert.equal(status, 200);
      assertFile(gateway, body.data[0], {
        filename: '24.txt',
        bytes: 10,
        mime_type: 'text/plain',
        file_type: 'text',
      });
      assert.equal((await gateway.ask('GET', body.data[0].url)).body, 'content 24');
    });

    test('who has no files gets an empty list', async () => {
      const { status, body } = await list('', await gateway.key());
      assert.equal(status, 200);
      assert.deepEqual(body, empty);
    });
  });

  describe('400', () => {
    const limitWrong = fileError('invalid_request', 'limit must be between 1 and 100', 'limit');
    const orderWrong = fileError('invalid_request', 'order must be asc or desc', 'order');
    const afterWrong = fileError('invalid_request', 'after must be the id of one of your files', 'after');
    const refused: readonly (readonly [query: () => string, expected: object])[] = [
      [() => '?limit=0', limitWrong],
      [() => '?limit=101', limitWrong],
      [() => '?limit=-1', limitWrong],
      [() => '?limit=', limitWrong],
      [() => '?limit=1.5', limitWrong],
      [() => '?limit=ten', limitWrong],
      [() => '?order=DESC', orderWrong],
      [() => '?order=', orderWrong],
      [() => '?after=', afterWrong],
      [() => '?after=none', afterWrong],
      [() => `?after=file_${'0'.repeat(24)}`, afterWrong],
      [() => `?after=${foreign}`, afterWrong],
    ];
    for (const [query, expected] of refused) {
      test(`${String(query).slice(6)} is refused with the name of the parameter`, async () => {
        const { status, body } = await list(query());
        assert.equal(status, 400);
        assert.deepEqual(body, expected);
      });
    }
  });

  describe('401', () => {
    test('a list without a key gets the gateway body', async () => {
      const { status, body, headers } = await gateway.ask('GET', '/v1/files');
      assert.equal(status, 401);
      assert.deepEqual(body, {
        error: { code: 'UNAUTHORIZED', message: 'A Bearer token is required' },
        request_id: headers.get('x-request-id'),
      });
    });
  });
}
