import { jobIdFromRow } from '../../domain/ids.ts';
import { hasRoleAtLeast } from '../../domain/person.ts';
import { listNewestResults, maxCountedWaiting, readOverview } from '../../store/jobs/overview.ts';
import { readFoundJob } from '../../store/jobs/search.ts';
import { listAudit, listAuditExceptPeople } from '../../store/people/audit.ts';
import { type HttpContext, queryValue, type Route } from '../route.ts';
import { identifyOperator } from './identify-operator.ts';
import { auditBodyFor } from './job-detail.ts';
import { jobSummaryBody } from './jobs.ts';
import { limitOf } from './read-query.ts';

const shownResults = 8;

/** The queue at this moment, and what needs somebody: one request for the first page. */
export const getOverview = (parts: HttpContext): Route => ({
  method: 'GET',
  path: '/admin/v1/overview',
  errors: 'detail',
  async handle(request) {
    await identifyOperator(parts, request);
    const now = parts.clock.now();
    const overview = await readOverview(parts.db, now);
    return {
      object: 'overview',
      at: now / 1000,
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
      not_ready: await parts.whyNotReady(),
      accounts: await parts.accounts.list(),
      results: queryValue(request, 'results') === '0' ? [] : await newestResults(parts),
    };
  },
});

/** What was done and by whom, the newest first. What concerns people is for those alone who may see people. */
export const getAudit = (parts: HttpContext): Route => ({
  method: 'GET',
  path: '/admin/v1/audit',
  errors: 'detail',
  async handle(request) {
    const { role } = await identifyOperator(parts, request);
    const list = hasRoleAtLeast(role, 'admin') ? listAudit : listAuditExceptPeople;
    const rows = await list(parts.db, limitOf(request, 50));
    return { object: 'list', data: rows.map(auditBodyFor(role)), has_more: false };
  },
});

async function newestResults(parts: HttpContext) {
  const ids = await listNewestResults(parts.db, shownResults);
  const jobs = await Promise.all(ids.map(id => readFoundJob(parts.db, jobIdFromRow(id))));
  return jobs.flatMap(job => (job ? [jobSummaryBody(parts, job)] : []));
}
