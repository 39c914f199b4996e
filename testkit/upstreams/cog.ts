/** A fake of a server that Cog built: predictions that are answered with their result. */
import { z } from 'zod';
import { jsonAnswer } from '../upstream/answer.ts';
import type { Protocol } from './protocol.ts';

const called = z.object({ input: z.record(z.string(), z.unknown()) });

/**
 * https://github.com/replicate/cog/blob/main/docs/http.md, without `respond-async`: the answer is the result. An id that
 * is repeated while it runs is one run; this fake forgets nothing, so it stays one run.
 */
export const cog: Protocol = {
  dedupe: 'replay',
  keyOf: headers => /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? null,
  read(request) {
    const { method, path, json } = request;
    const [, id] = /^\/predictions\/([^/]+)$/.exec(path) ?? [];
    // Recorded calls show `<key>` in place of the attempt's id, so that tests can compare them.
    if (id !== undefined) Object.assign(request, { path: '/predictions/<key>' });
    const { input } = called.safeParse(json).data ?? {};
    if (method !== 'PUT' || id === undefined || !input) return null;
    const kind = 'text' in input ? 'speech' : 'pictures' in input ? 'image' : 'video';
    return { on: 'create', model: 'cog', kind, idempotencyKey: id };
  },
  created(job, { mediumUrlOf }) {
    const { medium, creation } = job;
    // Videos are uploaded to another host, as with `--upload-url`.
    const output = medium.contentType.startsWith('video/')
      ? mediumUrlOf(job)
      : [`data:${medium.contentType};base64,${medium.bytes.toString('base64')}`];
    const id = creation.idempotencyKey;
    return jsonAnswer(200, { id, status: 'succeeded', output, logs: '', metrics: { predict_time: 1.5 } });
  },
  unauthorized: jsonAnswer(401, { detail: 'Unauthorized' }),
  missing: jsonAnswer(404, { detail: 'Not Found' }),
};
