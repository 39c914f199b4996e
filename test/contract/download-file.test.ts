/** The signed download address of a file: ranges, conditions, HEAD, expired and changed signatures. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { hours, seconds } from '../../src/domain/clock.ts';
import { fileError, notFound, unavailable, uploadForm, uploadText } from '../../testkit/clients/uploads.ts';
import { isFleet } from '../../testkit/gateway/fleet-gateway.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

const invalidSignature = fileError('invalid_signature', 'The signature of this address is not valid', null);
const expired = fileError(
  'url_expired',
  'This address has expired; request the file again to get a new one',
  null,
);
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const content = '0123456789';
const etag = `"${createHash('sha256').update(content).digest('hex')}"`;
/** A fleet has no folder that could be taken away from all of it. */
const skip = isFleet;

let gateway: TestGateway;
let key: string;
let file: { readonly id: string; readonly url: string };
before(async () => {
  gateway = await startGateway({ role: 'api' });
  key = await gateway.key();
  file = await uploadText(gateway, key, content, 'words.txt');
});
after(() => gateway.close());

const download = (headers: Readonly<Record<string, string>> = {}, method = 'GET', url = file.url) =>
  gateway.ask(method, url, { headers });

/** Asks for that very path: `fetch` would tidy it up. */
function askRaw(path: string): Promise<{ readonly status: number; readonly body: unknown }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(gateway.url);
    get({ hostname, port, path }, async response => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      const text = Buffer.concat(chunks).toString();
      resolve({
        status: response.statusCode ?? 0,
        body: response.statusCode === 200 ? text : JSON.parse(text),
      });
    }).on('error', reject);
  });
}

const pathOf = (url: string): string => url.slice(gateway.url.length);

describe('200', () => {
  test('the bytes come back as they were, in any number', async () => {
    const bytes = Buffer.concat([png, randomBytes(3 * 1024 * 1024 + 7)]);
    const part = { says: 'name="file"; filename="a.png"', type: 'image/png', content: bytes };
    const { body } = await uploadForm(gateway, await gateway.key(), part);
    const answer = await fetch(body.url);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-length'), String(bytes.length));
    const hash = createHash('sha256')
      .update(Buffer.from(await answer.arrayBuffer()))
      .digest('hex');
    assert.equal(hash, createHash('sha256').update(bytes).digest('hex'));
    assert.equal(answer.headers.get('etag'), `"${hash}"`);
  });

  test('a text is sent so that no browser runs it', async () => {
    const { status, headers, body } = await download();
    assert.equal(status, 200);
    assert.equal(body, content);
    assert.equal(headers.get('content-type'), 'text/plain');
    assert.equal(
      headers.get('content-disposition'),
      `attachment; filename="words.txt"; filename*=UTF-8''words.txt`,
    );
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('content-security-policy'), "sandbox; default-src 'none'");
    assert.equal(headers.get('accept-ranges'), 'bytes');
    assert.equal(headers.get('content-length'), '10');
    assert.equal(headers.get('etag'), etag);
    assert.match(headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
  });

  const dispositions: readonly (readonly [type: string, bytes: string | Buffer, disposition: string])[] = [
    ['image/png', png, 'inline'],
    ['application/pdf', '%PDF-1.4\n', 'attachment'],
    ['text/csv', 'a,b', 'attachment'],
    ['application/json', '{}', 'attachment'],
  ];
  for (const [type, bytes, disposition] of dispositions) {
    test(`${type} is sent as ${disposition}, under its own name, and sealed`, async () => {
      const part = { says: `name="file"; filename="na\u00efve '\\"写.x"`, type, content: bytes };
      const { body } = await uploadForm(gateway, await gateway.key(), part);
      const { status, headers } = await download({}, 'GET', body.url);
      assert.equal(status, 200);
      assert.equal(headers.get('content-type'), type);
      assert.equal(
        headers.get('content-disposition'),
        `${disposition}; filename="na_ve '__.x"; filename*=UTF-8''na%C3%AFve%20%27%22%E5%86%99.x`,
      );
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.equal(headers.get('content-security-policy'), "sandbox; default-src 'none'");
    });
  }

  test('HEAD answers the same without the bytes', async () => {
    const whole = await download();
    const { status, headers, body } = await download({}, 'HEAD');
    assert.equal(status, 200);
    assert.equal(body, '');
    for (const name of ['content-type', 'content-length', 'content-disposition', 'etag', 'accept-ranges']) {
      assert.equal(headers.get(name), whole.headers.get(name));
    }
  });

  const wholes: readonly (readonly [what: string, headers: Readonly<Record<string, string>>])[] = [
    ['several ranges', { range: 'bytes=0-1,4-5' }],
    ['a range of another unit', { range: 'lines=0-1' }],
    ['a range that ends before it begins', { range: 'bytes=5-2' }],
    ['a range of nothing', { range: 'bytes=-' }],
    ['a range that is none', { range: 'bytes=a-b' }],
    ['a range for another content', { range: 'bytes=0-1', 'if-range': '"other"' }],
    ['another tag', { 'if-none-match': '"other"' }],
  ];
  for (const [what, headers] of wholes) {
    test(`${what} is answered with the whole`, async () => {
      const { status, body, headers: said } = await download(headers);
      assert.equal(status, 200);
      assert.equal(body, content);
      assert.equal(said.get('content-range'), null);
    });
  }
});

