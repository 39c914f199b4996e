/** What a callback (webhook) sends: the body of its job at this moment, in the shape that its client reads. */

import { type CallbackShape, callbackShapeOf } from '../domain/callback-shape.ts';
import type { Delivery } from '../domain/delivery.ts';
import { isFinal, type Job } from '../domain/job.ts';
import { toJson } from '../domain/json.ts';
import { forStatus, readJobById } from '../store/jobs/read.ts';
import { readFalWebhook } from './fal-bodies.ts';
import { type JobBodyContext, readResultBody, readStatusBody } from './job-bodies.ts';
import { readPrediction } from './prediction.ts';
import { videoEvent } from './video-event.ts';

/** What is to be sent, or why nothing is. */
export type CallbackContent =
  | { readonly kind: 'body'; readonly body: string }
  /** The status of the callback was followed by a final one. */
  | { readonly kind: 'superseded' }
  /** The row of the job was pruned. */
  | { readonly kind: 'job_deleted' };

/** Decisions 5: the body that `response` would give at this moment. */
export async function readCallbackContent(
  context: JobBodyContext,
  { jobId, status, url, body }: Pick<Delivery, 'jobId' | 'status' | 'url' | 'body'>,
): Promise<CallbackContent> {
  // That of an alert was written with it.
  if (body !== null) return { kind: 'body', body };
  const job = jobId && (await readJobById(context.db, jobId));
  if (!job) return { kind: 'job_deleted' };
  if (status === 'IN_PROGRESS' && isFinal(job.state)) return { kind: 'superseded' };
  return { kind: 'body', body: toJson(await bodyOf(context, job, callbackShapeOf(url))) };
}

/** In the shape that the client of the job reads. */
async function bodyOf(context: JobBodyContext, job: Job, shape: CallbackShape): Promise<object> {
  switch (shape.of) {
    case 'fal':
      return readFalWebhook(context, job);
    case 'replicate':
      return readPrediction(context, job);
    case 'openai':
      return videoEvent(job);
    case 'atelier':
      return isFinal(job.state)
        ? readResultBody(context, job)
        : readStatusBody(context, forStatus(job), null);
  }
}
