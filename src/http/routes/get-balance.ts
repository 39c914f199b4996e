/** What a key may still spend. */

import { balancesSchema } from '../../answers/money.ts';
import { balanceBody, readBalance } from '../../store/money/balance.ts';
import { nameOf, ownersOf } from '../../store/money/holds.ts';
import type { HttpContext } from '../http-context.ts';
import type { KeyRoute } from '../route.ts';

/** The budget of the key's project, and its own where it has one. Of a monthly limit: of the present month. */
export const getBalance: KeyRoute = {
  method: 'GET',
  path: '/v1/balance',
  auth: 'key',
  scope: 'any-key',
  errors: 'detail',
  refusals: [],
  answers: {
    200: { description: 'Limits, and what is left of them.', body: balancesSchema },
  },
  docs: { tag: 'Money', operationId: 'getBalance', summary: 'What the key may still spend' },
  open: context => async principal => {
    const [project, key] = await Promise.all(
      ownersOf(principal, null).map(async owner => {
        const balance = await readBalance(context.db, owner, context.clock.now());
        return balance && balanceBody(await nameOfOwner(context, owner), balance);
      }),
    );
    if (!project) throw new Error(`expected an account of the project ${principal.projectId}`);
    return {
      currency: context.prices()?.currency ?? null,
      project,
      // A key without a limit of its own spends from its project alone.
      key: key && key.limit !== null ? key : null,
    };
  },
};

/** A project by its name; a key by its name or, without one, by its id. */
const nameOfOwner = async ({ db }: HttpContext, { kind, id }: ReturnType<typeof ownersOf>[number]) =>
  (await nameOf(db, { kind, owner: id })).name;
