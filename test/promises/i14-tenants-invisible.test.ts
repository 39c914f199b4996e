/** Promise I14: users cannot see each other's jobs and files. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { models } from '../../src/catalog/index.ts';
import { jobIdFromRow, keyIdFromRow, userIdFromRow } from '../../src/domain/ids.ts';
import { insertFiles } from '../../src/store/files/files.ts';
import {
  bodies,
  create,
  hold,
  image,
  pathOf,
  speech,
  unknownId,
  video,
} from '../../testkit/clients/queue.ts';
import { uploadText } from '../../testkit/clients/uploads.ts';
import { openStandingClock } from '../../testkit/clock.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { finishedPictures } from '../../testkit/databases/finished-jobs.ts';
import { newFile } from '../../testkit/databases/rows.ts';
import { readTables } from '../../testkit/databases/tables.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

const unknownFile = `file_${'0'.repeat(24)}`;
const json = { 'content-type': 'application/json' };

/** A request in which an id stands. */
type Asking = (id: string) => {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
};

/** Wherever a client can write the id of a job. */
const jobAskings: Readonly<Record<string, Asking>> = {
  status: id => ({ method: 'GET', path: pathOf(id, '/status', image) }),
  'status with logs': id => ({ method: 'GET', path: pathOf(id, '/status?logs=1', image) }),
  'status under the other mount': id => ({ method: 'GET', path: `/model${pathOf(id, '/status', image)}` }),
  'status under another model': id => ({ method: 'GET', path: pathOf(id, '/status', speech) }),
  stream: id => ({ method: 'GET', path: pathOf(id, '/status/stream', image) }),
  response: id => ({ method: 'GET', path: pathOf(id, '/response', image) }),
  'response under another model': id => ({ method: 'GET', path: pathOf(id, '/response', video) }),
  'the alias of the response': id => ({ method: 'GET', path: pathOf(id, '', image) }),
  cancel: id => ({ method: 'PUT', path: pathOf(id, '/cancel', image) }),
  'cancel under another model': id => ({ method: 'PUT', path: pathOf(id, '/cancel', speech) }),
  'the list behind it': id => ({ method: 'GET', path: `/v1/queue/${image}/requests?after=${id}` }),
  'its picture enlarged': id => ({ method: 'POST', path: '/v1/queue/beta-upscale', body: { jobId: id } }),
  'its picture enlarged, on trial': id => ({
    method: 'POST',
    path: '/v1/models/beta-upscale/validate',
    body: { jobId: id },
  }),
  'its draft finished': id => ({
    method: 'POST',
    path: '/v1/queue/alpha-1-5-pro',
    body: { content: [{ type: 'draft_task', draft_task: { id } }] },
  }),
};

/** Wherever a client can write the id of a file. */
const fileAskings: Readonly<Record<string, Asking>> = {
  'the file': id => ({ method: 'GET', path: `/v1/files/${id}` }),
  'its content': id => ({ method: 'GET', path: `/v1/files/${id}/content` }),
  'its deletion': id => ({ method: 'DELETE', path: `/v1/files/${id}` }),
  'the list behind it': id => ({ method: 'GET', path: `/v1/files?after=${id}` }),
  'an address of it without a signature': id => ({ method: 'GET', path: `/v1/f/${id}/a.txt` }),
  'a picture made of it': id => ({
    method: 'POST',
    path: `/v1/queue/${image}`,
    body: { ...bodies[image], image: id },
  }),
  'a video extended from it': id => ({
    method: 'POST',
    path: '/v1/queue/epsilon-q2-turbo-extend',
    body: { video_creation_id: id },
  }),
  'a picture made of it as an asset': id => ({
    method: 'POST',
    path: `/v1/queue/${image}`,
    body: { ...bodies[image], image: `asset://${id}` },
  }),
};

