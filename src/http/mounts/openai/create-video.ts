/** POST /openai/v1/videos: a job, answered as a queued video. */

import { readJobOfUser } from '../../../store/jobs/list-own.ts';
import type { KeyRoute } from '../../route.ts';
import { createMountedJob } from '../kit/create-mounted-job.ts';
import { type GenericWords, readGenericInput } from '../kit/generic-input.ts';
import { withFormBody } from '../kit/read-form-body.ts';
import { idempotencyKeyOf } from '../kit/repeated-creation.ts';
import { videoSchema } from './bodies.ts';
import { askedBeside, creationRefusals, modelOfBody, openaiDocs, withoutEffect } from './openai-route.ts';
import { videoBody } from './video-body.ts';

/** Fields of the protocol, and what each means to a model. */
const words: GenericWords = {
  meanings: {
    prompt: 'prompt',
    size: 'size',
    seconds: 'seconds',
    input_reference: 'pictures',
    // Words of other servers of this protocol.
    aspect_ratio: 'aspect_ratio',
    seed: 'seed',
    negative_prompt: 'negative_prompt',
    generate_audio: 'sound',
    generate_sound: 'sound',
  },
  withoutEffect,
};

/** As JSON or as a form, in which `input_reference` may be a file. */
export const createVideo: KeyRoute = {
  method: 'POST',
  path: '/openai/v1/videos',
  auth: 'key',
  scope: 'jobs:create',
  errors: 'openai',
  refusals: creationRefusals,
  answers: { 200: { description: 'The job is stored; this is its video.', body: videoSchema } },
  docs: openaiDocs,
  open: context => async (principal, request) => {
    const jobId = await withFormBody(
      context,
      principal,
      request,
      async ({ model: name, callback_url: callbackUrl = null, ...body }) => {
        const model = modelOfBody(context, name, 'video');
        const input = readGenericInput(model, body, words);
        const repeated = { principal, model, input: { ...input, callbackUrl }, isHeld: false };
        const key = await idempotencyKeyOf(context, request, repeated);
        const asked = askedBeside(callbackUrl, { of: 'openai' }, key);
        return (await createMountedJob(context, principal, request, { model, input, asked })).jobId;
      },
    );
    const job = await readJobOfUser(context.db, jobId, principal.userId);
    // Read whole: the body repeats the prompt and the planned shape.
    if (!job) throw new Error(`expected the job ${jobId} that was just created`);
    return videoBody(context, job);
  },
};
