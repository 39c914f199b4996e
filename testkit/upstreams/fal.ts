/** A fake of fal.ai's queue: status and result are two addresses. */
import { jsonAnswer } from '../upstream/answer.ts';
import { stageOf, type UpstreamJob } from '../upstream/jobs.ts';
import { type Kind, sha256 } from '../upstream/media.ts';
import type { Addresses, Protocol } from './protocol.ts';
import { publishedSchema } from './published.ts';

/** https://fal.ai/docs/platform-apis/v1/models/requests/by-endpoint */
const historyPath = '/v1/models/requests/by-endpoint';

/** https://fal.ai/docs/documentation/model-apis/queue: requests are addressed below `owner/app`, whatever endpoint created them. */
export const fal: Protocol = {
  dedupe: 'none',
  keyOf: headers => /^Key (.+)$/.exec(headers.authorization ?? '')?.[1] ?? null,
  read({ method, path }) {
    const [, id, end = ''] = /^\/[^/]+\/[^/]+\/requests\/([^/]+)(\/status|\/cancel)?$/.exec(path) ?? [];
    if (id !== undefined) {
      if (end === '/cancel') return method === 'PUT' ? { on: 'cancel', id } : null;
      return method === 'GET' ? { on: end === '/status' ? 'status' : 'response', id } : null;
    }
    const model = path.slice(1);
    return method === 'POST' ? { on: 'create', model, kind: kindOf(model) } : null;
  },
  created: (job, addresses) =>
    jsonAnswer(200, { ...headOf(job, addresses), status: 'IN_QUEUE', queue_position: 0 }),
  status(job, addresses) {
    const stage = stageOf(job);
    const isCancelled = job.cancelledAt !== null;
    const error = isCancelled ? { error: 'Request was cancelled', error_type: 'client_cancelled' } : {};
    const body = {
      ...headOf(job, addresses),
      status: stage,
      ...(stage === 'COMPLETED' && { logs: null, ...error }),
    };
    return jsonAnswer(stage === 'COMPLETED' ? 200 : 202, body);
  },
  response(job, { mediumUrlOf }) {
    if (job.cancelledAt !== null)
      return jsonAnswer(499, { detail: 'Request was cancelled', error_type: 'client_cancelled' });
    const file = { url: mediumUrlOf(job), content_type: job.medium.contentType, file_name: job.medium.name };
    switch (kindOf(job.creation.model)) {
      case 'image':
        return jsonAnswer(200, { images: [file] });
      case 'video':
        return jsonAnswer(200, { video: file, seed: 42 });
      case 'speech':
        return jsonAnswer(200, { audio: file, duration_ms: 250 });
    }
  },
  cancelled: (_, outcome) =>
    outcome === 'already_final'
      ? jsonAnswer(400, { status: 'ALREADY_COMPLETED' })
      : jsonAnswer(outcome === 'cancelled' ? 200 : 202, {
          status: outcome === 'cancelled' ? 'OK' : 'CANCELLATION_REQUESTED',
        }),
  webhook: {
    urlIn: ({ query }) => query.get('fal_webhook'),
    // fal signs with its private key, which no fake has: the gateway does not verify it.
    body: ({ id }) => ({ request_id: id, gateway_request_id: id, status: 'OK', error: null, payload: null }),
  },
  published: ({ method, path, query }) =>
    method === 'GET' && path === '/api/openapi/queue/openapi.json'
      ? publishedSchema(
          `fal-${(query.get('endpoint_id') ?? '').replace(/^[^/]+\//, '').replaceAll('/', '-')}`,
        )
      : null,
  unauthorized: jsonAnswer(401, { detail: 'Cannot access application. Authentication is required.' }),
  missing: jsonAnswer(404, { detail: 'Not Found' }),
};

function headOf(job: UpstreamJob, { base }: Addresses) {
  const [owner, app] = job.creation.model.split('/');
  const at = `${base}/${owner}/${app}/requests/${job.id}`;
  return { request_id: job.id, response_url: at, status_url: `${at}/status`, cancel_url: `${at}/cancel` };
}

function kindOf(model: string): Kind {
  if (/speech|tts/.test(model)) return 'speech';
  return /-image$|nano-banana/.test(model) ? 'image' : 'video';
}

/** The same with its list of requests. `now`: the clock of the gateway, epoch ms, because tests let its time fly. */
export function falWithHistory(now: () => number): Protocol {
  const inputs = new Map<string, unknown>();
  /** By the number of the submission. */
  const sent = new Map<number, number>();
  return {
    ...fal,
    read(request) {
      const { method, path, query, text, json } = request;
      if (method === 'GET' && path === historyPath)
        return { on: 'list', model: query.get('endpoint_id') ?? '', task: '' };
      const call = fal.read(request);
      if (call?.on !== 'create') return call;
      inputs.set(sha256(text), json);
      return { ...call, task: '' };
    },
    created(job, places) {
      sent.set(job.creation.submission, now());
      return fal.created(job, places);
    },
    listed(jobs, _, { query }) {
      const start = Date.parse(query.get('start') ?? '');
      const items = jobs
        .map(job => ({ job, at: sent.get(job.creation.submission) ?? now() }))
        .filter(({ at }) => at >= start)
        .map(({ job: { id, creation }, at }) => ({
          request_id: id,
          endpoint_id: creation.model,
          sent_at: new Date(at).toISOString(),
          json_input: query.get('expand') === 'payloads' ? inputs.get(creation.bodySha256) : undefined,
        }));
      return jsonAnswer(200, { items, next_cursor: null, has_more: false });
    },
  };
}
