/** POST /openai/v1/audio/speech: the answer is the sound itself. */

import type { JsonObject } from '../../../body/json-body.ts';
import { fileIdFromRow } from '../../../domain/ids.ts';
import { refuse } from '../../../domain/refusal.ts';
import { readFile } from '../../../store/files/files.ts';
import type { HttpContext } from '../../http-context.ts';
import type { KeyRoute } from '../../route.ts';
import { sendFile } from '../../send-file.ts';
import { type GenericWords, readGenericInput } from '../kit/generic-input.ts';
import { answerWithResult, type HeldCreation, heldAnswers } from './held-result.ts';
import { creationRefusals, modelOfBody, openaiDocs, withoutEffect } from './openai-route.ts';

/** Fields of the protocol, and what each means to a model. */
const words: GenericWords = {
  meanings: {
    input: 'prompt',
    voice: 'voice',
    speed: 'speed',
    response_format: 'format',
  },
  withoutEffect,
};

/** The bytes, with their type. */
export const createSpeech: KeyRoute = {
  method: 'POST',
  path: '/openai/v1/audio/speech',
  auth: 'key',
  scope: 'jobs:create',
  errors: 'openai',
  refusals: [...creationRefusals, 'scope_jobs_read', 'file_not_found', 'file_range_invalid'],
  answers: {
    200: { description: 'The sound.', body: null },
    206: { description: 'A range of it.', body: null },
    304: { description: 'The client has it.', body: null },
    ...heldAnswers,
  },
  docs: openaiDocs,
  open: context => (principal, request, reply) =>
    answerWithResult(context, {
      principal,
      request,
      reply,
      read: body => readSpeech(context, body),
      answer: async (_job, [sound]) => {
        const file = sound && (await readFile(context.db, fileIdFromRow(sound.fileId), context.clock.now()));
        if (!file) throw refuse('file_not_found');
        return sendFile(context, request, reply, file);
      },
    }),
};

/** What is requested: the model of the body and its input. */
function readSpeech(context: HttpContext, body: JsonObject): HeldCreation<null> {
  const { model: name, voice, ...rest } = body;
  const model = modelOfBody(context, name, 'speech');
  // The SDKs write a voice of one's own as an object.
  const spoken = typeof voice === 'object' && voice !== null && 'id' in voice ? voice.id : voice;
  const given = voice === undefined ? rest : { ...rest, voice: spoken };
  return { model, input: readGenericInput(model, given, words), options: null };
}
