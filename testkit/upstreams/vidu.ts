/** The protocol of Vidu, written from its public documents. */
import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { jsonAnswer } from '../upstream/answer.ts';
import { stageOf, type UpstreamJob } from '../upstream/jobs.ts';
import type { Places, Protocol } from './kit.ts';

const body = z.object({ payload: z.string(), callback_url: z.string().optional() });
const paths = ['/ent/v2/extend', '/ent/v2/img2video', '/ent/v2/start-end2video'];
/** What every video is called there. */
export const creationName = '868731842374160384';

/** The list is of all tasks of an account. */
const any = { model: 'vidu', task: 'any' };

/** https://platform.vidu.com/docs */
export const vidu: Protocol = {
  dedupe: 'lookup',
  keyOf: headers => /^Token (.+)$/.exec(headers.authorization ?? '')?.[1] ?? null,
  read({ method, path, query, json }) {
    if (method === 'POST' && paths.includes(path)) {
      const payload = body.safeParse(json).data?.payload ?? '';
      // What a task carries is kept where other upstreams keep a key; here it makes no repetition free.
      return { on: 'create', kind: 'video', ...any, idempotencyKey: payload };
    }
    if (method === 'GET' && path === '/ent/v2/tasks')
      return {
        on: 'list',
        ...any,
        ...(query.get('pager.page') !== '0' && { task: 'beyond the first page' }),
      };
    const [, id = '', end] = /^\/ent\/v2\/tasks\/([^/]+)\/(creations|cancel)$/.exec(path) ?? [];
    if (id === '') return null;
    if (end === 'cancel') return method === 'POST' ? { on: 'cancel', id } : null;
    return method === 'GET' ? { on: 'status', id } : null;
  },
  created: ({ id, acceptedAt }) =>
    jsonAnswer(200, {
      task_id: id,
      state: 'created',
      credits: 4,
      created_at: new Date(acceptedAt).toISOString(),
    }),
  status: (job, places) => jsonAnswer(200, taskOf(job, places)),
  listed: (jobs, places) =>
    jsonAnswer(200, { tasks: jobs.map(job => taskOf(job, places)), next_page_token: '' }),
  cancelled: (_, told) =>
    told === 'cancelled'
      ? jsonAnswer(200, {})
      : jsonAnswer(400, problem(400, 'BadRequest', 'task state is scheduled, can not cancel')),
  calls: {
    addressIn: ({ json }) => body.safeParse(json).data?.callback_url ?? null,
    signed: ({ pathname, search }, _, { secret, now }) => {
      const date = new Date(now).toUTCString();
      const head = ['POST', pathname, search.slice(1), 'vidu', date].join('\n');
      const text = `${head}\nDate:${date}\nx-request-nonce:n0nce\n`;
      return {
        date,
        'x-request-nonce': 'n0nce',
        'x-hmac-access-key': 'vidu',
        'x-hmac-algorithm': 'hmac-sha256',
        'x-hmac-signed-headers': 'Date;x-request-nonce',
        'x-hmac-signature': createHmac('sha256', secret).update(text).digest('base64'),
      };
    },
  },
  unauthorized: jsonAnswer(401, problem(401, 'Unauthorized', 'unauthorized')),
  missing: jsonAnswer(404, problem(404, 'TaskNotFound', 'task not found')),
};

function problem(code: number, reason: string, message: string) {
  return { code, reason, message, metadata: { trace_id: '04e5c2fe159ff7c574acd0424e78c35f' } };
}

function taskOf(job: UpstreamJob, { mediumOf }: Places) {
  const head = {
    id: job.id,
    err_code: '',
    credits: 4,
    payload: job.creation.idempotencyKey,
    bgm: false,
    creations: [],
  };
  // Only what was not scheduled yet can be cancelled.
  if (job.cancelledAt !== null && job.cancelledAt < job.runsAt)
    return { ...head, state: 'failed', err_code: 'UserCancelled', credits: 0 };
  switch (stageOf({ ...job, cancelledAt: null })) {
    case 'IN_QUEUE':
      return { ...head, state: 'queueing' };
    case 'IN_PROGRESS':
      return { ...head, state: 'processing' };
    case 'COMPLETED':
      return { ...head, state: 'success', creations: [{ id: creationName, url: mediumOf(job) }] };
  }
}
