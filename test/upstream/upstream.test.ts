/** The scripted upstream: jobs, ledger, limits, and its process. */
import assert from 'node:assert/strict';
import { fsyncSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openProber } from '../../src/media/prober.ts';
import { type AskOptions, ask, until } from '../../testkit/gateway/gateway.ts';
import { chargesIn, readLedger, submissionsIn } from '../../testkit/upstream/ledger.ts';
import { sha256 } from '../../testkit/upstream/media.ts';
import { spawnUpstream } from '../../testkit/upstream/spawn.ts';
import { accounts, ledgerPath, startUpstream, type Upstream } from '../../testkit/upstream/upstream.ts';

const speech = '/v1/queue/theta-3.1-flash-tts-preview';
const image = '/v1/queue/gamma-v2-image';
const video = '/v1/queue/eta2.6-t2v';
const keys = Object.keys(accounts);

describe('the scripted upstream', () => {
  let folder: string;
  let upstream: Upstream;
  let flushes = 0;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-upstream-'));
    upstream = await startUpstream({
      folder,
      flush: descriptor => {
        fsyncSync(descriptor);
        flushes++;
      },
    });
  });
  after(async () => {
    await upstream.close();
    await rm(folder, { recursive: true, force: true });
  });

  let marks = 0;
  const newMark = () => `mark-${(++marks).toString(36)}`;
  const create = (path: string, mark: string, { key = 'key-none', headers, body }: AskOptions = {}) =>
    ask(upstream.url, 'POST', path, {
      key,
      body: body ?? { text: `Hello ${mark}.` },
      ...(headers && { headers }),
    });
  const entriesOf = (mark: string) => {
    const entries = upstream.ledger();
    return {
      submissions: submissionsIn(entries).filter(entry => entry.mark === mark),
      charges: chargesIn(entries).filter(entry => entry.mark === mark),
    };
  };

  test('answers a creation with the five members of a handle', async () => {
    const { status, body } = await create(speech, newMark());
    const at = `${upstream.url}/model${speech}/requests/${body.request_id}`;
    assert.deepEqual(
      [status, body],
      [
        200,
        {
          request_id: body.request_id,
          response_url: `${at}/response`,
          status_url: `${at}/status`,
          cancel_url: `${at}/cancel`,
          queue_position: 0,
        },
      ],
    );
  });

  test('refuses a key that no account has, and shows a job to its own account alone', async () => {
    assert.equal((await create(speech, newMark(), { key: 'key-of-nobody' })).status, 401);
    const { body } = await create(speech, newMark());
    const other = await ask(upstream.url, 'GET', new URL(body.status_url).pathname, { key: 'key-replay' });
    assert.deepEqual([other.status, other.body], [404, { detail: 'Request not found' }]);
  });

  test('goes through the stages in the time that the script sets, and then gives the result', async () => {
    await upstream.play({ queueMs: 150, runMs: 150 });
    const { body } = await create(speech, newMark());
    await upstream.play({});
    const seen: string[] = [];
    await until(async () => {
      const { status } = (await ask(upstream.url, 'GET', body.status_url, { key: 'key-none' })).body;
      if (seen.at(-1) !== status) seen.push(status);
      return status === 'COMPLETED';
    }, 'the end of the job');
    assert.deepEqual(seen, ['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED']);
  });

  test('answers 202 with the status where the result is not there yet', async () => {
    await upstream.play({ runMs: 60_000 });
    const { body } = await create(speech, newMark());
    await upstream.play({});
    const early = await ask(upstream.url, 'GET', body.response_url, { key: 'key-none' });
    assert.deepEqual([early.status, early.body.status], [202, 'IN_PROGRESS']);
  });

  for (const [path, what, member] of [
    [speech, 'a sound', (body: Body) => body.audio],
    [image, 'a picture', (body: Body) => body.images[0]],
    [video, 'a film', (body: Body) => body.video],
  ] as const) {
    test(`gives ${what} that can be read, another for every job`, async () => {
      const mark = newMark();
      const hashes: string[] = [];
      for (let job = 0; job < 2; job++) {
        const { body } = await create(path, mark);
        const result = await ask(upstream.url, 'GET', body.response_url, { key: 'key-none' });
        const file = member(result.body);
        const answer = await fetch(file.url);
        const bytes = Buffer.from(await answer.arrayBuffer());
        assert.deepEqual(
          [answer.status, answer.headers.get('content-type'), bytes.length],
          [200, file.content_type, file.file_size],
        );
        hashes.push(sha256(bytes));
        assert.equal(await canBeRead(bytes, folder), true);
      }
      assert.deepEqual(
        entriesOf(mark).charges.map(charge => charge.mediumSha256),
        hashes,
      );
      assert.notEqual(hashes[0], hashes[1]);
    });
  }

  test('writes down every creation as it came and every charge, flushed before the answer', async () => {
    const mark = newMark();
    const body = { text: `Hello ${mark}.` };
    const headers = { 'idempotency-key': 'again', 'x-atelier-task': 'task-1' };
    const before = flushes;
    const { body: handle } = await create(speech, mark, { body, headers });
    assert.equal(flushes - before, 2);
    const { submissions, charges } = entriesOf(mark);
    const common = { key: 'key-none', model: 'theta-3.1-flash-tts-preview', mark, task: 'task-1' };
    const [submission] = submissions;
    assert.deepEqual(submissions, [
      {
        kind: 'submission',
        at: submission?.at,
        number: submission?.number,
        ...common,
        idempotencyKey: 'again',
        bodySha256: sha256(JSON.stringify(body)),
        act: null,
        accepts: true,
      },
    ]);
    assert.deepEqual(charges, [
      {
        kind: 'charge',
        at: charges[0]?.at,
        submission: submission?.number,
        id: handle.request_id,
        ...common,
        mediumSha256: charges[0]?.mediumSha256,
      },
    ]);
  });

  test('takes the name of a task from the body before the header', async () => {
    const mark = newMark();
    const headers = { 'x-atelier-task': 'of the header' };
    await create(image, mark, { headers, body: { prompt: mark, external_task_id: 'of the top' } });
    await create(image, mark, {
      headers,
      body: { prompt: mark, options: { external_task_id: 'of the options' } },
    });
    assert.deepEqual(
      entriesOf(mark).submissions.map(entry => entry.task),
      ['of the top', 'of the options'],
    );
  });

  for (const key of keys) {
    const charges = key === 'key-replay' ? 1 : 2;
    test(`${key}: the same Idempotency-Key twice is charged ${charges === 1 ? 'once' : 'twice'}`, async () => {
      const mark = newMark();
      const headers = { 'idempotency-key': `of ${mark}` };
      const first = await create(speech, mark, { key, headers });
      const second = await create(speech, mark, { key, headers });
      assert.deepEqual(
        [first.headers.get('idempotent-replayed'), second.headers.get('idempotent-replayed')],
        [null, charges === 1 ? 'true' : null],
      );
      assert.equal(second.body.request_id === first.body.request_id, charges === 1);
      assert.equal(entriesOf(mark).charges.length, charges);
    });
  }

  test('refuses another body under the same Idempotency-Key, where it looks at it', async () => {
    const mark = newMark();
    const headers = { 'idempotency-key': `of ${mark}` };
    await create(speech, mark, { key: 'key-replay', headers });
    const other = { key: 'key-replay', headers, body: { text: `Good night ${mark}.` } };
    const { status, body } = await create(speech, mark, other);
    assert.deepEqual([status, body], [422, { detail: 'Idempotency-Key: already used with another body' }]);
    assert.equal(entriesOf(mark).charges.length, 1);
  });

  test('takes files, and calls each by another id', async () => {
    const upload = async () =>
      (await ask(upstream.url, 'POST', '/v1/files', { key: 'key-none', body: 'bytes' })).body.id;
    const [first, second] = [await upload(), await upload()];
    assert.match(first, /^file_[0-9a-f]{24}$/);
    assert.notEqual(second, first);
  });

  for (const key of keys) {
    const finds = key === 'key-lookup';
    test(`${key}: a job is ${finds ? '' : 'not '}found by the name of its task`, async () => {
      const mark = newMark();
      const headers = { 'x-atelier-task': `of ${mark}` };
      const { body } = await create(speech, mark, { key, headers });
      const request = `${speech}/requests?external_task_id=${encodeURIComponent(`of ${mark}`)}`;
      const listed = await ask(upstream.url, 'GET', request, { key });
      assert.deepEqual(
        [listed.status, listed.body.data.map((job: { request_id: string }) => job.request_id)],
        [200, finds ? [body.request_id] : []],
      );
      assert.deepEqual(listed.body.has_more, false);
    });
  }

  test('ends a job that is cancelled, before it runs or while it does, and not one that ended', async () => {
    const cancelled = async (pace: { queueMs?: number; runMs?: number }) => {
      await upstream.play(pace);
      const { body } = await create(speech, newMark());
      const cancel = await ask(upstream.url, 'PUT', body.cancel_url, { key: 'key-none' });
      const result = await ask(upstream.url, 'GET', body.response_url, { key: 'key-none' });
      return [cancel.status, cancel.body.status, result.body.error?.code ?? null];
    };
    assert.deepEqual(await cancelled({ queueMs: 60_000 }), [200, 'OK', 'cancelled']);
    assert.deepEqual(await cancelled({ runMs: 60_000 }), [202, 'CANCELLATION_REQUESTED', 'cancelled']);
    assert.deepEqual(await cancelled({}), [400, 'ALREADY_COMPLETED', null]);
    await upstream.play({});
    assert.deepEqual(
      upstream.ledger().flatMap(entry => (entry.kind === 'cancel' ? entry.took : [])),
      [true, true, false],
    );
  });

  test('counts its requests', async () => {
    const before = await upstream.counts();
    const { body } = await create(speech, newMark());
    for (let poll = 0; poll < 3; poll++) await ask(upstream.url, 'GET', body.status_url, { key: 'key-none' });
    const now = await upstream.counts();
    assert.deepEqual([now.create - before.create, now.status - before.status], [1, 3]);
  });
});

