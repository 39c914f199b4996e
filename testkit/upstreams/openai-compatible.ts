/** A fake of servers that follow the OpenAI API: videos, images and speech. */
import { jsonAnswer, type Truth } from '../upstream/answer.ts';
import { stageOf } from '../upstream/jobs.ts';
import { readForm } from './forms.ts';
import type { Protocol, ProtocolCall, ProtocolRequest } from './protocol.ts';

/**
 * The Videos API of vLLM-Omni and SGLang, `/video` of LocalAI, and the images and speech that all of them share.
 * `usesObjectStorage`: results are in object storage, as SGLang can store them, else at the server itself.
 */
export const openaiCompatible = (usesObjectStorage: boolean): Protocol => ({
  dedupe: 'none',
  keyOf: headers => /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? null,
  read(request) {
    const form = readForm(request);
    // Tests compare recorded requests by their JSON: a form is recorded as JSON.
    if (form) Object.assign(request, { json: form });
    return request.method === 'POST' ? readCreation(request) : readJobCall(request);
  },
  created(job, { mediumUrlOf }): Truth {
    const { bytes, contentType } = job.medium;
    const head = { id: job.id, created: 1_701_234_567 };
    switch (job.creation.model) {
      case 'speech':
        return { status: 200, headers: { 'content-type': contentType }, body: bytes };
      case 'images':
        return jsonAnswer(200, { ...head, data: [{ b64_json: bytes.toString('base64'), url: null }] });
      case 'video':
        return jsonAnswer(200, { ...head, data: [{ url: mediumUrlOf(job) }] });
      default:
        return jsonAnswer(200, { id: job.id, object: 'video', status: 'queued', created_at: 1_701_234_567 });
    }
  },
  status(job, { mediumUrlOf }) {
    if (job.cancelledAt !== null) return missing;
    const head = { id: job.id, object: 'video', created_at: 1_701_234_567 };
    switch (stageOf(job)) {
      case 'IN_QUEUE':
        return jsonAnswer(200, { ...head, status: 'queued', progress: 0 });
      case 'IN_PROGRESS':
        return jsonAnswer(200, { ...head, status: 'in_progress', progress: 40 });
      case 'COMPLETED': {
        const url = usesObjectStorage ? mediumUrlOf(job) : null;
        return jsonAnswer(200, { ...head, status: 'completed', progress: 100, url });
      }
    }
  },
  response: ({ medium: { bytes, contentType } }) => ({
    status: 200,
    headers: { 'content-type': contentType },
    body: bytes,
  }),
  cancelled: ({ id }) => jsonAnswer(200, { id, object: 'video.deleted', deleted: true }),
  listed: jobs => jsonAnswer(200, { object: 'list', data: jobs.map(({ id }) => ({ id, object: 'video' })) }),
  unauthorized: jsonAnswer(401, {
    error: { message: 'Unauthorized', type: 'invalid_request_error', code: null },
  }),
  missing: jsonAnswer(404, { detail: 'Not Found' }),
});

const missing = jsonAnswer(404, { detail: 'Video not found' });

/** The path decides the kind of medium; only `/v1/videos` is asynchronous and listed. */
function readCreation({ path }: ProtocolRequest): ProtocolCall | null {
  switch (path) {
    case '/v1/videos':
      return { on: 'create', model: 'videos', kind: 'video', task: 'listed' };
    case '/video':
      return { on: 'create', model: 'video', kind: 'video' };
    case '/v1/images/generations':
    case '/v1/images/edits':
      return { on: 'create', model: 'images', kind: 'image' };
    case '/v1/audio/speech':
      return { on: 'create', model: 'speech', kind: 'speech' };
    default:
      return null;
  }
}

/** Requests about videos: poll, content, deletion and the list. */
function readJobCall({ method, path }: ProtocolRequest): ProtocolCall | null {
  if (method === 'GET' && path === '/v1/videos') return { on: 'list', model: 'videos', task: 'listed' };
  const [, id, end] = /^\/v1\/videos\/([^/]+)(\/content)?$/.exec(path) ?? [];
  if (id === undefined) return null;
  if (method === 'DELETE' && end === undefined) return { on: 'cancel', id };
  return method === 'GET' ? { on: end === undefined ? 'status' : 'response', id } : null;
}
