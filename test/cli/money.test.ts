/** The commands of money: projects, budgets of tags, corrections and the journal. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newWorkerId, type WorkerId } from '../../src/domain/ids.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import { registerWorker } from '../../src/store/jobs/workers.ts';
import { makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { openPayers, used } from '../../testkit/databases/payers.ts';
import { type Environment, runProgram } from '../../testkit/gateway/program.ts';

describe('the commands of money', () => {
  let database: TestDatabase;
  let db: Connection;
  let worker: WorkerId;
  let env: Environment;
  before(async () => {
    database = await makeDatabase('sqlite');
    db = await database.connect();
    worker = newWorkerId();
    await registerWorker(db, worker);
    env = { ATELIER_DATA_DIR: database.folder };
  });
  after(() => database.remove());
  const { payer, run } = openPayers(
    () => db,
    () => worker,
  );
  const atelier = (...args: string[]) => runProgram(args, { env });
  const printed = async (...args: string[]) => {
    const { code, stdout, stderr } = await atelier(...args);
    assert.deepEqual([code, stderr], [0, '']);
    return stdout;
  };
  const refused = async (...args: string[]) => {
    const { code, stdout, stderr } = await atelier(...args);
    assert.deepEqual([code, stdout], [1, '']);
    return stderr.trim();
  };

  test('a project gets a monthly limit and is topped up once for each idempotency key', async () => {
    assert.match(
      await printed('projects', 'create', 'acme', '--limit', '10.00', '--month'),
      /^Project acme \(project_\w+\): limit 10\.00 each calendar month \(UTC\)\.\nGive it a key: /,
    );
    const more = ['acme', '5.00', '--reason', 'invoice 7', '--idempotency-key', 'inv-7'];
    assert.match(await printed('projects', 'top-up', ...more), /^Added 5\.00\. acme .* available 15\.00\n$/);
    assert.match(await printed('projects', 'top-up', ...more), /^Already added .* available 15\.00\n$/);
    assert.match(await printed('projects', 'show', 'acme'), /limit 15\.00 each calendar month/);
    assert.match(await printed('projects', 'list'), /^acme .*\ndefault .* no limit .* unlimited\n$/);
    assert.equal(
      await refused('projects', 'show', 'nobody'),
      'There is no project nobody. See: atelier projects list',
    );
  });

  test('a tag gets a budget by its limit alone', async () => {
    assert.equal(
      await refused('tags', 'show', 'campaign=spring'),
      'Tag campaign=spring has no budget. Set one: atelier tags limit campaign=spring AMOUNT',
    );
    assert.equal(await refused('tags', 'limit', 'spring', '1'), 'TAG: "spring" must be name=value');
    assert.equal(
      await printed('tags', 'limit', 'campaign=spring sale', '100', '--month'),
      'Tag campaign=spring sale: limit 100.00 each calendar month (UTC).\n',
    );
    assert.equal(
      await printed('tags', 'list'),
      'campaign=spring sale  limit 100.00 each calendar month (UTC)  spent 0.00  held 0.00  uncertain 0.00  available 100.00\n',
    );
    assert.equal(
      await printed('tags', 'limit', 'campaign=spring sale', 'none'),
      'Tag campaign=spring sale: no limit.\n',
    );
  });

  test('a late charge or credit of a job is an entry of its own, and never a second refund', async () => {
    const by = await payer(1_000_000);
    const job = await run(by, used(3));
    const adjust = (amount: string, key: string, on = job.id as string) => {
      const why = ['--reason', 'their invoice', '--idempotency-key', key];
      return ['money', 'adjust', '--job', on, '--amount', amount, ...why];
    };
    assert.equal(await printed(...adjust('-0.30', 'credit')), 'Posted -0.30.\n');
    assert.equal(await printed(...adjust('-0.30', 'credit')), 'Already posted under this idempotency key.\n');
    assert.equal(
      await refused(...adjust('-0.30', 'again')),
      `Job ${job.id} was charged 0.00 USD: a credit cannot be more.`,
    );
    assert.equal(await refused(...adjust('1', 'x', 'req_none')), 'There is no job req_none that was held.');
    const entries = (await printed('money', 'entries', '--job', job.id, '--json')).trim().split('\n');
    assert.deepEqual(
      entries.map(line => JSON.parse(line)).map(({ kind, amount, reason }) => [kind, amount, reason]),
      [
        ['charge', '0.30', null],
        ['adjustment', '-0.30', 'their invoice'],
      ],
    );
    assert.match(
      await printed('money', 'check'),
      /^The books add up: \d+ accounts, \d+ entries, 0 open holds\.\n$/,
    );
  });
});
