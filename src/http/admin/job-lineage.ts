/** The jobs that a job was made from, and those that were made from it. */

import { jobLineageSchema } from '../../answers/admin/job-lineage.ts';
import { modelOfJob } from '../../catalog/catalog.ts';
import type { Model } from '../../catalog/model.ts';
import { parseFileId, parseJobId } from '../../domain/ids.ts';
import { listChildren, listParents, type Relative } from '../../store/jobs/lineage.ts';
import type { FoundJob } from '../../store/jobs/search.ts';
import type { HttpContext } from '../http-context.ts';
import type { AdminRoute } from '../route.ts';
import { adminApi } from './admin-api.ts';
import { findAnyJob, jobSummaryBody } from './jobs.ts';

/** Jobs of either side: a strip of thumbnails. No input of the catalog names more results. */
const maxRelatives = 24;

/** Both sides of one job. */
export const getJobLineage: AdminRoute = {
  method: 'GET',
  path: '/admin/v1/jobs/:jobId/lineage',
  auth: 'admin',
  role: 'viewer',
  errors: 'detail',
  refusals: ['job_unknown'],
  answers: {
    200: { description: 'Its parents and its children.', body: jobLineageSchema },
  },
  docs: { undocumented: adminApi },
  open: context => async (_operator, request) => {
    const job = await findAnyJob(context, request);
    const parents = await listParents(context.db, job.id, namedIn(modelOfJob(context.catalog, job), job));
    const { children, hasMore } = await listChildren(context.db, job.id, maxRelatives);
    return {
      object: 'lineage',
      request_id: job.id,
      parents: parents.map(relative => relativeBody(context, relative)),
      children: children.map(relative => relativeBody(context, relative)),
      has_more: hasMore,
    };
  },
};

/** The ids of jobs and of files that an input names. Those of an upstream are none of ours. */
function namedIn(model: Model, { input }: FoundJob) {
  const references = model.references(input).map(({ id }) => id);
  const media = model.media(input).map(({ value }) => value.replace(/^asset:\/\//, ''));
  const jobIds = references.flatMap(id => parseJobId(id) ?? []);
  const fileIds = [...references, ...media].flatMap(id => parseFileId(id) ?? []);
  return { jobIds: jobIds.slice(0, maxRelatives), fileIds: [...new Set(fileIds)].slice(0, maxRelatives) };
}

/** A line of a list, with the relation. */
const relativeBody = (context: HttpContext, { job, relation }: Relative) => ({
  ...jobSummaryBody(context, job),
  relation,
});
