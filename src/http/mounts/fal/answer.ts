/** Answers of the queue protocol of fal about a job: status, result, cancellation. */

import type { FastifyReply } from 'fastify';
import { falFailure, readFalStatus } from '../../../answers/fal-bodies.ts';
import { readResultBody } from '../../../answers/job-bodies.ts';
import { isFinal, type Job } from '../../../domain/job.ts';
import type { Principal } from '../../../domain/key.ts';
import { refuse } from '../../../domain/refusal.ts';
import { cancelJob } from '../../../store/jobs/cancel.ts';
import { forStatus } from '../../../store/jobs/read.ts';
import type { HttpContext } from '../../http-context.ts';
import { timelineOf } from '../../read-job.ts';

/** 202 while unfinished, as that service has it. */
export async function answerStatus(
  context: HttpContext,
  job: Job,
  reply: FastifyReply,
  { app, withLogs }: { readonly app: string; readonly withLogs: boolean },
) {
  reply.code(isFinal(job.state) ? 200 : 202);
  const status = forStatus(job);
  return readFalStatus(context, status, { app, events: withLogs ? await timelineOf(context, status) : null });
}

/** The result, 202 with the status while there is none, or the failure in the shape that the packages raise. */
export async function answerResult(context: HttpContext, job: Job, reply: FastifyReply, app: string) {
  // The packages take the id of a result, and of its error, from here.
  reply.header('x-fal-request-id', job.id);
  if (!isFinal(job.state)) return answerStatus(context, job, reply, { app, withLogs: false });
  if (!job.error) return readResultBody(context, job);
  const { code, body } = falFailure(job.error);
  reply.code(code).header('x-fal-error-type', job.error.code);
  return body;
}

/** 202 where something is cancelled, 400 where the job has ended. */
export async function answerCancel(
  { db, clock }: Pick<HttpContext, 'db' | 'clock'>,
  { keyId }: Principal,
  job: Job,
  reply: FastifyReply,
) {
  const address = { jobId: job.id, userId: job.userId, modelId: job.modelId };
  const cancellation = await cancelJob(db, address, clock.now(), keyId);
  if (cancellation === 'unknown') throw refuse('job_unknown');
  const isLate = cancellation === 'already_final';
  reply.code(isLate ? 400 : 202);
  return { status: isLate ? 'ALREADY_COMPLETED' : 'CANCELLATION_REQUESTED' };
}
