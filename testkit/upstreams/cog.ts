/** The protocol of Cog, written from its public documents. */
import { z } from 'zod';
import { jsonAnswer } from '../upstream/answer.ts';
import type { Protocol } from './kit.ts';

const called = z.object({ input: z.record(z.string(), z.unknown()) });

/**
 * https://github.com/replicate/cog/blob/main/docs/http.md, without `respond-async`: the answer is the result. An id that
 * comes twice while it runs is one run; here nothing is forgotten, so it is one for ever.
 */
export const cog: Protocol = {
  dedupe: 'replay',
  keyOf: headers => /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? null,
  read(asked) {
    const { method, path, json } = asked;
    const [, id] = /^\/predictions\/([^/]+)$/.exec(path) ?? [];
    // What is kept of a call says `<key>` where the id of the attempt stands.
    if (id !== undefined) Object.assign(asked, { path: '/predictions/<key>' });
    const { input } = called.safeParse(json).data ?? {};
    if (method !== 'PUT' || id === undefined || !input) return null;
    const kind = 'text' in input ? 'speech' : 'pictures' in input ? 'image' : 'video';
    return { on: 'create', model: 'cog', kind, idempotencyKey: id };
  },
  created(job, { mediumOf }) {
    const { medium, creation } = job;
    // Videos are put elsewhere, as with `--upload-url`.
    const output = medium.contentType.startsWith('video/')
      ? mediumOf(job)
      : [`data:${medium.contentType};base64,${medium.bytes.toString('base64')}`];
    const id = creation.idempotencyKey;
    return jsonAnswer(200, { id, status: 'succeeded', output, logs: '', metrics: { predict_time: 1.5 } });
  },
  unauthorized: jsonAnswer(401, { detail: 'Unauthorized' }),
  missing: jsonAnswer(404, { detail: 'Not Found' }),
};
