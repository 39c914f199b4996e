/** A fake of Ark (Seedance), which is looked up by a name that its list returns. */
import { z } from 'zod';
import { jsonAnswer } from '../upstream/answer.ts';
import { stageOf, type UpstreamJob } from '../upstream/jobs.ts';
import type { Addresses, Protocol } from './protocol.ts';

const path = /^\/api\/v3\/contents\/generations\/tasks(?:\/cgt-([0-9a-f-]{36}))?$/;
/** The list has no filter by name: it returns every task of a tier. */
const listOf = (tier: string) => ({ model: 'tasks', task: tier });

const creation = z.object({
  model: z.string(),
  service_tier: z.string().default('default'),
  safety_identifier: z.string().optional(),
  callback_url: z.string().optional(),
});

/** https://www.volcengine.com/docs/82379/1520757 and https://docs.byteplus.com/en/docs/ModelArk/1520757. */
export const ark: Protocol = {
  dedupe: 'lookup',
  keyOf: headers => /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? null,
  read({ method, path: pathname, query, json }) {
    const [whole, id] = path.exec(pathname) ?? [];
    if (whole === undefined) return null;
    if (id !== undefined) {
      if (method === 'DELETE') return { on: 'cancel', id };
      return method === 'GET' ? { on: 'status', id } : null;
    }
    if (method === 'GET') return { on: 'list', ...listOf(query.get('filter.service_tier') ?? 'default') };
    const body = creation.safeParse(json).data;
    if (method !== 'POST' || !body) return null;
    const name = body.safety_identifier;
    return {
      on: 'create',
      kind: 'video',
      ...listOf(body.service_tier),
      ...(name !== undefined && { idempotencyKey: name }),
    };
  },
  created: job => jsonAnswer(200, { id: nameOf(job.id) }),
  status: (job, addresses) => jsonAnswer(200, taskOf(job, addresses)),
  cancelled: (_, outcome) =>
    outcome === 'cancelled'
      ? jsonAnswer(200, {})
      : jsonAnswer(409, { error: { code: 'InvalidAction.RunningTaskDeletion', message: 'It runs.' } }),
  listed: (jobs, addresses) =>
    jsonAnswer(200, { items: jobs.toReversed().map(job => taskOf(job, addresses)), total: jobs.length }),
  nameOf,
  webhook: { urlIn: ({ json }) => creation.safeParse(json).data?.callback_url ?? null },
  unauthorized: jsonAnswer(401, {
    error: { code: 'AuthenticationError', message: 'The API key format is incorrect.' },
  }),
  missing: jsonAnswer(404, { error: { code: 'ResourceNotFound', message: 'The task is not found.' } }),
};

/** Ark prefixes its task ids. */
function nameOf(id: string): string {
  return `cgt-${id}`;
}

const states = { IN_QUEUE: 'queued', IN_PROGRESS: 'running', COMPLETED: 'succeeded' } as const;

/** A task as both the poll and the list return it. */
function taskOf(job: UpstreamJob, { mediumUrlOf }: Addresses) {
  const stage = stageOf(job);
  const createdAt = Math.floor(job.acceptedAt / 1000);
  const head = {
    id: nameOf(job.id),
    model: 'doubao-seedance',
    created_at: createdAt,
    updated_at: createdAt,
    ...(job.creation.idempotencyKey !== null && { safety_identifier: job.creation.idempotencyKey }),
  };
  if (job.cancelledAt !== null) return { ...head, status: 'cancelled' };
  if (stage !== 'COMPLETED') return { ...head, status: states[stage] };
  return {
    ...head,
    status: 'succeeded',
    error: null,
    content: { video_url: mediumUrlOf(job) },
    seed: 58_944,
    resolution: '480p',
    ratio: '16:9',
    duration: 5,
    framespersecond: 24,
    usage: { completion_tokens: 48_038, total_tokens: 48_038 },
  };
}
