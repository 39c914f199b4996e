/** Spent money in the admin API: what jobs were charged, by project, key, model, provider, day or tag; also as CSV. */
import { spendSchema } from '../../answers/admin/money.ts';
import { days, startOfMonth, toUnixSeconds } from '../../domain/clock.ts';
import { spendBreakdowns, spendCsv, spendLineBody } from '../../domain/spend.ts';
import { sumSpend } from '../../store/money/spend.ts';
import type { AdminRoute } from '../route.ts';
import { adminApi } from './admin-api.ts';
import { refuseField } from './admin-body.ts';
import { choiceOf, refuseUnknownQuery, timeOf } from './read-query.ts';

/** A leap year. Longer reports are several requests. */
const maxDays = 366;

/** By default of the present month of UTC, by project. A job counts when its hold ended. */
export const getSpend: AdminRoute = {
  method: 'GET',
  path: '/admin/v1/money/spend',
  auth: 'admin',
  role: 'viewer',
  errors: 'detail',
  refusals: ['input_invalid'],
  answers: {
    200: { description: 'The report, as JSON or CSV.', body: spendSchema },
  },
  docs: { undocumented: adminApi },
  open:
    ({ db, clock }) =>
    async (_operator, request, reply) => {
      refuseUnknownQuery(request, ['by', 'from', 'to', 'format']);
      const by = choiceOf(request, 'by', spendBreakdowns) ?? 'project';
      const format = choiceOf(request, 'format', ['json', 'csv']) ?? 'json';
      const to = timeOf(request, 'to') ?? clock.now() + 1;
      const from = timeOf(request, 'from') ?? startOfMonth(to - 1);
      if (from >= to) refuseField('from', 'must be before to');
      if (to - from > maxDays * days) refuseField('from', `must be at most ${maxDays} days before to`);
      const { lines, isCut } = await sumSpend(db, { by, from, to });
      if (format === 'csv') {
        return reply
          .header('content-type', 'text/csv; charset=utf-8')
          .header('content-disposition', `attachment; filename="atelier-spend-by-${by}.csv"`)
          .send(spendCsv(by, lines));
      }
      const period = { from: toUnixSeconds(from), to: toUnixSeconds(to) };
      return { object: 'money_spend', by, ...period, data: lines.map(spendLineBody), truncated: isCut };
    },
};
