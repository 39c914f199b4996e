/** POST /openai/v1/images/generations and /images/edits: the answer is the pictures. */

import { signOutputs } from '../../../answers/job-bodies.ts';
import type { JsonObject } from '../../../body/json-body.ts';
import type { Blobs } from '../../../domain/blobs.ts';
import { toUnixSeconds } from '../../../domain/clock.ts';
import { fileIdFromRow } from '../../../domain/ids.ts';
import type { Job, Output } from '../../../domain/job.ts';
import { refuse } from '../../../domain/refusal.ts';
import { readFile } from '../../../store/files/files.ts';
import type { HttpContext } from '../../http-context.ts';
import type { KeyRoute } from '../../route.ts';
import { type GenericWords, readGenericInput, refuseWord } from '../kit/generic-input.ts';
import { imagesSchema } from './bodies.ts';
import { answerWithResult, type HeldCreation, heldAnswers } from './held-result.ts';
import { creationRefusals, modelOfBody, openaiDocs, withoutEffect } from './openai-route.ts';

/**
 * Fields of the protocol, and what each means to a model.
 */
const generationWords: GenericWords = {
  meanings: {
    prompt: 'prompt',
    n: 'count',
    size: 'size',
    aspect_ratio: 'aspect_ratio',
    seed: 'seed',
    negative_prompt: 'negative_prompt',
  },
  withoutEffect,
};
/** The same, and `image`, which is one picture or several. */
const editWords: GenericWords = {
  ...generationWords,
  meanings: { ...generationWords.meanings, image: 'pictures' },
};

/** Pictures in base64 that one answer may have; beyond them `url` is the way. */
const maxInlineBytes = 64 * 1024 * 1024;

/** How pictures are answered. */
type ImageFormat = 'url' | 'b64_json';

/** Both endpoints: they differ in their words alone. */
const imagesRoute = (path: string, words: GenericWords): KeyRoute => ({
  method: 'POST',
  path: `/openai/v1/images/${path}`,
  auth: 'key',
  scope: 'jobs:create',
  errors: 'openai',
  refusals: [...creationRefusals, 'scope_jobs_read', 'file_not_found'],
  answers: { 200: { description: 'The pictures.', body: imagesSchema }, ...heldAnswers },
  docs: openaiDocs,
  open: context => (principal, request, reply) =>
    answerWithResult(context, {
      principal,
      request,
      reply,
      read: body => readImages(context, body, words),
      answer: (job, pictures, format) => answerImages(context, job, pictures, format),
    }),
});

/** Pictures from words, and from pictures where the model takes them by its own fields. */
export const generateImages = imagesRoute('generations', generationWords);
/** Pictures from pictures: `image` is one, or several. */
export const editImages = imagesRoute('edits', editWords);

/** What is requested: the model of the body, its input, and how the pictures are answered. */
function readImages(context: HttpContext, body: JsonObject, words: GenericWords): HeldCreation<ImageFormat> {
  const { model: name, response_format: format, ...rest } = body;
  const model = modelOfBody(context, name, 'image');
  const options = format ?? 'url';
  if (options !== 'url' && options !== 'b64_json')
    throw refuseWord('response_format', 'must be url or b64_json');
  return { model, input: readGenericInput(model, rest, words), options };
}

/**
 * The pictures in their order. For base64 the files are read one after the other.
 */
async function answerImages(
  context: HttpContext,
  job: Job,
  pictures: readonly Output[],
  format: ImageFormat,
): Promise<unknown> {
  const created = toUnixSeconds(job.createdAt);
  if (format === 'url') {
    const data = signOutputs(context, job).filter(({ role }) => role === 'primary');
    return { created, data: data.map(({ url }) => ({ url })) };
  }
  // Before any is read: the sizes are in the row.
  const bytes = pictures.reduce((sum, picture) => sum + picture.bytes, 0);
  if (bytes > maxInlineBytes)
    throw refuseWord('response_format', 'the pictures are too large for b64_json; ask for url');
  const data = [];
  for (const { fileId } of pictures) data.push({ b64_json: await readBase64(context, fileId) });
  return { created, data };
}

/** The bytes of a file in base64; the 404 of one that was deleted meanwhile. */
async function readBase64(
  { db, blobs, clock }: { readonly blobs: Pick<Blobs, 'open'> } & Pick<HttpContext, 'db' | 'clock'>,
  fileId: string,
): Promise<string> {
  const file = await readFile(db, fileIdFromRow(fileId), clock.now());
  const content = file && (await blobs.open(file.blobKey));
  if (!content) throw refuse('file_not_found');
  return Buffer.concat(await content.toArray()).toString('base64');
}
