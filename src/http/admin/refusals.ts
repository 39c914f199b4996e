/** The request log in the admin API: refused requests of the last days, in groups. */

import { refusalListSchema } from '../../answers/admin/refused-request.ts';
import { hours, toUnixSeconds } from '../../domain/clock.ts';
import { listRefusals, type RefusalGroup } from '../../store/refusals/refused-requests.ts';
import { queryValue } from '../request-values.ts';
import type { AdminRoute } from '../route.ts';
import { adminApi } from './admin-api.ts';
import { refuseField } from './admin-body.ts';
import { refuseUnknownQuery, searchTextOf } from './read-query.ts';

/** Groups of one answer. */
const maxGroups = 200;
/** As long as they are kept. */
const maxHours = 7 * 24;

/** Refused requests of the last hours, 24 unless the query says otherwise, the most frequent group first. */
export const listRefusedRequests: AdminRoute = {
  method: 'GET',
  path: '/admin/v1/refusals',
  auth: 'admin',
  role: 'viewer',
  errors: 'detail',
  refusals: ['input_invalid'],
  answers: {
    200: { description: 'The groups.', body: refusalListSchema },
  },
  docs: { undocumented: adminApi },
  open:
    ({ db, clock }) =>
    async (_operator, request) => {
      refuseUnknownQuery(request, ['hours', 'status', 'caller']);
      const number = (name: string, least: number, most: number): number | null => {
        const given = queryValue(request, name);
        if (given === undefined || given === '') return null;
        const isWithin = /^\d{1,3}$/.test(given) && Number(given) >= least && Number(given) <= most;
        return isWithin ? Number(given) : refuseField(name, `must be between ${least} and ${most}`);
      };
      const since = clock.now() - (number('hours', 1, maxHours) ?? 24) * hours;
      const status = number('status', 400, 499);
      const caller = searchTextOf(request, 'caller');
      const found = await listRefusals(db, { since, status, caller, limit: maxGroups + 1 });
      return {
        object: 'list',
        since: toUnixSeconds(since),
        data: found.slice(0, maxGroups).map(groupBody),
        has_more: found.length > maxGroups,
      };
    },
};

const groupBody = ({ userName, keyName, keyHint, ...group }: RefusalGroup) => ({
  status: group.status,
  code: group.code,
  sentence: group.sentence,
  route: group.route,
  caller: group.caller,
  key:
    keyHint === null || userName === null
      ? null
      : { id: group.caller, name: keyName, hint: keyHint, user: userName },
  requests: group.requests,
  first_at: group.firstAt / 1000,
  last_at: group.lastAt / 1000,
  body_fields: group.bodyFields,
});
