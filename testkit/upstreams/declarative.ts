/** Fakes of two made-up upstreams, for providers that are declared in `atelier.yaml`. */
import { z } from 'zod';
import { jsonAnswer } from '../upstream/answer.ts';
import { stageOf, type UpstreamJob } from '../upstream/jobs.ts';
import type { Addresses, Protocol } from './protocol.ts';

const creation = z.object({ model: z.string() });
const sameKey = z.object({ client: z.object({ ref: z.string() }), model: z.string() });
const query = z.object({ task: z.string() });

/** The made-up upstream of docs/providers/declarative.md. */
export const lumen: Protocol = {
  dedupe: 'replay',
  keyOf: headers => /^Token (.+)$/.exec(String(headers['x-lumen-key'] ?? ''))?.[1] ?? null,
  read({ method, path, headers, json }) {
    if (method === 'POST' && /^\/v1\/(?:text|image)-to-video$/.test(path)) {
      const model = creation.safeParse(json).data?.model;
      const idempotencyKey = z.string().parse(headers['idempotency-key']);
      return model ? { on: 'create', model, kind: 'video', idempotencyKey } : null;
    }
    const [, id = '', end] = /^\/v1\/tasks\/([^/]+)(\/cancel)?$/.exec(path) ?? [];
    if (id === '') return null;
    if (end !== undefined) return method === 'POST' ? { on: 'cancel', id } : null;
    return method === 'GET' ? { on: 'status', id } : null;
  },
  created: ({ id }) => enveloped({ task_id: id }),
  status: (job, addresses) => enveloped(taskOf(job, addresses)),
  cancelled: ({ id }) => enveloped({ task_id: id }),
  unauthorized: jsonAnswer(401, { code: 1000, message: 'Unknown key' }),
  missing: jsonAnswer(404, { code: 1004, message: 'Not found' }),
};

/** Every answer of Lumen has this envelope. */
const enveloped = (data: unknown) => jsonAnswer(200, { code: 0, message: 'success', data });

function taskOf(job: UpstreamJob, { mediumUrlOf }: Addresses) {
  const head = { task_id: job.id, videos: [] };
  if (job.cancelledAt !== null) return { ...head, status: 'canceled' };
  switch (stageOf(job)) {
    case 'IN_QUEUE':
      return { ...head, status: 'queued' };
    case 'IN_PROGRESS':
      return { ...head, status: 'processing' };
    case 'COMPLETED':
      return { ...head, status: 'done', seconds: 3, videos: [{ url: mediumUrlOf(job) }] };
  }
}

/** Another shape: its states are numbers, it is polled by POST, and its results are bytes that a separate request fetches. */
export const inkwell: Protocol = {
  dedupe: 'replay',
  keyOf: headers => String(headers.authorization ?? '').slice('Bearer '.length),
  read({ method, path, json }) {
    if (method === 'POST' && path === '/draw/ink-1') {
      const { client, model } = sameKey.parse(json);
      return { on: 'create', model, kind: 'image', idempotencyKey: client.ref };
    }
    if (method === 'POST' && path === '/query') return { on: 'status', id: query.parse(json).task };
    const [, id = ''] = /^\/pictures\/([^/]+)$/.exec(path) ?? [];
    if (id === '') return null;
    if (method === 'DELETE') return { on: 'cancel', id };
    return method === 'GET' ? { on: 'response', id } : null;
  },
  created: ({ id }) => jsonAnswer(202, [{ id }]),
  status: job => jsonAnswer(200, { state: stageOf(job) === 'COMPLETED' ? 2 : 1 }),
  response: ({ medium }, { base }) =>
    jsonAnswer(200, {
      pictures: [{ b64: `data:image/png;base64,${medium.bytes.toString('base64')}` }],
      first: medium.bytes.toString('base64'),
      page: `${base}/gallery`,
    }),
  cancelled: ({ id }) => jsonAnswer(200, { id }),
  unauthorized: jsonAnswer(401, { error: 'Unauthorized' }),
  missing: jsonAnswer(404, { error: 'Not found' }),
};
