/** Money in the admin API: accounts, the journal, and the check of the books. */

import type { FastifyRequest } from 'fastify';
import { moneyAccountListSchema, moneyCheckSchema, moneyEntryPageSchema } from '../../answers/admin/money.ts';
import { toUnixSeconds } from '../../domain/clock.ts';
import { formatAmount, formatAmountOrNull } from '../../domain/money.ts';
import { availableOf, type ListedAccount, listAccounts } from '../../store/money/accounts.ts';
import { checkMoney } from '../../store/money/check.ts';
import { cursorOf, type Entry, isCursor, listEntries } from '../../store/money/entries.ts';
import { pageBody } from '../page-body.ts';
import { queryValue } from '../request-values.ts';
import type { AdminRoute } from '../route.ts';
import { adminApi } from './admin-api.ts';
import { refuseField } from './admin-body.ts';
import { limitOf, refuseUnknownQuery, searchTextOf } from './read-query.ts';

/** Lines of a page, unless the query has a `limit`. */
const defaultLimit = 50;

/** Every money account, by id: those of projects, keys and tags, and of each month. */
export const listMoneyAccounts: AdminRoute = {
  method: 'GET',
  path: '/admin/v1/money/accounts',
  auth: 'admin',
  role: 'viewer',
  errors: 'detail',
  refusals: ['input_invalid'],
  answers: {
    200: { description: 'A page of accounts.', body: moneyAccountListSchema },
  },
  docs: { undocumented: adminApi },
  open: context => async (_operator, request) => {
    refuseUnknownQuery(request, ['after', 'limit']);
    const limit = limitOf(request, defaultLimit);
    const after = searchTextOf(request, 'after') ?? '';
    // One more than the page says whether there is another page.
    const found = await listAccounts(context.db, { after, limit: limit + 1 });
    return { object: 'list', data: found.slice(0, limit).map(accountBody), has_more: found.length > limit };
  },
};

/**
 * Amounts are decimal texts with at least two digits behind the point, never floats; `period` is empty but for
 * months.
 */
const accountBody = (account: ListedAccount) => ({
  object: 'money_account',
  id: account.id,
  kind: account.kind,
  owner: account.owner,
  name: account.name,
  period: account.period,
  limit: formatAmountOrNull(account.limit),
  month_limit: formatAmountOrNull(account.monthLimit),
  floor: formatAmount(account.floor),
  spent: formatAmount(account.posted),
  held: formatAmount(account.held),
  uncertain: formatAmount(account.uncertain),
  available: formatAmountOrNull(availableOf(account)),
  entries: account.entries,
});

/** The journal, oldest first; of one account or one job where the query says so. */
export const listMoneyEntries: AdminRoute = {
  method: 'GET',
  path: '/admin/v1/money/entries',
  auth: 'admin',
  role: 'viewer',
  errors: 'detail',
  refusals: ['input_invalid'],
  answers: {
    200: { description: 'A page of the journal.', body: moneyEntryPageSchema },
  },
  docs: { undocumented: adminApi },
  open: context => async (_operator, request) => {
    refuseUnknownQuery(request, ['account', 'job', 'after', 'limit']);
    const limit = limitOf(request, defaultLimit);
    const found = await listEntries(context.db, {
      account: searchTextOf(request, 'account'),
      jobId: searchTextOf(request, 'job'),
      after: readCursor(request),
      limit: limit + 1,
    });
    const data = found.slice(0, limit).map(entryBody);
    return pageBody({ data, hasMore: found.length > limit, idOf: ({ id }) => id });
  },
};

/** The `last_id` of the page before; null for the first page. Throws a 422 for any other text. */
function readCursor(request: FastifyRequest): string | null {
  const after = queryValue(request, 'after');
  if (after === undefined || after === '') return null;
  return isCursor(after) ? after : refuseField('after', 'must be the last_id of a page');
}

/** `number` counts within the account, and `hash` chains an entry to the one before it: gaps and changes show. */
const entryBody = (entry: Entry) => ({
  object: 'money_entry',
  id: cursorOf(entry),
  account: entry.account,
  number: entry.number,
  at: toUnixSeconds(entry.at),
  kind: entry.kind,
  amount: formatAmount(entry.amount),
  cost: formatAmountOrNull(entry.cost),
  counter: entry.counter,
  request_id: entry.jobId,
  actor: entry.actor,
  reason: entry.reason,
  hash: entry.hash,
});

/** Sums every balance anew and verifies every chain of entries. */
export const checkBooks: AdminRoute = {
  method: 'GET',
  path: '/admin/v1/money/check',
  auth: 'admin',
  role: 'viewer',
  errors: 'detail',
  refusals: [],
  answers: {
    200: { description: 'Whether the books add up.', body: moneyCheckSchema },
  },
  docs: { undocumented: adminApi },
  open: context => async () => {
    const { ok, accounts, entries, openHolds, faults } = await checkMoney(context.db);
    return { ok, accounts, entries, open_holds: openHolds, ...(faults.length > 0 && { faults }) };
  },
};
