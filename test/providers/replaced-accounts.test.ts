/** An account that a reload replaced is closed once nothing uses it. */
import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { contractCatalog as catalog } from '../../src/catalog/index.ts';
import { readModels } from '../../src/config/models.ts';
import { readRouting } from '../../src/config/routing.ts';
import { systemClock } from '../../src/domain/clock.ts';
import { openOutbound } from '../../src/media/outbound.ts';
import { openAccounts } from '../../src/routing/accounts.ts';
import type { Account } from '../../src/routing/routes.ts';

const model = 'gamma-v3-image';

/** The routing of one account, and the accounts that it closed. */
function readOne(name: string, closed: string[]) {
  const accounts = { [name]: { provider: 'fal', api_key: 'env:KEY' } };
  const { config, issues } = readRouting(
    { accounts, routes: { [model]: [{ account: name }] } },
    { KEY: 'a-key' },
    readModels(undefined, '.'),
  );
  assert.deepEqual(issues, []);
  const watched = config.accounts.map(account => ({
    ...account,
    open: (context: Parameters<typeof account.open>[0]) => {
      const opened = account.open(context);
      return {
        ...opened,
        close: async () => {
          closed.push(name);
          await opened.close();
        },
      };
    },
  }));
  return { catalog, routing: { ...config, accounts: watched } };
}

test('an account that was replaced is closed once, when nothing uses it any more', async () => {
  const outbound = openOutbound({ allowPrivate: true });
  const context = { catalog, clock: systemClock, outbound, linkTo: () => null, folder: tmpdir() };
  const closed: string[] = [];
  const first = readOne('first', closed);
  const { id, open, slots } = first.routing.accounts[0]!;
  const local: Account = { id, slots, sharedLimits: null, ...open(context) };
  const routing = openAccounts(first, local, context);
  const used = routing.routesOf(model)[0]?.account;

  routing.replace(readOne('second', closed));
  assert.deepEqual(
    routing.routesOf(model).map(({ account }) => account.id),
    ['second'],
  );
  await routing.closeReplaced(account => account === used);
  assert.deepEqual(closed, []);
  await routing.closeReplaced(() => false);
  await routing.closeReplaced(() => false);
  assert.deepEqual(closed, ['first']);
  await routing.close();
  assert.deepEqual(closed, ['first', 'second']);
  await outbound.close();
});
