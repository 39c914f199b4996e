/** The bodies that clients of fal read: handle, status, failure of a run, and webhook. */

import { z } from 'zod';
import { isFinal, type Job, type JobError, type JobErrorCode, type JobEvent } from '../domain/job.ts';
import type { JobForStatus } from '../store/jobs/read.ts';
import { type JobBodyContext, readResultBody, readStatusBody } from './job-bodies.ts';
import { anyObject, url } from './values.ts';

/** The addresses of a request. */
const urls = { response_url: url, status_url: url, cancel_url: url };

/** The answer to a submission. */
export const falHandleSchema = z.object({
  request_id: z.string(),
  gateway_request_id: z.string(),
  status: z.literal('IN_QUEUE'),
  ...urls,
  queue_position: z.int(),
});

/** A request in one of its three states, with the keys of the model's family beside these. */
export const falStatusSchema = z.looseObject({
  status: z.enum(['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED']),
  request_id: z.string(),
  ...urls,
  error: z.string().exactOptional(),
  error_type: z.string().exactOptional(),
});

/** What a cancellation did. */
export const falCancellationSchema = z.object({
  status: z.enum(['CANCELLATION_REQUESTED', 'ALREADY_COMPLETED']),
});

/** Of a run whose input was at fault: the list that the packages parse. */
export const falFaultsSchema = z.object({
  detail: z.array(z.object({ loc: z.array(z.string()), msg: z.string(), type: z.string() })),
});
/** Of any other failed run. */
export const falDetailSchema = z.object({ detail: z.string() });

/** Where an upload goes, and the address of the file afterwards. */
export const falUploadSchema = z.object({ upload_url: url, file_url: url });

/** The addresses of a request under the first two parts of an endpoint's name, where clients look for them. */
export function falUrls(publicUrl: string, app: string, jobId: string) {
  const base = `${publicUrl}/fal/${app.split('/').slice(0, 2).join('/')}/requests/${jobId}`;
  return { response_url: base, status_url: `${base}/status`, cancel_url: `${base}/cancel` };
}

/** The status of a job at this moment; `error` is a sentence, as that service writes it, and absent without one. */
export async function readFalStatus(
  context: Pick<JobBodyContext, 'catalog' | 'positions' | 'publicUrl'>,
  job: JobForStatus,
  { app, events }: { readonly app: string; readonly events: readonly JobEvent[] | null },
) {
  const { error: _, ...body } = { error: null, ...(await readStatusBody(context, job, events)) };
  return {
    ...body,
    ...falUrls(context.publicUrl(), app, job.id),
    ...(job.error && { error: job.error.message }),
  };
}

/** Runs that another input might save: that service answers them like a wrong input. */
const inputErrors: readonly JobErrorCode[] = [
  'invalid_input',
  'file_download_error',
  'file_invalid',
  'content_policy_violation',
];

/** The status code and body of a failed run. */
export function falFailure({ code, message }: JobError) {
  if (inputErrors.includes(code))
    return { code: 422, body: { detail: [{ loc: ['body'], msg: message, type: code }] } } as const;
  return { code: code === 'cancelled' || code === 'expired' ? 400 : 500, body: { detail: message } } as const;
}

/** The webhook of a final job. */
export async function readFalWebhook(context: Omit<JobBodyContext, 'positions'>, job: Job) {
  if (!isFinal(job.state)) throw new Error(`expected job ${job.id} to be final when its webhook is sent`);
  const head = { request_id: job.id, gateway_request_id: job.id };
  if (job.error)
    return { ...head, status: 'ERROR', error: job.error.message, payload: falFailure(job.error).body };
  return { ...head, status: 'OK', payload: await readResultBody(context, job) };
}

/** The result of a successful run: each endpoint has members of its own. */
export const falResultSchema = anyObject;
