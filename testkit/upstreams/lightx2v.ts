/** A fake of LightX2V, whose task ids are chosen by the sender. */
import { z } from 'zod';
import { jsonAnswer } from '../upstream/answer.ts';
import { stageOf, type UpstreamJob } from '../upstream/jobs.ts';
import type { Protocol } from './protocol.ts';

const creation = z.object({ task_id: z.string(), seed: z.int() });
const words = { IN_QUEUE: 'pending', IN_PROGRESS: 'processing', COMPLETED: 'completed' } as const;

/**
 * `lightx2v/server/api/tasks` of LightX2V. `usesObjectStorage`: a proxy before it redirects to results on another host; else the
 * server itself sends them.
 */
export function lightx2v(usesObjectStorage: boolean): Protocol {
  /** The fake's id by the sender's, and the reverse. */
  const ids = new Map<string, string>();
  const names = new Map<string, string>();
  const bodyOf = (job: UpstreamJob) => {
    const isStopped = job.cancelledAt !== null;
    const status = isStopped ? 'cancelled' : words[stageOf(job)];
    const error = isStopped ? 'Task cancelled by user' : null;
    return { task_id: names.get(job.id), status, start_time: '2026-01-01T00:00:00', end_time: null, error };
  };

  return {
    dedupe: 'lookup',
    keyOf: headers => /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? null,
    read(request) {
      const { method, path, json } = request;
      const kind = /^\/v1\/tasks\/(video|image)\/$/.exec(path)?.[1];
      if (method === 'POST' && kind) {
        const body = creation.safeParse(json).data;
        if (!body) return null;
        // Recorded calls show `<key>` in place of the attempt's id, so that tests can compare them.
        const recorded = { ...Object(json), task_id: '<key>' };
        Object.assign(request, { json: recorded });
        const isPicture = kind === 'image';
        return {
          on: 'create',
          model: 'lightx2v',
          kind: isPicture ? 'image' : 'video',
          idempotencyKey: body.task_id,
          task: '',
        };
      }
      if (method === 'GET' && path === '/v1/tasks/') return { on: 'list', model: 'lightx2v', task: '' };
      const [, name = '', end] = /^\/v1\/tasks\/([^/]+)(\/status|\/result)?$/.exec(path) ?? [];
      const id = ids.get(name) ?? name;
      if (name === '') return null;
      if (end === undefined) return method === 'DELETE' ? { on: 'cancel', id } : null;
      return method === 'GET' ? { on: end === '/status' ? 'status' : 'response', id } : null;
    },
    created(job) {
      const name = job.creation.idempotencyKey ?? '';
      if (ids.has(name)) return jsonAnswer(503, { detail: `Task ID ${name} already exists` });
      ids.set(name, job.id);
      names.set(job.id, name);
      return jsonAnswer(200, { task_id: name, task_status: 'pending', save_result_path: name });
    },
    status: job => jsonAnswer(200, bodyOf(job)),
    response(job, { mediumUrlOf }) {
      if (stageOf(job) !== 'COMPLETED') return jsonAnswer(404, { detail: 'Task not completed' });
      const { contentType, bytes } = job.medium;
      return usesObjectStorage
        ? { status: 302, headers: { location: mediumUrlOf(job) }, body: Buffer.alloc(0) }
        : { status: 200, headers: { 'content-type': contentType }, body: bytes };
    },
    cancelled: (_, outcome) =>
      outcome === 'already_final'
        ? jsonAnswer(200, { stop_status: 'do_nothing', reason: 'Task not found or already completed.' })
        : jsonAnswer(200, { stop_status: 'success', reason: 'Task stopped successfully.' }),
    listed: jobs => jsonAnswer(200, Object.fromEntries(jobs.map(job => [names.get(job.id), bodyOf(job)]))),
    unauthorized: jsonAnswer(401, { detail: 'Unauthorized' }),
    missing: jsonAnswer(404, { detail: 'Task not found' }),
  };
}
