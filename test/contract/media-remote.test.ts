/** Media at web addresses: fetched when the job runs, with retries, limits, probing and refused addresses. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { pino } from 'pino';
import { openStore } from '../../src/app/open-store.ts';
import { create, image, pathOf, video } from '../../testkit/clients/queue.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { isRefused } from '../../testkit/media/media-fields.ts';
import { openMediaSite } from '../../testkit/media/media-site.ts';

const hour = 60 * 60 * 1000;

let site = '';
let asked: string[] = [];
let close = () => {};
before(async () => {
  ({ url: site, asked, close } = openMediaSite());
});
after(() => close());

const bodyWith = (address: string) => ({ prompt: 'A boat', aspect_ratio: '1:1', image: address });

/** The result body of a job, once there is one. */
async function resultOf(gateway: TestGateway, key: string, id: string, model = image) {
  return until(async () => {
    const answer = await gateway.ask('GET', pathOf(id, '/response', model), {
      key,
      headers: { prefer: 'wait=10' },
    });
    return answer.status === 200 && answer.body;
  }, `the end of job ${id}`);
}

type Code = 'file_download_error' | 'file_invalid';

/** Ended for that reason. */
async function fails(gateway: TestGateway, body: unknown, code: Code, reason: string, model = image) {
  const key = await gateway.key();
  const { request_id: id } = await create(gateway, key, { model, body });
  const { status, error } = await resultOf(gateway, key, id, model);
  assert.equal(status, 'COMPLETED');
  const message = `Runtime execution failed: ${reason}`;
  assert.deepEqual(error, { code, message, retryable: false });
}

/** The result of a job whose medium is tried again: the clock is put forward until there is one. */
async function resultAfterTries(gateway: TestGateway, address: string) {
  asked.length = 0;
  const key = await gateway.key();
  const { request_id: id } = await create(gateway, key, { model: image, body: bodyWith(address) });
  return until(async () => {
    gateway.clock.advance(500);
    const answer = await gateway.ask('GET', pathOf(id, '/response', image), { key });
    return answer.status === 200 && answer.body;
  }, `the end of job ${id}`);
}

