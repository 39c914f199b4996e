/** A fake of Kling: its classic API and API 2.0, both looked up by external_task_id. */
import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { jsonAnswer } from '../upstream/answer.ts';
import { stageOf, type UpstreamJob } from '../upstream/jobs.ts';
import type { Addresses, Protocol } from './protocol.ts';

const classic = /^\/v1\/(?:videos\/(?:motion-control|omni-video)|images\/(?:generations|multi-image2image))$/;
const turbo = /^\/text-to-video\/kling-3\.0-turbo$/;
/** Kling's own task ids; every other name in a path is an external_task_id. */
const taskId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const name = z.object({ external_task_id: z.string().optional(), callback_url: z.string().optional() });
const creation = name.extend({ options: name.optional() });

/** https://klingai.com/document-api: the classic API below `/v1`, and API 2.0. */
export const kling: Protocol = {
  dedupe: 'lookup',
  keyOf: headers => keyIn(/^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? null),
  read({ method, path, query, json }) {
    if (method === 'POST') {
      const body = creation.safeParse(json).data;
      const task = turbo.test(path) ? body?.options?.external_task_id : body?.external_task_id;
      if (!task || !(classic.test(path) || turbo.test(path))) return null;
      const kind = path.startsWith('/v1/images/') ? 'image' : 'video';
      return {
        on: 'create',
        model: path,
        kind,
        task,
        idempotencyKey: task,
      };
    }
    if (method !== 'GET') return null;
    if (path === '/tasks') {
      const externalIds = query.get('external_task_ids');
      if (externalIds) return { on: 'list', model: '/text-to-video/kling-3.0-turbo', task: externalIds };
      return { on: 'status', id: query.get('task_ids') ?? '' };
    }
    const [, at = '', id = ''] = /^(.+)\/([^/]+)$/.exec(path) ?? [];
    if (!classic.test(at)) return null;
    return taskId.test(id) ? { on: 'status', id } : { on: 'list', model: at, task: id };
  },
  created: (job, addresses) => enveloped(taskOf(job, addresses)),
  status: (job, addresses) =>
    enveloped(turbo.test(job.creation.model) ? [taskOf(job, addresses)] : taskOf(job, addresses)),
  listed(jobs, addresses, { path }) {
    if (path === '/tasks') return enveloped(jobs.map(job => taskOf(job, addresses)));
    return jobs[0] ? enveloped(taskOf(jobs[0], addresses)) : noSuchTask;
  },
  duplicateTask: jsonAnswer(400, { code: 1201, message: 'external_task_id is repeated', request_id: 'r' }),
  webhook: {
    urlIn({ path, json }) {
      const body = creation.safeParse(json).data;
      return (turbo.test(path) ? body?.options?.callback_url : body?.callback_url) ?? null;
    },
  },
  unauthorized: jsonAnswer(401, { code: 1002, message: 'Authorization is invalid', request_id: 'r' }),
  missing: jsonAnswer(404, { code: 1203, message: 'The requested resource does not exist', request_id: 'r' }),
};

export const noSuchTask = jsonAnswer(400, {
  code: 1201,
  message: 'Task not found by id/external id',
  request_id: 'r',
});

/** Every answer of Kling has this envelope. */
const enveloped = (data: unknown) => jsonAnswer(200, { code: 0, message: 'SUCCEED', request_id: 'r', data });

/** An API key, or the access key of a token that is signed with `SK_TEST`. Its times are not verified, as the clocks of tests run ahead. */
function keyIn(token: string | null): string | null {
  const [head, claims = '', signature] = token?.split('.') ?? [];
  if (token === null || signature === undefined) return token;
  const signed = createHmac('sha256', 'SK_TEST').update(`${head}.${claims}`).digest('base64url');
  const { iss } = z
    .object({ iss: z.string() })
    .parse(JSON.parse(Buffer.from(claims, 'base64url').toString()));
  return signature === signed ? iss : null;
}

const taskOf = (job: UpstreamJob, addresses: Addresses) =>
  turbo.test(job.creation.model) ? renewedTask(job, addresses) : classicTask(job, addresses);

const states = { IN_QUEUE: 'submitted', IN_PROGRESS: 'processing' } as const;

/** A task of the classic API. */
function classicTask(job: UpstreamJob, { mediumUrlOf }: Addresses) {
  const stage = stageOf(job);
  const file = { url: mediumUrlOf(job), watermark_url: mediumUrlOf(job) };
  const head = {
    task_id: job.id,
    task_status_msg: '',
    task_info: { external_task_id: job.creation.idempotencyKey },
    created_at: job.acceptedAt,
    updated_at: job.acceptedAt,
  };
  if (stage !== 'COMPLETED') return { ...head, task_status: states[stage] };
  const result =
    job.creation.makes === 'image' ? { images: [{ index: 0, ...file }] } : { videos: [video(file)] };
  return { ...head, task_status: 'succeed', task_result: result, final_unit_deduction: '3.5' };
}

/** A task of API 2.0. */
function renewedTask(job: UpstreamJob, { mediumUrlOf }: Addresses) {
  const stage = stageOf(job);
  const head = {
    id: job.id,
    external_id: job.creation.idempotencyKey,
    message: '',
    create_time: job.acceptedAt,
    update_time: job.acceptedAt,
  };
  if (stage !== 'COMPLETED') return { ...head, status: states[stage], outputs: [], billing: [] };
  const file = { url: mediumUrlOf(job), watermark_url: '' };
  return {
    ...head,
    status: 'succeeded',
    outputs: [{ type: 'video', ...video(file) }],
    billing: [{ charge_type: 'unit', amount: '4', package_type: 'video' }],
  };
}

const video = <File>(file: File) => ({ id: 'v', duration: '1.0', ...file });
