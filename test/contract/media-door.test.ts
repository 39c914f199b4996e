/** The ways in which a medium gets into an input: file id, asset, signed address, data URL, base64. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { toJson } from '../../src/domain/json.ts';
import { image, video } from '../../testkit/clients/queue.ts';
import { traceOf, uploadText } from '../../testkit/clients/uploads.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';
import { dataUrl, handIn, isRefused, megabyte, passes, upload } from '../../testkit/media/media-fields.ts';
import { padTo, picture, sound } from '../../testkit/media/media-maker.ts';

const fileId = /^file_[0-9A-Za-z]{24}$/;
/** What stands before and behind the first image of each. */
const epsilons: readonly (readonly [model: string, before: string, behind: string])[] = [
  ['epsilon-q2-turbo-extend', '"video_url":"http://files.test/a.mp4",', ''],
  ['epsilon-q2-turbo-img2video', '', ''],
  ['epsilon-q3-turbo-start-end2video', '', ',"http://files.test/end.png"'],
];
const hour = 60 * 60 * 1000;

for (const dialect of dialects)
  describe(dialect, () => doorSuite(() => startGateway({ dialect, role: 'api' })));

function doorSuite(start: () => Promise<TestGateway>): void {
  let gateway: TestGateway;
  before(async () => {
    gateway = await start();
  });
  after(() => gateway.close());

  const bodyWith = (value: string) => ({ prompt: 'A boat', image: value });
  const portrait = () => picture('jpeg', 400, 300);

  async function storedInput(id: string): Promise<Record<string, unknown>> {
    const [row] = await gateway.gateway.db.read('SELECT input FROM jobs WHERE id = $1', [id]);
    return JSON.parse(String(row?.input));
  }

  describe('200', () => {
    for (const handing of ['own', 'asset', 'signed'] as const) {
      test(`an uploaded picture handed in as ${handing} is stored as its file id`, async () => {
        const key = await gateway.key();
        const value = await handIn(gateway, key, await portrait(), handing);
        const id = await passes(gateway, key, image, bodyWith(value));
        const { image: stored } = await storedInput(id);
        assert.match(String(stored), fileId);
        assert.equal(value.includes(String(stored)), true);
      });
    }

    test('an inline picture becomes a file of the job, byte for byte', async () => {
      const key = await gateway.key();
      const medium = await portrait();
      const id = await passes(gateway, key, image, bodyWith(medium.toString('base64')));
      const { image: stored } = await storedInput(id);
      assert.match(String(stored), fileId);
      const rows = await gateway.gateway.db.read('SELECT * FROM files WHERE job_id = $1', [id]);
      assert.deepEqual(
        rows.map(({ id, source, mime_type, bytes, width, height }) => ({
          id,
          source,
          mime_type,
          bytes: Number(bytes),
          width: Number(width),
          height: Number(height),
        })),
        [
          {
            id: stored,
            source: 'input',
            mime_type: 'image/jpeg',
            bytes: medium.length,
            width: 400,
            height: 300,
          },
        ],
      );
      const file = await gateway.ask('GET', `/v1/files/${stored}`, { key });
      assert.equal(file.status, 200);
      const downloaded = await fetch(file.body.url);
      assert.deepEqual(Buffer.from(await downloaded.arrayBuffer()), medium);
    });

    test('an address on the web is stored as it stands and not asked for', async () => {
      const key = await gateway.key();
      const address = 'http://127.0.0.1:1/portrait.png';
      const id = await passes(gateway, key, image, bodyWith(address));
      assert.equal((await storedInput(id)).image, address);
    });

    test("another user's signed address opens the file to anyone who has it", async () => {
      const file = await upload(gateway, await gateway.key(), await portrait());
      const id = await passes(gateway, await gateway.key(), image, bodyWith(file.url));
      assert.equal((await storedInput(id)).image, file.id);
    });

    test('base64 stands neither in the database nor in the log', async () => {
      const key = await gateway.key();
      const encoded = padTo(await portrait(), 20_000).toString('base64');
      const id = await passes(gateway, key, image, bodyWith(encoded));
      const [row] = await gateway.gateway.db.read('SELECT * FROM jobs WHERE id = $1', [id]);
      const stored = toJson(row) + toJson(gateway.logged);
      for (const at of [0, 100, 10_000]) assert.equal(stored.includes(encoded.slice(at, at + 40)), false);
    });

    test('base64 of broken lines and without its padding is the same picture', async () => {
      const key = await gateway.key();
      // A size that ends in two signs of padding.
      const medium = padTo(await portrait(), 20_002);
      const lines = medium.toString('base64').replaceAll(/(.{76})/g, '$1\r\n');
      assert.match(lines, /==$/);
      const id = await passes(gateway, key, image, bodyWith(` ${lines.replaceAll('=', '')}\n`));
      const rows = await gateway.gateway.db.read('SELECT bytes FROM files WHERE job_id = $1', [id]);
      assert.deepEqual(
        rows.map(({ bytes }) => bytes),
        [20_002],
      );
    });

    test('a picture of just the size that is allowed may come in lines', async () => {
      const key = await gateway.key();
      const medium = padTo(await portrait(), 10 * megabyte);
      const lines = medium.toString('base64').replaceAll(/(.{76})/g, '$1\n');
      await passes(gateway, key, image, bodyWith(lines));
      const over = padTo(await portrait(), 10 * megabyte + 1).toString('base64');
      const tooLarge = 'image: must be at most 10 MB';
      await isRefused(gateway, key, image, bodyWith(over.replaceAll(/(.{76})/g, '$1\n')), tooLarge);
    });

    test('a dry run keeps nothing', async () => {
      const key = await gateway.key();
      const before = await traceOf(gateway);
      const body = bodyWith((await portrait()).toString('base64'));
      const answer = await gateway.ask('POST', `/v1/models/${image}/validate`, { key, body });
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.body, {
        object: 'validation',
        model: image,
        valid: true,
        billed_jobs: 1,
        quote: null,
      });
      assert.deepEqual(await traceOf(gateway), before);
    });
  });

  describe('413', () => {
    const jpeg = 'data:image/jpeg;base64,';
    const bounds: readonly (readonly [
      model: string,
      mb: number,
      around: [string, string],
      detail: string,
    ])[] = [
      [image, 64, ['{"prompt":"x","image":"', '"}'], 'image: must be at most 10 MB'],
      [
        'alpha-2-0-mini',
        64,
        [`{"content":[{"type":"image_url","image_url":{"url":"${jpeg}`, '"}}]}'],
        'content.0.image_url.url: must be under 30 MB',
      ],
      ...epsilons.map(([model, before, behind]): (typeof bounds)[number] => [
        model,
        20,
        [`{${before}"images":["${jpeg}`, `!"${behind}]}`],
        'images.0: is not valid base64',
      ]),
    ];
    for (const [model, mb, [head, tail], detail] of bounds) {
      // Contract 2.12 says "under", where 2.10 and 2.11 say "at most".
      const maxBytes = mb * megabyte - (model === 'epsilon-q3-turbo-start-end2video' ? 1 : 0);
      test(`of ${model} ${maxBytes} bytes are read and judged, one more is not`, async () => {
        const key = await gateway.key();
        const filled = (bytes: number) => `${head}${'A'.repeat(bytes - head.length - tail.length)}${tail}`;
        await isRefused(gateway, key, model, filled(maxBytes), detail);
        const body = filled(maxBytes + 1);
        const answer = await gateway.ask('POST', `/v1/queue/${model}`, { key, body });
        assert.equal(answer.status, 413);
        assert.deepEqual(answer.body, { detail: 'Request body too large' });
      });
    }
  });

  describe('422', () => {
    const unreadable = 'image: cannot be read as a medium';
    const unwritten = 'image: must be an http or https URL or base64 without a data: prefix or a file id';
    const uncoded = 'image: is not valid base64';
    const base64 = 'iVBORw0KGgoAAAANSUhEUgAA';
    const table: readonly (readonly [string, string, string])[] = [
      ['a blank text', ' ', unwritten],
      ['a word', 'portrait.png', unwritten],
      ['an address of another scheme', 'ftp://files.test/a.png', unwritten],
      ['an address of a local file', 'file:///etc/passwd', unwritten],
      ['an address with a blank', 'http://files.test/a b.png', unwritten],
      ['a data URL where the field takes none', `data:image/png;base64,${base64}`, unwritten],
      ['an asset of elsewhere', 'asset://asset-20250101-abcde', 'image: asset not found'],
      ['an unknown file', 'file_000000000000000000000000', 'image: file not found'],
      ['an unknown asset of ours', 'asset://file_000000000000000000000000', 'image: file not found'],
      ['a file id that is too long', 'file_0000000000000000000000000', unwritten],
      ['base64 for URLs', `${base64}-_-_`, uncoded],
      ['base64 with a lone last character', `${base64}A`, uncoded],
      ['base64 padded in the middle', `${base64}AA==${base64}`, uncoded],
      ['base64 of nonsense', 'A'.repeat(4000), 'image: must be jpeg, png, found application/octet-stream'],
      ['base64 of a header cut short', base64, unreadable],
    ];
    for (const [what, value, detail] of table)
      test(what, async () => isRefused(gateway, await gateway.key(), image, bodyWith(value), detail));

    test("another user's file answers like a missing one", async () => {
      const file = await upload(gateway, await gateway.key(), await portrait());
      for (const value of [file.id, `asset://${file.id}`])
        await isRefused(gateway, await gateway.key(), image, bodyWith(value), 'image: file not found');
    });

    test('a deleted file answers like a missing one, whichever way it is named', async () => {
      const key = await gateway.key();
      const file = await upload(gateway, key, await portrait());
      assert.equal((await gateway.ask('DELETE', `/v1/files/${file.id}`, { key })).status, 200);
      for (const value of [file.id, `asset://${file.id}`, file.url])
        await isRefused(gateway, key, image, bodyWith(value), 'image: file not found');
    });

    test('a signed address of which a byte was changed', async () => {
      const key = await gateway.key();
      const { url } = await upload(gateway, key, await portrait());
      const changed = url.replace(/sig=./, (sig: string) => (sig === 'sig=A' ? 'sig=B' : 'sig=A'));
      await isRefused(gateway, key, image, bodyWith(changed), 'image: the signed address is not valid');
    });

    test('an uploaded text is no picture', async () => {
      const key = await gateway.key();
      const { id } = await uploadText(gateway, key);
      const detail = 'image: must be jpeg, png, found application/octet-stream';
      await isRefused(gateway, key, image, bodyWith(id), detail);
    });

    test('a sound where a picture belongs, and a picture where a sound does', async () => {
      const key = await gateway.key();
      const noise = await sound('wav', 1);
      const detail = 'image: must be jpeg, png, found audio/wav';
      await isRefused(gateway, key, image, bodyWith(noise.toString('base64')), detail);
      const { id } = await upload(gateway, key, await portrait());
      await isRefused(
        gateway,
        key,
        video,
        { prompt: 'A boat', audio_url: id },
        'audio_url: must be mpeg, wav, mp4, webm, ogg, flac, aac, found image/jpeg',
      );
    });

    test('a sound inline where only an address or a file may stand', async () => {
      const value = dataUrl(await sound('wav', 1));
      const detail = 'audio_url: must be an http or https URL or a file id';
      await isRefused(gateway, await gateway.key(), video, { prompt: 'A boat', audio_url: value }, detail);
    });
  });

  describe('time', () => {
    // Put last: the clock does not go back.
    test('422 for a signed address after its hour', async () => {
      const key = await gateway.key();
      const { url, id } = await upload(gateway, key, await portrait());
      gateway.clock.advance(hour + 1000);
      await isRefused(gateway, key, image, bodyWith(url), 'image: the signed address has expired');
      await passes(gateway, key, image, bodyWith(id));
    });

    test('422 for a file after its seven days', async () => {
      const key = await gateway.key();
      const { id } = await upload(gateway, key, await portrait());
      gateway.clock.advance(7 * 24 * hour);
      await isRefused(gateway, key, image, bodyWith(id), 'image: file not found');
    });
  });
}