describe('with private addresses allowed', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
  });
  after(() => gateway.close());

  describe('completed', () => {
    for (const [path, hops] of [
      ['/portrait.png', []],
      ['/of-another-type', []],
      ['/full', []],
      ['/3', ['/2', '/1', '/portrait.png']],
    ] as const) {
      test(`what stands at ${path} is asked for once and drawn from`, async () => {
        asked.length = 0;
        const key = await gateway.key();
        const { request_id: id } = await create(gateway, key, { model: image, body: bodyWith(site + path) });
        const { error, images } = await resultOf(gateway, key, id);
        assert.equal(error, null);
        assert.equal(images.length, 1);
        assert.deepEqual(
          asked,
          [path, ...hops].map(each => `GET ${each}`),
        );
      });
    }

    test('a sound at an address is laid under the video', async () => {
      asked.length = 0;
      const key = await gateway.key();
      const body = { prompt: 'Waves', duration: 2, size: '832*1088', audio_url: `${site}/waves.wav` };
      const { request_id: id } = await create(gateway, key, { model: video, body });
      assert.equal((await resultOf(gateway, key, id, video)).error, null);
      assert.deepEqual(asked, ['GET /waves.wav']);
    });

    test('an address that stands twice is asked for once', async () => {
      asked.length = 0;
      const key = await gateway.key();
      const subject = { subject_image: `${site}/portrait.png` };
      const body = { subject_image_list: [subject, subject], scene_image: subject.subject_image };
      const model = 'gamma-v2-multi-image2image';
      const { request_id: id } = await create(gateway, key, { model, body });
      assert.equal((await resultOf(gateway, key, id, model)).error, null);
      assert.deepEqual(asked, ['GET /portrait.png']);
    });

    test('an address in the words of a prompt is never asked for', async () => {
      asked.length = 0;
      const key = await gateway.key();
      const words = `A boat --sref ${site}/a.png --cref ${site}/b.png --oref ${site}/c.png`;
      const body = { ...bodyWith(`${site}/portrait.png`), prompt: words, negative_prompt: `${site}/e.png` };
      const { request_id: id } = await create(gateway, key, { model: image, body });
      assert.equal((await resultOf(gateway, key, id)).error, null);
      const model = 'beta-outpaint';
      const wider = { jobId: id, imageNo: 0, scale: 1.1, remixPrompt: words };
      const { request_id: next } = await create(gateway, key, { model, body: wider });
      assert.equal((await resultOf(gateway, key, next, model)).error, null);
      assert.deepEqual(asked, ['GET /portrait.png']);
    });
  });

  describe('an address that fails for the moment', () => {
    for (const path of ['/third-time', '/third-time-429', '/third-time-cut']) {
      test(`${path} is asked three times, and the job is made`, async () => {
        const { error, images } = await resultAfterTries(gateway, site + path);
        assert.equal(error, null);
        assert.equal(images.length, 1);
        assert.deepEqual(asked, Array(3).fill(`GET ${path}`));
      });
    }

    const table: readonly (readonly [path: string, reason: string, tries: number])[] = [
      ['/broken', 'The address answered with status 500.', 3],
      ['/lying', 'The response ended early.', 3],
      ['/come-back-in-an-hour', 'The address answered with status 503.', 1],
    ];
    for (const [path, reason, tries] of table) {
      test(`${path} is asked ${tries} times; another job may have more luck`, async () => {
        const { error } = await resultAfterTries(gateway, site + path);
        const message = `Runtime execution failed: image: ${reason}`;
        assert.deepEqual(error, { code: 'file_download_error', message, retryable: true });
        assert.deepEqual(asked, Array(tries).fill(`GET ${path}`));
      });
    }

    test('a port at which no program listens', async () => {
      const { error } = await resultAfterTries(gateway, 'http://127.0.0.1:1/a.png');
      const message = 'Runtime execution failed: image: The connection failed.';
      assert.deepEqual(error, { code: 'file_download_error', message, retryable: true });
    });

    test('a cancel ends the wait for the next try', async () => {
      asked.length = 0;
      const key = await gateway.key();
      const body = bodyWith(`${site}/come-back-in-a-minute`);
      const { request_id: id } = await create(gateway, key, { model: image, body });
      await until(async () => asked.length === 1, 'the first try');
      assert.equal((await gateway.ask('PUT', pathOf(id, '/cancel', image), { key })).status, 202);
      assert.equal((await resultOf(gateway, key, id)).error.code, 'cancelled');
      assert.deepEqual(asked, ['GET /come-back-in-a-minute']);
    });
  });

  describe('file_download_error and file_invalid', () => {
    const table: readonly (readonly [path: string, reason: string, code?: Code])[] = [
      ['/missing', 'The address answered with status 404.', 'file_download_error'],
      ['/unknown', 'The address answered with status 418.', 'file_download_error'],
      ['/4', 'The address redirects more than 3 times.', 'file_download_error'],
      ['/round', 'The address redirects more than 3 times.', 'file_download_error'],
      ['/too-big', 'The answer is larger than 10485760 bytes.'],
      ['/too-big-untold', 'The answer is larger than 10485760 bytes.'],
      ['/empty', 'The address answered with an empty file.'],
      ['/webp', 'must be jpeg, png, found image/webp'],
      ['/narrow', 'width must be at least 300 px, found 299'],
      ['/flat', 'width divided by height must be between 0.4 and 2.5, found 2.533'],
      ['/page', 'must be jpeg, png, found application/octet-stream'],
      ['/cut', 'the content of the URL is not a readable media file'],
    ];
    for (const [path, reason, code = 'file_invalid'] of table) {
      test(`${code} at once, ${path}: ${reason}`, async () => {
        asked.length = 0;
        await fails(gateway, bodyWith(`${site}${path}`), code, `image: ${reason}`);
        assert.equal(asked.filter(each => each === `GET ${path}`).length, path === '/round' ? 4 : 1);
      });
    }

    const motion = (address: string, orientation = 'video') => ({
      image_url: `${site}/portrait.png`,
      video_url: site + address,
      character_orientation: orientation,
      mode: 'std',
    });
    const films = (...addresses: readonly string[]) => ({
      content: addresses.map(address => ({
        type: 'video_url',
        video_url: { url: site + address },
        role: 'reference_video',
      })),
    });
    const control = 'gamma-v2-6-motion-control';
    const others: readonly (readonly [model: string, body: () => unknown, reason: string])[] = [
      [control, () => motion('/101-mb'), 'video_url: The answer is larger than 104857600 bytes.'],
      [control, () => motion('/short.mp4'), 'video_url: length must be between 3 and 30 s, found 2.9'],
      [
        control,
        () => motion('/eleven.mp4', 'image'),
        'video_url: the video must be at most 10 s long when character_orientation is image',
      ],
      [
        'alpha-2-0-mini',
        () => films('/201-mb'),
        'content.0.video_url.url: The answer is larger than 209715200 bytes.',
      ],
      [
        'alpha-2-0-mini',
        () => films('/eight.mp4', '/eight.mp4'),
        'content: the videos must be at most 15 s together',
      ],
      [
        'epsilon-q2-turbo-img2video',
        () => ({ images: [`${site}/51-mb`] }),
        'images.0: The answer is larger than 52428800 bytes.',
      ],
      [
        'epsilon-q2-turbo-img2video',
        () => ({ images: [`${site}/wide.png`] }),
        'images.0: width divided by height must be strictly between 0.25 and 4, found 4',
      ],
    ];
    for (const [model, body, reason] of others)
      test(`${model}: ${reason}`, () => fails(gateway, body(), 'file_invalid', reason, model));

    const extend = 'epsilon-q2-turbo-extend';
    const extension = (path: string) => ({ video_url: site + path, duration: 1, resolution: '540p' });
    test('a video in a container that only the engine reads is extended', async () => {
      const key = await gateway.key();
      const { request_id: id } = await create(gateway, key, { model: extend, body: extension('/five.avi') });
      const { error, video: made } = await resultOf(gateway, key, id, extend);
      assert.equal(error, null);
      // Of the sides that the engine found in it.
      assert.deepEqual([made.width, made.height], [574, 540]);
    });

    for (const [path, reason] of [
      ['/three.avi', 'video_url: length must be between 4 and 60 s, found 3'],
      ['/page', 'video_url: the content of the URL is not a readable video'],
      ['/playlist.m3u8', 'video_url: the content of the URL is not a readable video'],
      ['/portrait.png', 'video_url: the content of the URL is not a readable video'],
    ] as const) {
      test(`${extend} with ${path}: ${reason}`, async () => {
        asked.length = 0;
        await fails(gateway, extension(path), 'file_invalid', reason, extend);
        assert.deepEqual(asked, [`GET ${path}`]);
      });
    }

    test('a playlist that calls itself a sound leads nowhere', async () => {
      asked.length = 0;
      const body = { prompt: 'Waves', duration: 2, audio_url: `${site}/playlist.wav` };
      const reason =
        'audio_url: must be mpeg, wav, mp4, webm, ogg, flac, aac, found application/octet-stream';
      await fails(gateway, body, 'file_invalid', reason, video);
      assert.deepEqual(asked, ['GET /playlist.wav']);
    });

    test('nothing fetched is left behind, whatever came of it', async () => {
      const left = await gateway.keptFiles();
      const rows = await gateway.gateway.db.read('SELECT blob_key FROM files', []);
      const keys = rows.map(row => String(row.blob_key));
      assert.deepEqual(
        left.filter(file => !keys.some(key => file.endsWith(key))),
        [],
      );
    });
  });

  describe('broken off', () => {
    /** A job whose medium is being fetched. */
    async function startDripping(headers: Readonly<Record<string, string>> = {}) {
      asked.length = 0;
      const key = await gateway.key();
      const body = bodyWith(`${site}/dripping`);
      const { request_id: id } = await create(gateway, key, { model: image, body, headers });
      await until(async () => asked.length > 0, 'the fetch');
      return { key, id };
    }
    /** Nothing was sent to the account that would have drawn it. */
    async function assertNotSubmitted(id: string): Promise<void> {
      assert.deepEqual(await gateway.gateway.db.read('SELECT * FROM attempts WHERE job_id = $1', [id]), []);
    }

    test('a cancel ends the transfer, and nothing is submitted', async () => {
      const { key, id } = await startDripping();
      const { status } = await gateway.ask('PUT', pathOf(id, '/cancel', image), { key });
      assert.equal(status, 202);
      assert.equal((await resultOf(gateway, key, id)).error.code, 'cancelled');
      await assertNotSubmitted(id);
    });

    test('the deadline of the job ends the transfer, and nothing is submitted', async () => {
      const { key, id } = await startDripping({ 'cancel-after': '3600' });
      gateway.clock.advance(hour);
      assert.equal((await resultOf(gateway, key, id)).error.code, 'expired');
      await assertNotSubmitted(id);
    });
  });

  test('a program that stops breaks the transfer off and hands the job back', async () => {
    const stopped = await startGateway({ isAlone: true });
    try {
      asked.length = 0;
      const key = await stopped.key();
      const { request_id: id } = await create(stopped, key, {
        model: image,
        body: bodyWith(`${site}/dripping`),
      });
      await until(async () => asked.length > 0, 'the fetch');
      await stopped.gateway.close();
      const db = await openStore({ databaseUrl: null, dataDir: stopped.folder }, pino({ level: 'silent' }));
      const rows = await db.read('SELECT state, error FROM jobs WHERE id = $1', [id]);
      await db.close();
      assert.deepEqual(
        rows.map(({ state, error }) => [state, error]),
        [['available', null]],
      );
    } finally {
      await stopped.close();
    }
  });

  describe('422', () => {
    test('nothing is asked for while the request is wrong in any other way', async () => {
      asked.length = 0;
      const key = await gateway.key();
      const address = `${site}/portrait.png`;
      await isRefused(gateway, key, image, { ...bodyWith(address), n: 10 }, 'n: must be between 1 and 9');
      await isRefused(gateway, key, image, { image: address }, 'prompt: is required');
      const job = await create(gateway, key, { model: image });
      assert.equal((await resultOf(gateway, key, job.request_id)).error, null);
      assert.deepEqual(asked, []);
    });
  });
});

