/** A fake of ComfyUI: prompts, its job list and its files. */
import { z } from 'zod';
import { jsonAnswer } from '../upstream/answer.ts';
import { stageOf, type UpstreamJob } from '../upstream/jobs.ts';
import type { Kind } from '../upstream/media.ts';
import type { Addresses, Protocol, ProtocolCall, ProtocolRequest } from './protocol.ts';

const sent = z.object({
  prompt_id: z.string(),
  prompt: z.record(z.string(), z.object({ class_type: z.string() })),
});

/**
 * `server.py` and `comfy_execution/jobs.py` of ComfyUI: the sender chooses the id, and a repeated id runs twice.
 * `usesObjectStorage`: `/view` redirects to a signed URL, as in its cloud.
 */
export function comfyui(usesObjectStorage: boolean): Protocol {
  /** The fake's id by the sender's, and the reverse. */
  const ids = new Map<string, string>();
  const names = new Map<string, string>();
  const nameOf = (id: string): string => names.get(id) ?? id;
  const idOf = (name: string): string => ids.get(name) ?? name;

  const bodyOf = (job: UpstreamJob) => {
    const head = { id: nameOf(job.id), priority: 1, create_time: 1_701_234_567_000 };
    if (job.cancelledAt !== null) return { ...head, status: 'failed' };
    switch (stageOf(job)) {
      case 'IN_QUEUE':
        return { ...head, status: 'pending', outputs_count: 0 };
      case 'IN_PROGRESS':
        return { ...head, status: 'in_progress', outputs_count: 0 };
      case 'COMPLETED': {
        const file = { filename: `${job.id}_00001_.bin`, subfolder: 'atelier', type: 'output' };
        const preview = { filename: 'preview.png', subfolder: '', type: 'temp' };
        return {
          ...head,
          status: 'completed',
          outputs: { '8': { images: [preview] }, '42': { images: [preview, file], animated: [true] } },
          execution_start_time: 1_701_234_567_000,
          execution_end_time: 1_701_234_569_500,
        };
      }
    }
  };

  return {
    dedupe: 'lookup',
    keyOf: headers => /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? null,
    read(request) {
      const { method, path, query } = request;
      if (method === 'POST' && path === '/prompt') return readPrompt(request);
      if (method === 'POST' && path === '/upload/image') return { on: 'upload' };
      if (method === 'GET' && path === '/api/jobs') return { on: 'list', model: 'comfyui', task: '' };
      const file = /^([^_]+)_\d+_\.bin$/.exec(query.get('filename') ?? '')?.[1];
      if (method === 'GET' && path === '/view') return file ? { on: 'response', id: file } : null;
      const [, name, end] = /^\/api\/jobs\/([^/]+)(\/cancel)?$/.exec(path) ?? [];
      if (name === undefined) return null;
      if (end) return method === 'POST' ? { on: 'cancel', id: idOf(name) } : null;
      return method === 'GET' ? { on: 'status', id: idOf(name) } : null;
    },
    created(job) {
      const name = job.creation.idempotencyKey ?? '';
      ids.set(name, job.id);
      names.set(job.id, name);
      return jsonAnswer(200, { prompt_id: name, number: 1, node_errors: {} });
    },
    status: job => jsonAnswer(200, bodyOf(job)),
    response: (job, addresses) => viewed(job, addresses, usesObjectStorage),
    cancelled: (_, outcome) => jsonAnswer(200, { cancelled: outcome !== 'already_final' }),
    listed: jobs =>
      jsonAnswer(200, { jobs: jobs.map(bodyOf), pagination: { offset: 0, limit: null, has_more: false } }),
    uploaded: () => jsonAnswer(200, { name: 'upload.png', subfolder: 'atelier', type: 'input' }),
    unauthorized: jsonAnswer(401, { error: 'Unauthorized' }),
    missing: jsonAnswer(404, { error: 'Job not found' }),
  };
}

/** Recorded prompts show `<id>` and `<key>` in place of the attempt's ids, so that tests can compare them. */
function readPrompt(request: ProtocolRequest): ProtocolCall | null {
  const prompt = sent.safeParse(request.json).data;
  if (!prompt) return null;
  const text = request.text
    .replace(prompt.prompt_id, '<id>')
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}-\d+/g, '<key>');
  Object.assign(request, { json: JSON.parse(text) });
  const classes = Object.values(prompt.prompt).map(node => node.class_type);
  return {
    on: 'create',
    model: 'comfyui',
    kind: kindOf(classes),
    // Only so that the job is found by it: a repeated id is not a replay.
    idempotencyKey: prompt.prompt_id,
    task: '',
  };
}

/** The kind of medium, by the node that saves it. */
function kindOf(classes: readonly string[]): Kind {
  if (classes.includes('SaveVideo')) return 'video';
  return classes.includes('SaveImage') ? 'image' : 'speech';
}

/** The file, or a redirect to object storage. */
function viewed({ medium, ...job }: UpstreamJob, { mediumUrlOf }: Addresses, usesObjectStorage: boolean) {
  return usesObjectStorage
    ? { status: 302, headers: { location: mediumUrlOf({ medium, ...job }) }, body: Buffer.alloc(0) }
    : { status: 200, headers: { 'content-type': medium.contentType }, body: medium.bytes };
}
