import assert from 'node:assert/strict';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { probeForRequest } from '../../src/admission/look.ts';
import { keyIdFromRow, userIdFromRow } from '../../src/domain/ids.ts';
import { Refusal } from '../../src/domain/refusal.ts';
import { openProber } from '../../src/media/prober.ts';
import { dataUrl, upload } from '../contract/media-fields.ts';
import { startGateway, type TestGateway, until } from '../support/gateway.ts';
import { padTo, picture } from '../support/media-maker.ts';
import { fileError, traceOf, uploadText } from '../support/uploads.ts';
import { endlessFilm, openVariants, vastPng } from './hostile-media.ts';
import { figureOf, type OpenPost, openPost, refusedFor } from './limited.ts';

const model = 'alpha-2-0-mini';
const path = `/v1/models/${model}/validate`;
const soon = /^[3-7]$/;
const megabyte = 1024 * 1024;
const tooWide = (at: number) =>
  `content.${at}.image_url.url: width must be strictly between 300 and 6000 px, found 12000`;

/** An input that names that medium so many times. */
const naming = (url: string, times = 1) => ({
  content: Array.from({ length: times }, () => ({
    type: 'image_url',
    image_url: { url },
    role: 'reference_image',
  })),
});
const figures = async (gateway: TestGateway) => ({
  running: await figureOf(gateway, 'atelier_probes_running'),
  waiting: await figureOf(gateway, 'atelier_probes_waiting'),
  begun: await figureOf(gateway, 'atelier_probes_total'),
});
const untilFigures = (gateway: TestGateway, wanted: { running: number; waiting: number }) =>
  until(async () => {
    const { running, waiting } = await figures(gateway);
    return running === wanted.running && waiting === wanted.waiting;
  }, `${wanted.running} probes to run and ${wanted.waiting} to wait`);

/** A dry run whose answer nobody may ever read. */
function validate(gateway: TestGateway, key: string, url: string): OpenPost {
  const body = Buffer.from(JSON.stringify(naming(url)));
  const post = openPost(gateway, path, {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': body.length,
  });
  void post.write(body);
  post.end();
  return post;
}

describe('300 dry runs of one key that each name a picture of 120 million pixels nine times', () => {
  let gateway: TestGateway;
  let vast: Buffer;
  before(async () => {
    gateway = await startGateway({ role: 'api', isAlone: true });
    vast = await vastPng();
  });
  after(() => gateway.close());

  test('of their own: nothing is read again, and others upload as if nothing was', async () => {
    const [key, other] = [await gateway.key(), await gateway.key()];
    const { id } = await upload(gateway, key, vast);
    const { begun } = await figures(gateway);
    const flood = Promise.all(
      Array.from({ length: 300 }, () => gateway.ask('POST', path, { key, body: naming(id, 9) })),
    );
    await uploadText(gateway, other, '8 bytes.');
    await upload(gateway, other, await picture('png', 40, 30));
    const detail = Array.from({ length: 9 }, (_, at) => tooWide(at)).join('; ');
    for (const { status, body } of await flood) assert.deepEqual([status, body], [422, { detail }]);
    // That of the small picture.
    assert.deepEqual(await figures(gateway), { running: 0, waiting: 0, begun: begun + 1 });
  });

  test('inline: they take turns with others, whose upload waits for a few of them at most', async () => {
    const [key, other] = [await gateway.key(), await gateway.key()];
    const variant = openVariants(vast);
    const before = await traceOf(gateway);
    let answered = 0;
    let isOver = false;
    const flood = Promise.all(
      Array.from({ length: 30 }, async () => {
        for (let asked = 0; asked < 10 && !isOver; asked++) {
          const body = naming(dataUrl(variant()), 9);
          const { status } = await gateway.ask('POST', path, { key, body });
          assert.ok([422, 429].includes(status), `answered ${status}`);
          answered++;
        }
      }),
    );
    await until(async () => (await figures(gateway)).waiting > 0, 'files of the flood to wait');
    const begun = () => figureOf(gateway, 'atelier_probes_total');
    const [start, small] = [await begun(), await picture('png', 40, 30)];
    await uploadText(gateway, other, '8 bytes.');
    await upload(gateway, other, small);
    const [taken, duringFlood] = [(await begun()) - start, answered];
    assert.ok(duringFlood < 300, 'the flood was over');
    isOver = true;
    assert.ok(taken <= 8, `${taken} files were begun until the upload was answered`);
    await flood;
    assert.deepEqual((await traceOf(gateway)).kept.length, before.kept.length + 2);
    assert.equal(await figureOf(gateway, 'atelier_spool_bytes'), 0);
  });
});

