/** A fake of Vidu, whose callbacks are signed over their headers. */
import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { jsonAnswer } from '../upstream/answer.ts';
import { stageOf, type UpstreamJob } from '../upstream/jobs.ts';
import type { Addresses, Protocol } from './protocol.ts';

const body = z.object({ payload: z.string(), callback_url: z.string().optional() });
const paths = ['/ent/v2/extend', '/ent/v2/img2video', '/ent/v2/start-end2video'];
/** The id of every creation. */
export const creationName = '868731842374160384';

/** Its list returns all tasks of the account, whatever their model. */
const any = { model: 'vidu', task: 'any' };

/** https://platform.vidu.com/docs */
export const vidu: Protocol = {
  dedupe: 'lookup',
  keyOf: headers => /^Token (.+)$/.exec(headers.authorization ?? '')?.[1] ?? null,
  read({ method, path, query, json }) {
    if (method === 'POST' && paths.includes(path)) {
      const payload = body.safeParse(json).data?.payload ?? '';
      // The payload is recorded as the key; it does not make a repeated call free here.
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
  status: (job, addresses) => jsonAnswer(200, taskOf(job, addresses)),
  listed: (jobs, addresses) =>
    jsonAnswer(200, { tasks: jobs.map(job => taskOf(job, addresses)), next_page_token: '' }),
  cancelled: (_, outcome) =>
    outcome === 'cancelled'
      ? jsonAnswer(200, {})
      : jsonAnswer(400, problem(400, 'BadRequest', 'task state is scheduled, can not cancel')),
  webhook: {
    urlIn: ({ json }) => body.safeParse(json).data?.callback_url ?? null,
    signatureOf: ({ pathname, search }, _, { secret, now }) => {
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

/** An error body of Vidu's gateway. */
function problem(code: number, reason: string, message: string) {
  return { code, reason, message, metadata: { trace_id: '04e5c2fe159ff7c574acd0424e78c35f' } };
}

/** A cancellation counts only where it came before the run: a scheduled task goes on. */
function taskOf(job: UpstreamJob, { mediumUrlOf }: Addresses) {
  const head = {
    id: job.id,
    err_code: '',
    credits: 4,
    payload: job.creation.idempotencyKey,
    bgm: false,
    creations: [],
  };
  // Only a task that is not scheduled yet can be cancelled.
  if (job.cancelledAt !== null && job.cancelledAt < job.runsAt)
    return { ...head, state: 'failed', err_code: 'UserCancelled', credits: 0 };
  switch (stageOf({ ...job, cancelledAt: null })) {
    case 'IN_QUEUE':
      return { ...head, state: 'queueing' };
    case 'IN_PROGRESS':
      return { ...head, state: 'processing' };
    case 'COMPLETED':
      return { ...head, state: 'success', creations: [{ id: creationName, url: mediumUrlOf(job) }] };
  }
}
