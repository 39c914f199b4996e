/** Accounts at providers in the admin API: list, test, pause, resume. */

import { accountListSchema, accountPauseSchema, accountTestSchema } from '../../answers/admin/account.ts';
import { refuse } from '../../domain/refusal.ts';
import { pauseAccount } from '../../store/jobs/slots.ts';
import { pathValue } from '../request-values.ts';
import type { AdminRoute } from '../route.ts';
import { adminApi } from './admin-api.ts';

/** Accounts at providers, the local engine among them: running jobs, and whether the circuit is open. */
export const listProviders: AdminRoute = {
  method: 'GET',
  path: '/admin/v1/providers',
  auth: 'admin',
  role: 'viewer',
  errors: 'detail',
  refusals: [],
  answers: {
    200: { description: 'Every account.', body: accountListSchema },
  },
  docs: { undocumented: adminApi },
  open: context => async () => {
    return { object: 'list', data: await context.accounts.list(), has_more: false };
  },
};

/** One free call with the key of an account. */
export const testProvider: AdminRoute = {
  method: 'POST',
  path: '/admin/v1/providers/:account/test',
  auth: 'admin',
  role: 'admin',
  errors: 'detail',
  refusals: ['provider_unknown'],
  answers: {
    200: { description: 'The result of the test.', body: accountTestSchema },
  },
  docs: { undocumented: adminApi },
  open: context => async (_operator, request) => {
    const id = pathValue(request, 'account');
    const result = await context.accounts.test(id);
    if (result === 'unknown') throw refuse('provider_unknown');
    return { object: 'provider_test', account: id, ...result };
  },
};

/** The two routes differ in their path and in the value that they store. */
const pausing = (isPaused: boolean): AdminRoute => ({
  method: 'POST',
  path: `/admin/v1/providers/:account/${isPaused ? 'pause' : 'resume'}`,
  auth: 'admin',
  role: 'admin',
  errors: 'detail',
  refusals: ['provider_unknown'],
  answers: {
    200: { description: 'Whether the account is paused.', body: accountPauseSchema },
  },
  docs: { undocumented: adminApi },
  open:
    context =>
    async ({ actor }, request) => {
      const account = pathValue(request, 'account');
      if (!context.accounts.has(account)) throw refuse('provider_unknown');
      await pauseAccount(context.db, account, isPaused, { actor, now: context.clock.now() });
      return { object: 'provider', account, paused: isPaused };
    },
});

/** No new jobs for an account until it is resumed; its in-flight jobs continue. */
export const pauseProvider = pausing(true);
/** Allows new jobs for an account again. */
export const resumeProvider = pausing(false);
