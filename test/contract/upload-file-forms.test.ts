/** POST /v1/files as a form: names, types, malformed parts, what breaks off. */
import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import * as uploads from '../../testkit/clients/uploads.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';

const { assertFile, fileError, formHeaders, formOf, leavingNothing, openUpload, partHead, uploadForm } =
  uploads;
const malformed = fileError('invalid_request', 'The multipart form is malformed', null);
const twoFiles = fileError('invalid_request', 'Only one file per request', 'file');
const noFile = fileError('file_required', 'The request has no file field', 'file');

let gateway: TestGateway;
const stray: unknown[] = [];
const note = (failure: unknown) => void stray.push(failure);
before(async () => {
  process.on('uncaughtException', note);
  gateway = await startGateway({ role: 'api' });
});
after(async () => {
  await gateway.close();
  process.off('uncaughtException', note);
});

const text = { bytes: 5, mime_type: 'text/plain', file_type: 'text' };

describe('200', () => {
  const names: readonly (readonly [what: string, says: string, filename: string])[] = [
    ['a plain name', 'filename="a.txt"', 'a.txt'],
    ['a name without quotes', 'filename=a.txt', 'a.txt'],
    ['a name with blanks and a semicolon', 'filename="my; own file.txt"', 'my; own file.txt'],
    ['a name with an escaped quote', 'filename="say \\"hi\\".txt"', 'say "hi".txt'],
    ['a name in UTF-8', 'filename="Zürich 写真 🦊.txt"', 'Zürich 写真 🦊.txt'],
    ['a name as RFC 5987 writes it', "filename*=UTF-8''na%C3%AFve%20%E5%86%99.txt", 'naïve 写.txt'],
    ['an RFC 5987 name with a language', "filename*=UTF-8'en'caf%C3%A9.txt", 'café.txt'],
    ['an RFC 5987 name in Latin-1', "filename*=ISO-8859-1''caf%E9.txt", 'café.txt'],
    ['a name with percent signs, which encode nothing here', 'filename="100%25.txt"', '100%25.txt'],
    ['a path of Unix', 'filename="../../etc/passwd.txt"', 'passwd.txt'],
    ['a path of Windows', 'filename="C:\\\\Users\\\\me\\\\a.txt"', 'a.txt'],
    ['an RFC 5987 name that is a path', "filename*=UTF-8''..%2F..%2Fa.txt", 'a.txt'],
    ['a name with NUL and other control characters', "filename*=UTF-8''a%00%07b%7F.txt", 'ab.txt'],
    [
      'a name with marks of writing direction',
      "filename*=UTF-8''invoice%E2%80%AEfdp.exe%E2%81%A6%E2%80%8E%E2%81%A9.txt",
      'invoicefdp.exe.txt',
    ],
    [
      'a name with characters without a width',
      "filename*=UTF-8''a%E2%80%8Bb%E2%80%8D%EF%BB%BF.txt",
      'ab.txt',
    ],
    [
      'a name with other characters that are not seen',
      `filename="a\u2028b\u115fc\u3164d\u034fe\u2800f\u{e0041}g\ufe0f.txt"`,
      'abcdefg.txt',
    ],
    ['a name with blanks around it', 'filename="  a.txt "', 'a.txt'],
    ['a name of 5,000 characters', `filename="${'x'.repeat(4996)}.txt"`, 'x'.repeat(255)],
    ['a name of 300 characters beyond the basic plane', `filename="${'🦊'.repeat(300)}"`, '🦊'.repeat(255)],
  ];
  for (const [what, says, filename] of names) {
    test(`${what} is kept without folders and control characters`, async () => {
      const { status, body } = await uploadForm(gateway, await gateway.key(), {
        says: `name="file"; ${says}`,
        type: 'text/plain',
      });
      assert.equal(status, 200);
      assertFile(gateway, body, { ...text, filename });
      const { status: downloaded } = await gateway.ask('GET', body.url);
      assert.equal(downloaded, 200);
    });
  }

  const nameless: readonly (readonly [what: string, says: string])[] = [
    ['no name', 'name="file"'],
    ['an empty name', 'name="file"; filename=""'],
    ['only a folder as its name', 'name="file"; filename="folder/"'],
    ['two dots as its name', 'name="file"; filename=".."'],
    ['control characters alone as its name', 'name="file"; filename*=UTF-8\'\'%00%01'],
  ];
  for (const [what, says] of nameless) {
    test(`a part with ${what} gets a generated one`, async () => {
      const { status, body } = await uploadForm(gateway, await gateway.key(), { says, type: 'text/plain' });
      assert.equal(status, 200);
      assertFile(gateway, body, { ...text, filename: `${body.id}.txt` });
    });
  }

  const picture = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
    'base64',
  );
  const undeclared: readonly (readonly [what: string, part: uploads.Part, type: string, kind: string])[] = [
    ['a picture', { says: 'name="file"; filename="a.png"', content: picture }, 'image/png', 'image'],
    ['a picture without a name', { says: 'name="file"', content: picture }, 'image/png', 'image'],
    ['a picture named like a text', { content: picture }, 'image/png', 'image'],
    ['a text', { says: 'name="file"; filename="a.csv"', content: 'a,b' }, 'text/csv', 'text'],
    ['a text without a name', { says: 'name="file"', content: 'a,b' }, 'text/plain', 'text'],
  ];
  for (const [what, part, mimeType, fileType] of undeclared) {
    for (const type of [undefined, 'application/octet-stream']) {
      test(`${what} in a part of type ${type} is judged by its bytes`, async () => {
        const { status, body } = await uploadForm(gateway, await gateway.key(), {
          ...part,
          ...(type && { type }),
        });
        assert.equal(status, 200);
        assert.deepEqual([body.mime_type, body.file_type], [mimeType, fileType]);
      });
    }
  }

  test('a text in Latin-1 is what it is declared to be', async () => {
    const { status, body } = await uploadForm(gateway, await gateway.key(), {
      type: 'text/csv',
      content: Buffer.from('caf\u00e9;na\u00efve\n', 'latin1'),
    });
    assert.equal(status, 200);
    assertFile(gateway, body, { filename: 'a.txt', bytes: 11, mime_type: 'text/csv', file_type: 'text' });
  });

  test('a purpose is echoed together with the status processed', async () => {
    const purpose = { says: 'name="purpose"', content: 'user_data' };
    const { status, body } = await uploadForm(gateway, await gateway.key(), purpose, { type: 'text/plain' });
    assert.equal(status, 200);
    assertFile(gateway, body, { ...text, filename: 'a.txt', purpose: 'user_data', status: 'processed' });
  });

  test('a purpose that follows the file is echoed just the same', async () => {
    const purpose = { says: 'name="purpose"', content: 'vision' };
    const { status, body } = await uploadForm(gateway, await gateway.key(), { type: 'text/plain' }, purpose);
    assert.equal(status, 200);
    assertFile(gateway, body, { ...text, filename: 'a.txt', purpose: 'vision', status: 'processed' });
  });

  test('unknown fields and files under other names are ignored', async () => {
    const { status, body } = await uploadForm(
      gateway,
      await gateway.key(),
      { says: 'name="expires_after[anchor]"', content: 'created_at' },
      { says: 'name="expires_after[seconds]"', content: '3600' },
      { says: 'name="attachment"; filename="other.zip"', type: 'application/zip', content: 'PK' },
      { says: 'name="mime_type"', content: 'image/png' },
      { type: 'text/plain' },
      { says: 'name="File"; filename="b.txt"', type: 'text/plain' },
    );
    assert.equal(status, 200);
    assertFile(gateway, body, { ...text, filename: 'a.txt' });
  });

  test('the content may hold line breaks, dashes and almost the boundary', async () => {
    const content = '--the-edg\r\n--the-edge\r\r\n--the-edgE--\r\n\r\n-';
    const { status, body } = await uploadForm(gateway, await gateway.key(), {
      content: `\r\n${content}`.replace('--the-edge\r', '-the-edge\r'),
    });
    assert.equal(status, 200);
    const { body: downloaded } = await gateway.ask('GET', body.url);
    assert.equal(downloaded, `\r\n${content}`.replace('--the-edge\r', '-the-edge\r'));
  });

  test('a boundary in quotes, with other parameters and letters of either case, is understood', async () => {
    const body = Buffer.concat([
      partHead({ type: 'text/plain' }, 'a b'),
      Buffer.from('hello\r\n--a b--\r\n'),
    ]);
    const headers = { 'content-type': 'Multipart/Form-Data; charset=utf-8; Boundary="a b"' };
    const answer = await gateway.ask('POST', '/v1/files', { key: await gateway.key(), body, headers });
    assert.equal(answer.status, 200);
    assertFile(gateway, answer.body, { ...text, filename: 'a.txt' });
  });

  test('a form that arrives byte by byte is the same form', async () => {
    const sending = openUpload(gateway, await gateway.key());
    for (const byte of formOf({ type: 'text/plain' })) await sending.write(Buffer.of(byte));
    sending.end();
    const { status, body } = await sending.answered;
    assert.equal(status, 200);
    assertFile(gateway, body, { ...text, filename: 'a.txt' });
  });
});

