import { refuse } from '../../domain/refusal.ts';
import { pauseAccount } from '../../store/jobs/slots.ts';
import { type HttpContext, pathValue, type Route } from '../route.ts';
import { identifyOperator } from './identify-operator.ts';

/** Accounts at upstreams, the engine of this machine among them: what runs there, and whether one is left alone. */
export const listProviders = (parts: HttpContext): Route => ({
  method: 'GET',
  path: '/admin/v1/providers',
  errors: 'detail',
  async handle(request) {
    await identifyOperator(parts, request);
    return { object: 'list', data: await parts.accounts.list(), has_more: false };
  },
});

/** One free call with the key of an account. */
export const testProvider = (parts: HttpContext): Route => ({
  method: 'POST',
  path: '/admin/v1/providers/:account/test',
  errors: 'detail',
  async handle(request) {
    await identifyOperator(parts, request);
    const id = pathValue(request, 'account');
    const result = await parts.accounts.test(id);
    if (result === 'unknown') throw refuse('provider_unknown');
    return { object: 'provider_test', account: id, ...result };
  },
});

/** Nothing new for an account, until it is resumed; what is under way there goes on. */
export const pauseProvider = (parts: HttpContext): Route => pausing(parts, true);
export const resumeProvider = (parts: HttpContext): Route => pausing(parts, false);

const pausing = (parts: HttpContext, isPaused: boolean): Route => ({
  method: 'POST',
  path: `/admin/v1/providers/:account/${isPaused ? 'pause' : 'resume'}`,
  errors: 'detail',
  async handle(request) {
    const { actor } = await identifyOperator(parts, request);
    const account = pathValue(request, 'account');
    if (!parts.accounts.has(account)) throw refuse('provider_unknown');
    await pauseAccount(parts.db, account, isPaused, { actor, now: parts.clock.now() });
    return { object: 'provider', account, paused: isPaused };
  },
});
