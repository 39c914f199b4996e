/** The files of the OpenAI client against a gateway. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import OpenAI, {
  APIError,
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  toFile,
} from 'openai';
import { minutes, seconds } from '../../src/domain/clock.ts';
import { maxUploadBytes } from '../../src/domain/file.ts';
import { thrown } from '../../testkit/clients/thrown.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';
import { type CountingFetch, openCountingFetch } from './counting-fetch.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway({ role: 'api' });
});
after(() => gateway.close());

interface Client extends CountingFetch {
  readonly openai: OpenAI;
}

/** The unmodified SDK with its own retries, of a new user unless a key is given. */
async function openClient(options: { apiKey?: string; maxRetries?: number } = {}): Promise<Client> {
  const counting = openCountingFetch();
  const apiKey = options.apiKey ?? (await gateway.key());
  const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, ...options, apiKey, fetch: counting.fetch });
  return { openai, ...counting };
}

const note = (words: string, name = 'note.txt') => new File([words], name, { type: 'text/plain' });
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

async function upload({ openai }: Client, words: string): Promise<OpenAI.FileObject> {
  const file = await openai.files.create({ file: note(words), purpose: 'user_data' });
  gateway.clock.advance(7 * seconds);
  return file;
}

const errorOf = ({ status, code, param, type, message }: APIError) => ({
  status,
  code,
  param,
  type,
  message,
});

describe('files.create', () => {
  test('a File becomes a file object with its name, type, size and the purpose it was sent with', async () => {
    const { openai } = await openClient();
    const file = await openai.files.create({ file: note('hello there'), purpose: 'user_data' });
    const { id, created_at, expires_at, ...rest } = file as OpenAI.FileObject & { url?: string };
    assert.match(id, /^file_[0-9A-Za-z]{24}$/);
    assert.equal((expires_at ?? 0) - created_at, 7 * 24 * 3600);
    const { url, ...exact } = rest;
    assert.ok(url?.startsWith(`${gateway.url}/v1/f/${id}/note.txt?exp=`));
    assert.deepEqual(exact, {
      object: 'file',
      filename: 'note.txt',
      bytes: 11,
      mime_type: 'text/plain',
      file_type: 'text',
      source: 'upload',
      dimensions: null,
      storage_policy: 'temporary',
      purpose: 'user_data',
      status: 'processed',
    });
  });

  test('a stream of a local file is typed by its content, and its bytes come back unchanged', async () => {
    const { openai } = await openClient();
    const content = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(3 * 1024 * 1024)]);
    const path = join(gateway.folder, 'paper.pdf');
    await writeFile(path, content);
    const file = await openai.files.create({ file: createReadStream(path), purpose: 'assistants' });
    assert.deepEqual(
      { filename: file.filename, bytes: file.bytes, ...typeOf(file) },
      {
        filename: 'paper.pdf',
        bytes: content.length,
        mime_type: 'application/pdf',
        file_type: 'document',
      },
    );
    const downloaded = await openai.files.content(file.id);
    assert.equal(sha256(new Uint8Array(await downloaded.arrayBuffer())), sha256(content));
  });

  test('bytes given a name by toFile keep it, also outside ASCII', async () => {
    const { openai } = await openClient();
    const file = await openai.files.create({
      file: await toFile(Buffer.from('{"a":1}'), 'Größe 图.json', { type: 'application/json' }),
      purpose: 'batch',
    });
    assert.deepEqual(
      { filename: file.filename, bytes: file.bytes, purpose: file.purpose, ...typeOf(file) },
      {
        filename: 'Größe 图.json',
        bytes: 7,
        purpose: 'batch',
        mime_type: 'application/json',
        file_type: 'text',
      },
    );
  });

  test('expires_after is passed over: the file lives seven days', async () => {
    const { openai } = await openClient();
    const file = await openai.files.create({
      file: note('short'),
      purpose: 'user_data',
      expires_after: { anchor: 'created_at', seconds: 3600 },
    });
    assert.equal((file.expires_at ?? 0) - file.created_at, 7 * 24 * 3600);
  });
});

const typeOf = (file: OpenAI.FileObject) => {
  const { mime_type, file_type } = file as OpenAI.FileObject & { mime_type?: string; file_type?: string };
  return { mime_type, file_type };
};

describe('files.retrieve', () => {
  test('the object comes again, with a fresh address', async () => {
    const client = await openClient();
    const created = await upload(client, 'again');
    const retrieved = await client.openai.files.retrieve(created.id);
    assert.notEqual(urlOf(retrieved), urlOf(created));
    assert.deepEqual({ ...retrieved, url: '' }, { ...created, url: '' });
  });

  test('waitForProcessing ends at the first look', async () => {
    const client = await openClient();
    const created = await upload(client, 'ready');
    const ready = await client.openai.files.waitForProcessing(created.id);
    assert.equal(ready.status, 'processed');
    assert.deepEqual(client.requests, ['POST /v1/files', `GET /v1/files/${created.id}`]);
  });
});

const urlOf = (file: OpenAI.FileObject) => (file as OpenAI.FileObject & { url?: string }).url;

