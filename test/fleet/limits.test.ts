/** The limits of a key and of a budget apply over three processes. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { hashApiKey } from '../../src/domain/ids.ts';
import { parseAmount } from '../../src/domain/money.ts';
import { readBalance } from '../../src/store/money/balance.ts';
import { checkMoney } from '../../src/store/money/check.ts';
import { createProject } from '../../src/store/money/projects.ts';
import { createKey } from '../../src/store/people/keys.ts';
import { bodies, speech } from '../../testkit/clients/queue.ts';
import { ask } from '../../testkit/gateway/gateway.ts';
import { openTestFleet, type TestFleet } from './fleet.ts';

/** Without a limit it is free; a creation of a project with one is held. */
const prices = { currency: 'USD', hold: true, models: { [speech]: { character: 0.001 } } };

describe('the bounds of a key over three processes', () => {
  let fleet: TestFleet;
  before(async () => {
    fleet = await openTestFleet({ apis: 3, workers: 0, prices });
    await Promise.all(fleet.apis.map(fleet.startReady));
  });
  after(() => fleet.close());

  for (const column of ['jobs_at_once', 'jobs_per_day']) {
    test(`of forty parallel creates of a key with ${column} 2 exactly two are accepted`, async () => {
      const key = await fleet.key(`user-of-${column}`);
      await fleet.db.write(`UPDATE keys SET ${column} = 2 WHERE hash = $1`, [hashApiKey(key)]);
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, place) =>
          ask(fleet.apis[place % 3]!.url, 'POST', `/v1/queue/${speech}`, { key, body: bodies[speech] }),
        ),
      );
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [
        ...Array(2).fill(200),
        ...Array(38).fill(429),
      ]);
      const [row] = await fleet.db.read(
        'SELECT COUNT(*) AS jobs FROM jobs WHERE key_id = (SELECT id FROM keys WHERE hash = $1)',
        [hashApiKey(key)],
      );
      assert.equal(Number(row?.jobs), 2);
    });
  }

  test('64 creates at once over three processes against room for 10 accept exactly 10', async () => {
    const now = Date.now();
    const quoted = await ask(fleet.apis[0]!.url, 'POST', `/v1/models/${speech}/validate`, {
      key: await fleet.key('quoted'),
      body: bodies[speech],
    });
    const amount = parseAmount(quoted.body.quote.amount) ?? 0;
    assert.ok(amount > 0);
    const budget = { limit: 10 * amount + amount - 1, monthly: true };
    const project = await createProject(
      fleet.db,
      { name: 'crowded', floor: 0, ...budget },
      { actor: 'operator', now },
    );
    const wanted = { userName: 'crowd', name: null, models: null, expiresAt: null };
    const { secret: key } = await createKey(fleet.db, { ...wanted, projectId: project!.id }, now);
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, place) =>
        ask(fleet.apis[place % 3]!.url, 'POST', `/v1/queue/${speech}`, { key, body: bodies[speech] }),
      ),
    );
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [
      ...Array(10).fill(200),
      ...Array(54).fill(402),
    ]);
    const balance = await readBalance(fleet.db, { kind: 'project', id: project!.id }, now);
    assert.deepEqual([balance?.held, balance?.available], [10 * amount, amount - 1]);
    const { ok, faults } = await checkMoney(fleet.db);
    assert.deepEqual([ok, faults], [true, []]);
  });
});
