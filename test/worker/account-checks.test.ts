/** Checks of accounts: what is known of one before its check ended, also from the start before. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pino } from 'pino';
import { openPassedChecks } from '../../src/app/passed-checks.ts';
import { contractCatalog } from '../../src/catalog/index.ts';
import { localAccount } from '../../src/domain/provider.ts';
import type { Account } from '../../src/routing/routes.ts';
import { openAccountChecks } from '../../src/worker/account-checks.ts';
import type { PassedChecks, WorkerContext } from '../../src/worker/context.ts';

const log = pino({ level: 'silent' });
type Ready = Awaited<ReturnType<Account['provider']['ready']>>;

/** The checks of one account, whose result the test gives. */
function openChecks(passedChecks: PassedChecks) {
  const { promise, resolve: end } = Promise.withResolvers<Ready>();
  const account = { id: localAccount, provider: { ready: () => promise } };
  const routing = { accounts: [account], routesOf: () => [] } as unknown as WorkerContext['routing'];
  const breaker = { forgetTroubles: async () => {} } as unknown as WorkerContext['breaker'];
  const { signal: stopping } = new AbortController();
  const { promise: known, resolve: onChecked } = Promise.withResolvers<void>();
  const checks = openAccountChecks(
    { routing, catalog: contractCatalog, breaker, passedChecks, log },
    { stopping, onChecked },
  );
  return { checks, checked: checks.checkAll(), known, end };
}

describe('an account whose check has not ended', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-checks-'));
  });
  after(() => rm(folder, { recursive: true }));

  test('is not ready at the first start, and its jobs are not claimed', async () => {
    const { checks, checked, end } = openChecks(await openPassedChecks(folder, log));
    assert.deepEqual(
      [checks.unavailableReason(), checks.isUsable(localAccount)],
      ['provider check in progress', false],
    );
    end({ ok: true });
    await checked;
    assert.deepEqual([checks.unavailableReason(), checks.isUsable(localAccount)], [null, true]);
    assert.deepEqual(await readdir(folder), ['engine-checked']);
  });

  test('is ready at the next start, which does not wait for it, and its jobs are claimed only after the check', async () => {
    const { checks, checked, known, end } = openChecks(await openPassedChecks(folder, log));
    await checked;
    assert.deepEqual([checks.unavailableReason(), checks.isUsable(localAccount)], [null, false]);
    end({ ok: false, reason: 'a package is gone' });
    await known;
    assert.deepEqual(
      [checks.unavailableReason(), checks.isUsable(localAccount)],
      ['a package is gone', false],
    );
  });

  test('is not ready at a start after one that failed', async () => {
    const { checks } = openChecks(await openPassedChecks(folder, log));
    assert.equal(checks.unavailableReason(), 'provider check in progress');
    assert.deepEqual(await readdir(folder), []);
  });
});
