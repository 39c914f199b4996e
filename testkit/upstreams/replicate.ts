/** A fake of Replicate: predictions, file uploads and signed webhooks. */
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { jsonAnswer } from '../upstream/answer.ts';
import { stageOf, type UpstreamJob } from '../upstream/jobs.ts';
import type { Kind } from '../upstream/media.ts';
import type { Addresses, Protocol } from './protocol.ts';
import { publishedSchema } from './published.ts';

const run = z.object({ version: z.string() });
const wanted = z.object({ webhook: z.string(), webhook_events_filter: z.tuple([z.literal('completed')]) });

/** https://replicate.com/docs/reference/http, below `/v1`. */
export const replicate: Protocol = {
  dedupe: 'none',
  keyOf: headers => /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? null,
  read({ method, path, json }) {
    if (method === 'POST' && path === '/v1/files') return { on: 'upload' };
    const [, named] = /^\/v1\/models\/([^/]+\/[^/]+)\/predictions$/.exec(path) ?? [];
    const model = named ?? (path === '/v1/predictions' ? run.safeParse(json).data?.version : undefined);
    if (method === 'POST' && model !== undefined) return { on: 'create', model, kind: kindOf(model) };
    const [, id = '', end] = /^\/v1\/predictions\/([^/]+)(\/cancel)?$/.exec(path) ?? [];
    if (id === '') return null;
    // Replicate writes ids without dashes.
    const known = id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
    if (end === '/cancel') return method === 'POST' ? { on: 'cancel', id: known } : null;
    return method === 'GET' ? { on: 'status', id: known } : null;
  },
  created: (job, addresses) => jsonAnswer(201, bodyOf(job, addresses)),
  status: (job, addresses) => jsonAnswer(200, bodyOf(job, addresses)),
  cancelled: job => jsonAnswer(200, { id: idOf(job), status: 'processing' }),
  uploaded: (id, { base }) => jsonAnswer(201, { id, urls: { get: `${base}/v1/files/${id}` } }),
  nameOf: id => nameOf(id),
  webhook: {
    urlIn: ({ json }) => wanted.safeParse(json).data?.webhook ?? null,
    signatureOf: (_, body, { secret, now }) => ({
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(now / 1000)),
      'webhook-signature': new Webhook(secret).sign('msg_1', new Date(now), body),
    }),
  },
  published({ method, path, headers }) {
    const [, name] = /^\/v1\/models\/[^/]+\/([^/]+)$/.exec(path) ?? [];
    // Unlike its models, its API answers nobody without a key.
    const isKnown = headers.authorization !== undefined;
    return method === 'GET' && name !== undefined && isKnown ? publishedSchema(`replicate-${name}`) : null;
  },
  unauthorized: jsonAnswer(401, {
    title: 'Unauthenticated',
    detail: 'You did not pass a valid token',
    status: 401,
  }),
  missing: jsonAnswer(404, { detail: 'The requested resource could not be found.', status: 404 }),
};

function kindOf(model: string): Kind {
  if (/speech/.test(model)) return 'speech';
  return /nano-banana/.test(model) ? 'image' : 'video';
}

const nameOf = (id: string): string => id.replaceAll('-', '');
const idOf = ({ id }: UpstreamJob): string => nameOf(id);

/** A prediction as creation, poll and webhook return it. */
function bodyOf(job: UpstreamJob, { base, mediumUrlOf }: Addresses) {
  const at = `${base}/v1/predictions/${idOf(job)}`;
  const head = { id: idOf(job), model: job.creation.model, urls: { get: at, cancel: `${at}/cancel` } };
  const metrics = { predict_time: 1.5, total_time: 2 };
  if (job.cancelledAt !== null) return { ...head, status: 'canceled', output: null, error: null, metrics };
  switch (stageOf(job)) {
    case 'IN_QUEUE':
      return { ...head, status: 'starting', output: null, error: null };
    case 'IN_PROGRESS':
      return { ...head, status: 'processing', output: null, error: null };
    case 'COMPLETED':
      return { ...head, status: 'succeeded', output: mediumUrlOf(job), error: null, metrics };
  }
}
