/** A fake of DashScope: asynchronous video tasks without a dedupe key. */
import { z } from 'zod';
import { jsonAnswer } from '../upstream/answer.ts';
import { stageOf, type UpstreamJob } from '../upstream/jobs.ts';
import type { Addresses, Protocol } from './protocol.ts';

const body = z.object({ model: z.string(), input: z.object({ prompt: z.string() }) });
const request_id = '4909100c-7b5a-9f92-bfe5-000000000000';

/** https://www.alibabacloud.com/help/en/model-studio/text-to-video-api-reference */
export const dashscope: Protocol = {
  dedupe: 'none',
  keyOf: headers => /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? null,
  read({ method, path, headers, json }) {
    if (path === '/api/v1/services/aigc/video-generation/video-synthesis') {
      const model = body.safeParse(json).data?.model;
      // It has no synchronous answer: the header is required.
      const isAsync = headers['x-dashscope-async'] === 'enable';
      return method === 'POST' && isAsync && model ? { on: 'create', model, kind: 'video' } : null;
    }
    const [, id = '', end] = /^\/api\/v1\/tasks\/([^/]+)(\/cancel)?$/.exec(path) ?? [];
    if (id === '') return null;
    if (end === '/cancel') return method === 'POST' ? { on: 'cancel', id } : null;
    return method === 'GET' ? { on: 'status', id } : null;
  },
  created: ({ id }) => jsonAnswer(200, { request_id, output: { task_id: id, task_status: 'PENDING' } }),
  status: (job, addresses) => jsonAnswer(200, taskOf(job, addresses)),
  cancelled: (_, outcome) =>
    outcome === 'cancelled'
      ? jsonAnswer(200, { request_id })
      : jsonAnswer(400, {
          request_id,
          code: 'UnsupportedOperation',
          message: 'Failed to cancel the task, please confirm if the task is in PENDING status.',
        }),
  unauthorized: jsonAnswer(401, { request_id, code: 'InvalidApiKey', message: 'Invalid API-key provided.' }),
  missing: jsonAnswer(404, { request_id, code: 'NotFound', message: 'Not found.' }),
};

/** A cancellation counts only where it came before the run: a running task goes on. */
function taskOf(job: UpstreamJob, { mediumUrlOf }: Addresses) {
  const head = { task_id: job.id, submit_time: '2026-01-02 03:04:05.678' };
  // Only a pending task can be cancelled.
  if (job.cancelledAt !== null && job.cancelledAt < job.runsAt)
    return { request_id, output: { ...head, task_status: 'CANCELED' } };
  switch (stageOf({ ...job, cancelledAt: null })) {
    case 'IN_QUEUE':
      return { request_id, output: { ...head, task_status: 'PENDING' } };
    case 'IN_PROGRESS':
      return { request_id, output: { ...head, task_status: 'RUNNING' } };
    case 'COMPLETED':
      return {
        request_id,
        output: { ...head, task_status: 'SUCCEEDED', video_url: mediumUrlOf(job), orig_prompt: 'A red boat' },
        usage: { duration: 2, output_video_duration: 2, input_video_duration: 0, video_count: 1, SR: 720 },
      };
  }
}