describe('files that keep their readers busy', () => {
  let gateway: TestGateway;
  let variant: () => string;
  before(async () => {
    gateway = await startGateway({ role: 'api', isAlone: true });
    const next = openVariants(await endlessFilm());
    variant = () => dataUrl(next(), 'image/png');
  });
  after(() => gateway.close());

  test('a key has two read and eight waiting; one more is refused, and those of gone clients are dropped', async () => {
    const key = await gateway.key();
    const before = await figures(gateway);
    const posts = Array.from({ length: 10 }, () => validate(gateway, key, variant()));
    await untilFigures(gateway, { running: 2, waiting: 8 });
    const refusals = await figureOf(gateway, refusedFor('probes_of_key_full'));
    const { status, headers, body } = await gateway.ask('POST', path, { key, body: naming(variant()) });
    assert.equal(status, 429);
    assert.match(headers.get('retry-after') ?? '', soon);
    assert.deepEqual(body, {
      error: {
        code: 'RATE_LIMIT_EXCEEDED',
        message: 'Too many media wait to be read, please try again later',
      },
      request_id: headers.get('x-request-id'),
    });
    assert.equal(await figureOf(gateway, refusedFor('probes_of_key_full')), refusals + 1);
    for (const post of posts) post.abort();
    await until(
      async () => (await figures(gateway)).waiting === 0,
      'the orders of gone clients to be dropped',
    );
    await untilFigures(gateway, { running: 0, waiting: 0 });
    assert.equal((await figures(gateway)).begun, before.begun + 2);
    await until(async () => (await figureOf(gateway, 'atelier_spool_bytes')) === 0, 'the spool to be empty');
    // Nobody hears of it, and it is no failure of ours.
    assert.deepEqual(
      gateway.logged.filter(({ level }) => Number(level) >= 50),
      [],
    );
  });

  test('where 256 of all keys wait, one more is refused with 503, as an upload too', async () => {
    const keys = await Promise.all(Array.from({ length: 33 }, () => gateway.key()));
    const posts: OpenPost[] = [];
    for (const key of keys.slice(0, 32)) {
      const waiting = 8 * Math.floor(posts.length / 8);
      for (let made = 0; made < 8; made++) posts.push(validate(gateway, key, variant()));
      // The first two of all are read meanwhile, or given up.
      await until(
        async () => (await figures(gateway)).waiting >= Math.max(0, waiting - 2),
        `${waiting} files to wait`,
      );
    }
    const fill = keys[32] ?? '';
    const full = await until(async () => {
      const { waiting } = await figures(gateway);
      if (waiting < 256) posts.push(validate(gateway, fill, variant()));
      return waiting >= 256;
    }, '256 files to wait');
    assert.equal(full, true);
    const key = await gateway.key();
    const [dry, sent] = await Promise.all([
      gateway.ask('POST', path, { key, body: naming(variant()) }),
      gateway.ask('POST', '/v1/files', {
        key,
        body: { data: dataUrl(await picture('png', 41, 30)), mime_type: 'image/png' },
      }),
    ]);
    assert.deepEqual([dry.status, dry.body], [503, { detail: 'Service temporarily unavailable' }]);
    assert.match(dry.headers.get('retry-after') ?? '', soon);
    const error = fileError('service_unavailable', 'Service temporarily unavailable', null, 'api_error');
    assert.deepEqual([sent.status, sent.body], [503, error]);
    assert.match(sent.headers.get('retry-after') ?? '', soon);
    await uploadText(gateway, key, 'A text is not probed.');
    for (const post of posts) post.abort();
    await untilFigures(gateway, { running: 0, waiting: 0 });
  });
});

test('whoever waits for a probe when the process stops is refused with 503', async () => {
  const prober = openProber();
  const [userId, keyId] = [userIdFromRow('user'), keyIdFromRow('key')];
  const principal = { userId, keyId, models: null, scopes: null, quota: null, expiresAt: null };
  const sender = { principal, signal: new AbortController().signal };
  const waiting = Array.from({ length: 10 }, (_, at) =>
    probeForRequest(prober, import.meta.filename, { sender, sha256: String(at) }).then(
      () => 'read',
      failure => failure instanceof Refusal && [failure.refusal, failure.entry.status],
    ),
  );
  await prober.close();
  assert.deepEqual(await Promise.all(waiting), Array(10).fill(['probes_full', 503]));
});

describe('120 small requests that name an own file of 38 MB', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({ role: 'api', isAlone: true });
  });
  after(() => gateway.close());

  /** Whatever happens in the spool while that goes on. */
  async function seenInSpool(act: () => Promise<void>): Promise<readonly unknown[]> {
    const seen: unknown[] = [];
    const watcher = watch(join(gateway.local, 'spool'), (...event) => void seen.push(event));
    try {
      await act();
    } finally {
      watcher.close();
    }
    return seen;
  }

  async function nameOften(key: string, id: string): Promise<void> {
    const answers = await Promise.all(
      Array.from({ length: 120 }, () => gateway.ask('POST', path, { key, body: naming(id) })),
    );
    for (const { status, body } of answers) assert.equal(status, 422, JSON.stringify(body));
  }

  test('leave the spool empty all the while', async () => {
    const key = await gateway.key();
    const { id } = await upload(gateway, key, padTo(await picture('png', 400, 7000), 38 * megabyte));
    const { begun } = await figures(gateway);
    assert.deepEqual(await seenInSpool(() => nameOften(key, id)), []);
    assert.equal((await figures(gateway)).begun, begun);
  });

  test('also where its row says nothing of it yet: the bytes are read once, where they lie', async () => {
    const key = await gateway.key();
    const { id } = await upload(gateway, key, padTo(await picture('png', 400, 7001), 38 * megabyte));
    const { db } = gateway.gateway;
    const factsOf = async () => (await db.read('SELECT facts FROM files WHERE id = $1', [id]))[0]?.facts;
    const facts = await factsOf();
    await db.write('UPDATE files SET facts = NULL WHERE id = $1', [id]);
    const { begun } = await figures(gateway);
    // As another process would: this one remembers the bytes for the key that sent them.
    const { url } = (await gateway.ask('GET', `/v1/files/${id}`, { key })).body;
    assert.deepEqual(await seenInSpool(async () => nameOften(await gateway.key(), url)), []);
    assert.equal((await figures(gateway)).begun, begun + 1);
    assert.equal(await factsOf(), facts);
  });
});
