/** Money in the admin API: accounts, the journal, top-ups and adjustments, and the check of the books. */

import type { FastifyRequest } from 'fastify';
import {
  moneyAccountListSchema,
  moneyCheckSchema,
  moneyEntryPageSchema,
  postedEntrySchema,
} from '../../answers/admin/money.ts';
import { toUnixSeconds } from '../../domain/clock.ts';
import { keyIdFromRow } from '../../domain/ids.ts';
import { formatAmount, formatAmountOrNull } from '../../domain/money.ts';
import { refuse } from '../../domain/refusal.ts';
import {
  type AccountOwner,
  availableOf,
  type ListedAccount,
  listAccounts,
} from '../../store/money/accounts.ts';
import { checkMoney } from '../../store/money/check.ts';
import { cursorOf, type Entry, isCursor, listEntries } from '../../store/money/entries.ts';
import { findProject, type ManualEntry, postEntry } from '../../store/money/projects.ts';
import type { HttpContext } from '../http-context.ts';
import { pageBody } from '../page-body.ts';
import { jsonBodyRefusals } from '../refusals-of-route.ts';
import { queryValue } from '../request-values.ts';
import type { AdminRoute } from '../route.ts';
import { adminApi } from './admin-api.ts';
import { readAdminBody, refuseField } from './admin-body.ts';
import { readAmount, refuseAmount } from './read-amount.ts';
import { limitOf, refuseUnknownQuery, searchTextOf } from './read-query.ts';

/** Lines of a page, unless the query has a `limit`. */
const defaultLimit = 50;

/** Every money account, by id: those of projects and keys, and of each month. */
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
  counter: entry.counter,
  request_id: entry.jobId,
  actor: entry.actor,
  reason: entry.reason,
  hash: entry.hash,
});

/** A top-up or an adjustment of a project or a key, once for each idempotency key. */
export const postMoneyEntry: AdminRoute = {
  method: 'POST',
  path: '/admin/v1/money/entries',
  auth: 'admin',
  role: 'admin',
  errors: 'detail',
  refusals: ['input_invalid', 'project_unknown', 'key_unknown', ...jsonBodyRefusals],
  answers: {
    200: { description: 'What was posted.', body: postedEntrySchema },
  },
  docs: { undocumented: adminApi },
  open:
    context =>
    async ({ actor }, request) => {
      const { project, key, ...given } = await readAdminBody(request, entryFields);
      const owner = await readOwner(context, project, key);
      const entry = readEntry(given);
      // A second request with the same idempotency key posts nothing and is answered the same.
      const posted = await postEntry(context.db, owner, entry, { actor, now: context.clock.now() });
      if (posted.kind === 'unknown')
        throw refuse(owner.kind === 'project' ? 'project_unknown' : 'key_unknown');
      if (posted.kind === 'unlimited')
        refuseField('kind', `the ${owner.kind} has no limit that could be topped up`);
      const { account } = posted;
      return {
        object: 'money_posting',
        repeated: posted.kind === 'repeated',
        account: account.id,
        available: formatAmountOrNull(availableOf(account)),
      };
    },
};

/** Members of the body; others are refused. */
const entryFields = ['project', 'key', 'kind', 'amount', 'reason', 'idempotency_key'] as const;

/** The project by its name, or the key by its id. */
async function readOwner({ db }: HttpContext, project: unknown, key: unknown): Promise<AccountOwner> {
  // Exactly one of the two.
  if ((project === undefined) === (key === undefined))
    refuseField('project', 'give the name of a project, or the id of a key as key');
  if (typeof key === 'string') return { kind: 'key', id: keyIdFromRow(key) };
  const found = typeof project === 'string' ? await findProject(db, project) : null;
  if (!found) throw refuse('project_unknown');
  return { kind: 'project', id: found.id };
}

/** Characters of a reason and of an idempotency key. */
const maxText = 200;

/** The entry that the body describes. A top-up is positive, an adjustment may be negative, and neither is 0. */
function readEntry({
  kind,
  amount,
  reason,
  idempotency_key: idempotencyKey,
}: Readonly<Record<string, unknown>>): ManualEntry {
  if (kind !== 'top_up' && kind !== 'adjustment') refuseField('kind', 'must be top_up or adjustment');
  const micros = readAmount('amount', amount);
  if (micros === 0 || (kind === 'top_up' && micros < 0)) refuseAmount('amount');
  return {
    kind,
    amount: micros,
    reason: readText('reason', reason),
    idempotencyKey: readText('idempotency_key', idempotencyKey),
  };
}

/** A text of the body; control characters are refused, because reasons are printed to terminals. */
function readText(name: string, given: unknown): string {
  if (typeof given !== 'string' || given.trim() === '' || given.length > maxText || /\p{Cc}/u.test(given))
    refuseField(name, `must be 1 to ${maxText} characters`);
  return given;
}

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