describe('400', () => {
  test('a picture that is declared a text is refused, also by the type that a missing one stands for', async () => {
    const { status, body } = await uploadForm(gateway, await gateway.key(), {
      type: 'text/plain',
      content: Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    });
    assert.equal(status, 400);
    const sentence = 'The bytes are image/png, not text/plain';
    assert.deepEqual(body, fileError('invalid_request', sentence, 'file'));
  });

  test('a text with a NUL far behind its beginning is none', async () => {
    const content = Buffer.alloc(400_000, 'a');
    content[300_000] = 0;
    const { status, body } = await uploadForm(gateway, await gateway.key(), { type: 'text/plain', content });
    assert.equal(status, 400);
    const sentence = 'The bytes are application/octet-stream, not text/plain';
    assert.deepEqual(body, fileError('invalid_request', sentence, 'file'));
  });

  const hello = { type: 'text/plain' };
  const refused: readonly (readonly [what: string, parts: readonly uploads.Part[], expected: object])[] = [
    ['two file parts', [hello, hello], twoFiles],
    ['a second file part without a name', [hello, { says: 'name="file"' }], twoFiles],
    ['two empty file parts', [{ content: '' }, { content: '' }], twoFiles],
    ['a part named File', [{ says: 'name="File"; filename="a.txt"', type: 'text/plain' }], noFile],
    ['a part named files[]', [{ says: 'name="files[]"; filename="a.txt"', type: 'text/plain' }], noFile],
    ['only other fields', [{ says: 'name="purpose"', content: 'vision' }], noFile],
    ['no part', [], noFile],
    ['a file part without a name of the field', [{ says: 'filename="a.txt"', type: 'text/plain' }], noFile],
    [
      'more than a hundred fields',
      [...Array.from({ length: 101 }, (_, at) => ({ says: `name="field${at}"` })), hello],
      malformed,
    ],
    [
      'a purpose that is too long',
      [{ says: 'name="purpose"', content: 'p'.repeat(257) }, hello],
      fileError('invalid_request', 'purpose must be a text of at most 256 characters', 'purpose'),
    ],
    [
      'a purpose with NUL',
      [{ says: 'name="purpose"', content: 'a\0b' }, hello],
      fileError('invalid_request', 'purpose must be a text of at most 256 characters', 'purpose'),
    ],
  ];
  for (const [what, parts, expected] of refused) {
    test(`a form with ${what} is refused and leaves nothing`, async () => {
      const key = await gateway.key();
      const { status, body } = await leavingNothing(gateway, () => uploadForm(gateway, key, ...parts));
      assert.equal(status, 400);
      assert.deepEqual(body, expected);
    });
  }

  test('a form whose second file part comes after a megabyte is refused and leaves nothing', async () => {
    const key = await gateway.key();
    const large = { ...hello, content: 'a'.repeat(1024 * 1024) };
    const { status, body } = await leavingNothing(gateway, () => uploadForm(gateway, key, large, hello));
    assert.equal(status, 400);
    assert.deepEqual(body, twoFiles);
  });

  const wrongType = 'Content-Type must be multipart/form-data with a boundary, or application/json';
  const types: readonly (readonly [what: string, type: string, message: string])[] = [
    ['no boundary', 'multipart/form-data', wrongType],
    ['parameters but no boundary', 'multipart/form-data; charset=utf-8', 'The multipart form is malformed'],
    [
      'an overlong boundary',
      `multipart/form-data; boundary=${'b'.repeat(300)}`,
      'The multipart form is malformed',
    ],
    [
      'another boundary than the body',
      'multipart/form-data; boundary=other',
      'The multipart form is malformed',
    ],
    ['another multipart type', 'multipart/mixed; boundary=the-edge', wrongType],
    ['a type that is no form', 'application/x-www-form-urlencoded', wrongType],
    ['a type that only begins like JSON', 'application/jsonlines', wrongType],
  ];
  for (const [what, type, message] of types) {
    test(`a request with ${what} is refused`, async () => {
      const options = { key: await gateway.key(), body: formOf(hello), headers: { 'content-type': type } };
      const { status, body } = await leavingNothing(gateway, () => gateway.ask('POST', '/v1/files', options));
      assert.equal(status, 400);
      assert.deepEqual(body, fileError('invalid_request', message, null));
    });
  }

  const whole = formOf(hello);
  const cuts: readonly (readonly [what: string, body: Uint8Array])[] = [
    ['before its first part', Buffer.from('--the-')],
    ['in the head of the file part', whole.subarray(0, 40)],
    ['in the content of the file', whole.subarray(0, whole.length - 20)],
    ['before its closing boundary', whole.subarray(0, whole.length - 4)],
    [
      'in the content of another file',
      formOf({ ...hello, says: 'name="other"; filename="b"' }).subarray(0, -20),
    ],
    ['in a field after the file', formOf(hello, { says: 'name="purpose"' }).subarray(0, -20)],
    ['in a file of a megabyte', formOf({ ...hello, content: 'a'.repeat(1024 * 1024) }).subarray(0, -20)],
  ];
  for (const [what, body] of cuts) {
    test(`a form that is cut ${what} is refused and leaves nothing`, async () => {
      const options = { key: await gateway.key(), body, headers: formHeaders };
      const answer = await leavingNothing(gateway, () => gateway.ask('POST', '/v1/files', options));
      assert.equal(answer.status, 400);
      assert.deepEqual(answer.body, malformed);
    });
  }
});

