/** POST /v1/files: every kind of medium, sizes, what is left behind, a disk that is full or gone. */
import assert from 'node:assert/strict';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import * as uploads from '../../testkit/clients/uploads.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { isFleet } from '../../testkit/gateway/fleet-gateway.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { makeSamples, type Sample } from '../../testkit/media/sample-files.ts';

const { assertFile, fileError, formEnd, formHeaders, leavingNothing, openUpload, partHead, uploadForm } =
  uploads;
const mebibyte = 1024 * 1024;
const tooLarge = (param: string) => fileError('file_too_large', 'The file exceeds 40MB', param);
/** A fleet has no folder that could be taken away from all of it. */
const skip = isFleet;

const stray: unknown[] = [];
const note = (failure: unknown) => void stray.push(failure);
const samples: Map<string, Sample> = new Map();
before(async () => {
  process.on('uncaughtException', note);
  for (const sample of await makeSamples()) samples.set(sample.name, sample);
});
after(() => void process.off('uncaughtException', note));

function sampleOf(name: string): Sample {
  const sample = samples.get(name);
  if (!sample) throw new Error(`expected a sample ${name}`);
  return sample;
}

for (const dialect of dialects)
  describe(dialect, () => uploadSuite(() => startGateway({ dialect, role: 'api' })));