for (const dialect of dialects) {
  describe(`I14 tenants are invisible to each other (${dialect})`, () => {
    let gateway: TestGateway;
    /** Of the one who asks, and who has nothing. */
    let stranger: string;
    /** Jobs of another user: waiting, running and final. */
    const jobs: Record<string, string> = {};
    /** Files of the same user: an upload, and the video of a job. */
    const files: Record<string, string> = {};
    before(async () => {
      // Nothing is written behind the requests while the clock stands: the tables tell what the requests wrote.
      gateway = await startGateway({ dialect, role: 'api', clock: openStandingClock() });
      const owner = await gateway.key();
      stranger = await gateway.key();
      jobs.final = await finishedPictures(gateway, owner, 2);
      jobs.running = (await create(gateway, owner, { model: image })).request_id;
      await hold(gateway, image, jobs.running);
      const body = { ...bodies[image], external_task_id: 'theirs' };
      jobs.waiting = (await create(gateway, owner, { model: image, body })).request_id;
      files.upload = (await uploadText(gateway, owner)).id;
      ({ draft: jobs.draft, video: files.video } = await makeDraft(gateway, owner));
    });
    after(() => gateway.close());

    /** The whole answer, but for what is different at every request. */
    async function answerTo(asking: Asking, id: string) {
      const { method, path, body } = asking(id);
      const answer = await fetch(new URL(path, gateway.url), {
        method,
        redirect: 'manual',
        headers: { authorization: `Bearer ${stranger}`, ...(body !== undefined && json) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const headers = [...answer.headers].filter(([name]) => name !== 'x-request-id' && name !== 'date');
      const text = (await answer.text()).replaceAll(answer.headers.get('x-request-id') ?? '', 'THIS REQUEST');
      return JSON.stringify({ status: answer.status, headers, text }).replaceAll(id, 'THE ID');
    }

    for (const [what, asking] of Object.entries(jobAskings)) {
      test(`I14 ${what} of a job of another user is answered like that of none`, async () => {
        const expected = await answerTo(asking, unknownId);
        assert.match(expected, /"status":4\d\d|"data\\":\[\]/);
        const before = await readTables(gateway.gateway.db);
        for (const id of Object.values(jobs)) assert.equal(await answerTo(asking, id), expected);
        assert.deepEqual(await readTables(gateway.gateway.db), before);
      });
    }

    for (const [what, asking] of Object.entries(fileAskings)) {
      test(`I14 ${what} of another user is answered like that of none`, async () => {
        const expected = await answerTo(asking, unknownFile);
        assert.match(expected, /"status":4\d\d|"data\\":\[\]/);
        const before = await readTables(gateway.gateway.db);
        for (const id of Object.values(files)) assert.equal(await answerTo(asking, id), expected);
        assert.deepEqual(await readTables(gateway.gateway.db), before);
      });
    }

    test('I14 lists and look-ups of a stranger contain nothing of another user', async () => {
      for (const path of [
        ...models.map(model => `/v1/queue/${model.id}/requests?limit=100`),
        `/v1/queue/${image}/requests?external_task_id=theirs`,
        `/v1/queue/${image}/requests?status=IN_QUEUE`,
        '/v1/files?limit=100',
      ]) {
        const { status, body } = await gateway.ask('GET', path, { key: stranger });
        assert.deepEqual([status, body.data], [200, []], path);
      }
    });

    test('I14 an external_task_id of another user is free, and says nothing of theirs', async () => {
      const body = { ...bodies[image], external_task_id: 'theirs' };
      const own = await gateway.ask('POST', `/v1/queue/${image}`, { key: await gateway.key(), body });
      assert.equal(own.status, 200);
      assert.equal(JSON.stringify(own.body).includes(jobs.waiting!), false);
    });

    test('I14 an Idempotency-Key of another user is free', async () => {
      const request = { body: bodies[speech], headers: { 'idempotency-key': 'theirs' } };
      const answers = [];
      for (const key of [await gateway.key(), await gateway.key()])
        answers.push(await gateway.ask('POST', `/v1/queue/${speech}`, { key, ...request }));
      assert.deepEqual(
        answers.map(({ status, headers }) => [status, headers.get('idempotent-replayed')]),
        [
          [200, null],
          [200, null],
        ],
      );
      assert.notEqual(answers[0]?.body.request_id, answers[1]?.body.request_id);
    });
  });
}

/** A finished draft, which gave a video, as a worker would have left it. */
async function makeDraft(gateway: TestGateway, key: string) {
  const { db } = gateway.gateway;
  const model = 'alpha-1-5-pro';
  const body = { content: [{ type: 'text', text: 'A boat' }], draft: true };
  const { request_id: draft } = await create(gateway, key, { model, body });
  const running = await hold(gateway, model, draft);
  const [row] = await db.read('SELECT user_id, key_id FROM jobs WHERE id = $1', [draft]);
  const owner = { userId: userIdFromRow(String(row?.user_id)), keyId: keyIdFromRow(String(row?.key_id)) };
  const expiresAt = gateway.clock.now() + 60_000;
  const mimeType = 'video/mp4';
  const file = newFile(owner, { source: 'output', jobId: jobIdFromRow(draft), mimeType, expiresAt });
  await insertFiles(db, [file]);
  const facts = {
    fileName: 'a.mp4',
    mimeType,
    bytes: 7,
    expiresAt,
    width: 8,
    height: 8,
    seconds: 5,
    fps: 24,
  };
  const output = { role: 'primary', index: 0, fileId: file.id, ...facts } as const;
  await running.settle({ kind: 'completed', result: { outputs: [output], inferenceMs: 1 } });
  return { draft, video: file.id };
}
