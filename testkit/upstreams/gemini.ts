/** A fake of Gemini speech: one call, answered with the sound in base64. */
import { jsonAnswer } from '../upstream/answer.ts';
import type { UpstreamJob } from '../upstream/jobs.ts';
import type { Protocol } from './protocol.ts';

const path = /^\/v1beta\/models\/([\w.-]+):generateContent$/;
/** The WAV header, which is not part of the PCM samples. */
const headerBytes = 44;

/** https://ai.google.dev/gemini-api/docs/speech-generation: the answer is the sound. */
export const gemini: Protocol = {
  dedupe: 'none',
  keyOf: headers => [headers['x-goog-api-key']].flat()[0] ?? null,
  read({ method, path: pathname, query }) {
    const model = decodeURIComponent(path.exec(pathname)?.[1] ?? '');
    // A key in the URL would be logged by proxies: it is refused.
    return method === 'POST' && model !== '' && !query.has('key')
      ? { on: 'create', model, kind: 'speech' }
      : null;
  },
  created: job =>
    jsonAnswer(200, {
      candidates: [{ content: { role: 'model', parts: partsOf(job) }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 },
      modelVersion: job.creation.model,
      responseId: job.id,
    }),
  unauthorized: jsonAnswer(400, {
    error: {
      code: 400,
      message: 'API key not valid. Please pass a valid API key.',
      status: 'INVALID_ARGUMENT',
      details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }],
    },
  }),
  missing: jsonAnswer(404, { error: { code: 404, message: 'Not found.', status: 'NOT_FOUND' } }),
};

/** In two pieces, as long sound comes. */
function partsOf({ medium }: UpstreamJob) {
  const samples = medium.bytes.subarray(headerBytes);
  const middle = (samples.length >> 2) << 1;
  return [samples.subarray(0, middle), samples.subarray(middle)].map(piece => ({
    inlineData: { mimeType: 'audio/L16;codec=pcm;rate=24000', data: piece.toString('base64') },
  }));
}
