/** A fake of Youchuan: follow-ups of jobs that its account knows. */
import { z } from 'zod';
import { jsonAnswer } from '../upstream/answer.ts';
import { stageOf, type UpstreamJob } from '../upstream/jobs.ts';
import type { Addresses, Protocol } from './protocol.ts';

/** The app id of the operator's account. */
export const youchuanApp = 'app-1';
/** A job that exists at the upstream before any test. */
export const earlierJob = 'b1f0c8de-0000-4000-8000-000000000001';

/** A follow-up names a job that the account knows. */
const followUp = z.object({
  jobId: z.literal(earlierJob),
  imageNo: z.int().min(0).max(3),
  callback: z.string().optional(),
});

/** https://tob.youchuan.cn/docs */
export const youchuan: Protocol = {
  dedupe: 'none',
  keyOf: ({ 'x-youchuan-app': app, 'x-youchuan-secret': secret }) =>
    app === youchuanApp && typeof secret === 'string' ? secret : null,
  read({ method, path, json }) {
    const [, model] = /^\/v1\/tob\/(edit|outpaint|upscale)$/.exec(path) ?? [];
    if (method === 'POST' && model !== undefined)
      return followUp.safeParse(json).success ? { on: 'create', model, kind: 'image' } : null;
    const [, id] = /^\/v1\/tob\/job\/([^/]+)$/.exec(path) ?? [];
    return method === 'GET' && id !== undefined ? { on: 'status', id } : null;
  },
  created: ({ id }) => jsonAnswer(200, { id, status: 1, comment: 'JobStatusCreated', urls: [] }),
  status: (job, addresses) => jsonAnswer(200, jobOf(job, addresses)),
  webhook: { urlIn: ({ json }) => followUp.safeParse(json).data?.callback ?? null },
  unauthorized: jsonAnswer(401, { code: 401, message: 'invalid app', reason: 'Invalid_App_Identifier' }),
  missing: jsonAnswer(404, { code: 404, message: 'job not found', reason: 'Job_Not_Found' }),
};

/** An upscale has one picture, every other job four. */
function jobOf(job: UpstreamJob, { mediumUrlOf }: Addresses) {
  const { id, creation } = job;
  const pictures = creation.model === 'upscale' ? 1 : 4;
  switch (stageOf(job)) {
    case 'IN_QUEUE':
      return { id, status: 1, comment: 'JobStatusQueued', urls: [] };
    case 'IN_PROGRESS':
      return { id, status: 1, comment: 'JobStatusRunning', urls: [] };
    case 'COMPLETED':
      return { id, status: 2, comment: 'JobStatusSuccess', urls: Array(pictures).fill(mediumUrlOf(job)) };
  }
}