describe('the upstream in a process of its own', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-upstream-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  test('has the charge of every answer in its ledger when it is killed', async () => {
    const upstream = await spawnUpstream(folder);
    await upstream.play({ rules: [{ on: 'create', act: { kind: 'reset', at: 'headers' }, after: 1 }] });
    const request = { key: 'key-none', body: { text: 'Hello mark-killed.' } };
    assert.equal((await ask(upstream.url, 'POST', speech, request)).status, 200);
    await assert.rejects(ask(upstream.url, 'POST', speech, request));
    await upstream.kill();
    assert.equal(chargesIn(readLedger(ledgerPath(folder))).length, 2);
  });

  test('refuses a script that it does not understand', async () => {
    const upstream = await spawnUpstream(folder);
    try {
      const wrong = [{ on: 'create', act: { kind: 'explode' } }];
      await assert.rejects(upstream.play({ rules: wrong as never }), /expected the script to be accepted/);
    } finally {
      await upstream.close();
    }
  });
});

interface Body {
  readonly audio: ResultFile;
  readonly video: ResultFile;
  readonly images: readonly [ResultFile];
}

interface ResultFile {
  readonly url: string;
  readonly content_type: string;
  readonly file_size: number;
}

async function canBeRead(bytes: Buffer, folder: string): Promise<boolean> {
  const path = join(folder, 'medium');
  await writeFile(path, bytes);
  const prober = openProber();
  try {
    return (await prober.probe(path)).kind === 'read';
  } finally {
    await prober.close();
  }
}
