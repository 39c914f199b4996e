import { jobIdFromRow } from '../../domain/ids.ts';
import { mayAct } from '../../domain/person.ts';
import { listAudit } from '../../store/audit.ts';
import { readFoundJob } from '../../store/job-search.ts';
import { countedWaiting, listNewestResults, readOverview } from '../../store/overview.ts';
import { type HttpParts, queryValue, type Route } from '../parts.ts';
import { identifyOperator } from './identify-operator.ts';
import { auditBody } from './job-detail.ts';
import { jobLine } from './jobs.ts';
import { limitOf } from './read-query.ts';

const shownResults = 8;

/** The queue at this moment, and what needs somebody: one request for the first page. */
export const getOverview = (parts: HttpParts): Route => ({
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
      waiting: Math.min(overview.waiting, countedWaiting),
      waiting_is_more: overview.waiting > countedWaiting,
      running: overview.running,
      waiting_since: overview.waitingSince === null ? null : overview.waitingSince / 1000,
      completed_in_hour: overview.completedInHour,
      failures: overview.failures.map(({ modelId, jobId, ...group }) => ({
        ...group,
        model: modelId,
        request_id: jobId,
      })),
      open_doubts: overview.openDoubts,
      failed_deliveries: overview.failedDeliveries,
      keys: overview.keys,
      not_ready: await parts.whyNotReady(),
      accounts: await parts.accounts.list(),
      results: queryValue(request, 'results') === '0' ? [] : await newestResults(parts),
    };
  },
});

/** What was done and by whom, the newest first. What concerns people is for those alone who may see people. */
export const getAudit = (parts: HttpParts): Route => ({
  method: 'GET',
  path: '/admin/v1/audit',
  errors: 'detail',
  async handle(request) {
    const { role } = await identifyOperator(parts, request);
    const rows = await listAudit(parts.db, limitOf(request, 50), mayAct(role, 'admin'));
    return { object: 'list', data: rows.map(auditBody), has_more: false };
  },
});

async function newestResults(parts: HttpParts) {
  const ids = await listNewestResults(parts.db, shownResults);
  const jobs = await Promise.all(ids.map(id => readFoundJob(parts.db, jobIdFromRow(id))));
  return jobs.flatMap(job => (job ? [jobLine(parts, job)] : []));
}
