/** Promise I10: one job for each user and external_task_id. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Connection } from '../../src/store/db/connection.ts';
import { insertJob } from '../../src/store/jobs/insert.ts';
import { bodies, image } from '../../testkit/clients/queue.ts';
import { dialects, makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { makeOwner, newJob, unique } from '../../testkit/databases/rows.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

const rounds = 20;

for (const dialect of dialects) {
  describe(`I10 one job for each user and external_task_id (${dialect})`, () => {
    let database: TestDatabase;
    let db: Connection;
    let other: Connection;
    before(async () => {
      database = await makeDatabase(dialect);
      db = await database.connect();
      other = await database.connect();
    });
    after(() => database.remove());

    test('I10 of 32 inserts over two connections one makes the job, and the others name it', async () => {
      const owner = await makeOwner(db);
      const neighbour = await makeOwner(db);
      for (let round = 0; round < rounds; round++) {
        const externalTaskId = unique('task');
        const jobs = Array.from({ length: 32 }, (_, index) =>
          newJob(owner, { externalTaskId, modelId: `model-${index % 3}` }),
        );
        const foreign = newJob(neighbour, { externalTaskId });
        const [theirs, ...ours] = await Promise.all([
          insertJob(other, foreign),
          ...jobs.map((job, index) => insertJob(index % 2 ? db : other, job)),
        ]);
        assert.equal(theirs?.kind, 'inserted');
        const winner = jobs[ours.findIndex(({ kind }) => kind === 'inserted')]!;
        const refused = ours.filter(({ kind }) => kind !== 'inserted');
        assert.deepEqual(refused, Array(31).fill({ kind: 'external_task_id_used', jobId: winner.id }));
        const rows = await db.read('SELECT id FROM jobs WHERE user_id = $1 AND external_task_id = $2', [
          owner.userId,
          externalTaskId,
        ]);
        assert.deepEqual(
          rows.map(({ id }) => id),
          [winner.id],
        );
      }
    });
  });
}

describe('I10 two gateways on one PostgreSQL', () => {
  let database: TestDatabase;
  let gateways: readonly [TestGateway, TestGateway];
  before(async () => {
    database = await makeDatabase('postgres');
    const env = { ATELIER_DATABASE_URL: database.url ?? '', ATELIER_SECRET: 'the same on every node' };
    gateways = [await startGateway({ role: 'api', env }), await startGateway({ role: 'api', env })];
  });
  after(async () => {
    for (const gateway of gateways) await gateway.close();
    await database.remove();
  });

  test('I10 of 40 creates at once over both exactly one is acknowledged, and every refusal names it', async () => {
    const keys = [await gateways[0].key({ userName: 'ann' }), await gateways[1].key({ userName: 'ann' })];
    for (const task of ['first', 'second', 'third']) {
      const body = { ...bodies[image], external_task_id: task };
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          gateways[index % 2]!.ask('POST', `/v1/queue/${image}`, { key: keys[(index >> 1) % 2]!, body }),
        ),
      );
      const [made, ...more] = answers.filter(({ status }) => status === 200);
      assert.deepEqual(more, []);
      const detail = `external_task_id: already used by request ${made?.body.request_id}`;
      const refused = answers.filter(answer => answer !== made);
      for (const { status, body } of refused) assert.deepEqual([status, body], [422, { detail }]);
      const found = await gateways[1].ask('GET', `/v1/queue/${image}/requests?external_task_id=${task}`, {
        key: keys[0]!,
      });
      assert.deepEqual(
        found.body.data.map((job: { request_id: string }) => job.request_id),
        [made?.body.request_id],
      );
    }
  });
});
