/** The first page of the console, and the audit log. */

import { auditListSchema } from '../../answers/admin/audit.ts';
import { overviewSchema } from '../../answers/admin/overview.ts';
import { jobIdFromRow } from '../../domain/ids.ts';
import { hasRoleAtLeast } from '../../domain/person.ts';
import { listNewestResults, maxCountedWaiting, readOverview } from '../../store/jobs/overview.ts';
import { readFoundJob } from '../../store/jobs/search.ts';
import { listAudit, listAuditExceptPeople } from '../../store/people/audit.ts';
import type { HttpContext } from '../http-context.ts';
import { queryValue } from '../request-values.ts';
import type { AdminRoute } from '../route.ts';
import { adminApi } from './admin-api.ts';
import { auditBodyFor } from './job-detail.ts';
import { jobSummaryBody } from './jobs.ts';
import { openLastDay } from './last-day.ts';
import { limitOf } from './read-query.ts';

/** The newest results on the first page. */
const shownResults = 8;

/** The queue at this moment, and what needs an operator: one request for the first page. */
export const getOverview: AdminRoute = {
  method: 'GET',
  path: '/admin/v1/overview',
  auth: 'admin',
  role: 'viewer',
  errors: 'detail',
  refusals: [],
  answers: {
    200: { description: 'The overview.', body: overviewSchema },
  },
  docs: { undocumented: adminApi },
  open: context => {
    const lastDay = openLastDay(context);
    return async (_operator, request) => {
      const now = context.clock.now();
      const overview = await readOverview(context.db, now);
      return {
        object: 'overview',
        // Unix seconds with a fraction, of this and of `waiting_since`: the console draws ages from them.
        at: now / 1000,
        // Counting stops at a bound, because a queue may be longer than is worth a scan.
        waiting: Math.min(overview.waiting, maxCountedWaiting),
        waiting_is_more: overview.waiting > maxCountedWaiting,
        running: overview.running,
        waiting_since: overview.waitingSince === null ? null : overview.waitingSince / 1000,
        completed_in_hour: overview.completedInHour,
        failures: overview.failures.map(({ modelId, jobId, ...group }) => ({
          ...group,
          model: modelId,
          request_id: jobId,
        })),
        open_doubts: overview.uncertainSubmissions,
        failed_deliveries: overview.failedDeliveries,
        keys: overview.keys,
        not_ready: await context.whyNotReady(),
        settings_faults: [...context.settingsFaults()],
        last_day: await lastDay(),
        accounts: await context.accounts.list(),
        // `results=0` leaves them out.
        results: queryValue(request, 'results') === '0' ? [] : await newestResults(context),
      };
    };
  },
};

/** The audit log, newest first. Entries about people are shown to admins alone. */
export const getAudit: AdminRoute = {
  method: 'GET',
  path: '/admin/v1/audit',
  auth: 'admin',
  role: 'viewer',
  errors: 'detail',
  refusals: ['input_invalid'],
  answers: {
    200: { description: 'Entries of the audit log.', body: auditListSchema },
  },
  docs: { undocumented: adminApi },
  open:
    context =>
    async ({ role }, request) => {
      const list = hasRoleAtLeast(role, 'admin') ? listAudit : listAuditExceptPeople;
      const rows = await list(context.db, limitOf(request, 50));
      return { object: 'list', data: rows.map(auditBodyFor(role)), has_more: false };
    },
};

/** The newest completed jobs, with their outputs. */
async function newestResults(context: HttpContext) {
  const ids = await listNewestResults(context.db, shownResults);
  const jobs = await Promise.all(ids.map(id => readFoundJob(context.db, jobIdFromRow(id))));
  return jobs.flatMap(job => (job ? [jobSummaryBody(context, job)] : []));
}
