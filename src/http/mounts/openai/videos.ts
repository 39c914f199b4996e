/** The videos of a user at /openai/v1: retrieve, list, delete, and their bytes. */

import type { FastifyRequest } from 'fastify';
import { fileIdFromRow, parseJobId } from '../../../domain/ids.ts';
import { isFinal, type Job } from '../../../domain/job.ts';
import type { Principal } from '../../../domain/key.ts';
import { refuse } from '../../../domain/refusal.ts';
import { deleteFile, readFile } from '../../../store/files/files.ts';
import { cancelJob, markUnwanted } from '../../../store/jobs/cancel.ts';
import { listMountedJobs } from '../../../store/jobs/list-mounted.ts';
import { readJobOfUser } from '../../../store/jobs/list-own.ts';
import type { HttpContext } from '../../http-context.ts';
import { pageBody } from '../../page-body.ts';
import { readJobQuery } from '../../read-job-query.ts';
import { pathValue, queryOf, queryValue } from '../../request-values.ts';
import type { KeyRoute } from '../../route.ts';
import { sendFile } from '../../send-file.ts';
import { refuseWord } from '../kit/generic-input.ts';
import { openaiErrorSchema, videoDeletionSchema, videoPageSchema, videoSchema } from './bodies.ts';
import { openaiDocs, openaiError } from './openai-route.ts';
import { videoBody, videoOf } from './video-body.ts';

/** `openai-poll-after-ms`: how long the pollers of the SDKs wait. */
const pollAfterMs = 1000;

/** One video; a cancelled or deleted one is missing. */
export const getVideo: KeyRoute = {
  method: 'GET',
  path: '/openai/v1/videos/:jobId',
  auth: 'key',
  scope: 'jobs:read',
  errors: 'openai',
  refusals: ['job_unknown'],
  answers: { 200: { description: 'The video.', body: videoSchema } },
  docs: openaiDocs,
  open: context => async (principal, request, reply) => {
    const job = await findVideo(context, principal, request);
    if (!isFinal(job.state)) reply.header('openai-poll-after-ms', String(pollAfterMs));
    return videoBody(context, job);
  },
};

/** The videos of every model, however they were created; newest first unless `order` is asc. */
export const listVideos: KeyRoute = {
  method: 'GET',
  path: '/openai/v1/videos',
  auth: 'key',
  scope: 'jobs:read',
  errors: 'openai',
  refusals: ['input_invalid'],
  answers: { 200: { description: 'A page.', body: videoPageSchema } },
  docs: openaiDocs,
  open:
    context =>
    async ({ userId }, request) => {
      const { after, limit, order } = readPage(request);
      const modelIds = context.catalog.all.filter(({ kind }) => kind === 'video').map(({ id }) => id);
      const query = { userId, modelIds, after, order, limit: limit + 1 };
      const found = await listMountedJobs(context.db, query);
      const data = found.slice(0, limit).map(job => videoBody(context, job));
      return pageBody({ data, hasMore: found.length > limit, idOf: ({ id }) => id });
    },
};

/** Cancels an unfinished job; of an ended one, deletes the files. Either way it is not shown here again. */
export const deleteVideo: KeyRoute = {
  method: 'DELETE',
  path: '/openai/v1/videos/:jobId',
  auth: 'key',
  scope: 'jobs:create',
  errors: 'openai',
  refusals: ['job_unknown'],
  answers: { 200: { description: 'It is gone, or will be at once.', body: videoDeletionSchema } },
  docs: openaiDocs,
  open: context => async (principal, request) => {
    const job = await findVideo(context, principal, request);
    const { id, userId, modelId } = job;
    const address = { jobId: id, userId, modelId };
    const now = context.clock.now();
    const cancellation = await cancelJob(context.db, address, now, principal.keyId);
    if (cancellation === 'already_final') {
      // Read again: it may have ended since.
      const ended = await readJobOfUser(context.db, id, userId);
      for (const { fileId } of ended?.result?.outputs ?? [])
        await deleteFile(context.db, fileIdFromRow(fileId), userId, now);
      await markUnwanted(context.db, address, now);
    }
    return { id, object: 'video.deleted', deleted: true };
  },
};

/** The bytes: of the video, or of the frame that some models give beside it. */
export const getVideoContent: KeyRoute = {
  method: ['GET', 'HEAD'],
  path: '/openai/v1/videos/:jobId/content',
  auth: 'key',
  scope: 'jobs:read',
  errors: 'openai',
  refusals: ['job_unknown', 'input_invalid', 'file_not_found', 'file_range_invalid'],
  answers: {
    200: { description: 'The bytes.', body: null },
    206: { description: 'A range of the bytes.', body: null },
    304: { description: 'The client has these bytes.', body: null },
    400: { description: 'The job failed: there is no video.', body: openaiErrorSchema },
    409: { description: 'The job has not ended yet.', body: openaiErrorSchema },
  },
  docs: openaiDocs,
  open: context => async (principal, request, reply) => {
    const role = readVariant(request);
    const job = await findVideo(context, principal, request);
    if (!isFinal(job.state)) {
      reply.code(409);
      return openaiError('invalid_request_error', 'video_unfinished', 'The video is not finished yet');
    }
    // A failed job has no bytes, and a repetition would not change that.
    if (job.error) {
      reply.code(400);
      return openaiError('invalid_request_error', job.error.code, job.error.message);
    }
    const output = role === 'primary' ? videoOf(job) : job.result?.outputs.find(each => each.role === role);
    if (!output) throw refuseWord('variant', `${job.modelId} gives none`);
    const file = await readFile(context.db, fileIdFromRow(output.fileId), context.clock.now());
    if (!file) throw refuse('file_not_found');
    return sendFile(context, request, reply, file);
  },
};

/** The job of a video of this user that was not deleted. */
async function findVideo(
  { db, catalog }: HttpContext,
  { userId }: Principal,
  request: FastifyRequest,
): Promise<Job> {
  const id = parseJobId(pathValue(request, 'jobId'));
  const job = id && (await readJobOfUser(db, id, userId));
  // A deleted video is missing in this protocol, also while its job still stops.
  if (!job || job.state === 'cancelled' || job.cancelRequestedAt !== null) throw refuse('job_unknown');
  if (catalog.find(job.modelId)?.kind !== 'video') throw refuse('job_unknown');
  return job;
}

/** The page of the list; a parameter that the list lacks is refused. */
function readPage(request: FastifyRequest) {
  const strange = Object.keys(queryOf(request)).find(name => !['after', 'limit', 'order'].includes(name));
  if (strange !== undefined) throw refuseWord(strange, 'is no parameter of this list');
  const order = queryValue(request, 'order') ?? 'desc';
  if (order !== 'asc' && order !== 'desc') throw refuseWord('order', 'must be asc or desc');
  const { after, limit } = readJobQuery(request);
  return { after, limit, order } as const;
}

/** The role of the file that a variant is. */
function readVariant(request: FastifyRequest): 'primary' | 'cover' {
  const variant = queryValue(request, 'variant') ?? 'video';
  if (variant === 'video') return 'primary';
  if (variant === 'thumbnail') return 'cover';
  throw refuseWord('variant', 'must be video, or thumbnail where the model gives one');
}
