/** The bodies of the queue contract (contract 2 to 4) as a scripted upstream sends them. */
import { stageOf, type UpstreamJob } from './jobs.ts';
import { kindOf } from './media.ts';

/** The answer to a creation; `base` is the address of the upstream itself. */
export const handleOf = (base: string, id: string, model: string) => ({
  request_id: id,
  ...addressesOf(base, id, model),
  queue_position: 0,
});

/** The answer of `status`, and of `response` while the job is unfinished. */
export function statusOf(base: string, job: UpstreamJob) {
  const status = stageOf(job);
  const head = {
    status,
    request_id: job.id,
    ...addressesOf(base, job.id, job.creation.model),
    created_at: toSeconds(job.acceptedAt),
  };
  switch (status) {
    case 'IN_QUEUE':
      return { ...head, queue_position: 0 };
    case 'IN_PROGRESS':
      return { ...head, logs: null, started_at: toSeconds(job.runsAt) };
    case 'COMPLETED':
      return { ...head, logs: null, ...endOf(job) };
  }
}

/** The answer of `response` once the job ended; without media where it was cancelled. */
export const resultOf = (base: string, job: UpstreamJob) => ({
  request_id: job.id,
  status: 'COMPLETED',
  model: job.creation.model,
  created_at: toSeconds(job.acceptedAt),
  ...endOf(job),
  ...(job.cancelledAt === null && mediaOf(job, `${base}/media/${job.id}`)),
});

function addressesOf(base: string, id: string, model: string) {
  const at = `${base}/model/v1/queue/${model}/requests/${id}`;
  return { response_url: `${at}/response`, status_url: `${at}/status`, cancel_url: `${at}/cancel` };
}

function endOf({ runsAt, endsAt, cancelledAt }: UpstreamJob) {
  const error = cancelledAt === null ? null : cancelledError;
  const end = cancelledAt ?? endsAt;
  return {
    metrics: { inference_time: Math.max(0, end - runsAt) / 1000 },
    error,
    ...(error && { error_type: error.code }),
    started_at: toSeconds(runsAt),
    completed_at: toSeconds(end),
  };
}

const cancelledError = {
  code: 'cancelled',
  message: 'Runtime execution failed: the job was cancelled',
  retryable: false,
};

function mediaOf({ creation, medium }: UpstreamJob, folder: string) {
  const file = {
    url: `${folder}/${medium.name}`,
    content_type: medium.contentType,
    file_name: medium.name,
    file_size: medium.bytes.length,
  };
  switch (kindOf(creation.model)) {
    case 'image':
      return { images: [{ index: 0, ...file, width: 64, height: 64 }] };
    case 'video':
      return { duration: 1, video: { ...file, width: 320, height: 240, duration: 1, fps: 24 } };
    case 'speech':
      return { audio: { ...file, duration: 0.25, sample_rate: 8000, channels: 1 } };
  }
}

const toSeconds = (ms: number): number => Math.floor(ms / 1000);
