/** Hostile files: bombs, polyglots and broken containers, uploaded and referenced. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { speech } from '../../testkit/clients/queue.ts';
import { fileError, formHeaders, formOf, leavingNothing } from '../../testkit/clients/uploads.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';
import { busyFilm, pngHeader } from '../../testkit/media/craft-bytes.ts';
import { dataUrl, handIn, isRefused, passes } from '../../testkit/media/media-fields.ts';
import { clip, type PictureFormat, picture } from '../../testkit/media/media-maker.ts';

const drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="900" height="900"/>';
const playlist = '#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nhttp://127.0.0.1:1/a.ts\n#EXT-X-ENDLIST\n';
const list = 'ffconcat version 1.0\nfile /etc/passwd\nduration 5\n';
const page = '<!doctype html><script>alert(1)</script>';

/** Few bytes that are 400 million pixels once unpacked. */
async function bomb(): Promise<Buffer> {
  const small = await picture('png', 300, 300);
  const rows = deflateSync(Buffer.alloc((1 + 20_000 / 8) * 20_000), { level: 9 });
  const head = pngHeader(20_000, 20_000);
  head.writeUInt8(1, 24);
  head.writeUInt8(0, 25);
  const data = Buffer.alloc(8);
  data.writeUInt32BE(rows.length);
  data.write('IDAT', 4);
  return Buffer.concat([head, Buffer.alloc(4), data, rows, Buffer.alloc(4), small.subarray(-12)]);
}

/** A picture with a sound header whose pixels end early. */
async function cutShort(format: PictureFormat): Promise<Buffer> {
  const whole = await picture(format, 400, 400);
  return whole.subarray(0, whole.length * 0.9);
}

/** Begins as a picture, goes on as a page and an archive. */
const polyglot = async () =>
  Buffer.concat([
    await picture('gif', 300, 300),
    Buffer.from(page),
    Buffer.from('PK\x05\x06'),
    Buffer.alloc(18),
  ]);

