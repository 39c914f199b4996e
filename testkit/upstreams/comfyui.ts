/** The protocol of ComfyUI, written from its public documents. */
import { z } from 'zod';
import { jsonAnswer } from '../upstream/answer.ts';
import { stageOf, type UpstreamJob } from '../upstream/jobs.ts';
import type { Kind } from '../upstream/media.ts';
import type { Asked, Places, Protocol, Question } from './kit.ts';

const sent = z.object({
  prompt_id: z.string(),
  prompt: z.record(z.string(), z.object({ class_type: z.string() })),
});

/**
 * `server.py` and `comfy_execution/jobs.py` of ComfyUI: the id is the sender's, and one that comes twice runs twice.
 * `keepsElsewhere`: `/view` leads to an address that is signed, as in its cloud.
 */
export function comfyui(keepsElsewhere: boolean): Protocol {
  /** The sender's ids and the fake's, each by the other. */
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
    read(asked) {
      const { method, path, query } = asked;
      if (method === 'POST' && path === '/prompt') return readPrompt(asked);
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
    response: (job, places) => viewed(job, places, keepsElsewhere),
    cancelled: (_, told) => jsonAnswer(200, { cancelled: told !== 'already_final' }),
    listed: jobs =>
      jsonAnswer(200, { jobs: jobs.map(bodyOf), pagination: { offset: 0, limit: null, has_more: false } }),
    uploaded: () => jsonAnswer(200, { name: 'upload.png', subfolder: 'atelier', type: 'input' }),
    unauthorized: jsonAnswer(401, { error: 'Unauthorized' }),
    missing: jsonAnswer(404, { error: 'Job not found' }),
  };
}

/** What is kept of it says `<id>` and `<key>` where the ids of the attempt stand. */
function readPrompt(asked: Asked): Question | null {
  const told = sent.safeParse(asked.json).data;
  if (!told) return null;
  const text = asked.text
    .replace(told.prompt_id, '<id>')
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}-\d+/g, '<key>');
  Object.assign(asked, { json: JSON.parse(text) });
  const classes = Object.values(told.prompt).map(node => node.class_type);
  return {
    on: 'create',
    model: 'comfyui',
    kind: kindOf(classes),
    // Only so that it is known by then: an id that comes twice is no replay.
    idempotencyKey: told.prompt_id,
    task: '',
  };
}

function kindOf(classes: readonly string[]): Kind {
  if (classes.includes('SaveVideo')) return 'video';
  return classes.includes('SaveImage') ? 'image' : 'speech';
}

function viewed({ medium, ...job }: UpstreamJob, { mediumOf }: Places, keepsElsewhere: boolean) {
  return keepsElsewhere
    ? { status: 302, headers: { location: mediumOf({ medium, ...job }) }, body: Buffer.alloc(0) }
    : { status: 200, headers: { 'content-type': medium.contentType }, body: medium.bytes };
}