test('no refused form throws an error that is not caught, which would end the process', () => {
  assert.deepEqual(stray, []);
});

describe('an upload that is given up', () => {
  test('in the middle of a form leaves nothing', async () => {
    const key = await gateway.key();
    const before = await uploads.traceOf(gateway);
    const sending = openUpload(gateway, key, { ...formHeaders, 'content-length': 30 * 1024 * 1024 });
    await sending.write(partHead({ type: 'text/plain' }));
    await sending.write(Buffer.alloc(1024 * 1024, 'a'));
    await until(
      async () => (await gateway.keptFiles()).length > before.kept.length,
      'the upload to reach the spool',
    );
    sending.abort();
    await until(
      async () => (await gateway.keptFiles()).length === before.kept.length,
      'the upload to be gone',
    );
    assert.deepEqual(await uploads.traceOf(gateway), before);
  });

  test('after its file came whole, but not the form, leaves nothing', async () => {
    const before = await uploads.traceOf(gateway);
    const sending = openUpload(gateway, await gateway.key(), {
      ...formHeaders,
      'content-length': 1024 * 1024,
    });
    const field = Buffer.concat([Buffer.from('\r\n'), partHead({ says: 'name="purpose"' })]);
    await sending.write(Buffer.concat([partHead({ type: 'text/plain' }), Buffer.from('hello'), field]));
    await sending.write(Buffer.alloc(1024, 'a'));
    const isWritten = async () => {
      const path = (await gateway.keptFiles()).find(kept => !before.kept.includes(kept));
      return path !== undefined && (await stat(path)).size === 5;
    };
    await until(isWritten, 'the file to lie in the spool');
    await gateway.ask('GET', '/healthz');
    sending.abort();
    await until(async () => (await gateway.keptFiles()).length === before.kept.length, 'it to be gone');
    assert.deepEqual(await uploads.traceOf(gateway), before);
  });

  test('in a form that never names its file is noticed too, and the gateway goes on', async () => {
    const key = await gateway.key();
    const refusals = () => gateway.logged.filter(({ refusal }) => refusal === 'file_request_invalid').length;
    const before = refusals();
    const sending = openUpload(gateway, key, { ...formHeaders, 'content-length': 1024 * 1024 });
    await sending.write(partHead({ says: 'name="other"; filename="b"' }));
    await sending.write(Buffer.alloc(1024, 'a'));
    const isReading = async () => (await gateway.ask('GET', '/healthz')).status === 200;
    await until(isReading, 'the gateway to answer');
    sending.abort();
    await until(async () => refusals() > before, 'the gateway to notice');
    const { status } = await uploadForm(gateway, key, { type: 'text/plain' });
    assert.equal(status, 200);
  });
});