describe('206', () => {
  const ranges: readonly (readonly [range: string, contentRange: string, part: string])[] = [
    ['bytes=0-0', '0-0', '0'],
    ['bytes=0-3', '0-3', '0123'],
    ['bytes=4-6', '4-6', '456'],
    ['bytes=7-', '7-9', '789'],
    ['bytes=0-', '0-9', content],
    ['bytes=8-100', '8-9', '89'],
    ['bytes=-3', '7-9', '789'],
    ['bytes=-100', '0-9', content],
  ];
  for (const [range, contentRange, part] of ranges) {
    test(`${range} gives ${contentRange}`, async () => {
      const answer = await fetch(file.url, { headers: { range } });
      assert.equal(answer.status, 206);
      assert.equal(await answer.text(), part);
      assert.equal(answer.headers.get('content-range'), `bytes ${contentRange}/10`);
      assert.equal(answer.headers.get('content-length'), String(part.length));
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
    });
  }

  test('a range of the same content is given', async () => {
    const answer = await fetch(file.url, { headers: { range: 'bytes=1-2', 'if-range': etag } });
    assert.equal(answer.status, 206);
    assert.equal(await answer.text(), '12');
  });
});

describe('304', () => {
  for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    test(`what the client holds as ${tag.replace(etag, 'its tag')} is not sent again`, async () => {
      const { status, body, headers } = await download({ 'if-none-match': tag, range: 'bytes=50-' });
      assert.equal(status, 304);
      assert.equal(body, '');
      assert.equal(headers.get('etag'), etag);
    });
  }
});

describe('403', () => {
  const names = ['a.txt', 'Zürich 写真 🦊.txt', "it's (50%) ~ a+b & c; d=1.txt"];
  for (const name of names) {
    test(`any changed, added or missing byte of the address of ${name} makes it invalid`, async () => {
      const { url } = await uploadText(gateway, await gateway.key(), 'x', name);
      const path = pathOf(url);
      assert.deepEqual(await askRaw(path), { status: 200, body: 'x' });
      const sealed = '/v1/f/'.length;
      const changes: string[] = [];
      for (let at = sealed; at < path.length; at++) {
        const other = path[at] === 'A' ? 'B' : 'A';
        changes.push(path.slice(0, at) + other + path.slice(at + 1));
        changes.push(path.slice(0, at) + path.slice(at + 1));
        changes.push(`${path.slice(0, at)}0${path.slice(at)}`);
      }
      const lastSign = path.at(-1)!;
      const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
      // The last sign carries two bits that no byte takes up: its other spellings are not ours.
      changes.push(...[...alphabet].filter(sign => sign !== lastSign).map(sign => path.slice(0, -1) + sign));
      for (const change of changes) {
        if (change === path) continue;
        const { status, body } = await askRaw(change);
        assert.deepEqual({ change, status, body }, { change, status: 403, body: invalidSignature });
      }
    });
  }

  const tampered: readonly (readonly [what: string, change: (path: string) => string])[] = [
    ['a parameter more', path => `${path}&download=1`],
    ['a parameter before', path => path.replace('?', '?download=1&')],
    ['exp twice', path => path.replace('?', '?exp=9999999999&')],
    ['sig twice', path => `${path}&sig=${'A'.repeat(43)}`],
    ['its parameters exchanged', path => path.replace(/\?(exp=\d+)&(sig=.*)$/, '?$2&$1')],
    ['no signature', path => path.replace(/&sig=.*$/, '')],
    ['no query', path => path.replace(/\?.*$/, '')],
    ['a padded signature', path => `${path}=`],
    ['an encoded letter of its name', path => path.replace('words.txt', '%77ords.txt')],
    ['another name', path => path.replace('words.txt', 'virus.txt')],
    ['a folder in its name', path => path.replace('words.txt', 'x/words.txt')],
    ['a slash after its name', path => path.replace('words.txt', 'words.txt/')],
    ['an ampersand at its end', path => `${path}&`],
    ['a later end', path => path.replace(/exp=\d+/, 'exp=9999999999')],
    ['a leading zero in its end', path => path.replace('exp=', 'exp=0')],
    ['the signature of another file', () => '/v1/f/x'],
    ['the id of another file', path => path.replace(file.id, `file_${'0'.repeat(24)}`)],
  ];
  for (const [what, change] of tampered) {
    test(`an address with ${what} is invalid`, async () => {
      const { status, body } = await askRaw(change(pathOf(file.url)));
      assert.equal(status, 403);
      assert.deepEqual(body, invalidSignature);
    });
  }

  test('an address expires after an hour, not before, and HEAD says so too', async () => {
    const { url } = await uploadText(gateway, await gateway.key(), 'x');
    gateway.clock.advance(1 * hours - 60 * seconds);
    assert.equal((await download({}, 'GET', url)).status, 200);
    gateway.clock.advance(60 * seconds);
    const { status, body } = await download({}, 'GET', url);
    assert.equal(status, 403);
    assert.deepEqual(body, expired);
    assert.equal((await download({}, 'HEAD', url)).status, 403);
    const fresh = await gateway.ask('GET', `/v1/files/${file.id}`, { key });
    assert.equal((await download({}, 'GET', fresh.body.url)).status, 200);
    file = fresh.body;
  });
});

