/** The body of a video: a job as this protocol shows it. */

import type { z } from 'zod';
import { promptOf } from '../../../catalog/prompt-of.ts';
import { toUnixSeconds } from '../../../domain/clock.ts';
import type { Job, JobState, Output } from '../../../domain/job.ts';
import type { HttpContext } from '../../http-context.ts';
import { secondsOf } from '../kit/generic-input.ts';
import type { videoSchema } from './bodies.ts';

type Video = z.output<typeof videoSchema>;

/** A cancelled job is not shown, but for the moment between two reads. */
const statuses: Readonly<Record<JobState, Video['status']>> = {
  available: 'queued',
  running: 'in_progress',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'failed',
};

/** Every key is always there: the packages' types have none of them as optional. */
export function videoBody({ catalog }: Pick<HttpContext, 'catalog'>, job: Job): Video {
  const { state, createdAt, completedAt, progress, error } = job;
  const video = videoOf(job);
  const shape = video?.width === undefined ? plannedShape(catalog, job) : producedShape(video);
  return {
    id: job.id,
    object: 'video',
    model: job.modelId,
    status: statuses[state],
    progress: state === 'completed' ? 100 : Math.min(99, Math.round((progress ?? 0) * 100)),
    created_at: toUnixSeconds(createdAt),
    completed_at: state === 'completed' && completedAt !== null ? toUnixSeconds(completedAt) : null,
    expires_at: video ? toUnixSeconds(video.expiresAt) : null,
    prompt: promptOf(job.input) || null,
    ...shape,
    remixed_from_video_id: null,
    error: error && { code: error.code, message: error.message },
  };
}

/** The file that is the result; undefined until the job completed. */
export const videoOf = ({ result }: Pick<Job, 'result'>): Output | undefined =>
  result?.outputs.find(({ role }) => role === 'primary');

type Shape = Pick<Video, 'seconds' | 'size'>;

/** As it was probed. Containers count a frame more or less, so tenths of a second say enough. */
const producedShape = ({ width, height, seconds }: Output): Shape => ({
  seconds: seconds === undefined ? null : String(Math.round(seconds * 10) / 10),
  size: `${width}x${height}`,
});

/** As it was requested; where a model takes its shape from a picture, the picture is not looked at. */
function plannedShape(catalog: HttpContext['catalog'], job: Job): Shape {
  const model = catalog.find(job.modelId);
  const parsed = model?.parse(job.input);
  const plan = model && parsed?.ok ? model.render(parsed.input) : null;
  if (plan?.kind !== 'video') return { seconds: null, size: null };
  return { seconds: String(secondsOf(plan)), size: `${plan.width}x${plan.height}` };
}
