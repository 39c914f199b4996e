/** Budgets of tags in the admin API: list, and set limits. */
import { tagBudgetListSchema, tagBudgetSchema } from '../../answers/admin/money.ts';
import { idOfTag, parseTag, textOfTagId } from '../../domain/tags.ts';
import { listTagBudgets, setLimit } from '../../store/money/projects.ts';
import type { HttpContext } from '../http-context.ts';
import { jsonBodyRefusals } from '../refusals-of-route.ts';
import { pathValue } from '../request-values.ts';
import type { AdminRoute } from '../route.ts';
import { adminApi } from './admin-api.ts';
import { readAdminBody, refuseField } from './admin-body.ts';
import { budgetBody, readLimit } from './budget-body.ts';

/** Every tag that has or had a limit, with its balance, by tag. */
export const listTags: AdminRoute = {
  method: 'GET',
  path: '/admin/v1/tags',
  auth: 'admin',
  role: 'viewer',
  errors: 'detail',
  refusals: [],
  answers: {
    200: { description: 'Every tag with a budget.', body: tagBudgetListSchema },
  },
  docs: { undocumented: adminApi },
  open: context => async () => {
    // A query for each tag: budgets are set by hand.
    const data = await Promise.all((await listTagBudgets(context.db)).map(id => tagBody(context, id)));
    return { object: 'list', data, has_more: false };
  },
};

/** Sets the limit of a tag such as `campaign=spring` from now on; null removes it. */
export const limitTag: AdminRoute = {
  method: 'PUT',
  path: '/admin/v1/tags/:tag/limit',
  auth: 'admin',
  role: 'admin',
  errors: 'detail',
  refusals: ['input_invalid', ...jsonBodyRefusals],
  answers: {
    200: { description: 'The tag with its new limit.', body: tagBudgetSchema },
  },
  docs: { undocumented: adminApi },
  open:
    context =>
    async ({ actor }, request) => {
      const limit = readLimit(await readAdminBody(request, ['limit', 'monthly']));
      const id = tagIdOf(pathValue(request, 'tag'));
      await setLimit(context.db, { kind: 'tag', id }, limit, { actor, now: context.clock.now() });
      return tagBody(context, id);
    },
};

/** The id of what belongs to a tag that an operator wrote; throws a 422 that says what is wrong with it. */
export function tagIdOf(written: unknown): string {
  if (typeof written !== 'string') refuseField('tag', 'must be name=value');
  const tag = parseTag(written);
  return 'fault' in tag ? refuseField('tag', tag.fault) : idOfTag(tag);
}

/** A tag with its balance of the present period. */
const tagBody = async (context: HttpContext, id: string) => ({
  object: 'tag',
  id,
  ...(await budgetBody(context, { kind: 'tag', id }, textOfTagId(id))),
});