describe('404', () => {
  test('the address of a deleted file finds nothing', async () => {
    const owner = await gateway.key();
    const { id, url } = await uploadText(gateway, owner, 'x');
    await gateway.ask('DELETE', `/v1/files/${id}`, { key: owner });
    const { status, body, headers } = await download({}, 'GET', url);
    assert.equal(status, 404);
    assert.deepEqual(body, notFound);
    assert.equal(headers.get('cache-control'), 'no-store');
  });

  test('a file whose bytes are lost is not found, and the answer says nothing of it', { skip }, async () => {
    const { id, url } = await uploadText(gateway, await gateway.key(), 'x');
    const [row] = await gateway.gateway.db.read('SELECT blob_key FROM files WHERE id = $1', [id]);
    const lost = (await gateway.keptFiles()).find(path => path.endsWith(String(row?.blob_key)));
    await rm(lost ?? '');
    const { status, body, headers } = await download({ range: 'bytes=0-0' }, 'GET', url);
    assert.equal(status, 404);
    assert.deepEqual(body, notFound);
    for (const name of ['etag', 'content-range', 'content-disposition'])
      assert.equal(headers.get(name), null);
    assert.equal(headers.get('cache-control'), 'no-store');
  });
});

describe('416', () => {
  for (const range of ['bytes=10-', 'bytes=10-20', 'bytes=999999999999-', 'bytes=-0']) {
    test(`${range} lies outside ten bytes`, async () => {
      const { status, body, headers } = await download({ range });
      assert.equal(status, 416);
      assert.deepEqual(body, fileError('invalid_range', 'The range lies outside the file', 'Range'));
      assert.equal(headers.get('content-range'), 'bytes */10');
      assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.equal(headers.get('content-disposition'), null);
    });
  }
});

describe('500', () => {
  test('while the blobs cannot be read a download says so, and works again afterwards', {
    skip,
  }, async () => {
    const path = join(gateway.folder, 'blobs');
    await rename(path, `${path}-away`);
    await writeFile(path, 'no folder');
    const { status, body, headers } = await download();
    await rm(path);
    await rename(`${path}-away`, path);
    assert.equal(status, 500);
    assert.deepEqual(body, unavailable);
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal((await download()).status, 200);
  });
});

test('a gateway that closes finishes the download in flight and waits for nothing else', {
  timeout: 30_000,
}, async () => {
  const closing = await startGateway({ role: 'api' });
  const bytes = Buffer.alloc(16 * 1024 * 1024, 'a');
  const part = { type: 'text/plain', content: bytes };
  const { body } = await uploadForm(closing, await closing.key(), part);
  const answer = await fetch(body.url);
  const closed = closing.gateway.close();
  assert.deepEqual(Buffer.from(await answer.arrayBuffer()), bytes);
  await closed;
  await closing.close();
});
