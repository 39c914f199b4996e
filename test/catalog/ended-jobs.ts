/** Jobs that ended, and their bodies, for tests of models. */
import type { Model, SignedOutput } from '../../src/catalog/model.ts';
import { resultBody } from '../../src/catalog/response-bodies.ts';
import { jobIdFromRow, keyIdFromRow, userIdFromRow } from '../../src/domain/ids.ts';
import { type Job, type JobResult, jobError } from '../../src/domain/job.ts';
import { accepted } from './tables.ts';

export const jobId = '019e0000-0000-7000-8000-000000000001';
export const createdAt = Date.UTC(2026, 4, 21, 7, 33, 38);

/** A file that a job gave; its address names its role and index. */
export function output(facts: Partial<SignedOutput> & Pick<SignedOutput, 'mimeType'>): SignedOutput {
  const { role = 'primary', index = 0, bytes = 1000 } = facts;
  const name = `${role}-${index}`;
  const address = { fileId: `file_${name}`, fileName: name, url: `https://files.test/${name}`, expiresAt: 0 };
  return { ...facts, ...address, role, index, bytes };
}

interface Ending {
  readonly outputs?: readonly SignedOutput[];
  readonly result?: Partial<JobResult>;
  readonly externalTaskId?: string;
  readonly audioHex?: string;
}

/** The body of a job that succeeded, as JSON. */
export const successBody = (model: Model, body: unknown, ending: Ending = {}) =>
  endedBody(
    model,
    body,
    { state: 'completed', result: { outputs: [], inferenceMs: 0, ...ending.result } },
    ending,
  );

/** The body of a job that failed by moderation, as JSON. */
export const failureBody = (model: Model, body: unknown, ending: Ending = {}) =>
  endedBody(
    model,
    body,
    { state: 'failed', error: jobError('content_policy_violation', 'the prompt was refused') },
    ending,
  );

/** The body of a job that was cancelled before it started, as JSON. */
export const cancelledBody = (model: Model, body: unknown) =>
  endedBody(
    model,
    body,
    { state: 'cancelled', startedAt: null, error: jobError('cancelled', 'cancelled on request') },
    {},
  );

function endedBody(
  model: Model,
  body: unknown,
  end: Partial<Job>,
  { outputs = [], externalTaskId, audioHex }: Ending,
) {
  const job: Job = {
    id: jobIdFromRow(jobId),
    userId: userIdFromRow('user_1'),
    keyId: keyIdFromRow('key_1'),
    modelId: model.id,
    state: 'completed',
    priority: 0,
    rank: 0,
    dueAt: createdAt,
    holder: null,
    claim: 1,
    crashes: 0,
    createdAt,
    startedAt: createdAt + 2000,
    completedAt: createdAt + 12_500,
    expiresAt: createdAt + 172_800_000,
    cancelRequestedAt: null,
    input: accepted(model, body),
    externalTaskId: externalTaskId ?? null,
    callbackUrl: null,
    progress: null,
    tags: null,
    cost: null,
    result: null,
    error: null,
    ...end,
  };
  return JSON.parse(JSON.stringify(resultBody(model, job, outputs, audioHex)));
}

/** The keys of every result body (decisions 4): what is left of a body is the family's own. */
export function nativeOf(body: Record<string, unknown>): Record<string, unknown> {
  const core = [
    'request_id',
    'status',
    'error',
    'model',
    'external_task_id',
    'created_at',
    'started_at',
    'completed_at',
    'metrics',
  ];
  const media = ['duration', 'video', 'images', 'audio', 'watermarked_url', 'last_frame'];
  return Object.fromEntries(Object.entries(body).filter(([key]) => ![...core, ...media].includes(key)));
}
