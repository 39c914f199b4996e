/** The protocol of OpenAI-compatible servers, written from its public documents. */
import { jsonAnswer, type Truth } from '../upstream/answer.ts';
import { stageOf } from '../upstream/jobs.ts';
import { readForm } from './forms.ts';
import type { Asked, Protocol, Question } from './kit.ts';

/**
 * The Videos API of vLLM-Omni and SGLang, `/video` of LocalAI, and the images and speech that all of them share.
 * `keepsElsewhere`: results lie in object storage, as SGLang can keep them, else at the server itself.
 */
export const openaiCompatible = (keepsElsewhere: boolean): Protocol => ({
  dedupe: 'none',
  keyOf: headers => /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? null,
  read(asked) {
    const form = readForm(asked);
    // What is kept of a request is its JSON: a form is kept as if it were.
    if (form) Object.assign(asked, { json: form });
    return asked.method === 'POST' ? readCreation(asked) : readQuestion(asked);
  },
  created(job, { mediumOf }): Truth {
    const { bytes, contentType } = job.medium;
    const head = { id: job.id, created: 1_701_234_567 };
    switch (job.creation.model) {
      case 'speech':
        return { status: 200, headers: { 'content-type': contentType }, body: bytes };
      case 'images':
        return jsonAnswer(200, { ...head, data: [{ b64_json: bytes.toString('base64'), url: null }] });
      case 'video':
        return jsonAnswer(200, { ...head, data: [{ url: mediumOf(job) }] });
      default:
        return jsonAnswer(200, { id: job.id, object: 'video', status: 'queued', created_at: 1_701_234_567 });
    }
  },
  status(job, { mediumOf }) {
    if (job.cancelledAt !== null) return missing;
    const head = { id: job.id, object: 'video', created_at: 1_701_234_567 };
    switch (stageOf(job)) {
      case 'IN_QUEUE':
        return jsonAnswer(200, { ...head, status: 'queued', progress: 0 });
      case 'IN_PROGRESS':
        return jsonAnswer(200, { ...head, status: 'in_progress', progress: 40 });
      case 'COMPLETED': {
        const url = keepsElsewhere ? mediumOf(job) : null;
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

function readCreation({ path }: Asked): Question | null {
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

function readQuestion({ method, path }: Asked): Question | null {
  if (method === 'GET' && path === '/v1/videos') return { on: 'list', model: 'videos', task: 'listed' };
  const [, id, end] = /^\/v1\/videos\/([^/]+)(\/content)?$/.exec(path) ?? [];
  if (id === undefined) return null;
  if (method === 'DELETE' && end === undefined) return { on: 'cancel', id };
  return method === 'GET' ? { on: end === undefined ? 'status' : 'response', id } : null;
}
