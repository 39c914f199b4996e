/** POST /v1/files as JSON with base64. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertFile, fileError, leavingNothing, openUpload, traceOf } from '../../testkit/clients/uploads.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';

const base64 = (text: string | Uint8Array): string => Buffer.from(text).toString('base64');
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const invalidBase64 = fileError('invalid_base64', 'data is empty or not valid base64', 'data');
const invalid = (message: string, param: string | null) => fileError('invalid_request', message, param);
const maxBytes = 40 * 1024 * 1024;
const text = { bytes: 5, mime_type: 'text/plain', file_type: 'text' };
const hello = { data: base64('hello'), mime_type: 'text/plain' };

for (const dialect of dialects)
  describe(dialect, () => jsonSuite(() => startGateway({ dialect, role: 'api' })));

function jsonSuite(start: () => Promise<TestGateway>): void {
  let gateway: TestGateway;
  before(async () => {
    gateway = await start();
  });
  after(() => gateway.close());
  const upload = async (body: unknown, headers = {}) =>
    gateway.ask('POST', '/v1/files', { key: await gateway.key(), body, headers });

  describe('200', () => {
    const accepted: readonly (readonly [what: string, body: object, filename: string])[] = [
      ['plain base64', { ...hello, filename: 'a.txt' }, 'a.txt'],
      [
        'a data URL of the same type',
        { ...hello, data: `data:text/plain;base64,${hello.data}`, filename: 'a.txt' },
        'a.txt',
      ],
      [
        'a data URL with parameters',
        { ...hello, data: `DATA:Text/Plain;charset=utf-8;base64,${hello.data}`, filename: 'a.txt' },
        'a.txt',
      ],
      [
        'parameters in mime_type',
        {
          ...hello,
          mime_type: 'text/plain; charset=utf-8',
          data: `data:text/plain;base64,${hello.data}`,
          filename: 'b',
        },
        'b',
      ],
      ['base64 with a blank inside', { ...hello, data: 'aGVs bG8=', filename: 'a.txt' }, 'a.txt'],
      ['base64 that ends in a line break', { ...hello, data: 'aGVsbG8=\n', filename: 'a.txt' }, 'a.txt'],
      ['base64 behind a blank', { ...hello, data: ' aGVsbG8=', filename: 'a.txt' }, 'a.txt'],
      ['base64 without its padding', { ...hello, data: 'aGVsbG8', filename: 'a.txt' }, 'a.txt'],
      [
        'a data URL of broken lines without padding',
        { ...hello, data: 'data:text/plain;base64,aGV\r\nsbG8', filename: 'a.txt' },
        'a.txt',
      ],
      ['a name that is a path with NUL', { ...hello, filename: '../x/\0a.txt' }, 'a.txt'],
      ['a name of a lone surrogate', { ...hello, filename: 'a\ud800.txt' }, 'a\ufffd.txt'],
      ['a name of 5,000 characters', { ...hello, filename: '写'.repeat(5000) }, '写'.repeat(255)],
      ['unknown fields', { ...hello, filename: 'a.txt', expires_after: { seconds: 1 }, file: 'x' }, 'a.txt'],
    ];
    for (const [what, given, filename] of accepted) {
      test(`${what} is accepted`, async () => {
        const { status, body } = await upload(given);
        assert.equal(status, 200);
        assertFile(gateway, body, { ...text, filename });
        const { status: downloaded, body: content } = await gateway.ask('GET', body.url);
        assert.equal(downloaded, 200);
        assert.equal(content, 'hello');
      });
    }

    for (const [what, given] of [
      ['without a name', hello],
      ['with an empty name', { ...hello, filename: '' }],
      ['with a name and a purpose of null', { ...hello, filename: null, purpose: null }],
    ] as const) {
      test(`an upload ${what} gets a generated one`, async () => {
        const { status, body } = await upload(given);
        assert.equal(status, 200);
        assertFile(gateway, body, { ...text, filename: `${body.id}.txt` });
      });
    }

    test('a picture has its dimensions and a name with its ending', async () => {
      const { status, body } = await upload({ data: `data:image/png;base64,${png}`, mime_type: 'image/png' });
      assert.equal(status, 200);
      assertFile(gateway, body, {
        filename: `${body.id}.png`,
        bytes: 70,
        mime_type: 'image/png',
        file_type: 'image',
        dimensions: { width: 1, height: 1 },
      });
    });

    test('a stream of octets is recognised by its bytes', async () => {
      const { status, body } = await upload({
        data: png,
        mime_type: 'application/octet-stream',
        filename: 'a.bin',
      });
      assert.equal(status, 200);
      assertFile(gateway, body, {
        filename: 'a.bin',
        bytes: 70,
        mime_type: 'image/png',
        file_type: 'image',
        dimensions: { width: 1, height: 1 },
      });
    });

    test('a purpose is echoed together with the status processed', async () => {
      const { status, body } = await upload({ ...hello, filename: 'a.txt', purpose: 'vision' });
      assert.equal(status, 200);
      assertFile(gateway, body, { ...text, filename: 'a.txt', purpose: 'vision', status: 'processed' });
    });

    for (const rest of [0, 1, 2]) {
      test(`content of three bytes and ${rest} more comes back the same`, async () => {
        const content = 'abcde'.slice(0, 3 + rest);
        const { status, body } = await upload({ data: base64(content), mime_type: 'text/plain' });
        assert.equal(status, 200);
        assert.equal((await gateway.ask('GET', body.url)).body, content);
      });
    }

    test('the charset of the body is let pass', async () => {
      const { status } = await upload(hello, { 'content-type': 'Application/JSON; charset=utf-8' });
      assert.equal(status, 200);
    });

    test('40 MiB are accepted, to the byte', async () => {
      const data = base64(Buffer.alloc(maxBytes, 'a'));
      const { status, body } = await upload({
        data: `data:text/plain;base64,${data}`,
        mime_type: 'text/plain',
        filename: 'a.txt',
      });
      assert.equal(status, 200);
      assertFile(gateway, body, { ...text, filename: 'a.txt', bytes: maxBytes });
    });
  });

  describe('400', () => {
    const notObject = invalid('Request body must be a JSON object', null);
    const purposeWrong = invalid('purpose must be a text of at most 256 characters', 'purpose');
    const refused: readonly (readonly [what: string, body: unknown, expected: object])[] = [
      ['without data', { mime_type: 'text/plain' }, invalid('data is required', 'data')],
      ['without mime_type', { data: hello.data }, invalid('mime_type is required', 'mime_type')],
      ['with nothing', {}, invalid('mime_type is required', 'mime_type')],
      ['with data that is a number', { ...hello, data: 5 }, invalid('data must be a string', 'data')],
      ['with data that is null', { ...hello, data: null }, invalid('data must be a string', 'data')],
      [
        'with a mime_type that is a list',
        { ...hello, mime_type: [] },
        invalid('mime_type must be a string', 'mime_type'),
      ],
      [
        'with an empty mime_type',
        { ...hello, mime_type: '' },
        invalid('mime_type must be a MIME type', 'mime_type'),
      ],
      [
        'with a mime_type that is none',
        { ...hello, mime_type: 'text' },
        invalid('mime_type must be a MIME type', 'mime_type'),
      ],
      [
        'with a filename that is a number',
        { ...hello, filename: 7 },
        invalid('filename must be a string', 'filename'),
      ],
      [
        'with a purpose that is an object',
        { ...hello, purpose: {} },
        invalid('purpose must be a string', 'purpose'),
      ],
      ['with a purpose with NUL', { ...hello, purpose: 'a\0' }, purposeWrong],
      ['with a purpose that is too long', { ...hello, purpose: 'p'.repeat(257) }, purposeWrong],
      [
        'whose data URL is of another type',
        { ...hello, data: `data:text/csv;base64,${hello.data}` },
        invalid('data is text/csv, but mime_type is text/plain', 'mime_type'),
      ],
      [
        'whose bytes contradict mime_type',
        { data: png, mime_type: 'image/jpeg' },
        invalid('The bytes are image/png, not image/jpeg', 'mime_type'),
      ],
      [
        'of an unsupported type',
        { data: base64('<svg/>'), mime_type: 'image/svg+xml' },
        fileError('unsupported_file_type', 'Unsupported file type: image/svg+xml', 'mime_type'),
      ],
      ['that is a list', [hello], notObject],
      ['that is a string', JSON.stringify('hello'), notObject],
      ['that is not JSON', '{"data":', notObject],
      ['that is empty', '', notObject],
      ['with a key twice', `{"mime_type":"text/plain","data":"aGVsbG8=","data":"aGVsbG8="}`, notObject],
    ];
    for (const [what, given, expected] of refused) {
      test(`a body ${what} is refused and leaves nothing`, async () => {
        const { status, body } = await leavingNothing(gateway, () => upload(given));
        assert.equal(status, 400);
        assert.deepEqual(body, expected);
      });
    }

    const wrongData: readonly (readonly [what: string, data: string])[] = [
      ['nothing', ''],
      ['an empty data URL', 'data:text/plain;base64,'],
      ['words', 'not base64!'],
      ['the alphabet for URLs', Buffer.from([0xfb, 0xff, 0xbf]).toString('base64url')],
      ['a lone last character', 'aGVsb'],
      ['white space alone', ' \n'],
      ['too much padding', 'aGVsbG8=='],
      ['padding alone', '===='],
      ['padding inside', 'aGVs=G8='],
      ['a data URL that is not base64', 'data:text/plain,hello'],
      ['a data URL without a comma', 'data:text/plain;base64'],
      ['a letter that is not ASCII', 'aGVsbG8\u00e9'],
    ];
    for (const [what, data] of wrongData) {
      test(`data of ${what} is not base64, and nothing is left`, async () => {
        const { status, body } = await leavingNothing(gateway, () => upload({ ...hello, data }));
        assert.equal(status, 400);
        assert.deepEqual(body, invalidBase64);
      });
    }

    test('a compressed body is refused', async () => {
      const { status, body } = await upload(hello, { 'content-encoding': 'gzip' });
      assert.equal(status, 400);
      assert.deepEqual(body, invalid('Content-Encoding must be identity', null));
    });
  });

  describe('413', () => {
    test('one byte over 40 MiB is refused and leaves nothing', async () => {
      const data = base64(Buffer.alloc(maxBytes + 1, 'a'));
      const { status, body } = await leavingNothing(gateway, () => upload({ ...hello, data }));
      assert.equal(status, 413);
      assert.deepEqual(body, fileError('file_too_large', 'The file exceeds 40MB', 'data'));
    });

    test('three bytes over 40 MiB are refused in the same words', async () => {
      const data = base64(Buffer.alloc(maxBytes + 3, 'a'));
      const { status, body } = await leavingNothing(gateway, () => upload({ ...hello, data }));
      assert.equal(status, 413);
      assert.deepEqual(body, fileError('file_too_large', 'The file exceeds 40MB', 'data'));
    });

    test('a body that announces more than 56 MiB is refused before it comes', async () => {
      const headers = { 'content-type': 'application/json', 'content-length': 56 * 1024 * 1024 + 1 };
      const sending = openUpload(gateway, await gateway.key(), headers);
      await sending.write(Buffer.from('{'));
      const { status, body } = await sending.answered;
      sending.abort();
      assert.equal(status, 413);
      assert.deepEqual(body, fileError('file_too_large', 'The file exceeds 40MB', 'data'));
    });
  });

  test('an upload that is given up in the middle leaves nothing', async () => {
    const before = await traceOf(gateway);
    const failures = () =>
      gateway.logged.filter(({ status, path }) => status === 400 && path === '/v1/files').length;
    const seen = failures();
    const sending = openUpload(gateway, await gateway.key(), {
      'content-type': 'application/json',
      'content-length': 1000,
    });
    await sending.write(Buffer.from('{"data":"'));
    await until(async () => (await gateway.ask('GET', '/healthz')).status === 200, 'the gateway to answer');
    sending.abort();
    await until(async () => failures() > seen, 'the gateway to notice');
    assert.deepEqual(await traceOf(gateway), before);
  });
}