describe('with private addresses refused', () => {
  let gateway: TestGateway;
  let visits = 0;
  const canary = createTcpServer(socket => {
    visits++;
    socket.destroy();
  });
  let port = 0;
  before(async () => {
    gateway = await startGateway({ env: { ATELIER_ALLOW_PRIVATE_NETWORK: '' } });
    canary.listen(0, '127.0.0.1');
    await once(canary, 'listening');
    port = (canary.address() as AddressInfo).port;
  });
  after(async () => {
    canary.close();
    await gateway.close();
  });

  for (const host of ['127.0.0.1', '[::1]', 'localhost', '0x7f.1', '2130706433', '[::ffff:127.0.0.1]', '0']) {
    test(`nothing is connected to at ${host}`, async () => {
      // A port that is open to public addresses, so that it is the address that is refused.
      const reasons = { canary: `http://${host}:${port}/a.png`, plain: `http://${host}/a.png` };
      for (const address of Object.values(reasons)) {
        const key = await gateway.key();
        const { request_id: id } = await create(gateway, key, { model: image, body: bodyWith(address) });
        const { error } = await resultOf(gateway, key, id);
        assert.deepEqual(error, {
          code: 'file_download_error',
          message: 'Runtime execution failed: image: The address is not a public one.',
          retryable: false,
        });
      }
      assert.equal(visits, 0);
    });
  }
});