function uploadSuite(start: () => Promise<TestGateway>): void {
  let gateway: TestGateway;
  before(async () => {
    gateway = await start();
  });
  after(() => gateway.close());

  /** Uploads bytes under a name and a declared type. */
  const upload = async (name: string, type: string, content: Uint8Array | string) =>
    uploadForm(gateway, await gateway.key(), { says: `name="file"; filename="${name}"`, type, content });

  describe('200', () => {
    const names = [
      ...['picture.jpeg', 'picture.png', 'picture.gif', 'picture.webp'],
      ...[
        'sound.mp3',
        'sound.wav',
        'sound.m4a',
        'sound.mp4',
        'sound.webm',
        'film.mp4',
        'film.mov',
        'film.webm',
      ],
      ...['page.pdf', 'words.txt', 'table.csv', 'object.json'],
    ];
    const expectedOf = ({ name, bytes, mimeType, fileType, dimensions }: Sample): uploads.ExpectedFile => ({
      filename: name,
      bytes: bytes.length,
      mime_type: mimeType,
      file_type: fileType,
      ...(dimensions && { dimensions }),
    });
    for (const name of names) {
      test(`${name} of its own type gives the whole file object and the same bytes back`, async () => {
        const sample = sampleOf(name);
        const { status, body } = await upload(name, sample.mimeType, sample.bytes);
        assert.equal(status, 200);
        assertFile(gateway, body, expectedOf(sample));
        const downloaded = await fetch(body.url);
        assert.deepEqual(Buffer.from(await downloaded.arrayBuffer()), sample.bytes);
      });

      test(`${name} sent as a stream of octets is recognised by its bytes, then by its name`, async () => {
        const sample = sampleOf(name);
        const { status, body } = await upload(name, 'application/octet-stream', sample.bytes);
        assert.equal(status, 200);
        assertFile(gateway, body, expectedOf(sample));
      });
    }

    const mistaken: readonly (readonly [sample: string, declared: string])[] = [
      ['sound.mp4', 'video/mp4'],
      ['film.mp4', 'audio/mp4'],
      ['sound.webm', 'video/webm'],
      ['film.webm', 'audio/webm'],
      ['picture.jpeg', 'image/jpg'],
      ['sound.mp3', 'audio/mp3'],
      ['sound.wav', 'audio/x-wav'],
      ['table.csv', 'text/csv; charset=utf-8'],
    ];
    for (const [name, declared] of mistaken) {
      test(`${name} declared ${declared} is called what it is`, async () => {
        const sample = sampleOf(name);
        const { status, body } = await upload(name, declared, sample.bytes);
        assert.equal(status, 200);
        assertFile(gateway, body, expectedOf(sample));
      });
    }

    test('an extension that lies does not outweigh the bytes', async () => {
      const sample = sampleOf('picture.png');
      const { status, body } = await upload('a.txt', 'application/octet-stream', sample.bytes);
      assert.equal(status, 200);
      assertFile(gateway, body, { ...expectedOf(sample), filename: 'a.txt' });
    });

    test('the declared type decides between kinds of text, before the extension', async () => {
      const { status, body } = await upload('a.json', 'text/csv', '1');
      assert.equal(status, 200);
      assertFile(gateway, body, { filename: 'a.json', bytes: 1, mime_type: 'text/csv', file_type: 'text' });
    });

    test('an empty text is a file of no bytes', async () => {
      const { status, body } = await upload('a.txt', 'text/plain', '');
      assert.equal(status, 200);
      assertFile(gateway, body, { filename: 'a.txt', bytes: 0, mime_type: 'text/plain', file_type: 'text' });
      const downloaded = await gateway.ask('GET', body.url);
      assert.equal(downloaded.status, 200);
      assert.equal(downloaded.body, '');
    });

    test('40 MiB are accepted, to the byte', async () => {
      const sending = openUpload(gateway, await gateway.key());
      await sending.write(partHead({ type: 'text/plain' }));
      for (let sent = 0; sent < 40; sent++) await sending.write(Buffer.alloc(mebibyte, 'a'));
      await sending.write(formEnd);
      sending.end();
      const { status, body } = await sending.answered;
      assert.equal(status, 200);
      assertFile(gateway, body, {
        filename: 'a.txt',
        bytes: 40 * mebibyte,
        mime_type: 'text/plain',
        file_type: 'text',
      });
    });
  });

  describe('400', () => {
    const contradiction = (found: string, declared: string) =>
      fileError('invalid_request', `The bytes are ${found}, not ${declared}`, 'file');
    const unreadable = (mimeType: string) =>
      fileError('invalid_request', `The ${mimeType} file cannot be read`, 'file');
    const unsupported = (found: string) =>
      fileError('unsupported_file_type', `Unsupported file type: ${found}`, 'file');
    const zip = Buffer.from('504b0304140000000800', 'hex');
    const exe = Buffer.from('4d5a90000300000004000000ffff0000', 'hex');
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>';
    const html = '<!doctype html><script>alert(1)</script>';
    const of = (name: string) => () => sampleOf(name).bytes;

    const refused: readonly (readonly [
      name: string,
      type: string,
      content: string | Uint8Array | (() => Buffer),
      expected: object,
    ])[] = [
      ['a.jpg', 'image/jpeg', of('picture.png'), contradiction('image/png', 'image/jpeg')],
      ['a.png', 'image/png', of('picture.gif'), contradiction('image/gif', 'image/png')],
      ['a.mp4', 'video/mp4', of('film.mov'), contradiction('video/quicktime', 'video/mp4')],
      ['a.mp4', 'video/mp4', of('film.webm'), contradiction('video/webm', 'video/mp4')],
      ['a.mp3', 'audio/mpeg', of('sound.wav'), contradiction('audio/wav', 'audio/mpeg')],
      ['a.txt', 'text/plain', of('page.pdf'), contradiction('application/pdf', 'text/plain')],
      ['a.png', 'image/png', 'hello', contradiction('text/plain', 'image/png')],
      ['a.png', 'image/png', zip, contradiction('application/octet-stream', 'image/png')],
      ['a.txt', 'text/plain', exe, contradiction('application/octet-stream', 'text/plain')],
      ['a.png', 'image/png', () => sampleOf('picture.png').bytes.subarray(0, 12), unreadable('image/png')],
      ['a.mp4', 'video/mp4', () => sampleOf('film.mp4').bytes.subarray(0, 64), unreadable('video/mp4')],
      ['a.zip', 'application/zip', zip, unsupported('application/zip')],
      ['a.zip', 'application/octet-stream', zip, unsupported('application/octet-stream')],
      ['a.exe', 'application/x-msdownload', exe, unsupported('application/x-msdownload')],
      ['a.exe', 'application/octet-stream', exe, unsupported('application/octet-stream')],
      ['a.svg', 'image/svg+xml', svg, unsupported('image/svg+xml')],
      ['a.svg', 'application/octet-stream', svg, unsupported('image/svg+xml')],
      ['a.html', 'text/html', html, unsupported('text/html')],
      ['a.html', 'application/octet-stream', html, unsupported('text/html')],
      ['a.bmp', 'image/tiff', Buffer.from('49492a0008000000', 'hex'), unsupported('image/tiff')],
      ['a.flac', 'audio/flac', 'fLaC\0\0\0\0', unsupported('audio/flac')],
      ['a.png', 'image/png', '', unsupported('application/octet-stream')],
      ['a', 'application/octet-stream', '', unsupported('application/octet-stream')],
    ];
    for (const [name, type, content, expected] of refused) {
      const what = (expected as ReturnType<typeof fileError>).error.message;
      test(`${name} declared ${type} is refused and leaves nothing: ${what}`, async () => {
        const bytes = typeof content === 'function' ? content() : content;
        const { status, body } = await leavingNothing(gateway, () => upload(name, type, bytes));
        assert.equal(status, 400);
        assert.deepEqual(body, expected);
      });
    }
  });

  describe('401', () => {
    const unauthorized = (message: string, requestId: string | null) => ({
      error: { code: 'UNAUTHORIZED', message },
      request_id: requestId,
    });

    test('an upload without a key gets the gateway body', async () => {
      const options = { body: uploads.formOf({}), headers: formHeaders };
      const { status, body, headers } = await leavingNothing(gateway, () =>
        gateway.ask('POST', '/v1/files', options),
      );
      assert.equal(status, 401);
      assert.deepEqual(body, unauthorized('A Bearer token is required', headers.get('x-request-id')));
      assert.equal(headers.get('www-authenticate'), 'Bearer');
    });

    test('an upload with an unknown key gets the gateway body', async () => {
      const options = { key: 'atl_unknown', body: uploads.formOf({}), headers: formHeaders };
      const { status, body, headers } = await leavingNothing(gateway, () =>
        gateway.ask('POST', '/v1/files', options),
      );
      assert.equal(status, 401);
      assert.deepEqual(body, unauthorized('Invalid API key', headers.get('x-request-id')));
    });
  });

  describe('413', () => {
    test('the first byte over 40 MiB is refused while the form still comes, and nothing is left', async () => {
      const key = await gateway.key();
      await leavingNothing(gateway, async () => {
        const sending = openUpload(gateway, key);
        await sending.write(partHead({ type: 'text/plain' }));
        for (let sent = 0; sent < 40; sent++) await sending.write(Buffer.alloc(mebibyte, 'a'));
        await sending.write(Buffer.from('a'));
        // The parser holds back what could be the boundary; this cannot.
        await sending.write(Buffer.from('bb'));
        const { status, body } = await sending.answered;
        assert.equal(status, 413);
        assert.deepEqual(body, tooLarge('file'));
        sending.abort();
      });
    });

    test('40 MiB and one byte are refused and leave nothing', async () => {
      const content = Buffer.alloc(40 * mebibyte + 1, 'a');
      const { status, body } = await leavingNothing(gateway, () => upload('a.txt', 'text/plain', content));
      assert.equal(status, 413);
      assert.deepEqual(body, tooLarge('file'));
    });
  });

  describe('500', () => {
    for (const folder of ['spool', 'blobs']) {
      test(`while the ${folder} folder is gone nothing is half made, and afterwards it works again`, {
        skip,
      }, async () => {
        const key = await gateway.key();
        const path = join(folder === 'spool' ? gateway.local : gateway.folder, folder);
        const part = { type: 'text/plain' };
        await leavingNothing(gateway, async () => {
          await rename(path, `${path}-away`);
          await writeFile(path, 'no folder');
          const { status, body, headers } = await uploadForm(gateway, key, part);
          await rm(path);
          await rename(`${path}-away`, path);
          assert.equal(status, 500);
          assert.deepEqual(body, uploads.unavailable);
          assert.equal(headers.get('retry-after'), '5');
        });
        const { status } = await uploadForm(gateway, key, part);
        assert.equal(status, 200);
      });
    }

    test('an upload in JSON names the missing spool, too', { skip }, async () => {
      const key = await gateway.key();
      const path = join(gateway.local, 'spool');
      const given = { data: 'aGVsbG8=', mime_type: 'text/plain' };
      await leavingNothing(gateway, async () => {
        await rename(path, `${path}-away`);
        await writeFile(path, 'no folder');
        const { status, body } = await gateway.ask('POST', '/v1/files', { key, body: given });
        await rm(path);
        await rename(`${path}-away`, path);
        assert.equal(status, 500);
        assert.deepEqual(body, uploads.unavailable);
      });
    });

    test('a key that can be read again makes all of it ready', async () => {
      const isReady = async () => (await gateway.ask('GET', '/readyz')).status === 200;
      assert.equal(await until(isReady, 'the gateway to be ready'), true);
    });
  });
}

test('no refused upload throws an error that is not caught, which would end the process', () => {
  assert.deepEqual(stray, []);
});

test('a gateway that closes finishes the upload in flight', {
  timeout: 30_000,
}, async () => {
  const gateway = await startGateway({ role: 'api' });
  const sending = openUpload(gateway, await gateway.key());
  await sending.write(partHead({ type: 'text/plain' }));
  // More than the parser holds back as a possible boundary.
  await sending.write(Buffer.alloc(1024, 'a'));
  await until(async () => (await gateway.keptFiles()).length > 0, 'the upload to reach the spool');
  const closed = gateway.gateway.close();
  await sending.write(formEnd);
  sending.end();
  assert.equal((await sending.answered).status, 200);
  await closed;
  await gateway.close();
});
