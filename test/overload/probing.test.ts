/** Dry runs and uploads that keep the prober busy are queued fairly. */
import assert from 'node:assert/strict';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { probeForRequest } from '../../src/admission/request-prober.ts';
import { keyIdFromRow, userIdFromRow } from '../../src/domain/ids.ts';
import { Refusal } from '../../src/domain/refusal.ts';
import { openProber, type Prober } from '../../src/media/prober.ts';
import { traceOf, uploadText } from '../../testkit/clients/uploads.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { figureOf, type OpenPost, openPost, refusedFor, untilFigure } from '../../testkit/gateway/limited.ts';
import { endlessFilm, openVariants, vastPng } from '../../testkit/media/hostile-media.ts';
import { dataUrl, upload } from '../../testkit/media/media-fields.ts';
import { padTo, picture } from '../../testkit/media/media-maker.ts';

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

/** A dry run whose response may never be read. */
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

/** As behind a balancer: more connections than one client may have. */
const manyClients = { ATELIER_TRUSTED_PROXIES: '127.0.0.1' };

describe('300 dry runs of one key that each name a picture of 120 million pixels nine times', () => {
  let gateway: TestGateway;
  let vast: Buffer;
  before(async () => {
    gateway = await startGateway({ role: 'api', isAlone: true, env: manyClients });
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
        for (let request = 0; request < 10 && !isOver; request++) {
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
    // Of 300: a machine that is busy begins some while it takes the bytes of the upload.
    assert.ok(taken <= 32, `${taken} files were begun until the upload was answered`);
    await flood;
    assert.deepEqual((await traceOf(gateway)).kept.length, before.kept.length + 2);
    assert.equal(await figureOf(gateway, 'atelier_spool_bytes'), 0);
  });
});

describe('files that keep their readers busy', () => {
  let gateway: TestGateway;
  let variant: () => string;
  before(async () => {
    gateway = await startGateway({ role: 'api', isAlone: true, env: manyClients });
    const next = openVariants(await endlessFilm());
    variant = () => dataUrl(next(), 'image/png');
  });
  after(() => gateway.close());

  test('a key has two read and eight waiting; one more is refused, and those of gone clients are dropped', async () => {
    const key = await gateway.key();
    const posts = Array.from({ length: 10 }, () => validate(gateway, key, variant()));
    const { headers, body } = await until(async () => {
      // On a slow machine the first are given up before the last has come.
      const { waiting } = await figures(gateway);
      if (waiting < 8) posts.push(validate(gateway, key, variant()));
      const answer = waiting >= 8 && (await gateway.ask('POST', path, { key, body: naming(variant()) }));
      return answer && answer.status === 429 && answer;
    }, 'one more to be refused');
    assert.ok((await figures(gateway)).waiting <= 8);
    assert.match(headers.get('retry-after') ?? '', soon);
    assert.deepEqual(body, {
      error: {
        code: 'RATE_LIMIT_EXCEEDED',
        message: 'Too many media wait to be read, please try again later',
      },
      request_id: headers.get('x-request-id'),
    });
    assert.ok((await figureOf(gateway, refusedFor('probes_of_key_full'))) > 0);
    const { begun } = await figures(gateway);
    for (const post of posts) post.abort();
    await until(
      async () => (await figures(gateway)).waiting === 0,
      'the orders of gone clients to be dropped',
    );
    await untilFigures(gateway, { running: 0, waiting: 0 });
    // Two at most took the places of those that were given up meanwhile.
    assert.ok((await figures(gateway)).begun <= begun + 2);
    await untilFigure(gateway, 'atelier_spool_bytes', 0, 'the spool to be empty');
    // No client gets the failure, and it is not logged as ours.
    assert.deepEqual(
      gateway.logged.filter(({ level }) => Number(level) >= 50),
      [],
    );
  });
});

describe('a reader of media', () => {
  const senderOf = (key: string) => ({
    principal: {
      ...{ userId: userIdFromRow('user'), keyId: keyIdFromRow(key), projectId: 'project_default' },
      ...{ models: null, scopes: null, quota: null, expiresAt: null },
    },
    signal: new AbortController().signal,
  });
  /** The refusal, or what was found. */
  const read = (prober: Prober, key: string, sha256: string) =>
    probeForRequest(prober, import.meta.filename, { sender: senderOf(key), sha256 }).then(
      ({ kind }) => kind,
      failure => failure instanceof Refusal && [failure.refusal, failure.entry.status],
    );

  test('for which too many of all keys wait refuses with 503, and goes on', async () => {
    const prober = openProber({ workers: 1, maxWaiting: 2 });
    const reads = ['a', 'b', 'c', 'd'].map(key => read(prober, key, key));
    assert.deepEqual(await Promise.all(reads), ['read', 'read', 'read', ['probes_full', 503]]);
    assert.equal(await read(prober, 'd', 'd'), 'read');
    await prober.close();
  });

  test('that is closed refuses waiting requests with 503', async () => {
    const prober = openProber();
    const reads = Array.from({ length: 10 }, (_, at) => read(prober, 'a', String(at)));
    await prober.close();
    assert.deepEqual(await Promise.all(reads), Array(10).fill(['probes_full', 503]));
  });
});

describe('120 small requests that name an own file of 38 MB', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({ role: 'api', isAlone: true, env: manyClients });
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
