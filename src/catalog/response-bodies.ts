/** The bodies of status and result, for every model. */

import { toUnixSeconds } from '../domain/clock.ts';
import { isFinal, type Job, type JobEvent, publicStatus } from '../domain/job.ts';
import type { Model, SignedOutput } from './model.ts';
import { primaryOutputs } from './outputs.ts';

/** The three addresses of a handle (Contract 2.1), always under the `/model` mount. */
export function jobUrls(publicUrl: string, { id, modelId }: Pick<Job, 'id' | 'modelId'>) {
  const base = `${publicUrl}/model/v1/queue/${modelId}/requests/${id}`;
  return { response_url: `${base}/response`, status_url: `${base}/status`, cancel_url: `${base}/cancel` };
}

/** What a status says beside the job itself. */
export interface StatusContext {
  /** Base of every address in the body, without a slash at its end. */
  readonly publicUrl: string;
  /** Only read while the job waits. */
  readonly position: number;
  /** Null: the client did not ask for logs. */
  readonly events: readonly JobEvent[] | null;
}

/** What the keys of a family and the core ones are made of, beside the input and the result. */
type JobFacts = Pick<
  Job,
  | 'id'
  | 'modelId'
  | 'state'
  | 'externalTaskId'
  | 'createdAt'
  | 'startedAt'
  | 'completedAt'
  | 'progress'
  | 'error'
>;
/** A job whose input is parsed where it is shown, or missing: then the body has no keys of its family. */
type JobOfStatus = JobFacts & { readonly input?: () => unknown };

/** Decisions 2, status: one shape a state. Contract 6.3: an unfinished job has the family's keys, as a result has. */
export function statusBody(model: Model, job: JobOfStatus, { publicUrl, position, events }: StatusContext) {
  // Decisions 1: five states in rows, three in public.
  const status = publicStatus(job.state);
  const head = {
    ...(!isFinal(job.state) && {
      ...(job.input && nativeOf(model, job, { input: job.input, result: null })),
      model: job.modelId,
      ...(job.externalTaskId !== null && { external_task_id: job.externalTaskId }),
    }),
    status,
    request_id: job.id,
  };
  const addresses = jobUrls(publicUrl, job);
  const created = { created_at: toUnixSeconds(job.createdAt) };
  if (status === 'IN_QUEUE') return { ...head, queue_position: position, ...addresses, ...created };
  // Decisions 2: the key is always there from IN_PROGRESS on, null where no logs were requested.
  const logs =
    events?.map(({ at, level, message }) => ({
      timestamp: new Date(at).toISOString(),
      level,
      source: 'USER',
      message,
    })) ?? null;
  const started = job.startedAt === null ? {} : { started_at: toUnixSeconds(job.startedAt) };
  if (status === 'IN_PROGRESS') {
    return {
      ...head,
      ...addresses,
      logs,
      ...(job.progress !== null && { progress: job.progress }),
      ...created,
      ...started,
    };
  }
  return {
    ...head,
    ...addresses,
    logs,
    metrics: metricsOf(job),
    error: job.error,
    // Decisions 2: beside `error`, because clients of this protocol read the code from there.
    ...(job.error && { error_type: job.error.code }),
    ...created,
    ...started,
    completed_at: toUnixSeconds(job.completedAt ?? job.createdAt),
  };
}

/** Seconds between the first claim and the end; 0 for a job that never ran. */
const metricsOf = ({ startedAt, completedAt }: Pick<Job, 'startedAt' | 'completedAt'>) => ({
  inference_time:
    startedAt === null || completedAt === null ? 0 : Math.round((completedAt - startedAt) / 10) / 100,
});

/**
 * Decisions 4: the core, the same for all models, over the keys that the family's users know.
 * `audioHex` is needed where `model.inlineAudio(job.input)` says so.
 */
export function resultBody(
  model: Model,
  job: Job,
  outputs: readonly SignedOutput[],
  audioHex: string | null = null,
) {
  // Callers answer 202 with the status body until then (Contract 3.2).
  if (!isFinal(job.state)) throw new Error(`expected job ${job.id} to be final, got ${job.state}`);
  return {
    ...nativeOf(model, job, { input: () => job.input, result: job.result }, outputs, audioHex),
    request_id: job.id,
    status: publicStatus(job.state),
    error: job.error,
    model: job.modelId,
    ...(job.externalTaskId !== null && { external_task_id: job.externalTaskId }),
    created_at: toUnixSeconds(job.createdAt),
    ...(job.startedAt !== null && { started_at: toUnixSeconds(job.startedAt) }),
    completed_at: toUnixSeconds(job.completedAt ?? job.createdAt),
    metrics: metricsOf(job),
    ...(job.tags && { tags: job.tags }),
    ...(job.cost && { cost: job.cost }),
    ...(job.state === 'completed' && mediaOf(model, job.input, outputs)),
  };
}

/** The keys of the family. Each member is named: a copy of the whole row costs more than the rest of a status. */
const nativeOf = (
  model: Model,
  { id, state, externalTaskId, createdAt, startedAt, completedAt, error }: JobFacts,
  { input, result }: Pick<Job, 'result'> & Required<Pick<JobOfStatus, 'input'>>,
  outputs: readonly SignedOutput[] = [],
  audioHex: string | null = null,
) =>
  model.native({
    jobId: id,
    state,
    get input() {
      return input();
    },
    externalTaskId,
    createdAt,
    startedAt,
    completedAt,
    error,
    result,
    outputs,
    audioHex,
  });

/** Decisions 4: the files of a completed job under the key of its kind, with the figures of the probe. */
function mediaOf(model: Model, input: unknown, outputs: readonly SignedOutput[]) {
  const [first] = primaryOutputs(outputs);
  if (!first) throw new Error(`expected a completed job of ${model.id} to have an output`);
  const lastFrame = outputs.find(output => output.role === 'last_frame');
  const watermarked = outputs.find(output => output.role === 'watermarked');
  switch (model.kind) {
    case 'video':
      return {
        duration: first.seconds,
        video: {
          ...fileOf(first),
          width: first.width,
          height: first.height,
          duration: first.seconds,
          fps: first.fps,
        },
        // Contract 2.2: only where the job delivered them.
        ...(watermarked && { watermarked_url: watermarked.url }),
        ...(lastFrame && {
          last_frame: {
            url: lastFrame.url,
            content_type: lastFrame.mimeType,
            width: lastFrame.width,
            height: lastFrame.height,
          },
        }),
      };
    case 'image':
      return {
        // The keys of the family come first, so that the core ones win.
        images: primaryOutputs(outputs).map(output => ({
          ...model.nativeImage(output, input),
          index: output.index,
          ...fileOf(output),
          width: output.width,
          height: output.height,
        })),
      };
    case 'speech':
      return {
        audio: {
          ...fileOf(first),
          duration: first.seconds,
          sample_rate: first.sampleRate,
          channels: first.channels,
        },
      };
  }
}

/** What is said of every file: address, MIME type, name, and size in bytes. */
const fileOf = (output: SignedOutput) => ({
  url: output.url,
  content_type: output.mimeType,
  file_name: output.fileName,
  file_size: output.bytes,
});