describe('hostile files', () => {
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

  const alpha = 'alpha-2-0-mini';
  const shown = (url: string) => ({
    content: [{ type: 'image_url', image_url: { url }, role: 'reference_image' }],
  });
  const filmed = (url: string) => ({
    content: [{ type: 'video_url', video_url: { url }, role: 'reference_video' }],
  });
  const send = async (name: string, type: string, content: Uint8Array | string) =>
    gateway.ask('POST', '/v1/files', {
      key: await gateway.key(),
      body: formOf({ says: `name="file"; filename="${name}"`, type, content }),
      headers: formHeaders,
    });

  describe('uploaded: 400', () => {
    const contradicted = (found: string, declared: string) =>
      fileError('invalid_request', `The bytes are ${found}, not ${declared}`, 'file');
    const unsupported = (found: string) =>
      fileError('unsupported_file_type', `Unsupported file type: ${found}`, 'file');
    const unread = (type: string) => fileError('invalid_request', `The ${type} file cannot be read`, 'file');
    const octets = 'application/octet-stream';
    type Row = readonly [name: string, type: string, make: () => Promise<Buffer> | string, error: unknown];
    const table: readonly Row[] = [
      ['drawing.png', 'image/png', () => drawing, contradicted('text/plain', 'image/png')],
      ['drawing.svg', 'image/svg+xml', () => drawing, unsupported('image/svg+xml')],
      ['drawing.svg', octets, () => drawing, unsupported('image/svg+xml')],
      ['film.mp4', 'video/mp4', () => playlist, contradicted('text/plain', 'video/mp4')],
      ['film.mp4', octets, () => playlist, unsupported(octets)],
      [
        'film.m3u8',
        'application/vnd.apple.mpegurl',
        () => playlist,
        unsupported('application/vnd.apple.mpegurl'),
      ],
      ['film.mp4', octets, () => list, unsupported(octets)],
      ['page.html', octets, () => page, unsupported('text/html')],
      [
        'film.mp4',
        'video/mp4',
        async () => (await clip({ seconds: 2 })).subarray(0, 60),
        unread('video/mp4'),
      ],
      ['picture.png', 'image/png', async () => pngHeader(300, 300).subarray(0, 20), unread('image/png')],
      ['flat.png', 'image/png', async () => pngHeader(0, 300), unread('image/png')],
      ['early.jpg', 'image/jpeg', () => cutShort('jpeg'), unread('image/jpeg')],
      ['early.png', 'image/png', () => cutShort('png'), unread('image/png')],
    ];
    for (const [name, type, make, error] of table) {
      test(`${name} called ${type}: ${(error as ReturnType<typeof fileError>).error.message}`, async () => {
        const content = await make();
        const { status, body } = await leavingNothing(gateway, () => send(name, type, content));
        assert.equal(status, 400);
        assert.deepEqual(body, error);
      });
    }
  });

  describe('uploaded: 200', () => {
    test('a bomb is measured and not unpacked', async () => {
      const { status, body } = await send('bomb.png', 'image/png', await bomb());
      assert.equal(status, 200);
      assert.deepEqual(body.dimensions, { width: 20_000, height: 20_000 });
    });

    test('a picture with a page behind it is served as a picture and nothing else', async () => {
      const content = await polyglot();
      const { status, body } = await send('page.html', 'application/octet-stream', content);
      assert.equal(status, 200);
      assert.equal(body.mime_type, 'image/gif');
      const downloaded = await fetch(body.url);
      assert.equal(downloaded.headers.get('content-type'), 'image/gif');
      assert.equal(downloaded.headers.get('x-content-type-options'), 'nosniff');
      assert.equal(downloaded.headers.get('content-security-policy'), "sandbox; default-src 'none'");
      assert.deepEqual(Buffer.from(await downloaded.arrayBuffer()), content);
    });
  });

  describe('inline: 422', () => {
    const side = (found: number) => `width must be strictly between 300 and 6000 px, found ${found}`;
    const type = (found: string) => `must be jpeg, png, webp, bmp, tiff, gif, found ${found}`;
    const unread = 'cannot be read as a medium';
    const octets = 'application/octet-stream';
    const table: readonly (readonly [what: string, make: () => Promise<Buffer>, reason: string])[] = [
      ['a bomb of 20000 x 20000', bomb, side(20_000)],
      ['a header of 65536 x 65536', async () => pngHeader(65_536, 65_536), side(65_536)],
      [
        'a header of 2147483647 x 2147483647',
        async () => pngHeader(0x7fffffff, 0x7fffffff),
        side(0x7fffffff),
      ],
      ['a header of no width', async () => pngHeader(0, 400), unread],
      ['a drawing', async () => Buffer.from(drawing), type(octets)],
      ['a playlist', async () => Buffer.from(playlist), type(octets)],
      ['a list of local files', async () => Buffer.from(list), type(octets)],
      ['a page', async () => Buffer.from(page), type(octets)],
      ['a document', async () => Buffer.from('%PDF-1.7\n'), type('application/pdf')],
      ['a webp cut short', async () => (await picture('webp', 400, 400)).subarray(0, 16), unread],
      ['a gif cut short', async () => (await picture('gif', 400, 400)).subarray(0, 7), unread],
      ...(['png', 'jpeg', 'webp', 'gif', 'avif'] as const).map(
        format => [`nine tenths of a ${format}`, () => cutShort(format), unread] as const,
      ),
    ];
    for (const [what, make, reason] of table) {
      test(`${what} called a png`, async () => {
        const url = dataUrl(await make(), 'image/png');
        const detail = `content.0.image_url.url: ${reason}`;
        await isRefused(gateway, await gateway.key(), alpha, shown(url), detail);
      });
    }

    test('a film that keeps its reader busy for ever, and the next picture is read', async () => {
      const key = await gateway.key();
      const film = busyFilm(await clip({ seconds: 2, sound: true }));
      const detail = 'content.0.image_url.url: cannot be read as a medium';
      await isRefused(gateway, key, alpha, shown(dataUrl(film, 'image/png')), detail);
      await passes(gateway, key, alpha, shown(dataUrl(await picture('png', 400, 400))));
    });
  });

  test('among many hostile files at once the others are served, and the program stays whole', async () => {
    const key = await gateway.key();
    const poison = dataUrl(await bomb());
    const good = dataUrl(await picture('jpeg', 400, 400));
    const film = await handIn(gateway, key, await clip({ seconds: 2 }), 'own');
    const post = (body: unknown) => gateway.ask('POST', `/v1/queue/${alpha}`, { key, body });
    const answers = await Promise.all([
      ...Array.from({ length: 20 }, () => post(shown(poison))),
      ...Array.from({ length: 5 }, () => post(shown(good))),
      post(filmed(film)),
      gateway.ask('GET', '/healthz'),
      gateway.ask('POST', `/v1/queue/${speech}`, { key, body: { text: 'Hello.' } }),
    ]);
    assert.deepEqual(
      answers.map(answer => answer.status),
      [...Array(20).fill(422), ...Array(8).fill(200)],
    );
    assert.deepEqual(stray, []);
    assert.equal(gateway.logged.filter(({ level }) => Number(level) >= 50).length, 0);
  });
});
