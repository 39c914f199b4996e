/** A fake of another gateway of the queue contract. */
import { z } from 'zod';
import { findModel } from '../../src/catalog/index.ts';
import { jsonAnswer } from '../upstream/answer.ts';
import { handleOf, resultOf, statusOf } from '../upstream/bodies.ts';
import { stageOf } from '../upstream/jobs.ts';
import { kindOf } from '../upstream/media.ts';
import type { Protocol } from './protocol.ts';

/** Only the video of a result is read: its family adds creations. */
const result = z.looseObject({ video: z.looseObject({}).optional() });

/** Contract 2 to 4. */
export const relay: Protocol = {
  dedupe: 'replay',
  keyOf: headers => /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? null,
  read({ method, path, headers }) {
    if (method === 'POST' && path === '/v1/files') return { on: 'upload' };
    const [, model = '', id, end = ''] =
      /^\/v1\/queue\/([^/]+)(?:\/requests\/([^/]+)\/(status|response|cancel))?$/.exec(path) ?? [];
    if (!findModel(model)) return null;
    if (id === undefined) {
      const idempotencyKey = [headers['idempotency-key']].flat()[0];
      const named = { on: 'create', model, kind: kindOf(model) } as const;
      return method === 'POST' ? { ...named, ...(idempotencyKey !== undefined && { idempotencyKey }) } : null;
    }
    if (end === 'cancel') return method === 'PUT' ? { on: 'cancel', id } : null;
    return method === 'GET' ? { on: end === 'status' ? 'status' : 'response', id } : null;
  },
  created: (job, { base }) => jsonAnswer(200, handleOf(base, job.id, job.creation.model)),
  status: (job, { base }) => jsonAnswer(200, statusOf(base, job)),
  response(job, { base, mediumUrlOf }) {
    if (stageOf(job) !== 'COMPLETED') return jsonAnswer(202, statusOf(base, job));
    const text = JSON.stringify(resultOf(base, job));
    const body = result.parse(
      JSON.parse(text.replaceAll(`${base}/media/${job.id}/${job.medium.name}`, mediumUrlOf(job))),
    );
    return jsonAnswer(200, { ...body, ...(body.video && { creations: [{ id: `creation-of-${job.id}` }] }) });
  },
  cancelled: ({ id }, outcome) =>
    jsonAnswer({ cancelled: 200, requested: 202, already_final: 400 }[outcome], { request_id: id }),
  uploaded: id => jsonAnswer(200, { id: `file_${id.replaceAll('-', '').slice(0, 24)}`, object: 'file' }),
  unauthorized: jsonAnswer(401, { error: { code: 'UNAUTHORIZED', message: 'Invalid API key' } }),
  missing: jsonAnswer(404, { detail: 'Request not found' }),
};
