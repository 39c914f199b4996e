/** The part of the conformance suite that kills the process at every moment of a submission. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createKey } from '../../src/store/people/keys.ts';
import { openTestClock } from '../../testkit/clock.ts';
import { makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { dieAt } from '../../testkit/gateway/die-at.ts';
import { ask, startGateway } from '../../testkit/gateway/gateway.ts';
import { type Ending, good, readEnding, untilEnded } from '../../testkit/upstream/studio.ts';
import { type Fake, startFake } from '../../testkit/upstreams/fake.ts';
import type { Conformance, Earlier } from './description.ts';
import { canary, makeEarlier, settingsFor } from './provider-bench.ts';

const charged = good([['accepted', 1]]);
const uncertain = (charges: 0 | 1): Ending => ({
  error: 'submission_uncertain',
  submissions: charges,
  charges,
  attempts: [[null, 1]],
  uncertain: 1,
});

interface Moment {
  readonly name: string;
  readonly side: 'before' | 'after';
  readonly words: string;
  readonly endings: Readonly<Record<Conformance['protocol']['dedupe'], Ending>>;
  /** Where the bytes of the result were in the answer, and went with the process. */
  readonly withBytes?: Ending;
}

/** Where a crash may cost a second charge, or lose what was paid for. */
const moments: readonly Moment[] = [
  {
    name: 'the intent written, nothing sent',
    side: 'after',
    words: 'INSERT INTO attempts',
    endings: {
      replay: { ...good([['accepted', 2]]), submissions: 1 },
      lookup: {
        ...good([
          ['refused', 1],
          ['accepted', 1],
        ]),
        submissions: 1,
      },
      none: uncertain(0),
    },
  },
  {
    name: 'accepted there, the answer not written',
    side: 'before',
    words: 'UPDATE attempts SET answer',
    endings: { replay: good([['accepted', 2]]), lookup: charged, none: uncertain(1) },
  },
  {
    name: 'the answer written',
    side: 'after',
    words: 'UPDATE attempts SET answer',
    endings: { replay: charged, lookup: charged, none: charged },
    withBytes: { ...uncertain(1), attempts: [['done', 1]] },
  },
];

/** kill -9 at each of them: how the job ends, and how often it was charged. */
export function crashes(wanted: Conformance): void {
  describe('kill -9', () => {
    let folder: string;
    let fake: Fake;
    let database: TestDatabase;
    let key: string;
    let earlier: Earlier = { jobId: '', fileId: '' };
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'atelier-provider-crash-'));
      fake = await startFake(wanted.protocol, folder, canary);
      database = await makeDatabase('sqlite');
      const owner = { userName: 'ann', name: null, models: null, expiresAt: null };
      key = (await createKey(await database.connect(), owner, Date.now())).secret;
      if (wanted.earlier) earlier = await makeEarlierFirst();
    });
    after(async () => {
      await fake.close();
      await database.remove();
      await rm(folder, { recursive: true, force: true });
    });

    async function makeEarlierFirst(): Promise<Earlier> {
      const env = { ...(await settingsFor(wanted, fake.url, folder)), ATELIER_DATA_DIR: database.folder };
      const after = { folder: database.folder, database, clock: openTestClock() };
      const gateway = await startGateway({ env, after });
      try {
        return await makeEarlier(wanted, gateway, key);
      } finally {
        await gateway.stop();
      }
    }

    for (const [place, { name, side, words, endings, withBytes }] of moments.entries()) {
      test(name, async () => {
        const mark = `mark-k${place}`;
        const create = (url: string) =>
          ask(url, 'POST', `/v1/queue/${wanted.model}`, {
            key,
            headers: { 'idempotency-key': mark },
            body: wanted.body(mark, earlier),
          });
        const settings = await settingsFor(wanted, fake.url, folder);
        const env = { ...settings, ATELIER_DATA_DIR: database.folder };
        await dieAt({ side, words }, env, create);

        const after = { folder: database.folder, database, clock: openTestClock() };
        const gateway = await startGateway({ env, after });
        try {
          const made = await create(gateway.url);
          assert.equal(made.status, 200, JSON.stringify(made.body));
          const order = { id: made.body.request_id, mark, model: wanted.model };
          const error = await untilEnded(gateway, key, order);
          const db = await database.connect();
          const expected = (wanted.bytesInside && withBytes) || endings[wanted.protocol.dedupe];
          assert.deepEqual(await readEnding(db, fake, order, error), expected);
        } finally {
          await gateway.stop();
        }
      });
    }
  });
}