describe('files.list', () => {
  test('auto-paging gives every file once, newest first, over as many pages as it takes', async () => {
    const client = await openClient();
    const ids: string[] = [];
    for (let number = 1; number <= 12; number++) ids.push((await upload(client, `note ${number}`)).id);
    const before = client.requests.length;
    const listed: string[] = [];
    for await (const file of client.openai.files.list({ limit: 5 })) listed.push(file.id);
    assert.deepEqual(listed, ids.toReversed());
    assert.deepEqual(client.requests.slice(before), ['GET /v1/files', 'GET /v1/files', 'GET /v1/files']);
  });

  test('auto-paging also works forwards', async () => {
    const client = await openClient();
    const ids = [await upload(client, 'one'), await upload(client, 'two'), await upload(client, 'three')].map(
      file => file.id,
    );
    const listed: string[] = [];
    for await (const file of client.openai.files.list({ limit: 1, order: 'asc' })) listed.push(file.id);
    assert.deepEqual(listed, ids);
  });

  test('a user without files gets an empty page', async () => {
    const { openai } = await openClient();
    const page = await openai.files.list();
    assert.deepEqual(page.data, []);
    assert.equal(page.hasNextPage(), false);
  });
});

describe('files.content', () => {
  test('a download by key follows to the signed address and gives the type and the bytes', async () => {
    const client = await openClient();
    const { id } = await upload(client, 'to be read again');
    const content = await client.openai.files.content(id);
    assert.equal(content.headers.get('content-type'), 'text/plain');
    assert.equal(await content.text(), 'to be read again');
  });
});

describe('files.delete', () => {
  test('a deleted file is gone from retrieve and list', async () => {
    const client = await openClient();
    const { id } = await upload(client, 'to be deleted');
    assert.deepEqual(await client.openai.files.delete(id), { id, object: 'file', deleted: true });
    assert.equal((await thrown(client.openai.files.retrieve(id), NotFoundError)).code, 'file_not_found');
    assert.deepEqual((await client.openai.files.list()).data, []);
  });
});

const missing = {
  status: 404,
  code: 'file_not_found',
  param: 'file_id',
  type: 'invalid_request_error',
  message: '404 File not found',
};

describe('errors', () => {
  test('400: a type that is not taken is a BadRequestError that names the field', async () => {
    const client = await openClient();
    const file = new File([Buffer.from('PK\x03\x04 a zip')], 'a.zip', { type: 'application/zip' });
    const failure = await thrown(client.openai.files.create({ file, purpose: 'user_data' }), BadRequestError);
    assert.deepEqual(errorOf(failure), {
      status: 400,
      code: 'unsupported_file_type',
      param: 'file',
      type: 'invalid_request_error',
      message: '400 Unsupported file type: application/zip',
    });
    assert.deepEqual(client.requests, ['POST /v1/files']);
  });

  test('401: a wrong key is an AuthenticationError, with the id of the request, requested once', async () => {
    const client = await openClient({ apiKey: 'atl_wrong' });
    const failure = await thrown(client.openai.files.list(), AuthenticationError);
    assert.equal(failure.code, 'UNAUTHORIZED');
    assert.equal(failure.message, '401 Invalid API key');
    assert.match(failure.requestID ?? '', /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/);
    assert.deepEqual(client.requests, ['GET /v1/files']);
  });

  test('403: an address after its hour is a PermissionDeniedError', async () => {
    const client = await openClient();
    const file = await upload(client, 'soon out of reach');
    gateway.clock.advance(61 * minutes);
    const path = (urlOf(file) ?? '').replace(`${gateway.url}/v1`, '');
    assert.equal((await thrown(client.openai.get(path), PermissionDeniedError)).code, 'url_expired');
  });

  test('404: a file that is not there is a NotFoundError, requested once', async () => {
    const client = await openClient();
    const failure = await thrown(
      client.openai.files.retrieve('file_000000000000000000000000'),
      NotFoundError,
    );
    assert.deepEqual(errorOf(failure), missing);
    assert.deepEqual(client.requests, ['GET /v1/files/file_000000000000000000000000']);
  });

  test('404: a file of another user is reported as a missing one, to content and delete too', async () => {
    const { id } = await upload(await openClient(), 'mine');
    const { openai } = await openClient();
    assert.deepEqual(errorOf(await thrown(openai.files.retrieve(id), NotFoundError)), missing);
    assert.deepEqual(errorOf(await thrown(openai.files.content(id), NotFoundError)), missing);
    assert.deepEqual(errorOf(await thrown(openai.files.delete(id), NotFoundError)), missing);
  });

  test('413: one byte over 40 MB is an APIError, requested once, and nothing is kept', async () => {
    const client = await openClient();
    const file = new File([Buffer.alloc(maxUploadBytes + 1, 'a')], 'big.txt', { type: 'text/plain' });
    const failure = await thrown(client.openai.files.create({ file, purpose: 'user_data' }), APIError);
    assert.deepEqual(errorOf(failure), {
      status: 413,
      code: 'file_too_large',
      param: 'file',
      type: 'invalid_request_error',
      message: '413 The file exceeds 40MB',
    });
    assert.deepEqual(client.requests, ['POST /v1/files']);
    assert.deepEqual((await client.openai.files.list()).data, []);
  });

  test('429: the eleventh upload of a minute is a RateLimitError with the time of the next attempt', async () => {
    const { openai } = await openClient({ maxRetries: 0 });
    for (let number = 1; number <= 10; number++) {
      await openai.files.create({ file: note(`note ${number}`), purpose: 'user_data' });
      gateway.clock.advance(1 * seconds);
    }
    const again = () => openai.files.create({ file: note('one too many'), purpose: 'user_data' });
    const failure = await thrown(again(), RateLimitError);
    assert.deepEqual(errorOf(failure), {
      status: 429,
      code: 'rate_limit_exceeded',
      param: null,
      type: 'api_error',
      message: '429 Upload rate exceeded, please try again later',
    });
    const wait = Number(failure.headers?.get('retry-after'));
    gateway.clock.advance(wait * seconds);
    assert.equal((await again()).filename, 'note.txt');
  });
});
