/** A fake of MiniMax speech: one call, answered with the address of the sound. */
import { z } from 'zod';
import { jsonAnswer } from '../upstream/answer.ts';
import type { Protocol } from './protocol.ts';

const call = z.object({ model: z.string(), stream: z.literal(false), output_format: z.literal('url') });

/** https://platform.minimax.io/docs/api-reference/speech-t2a-http: the answer is the result. */
export const minimax: Protocol = {
  dedupe: 'none',
  keyOf: headers => /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? null,
  read({ method, path, json }) {
    const model = call.safeParse(json).data?.model;
    return method === 'POST' && path === '/v1/t2a_v2' && model !== undefined
      ? { on: 'create', model, kind: 'speech' }
      : null;
  },
  created: (job, { mediumUrlOf }) =>
    jsonAnswer(200, {
      data: { audio: mediumUrlOf(job), subtitle_file: mediumUrlOf(job), status: 2 },
      extra_info: {
        audio_length: 250,
        audio_sample_rate: 32_000,
        audio_size: job.medium.bytes.length,
        bitrate: 128_000,
        word_count: 7,
        invisible_character_ratio: 0,
        usage_characters: 26,
        audio_format: 'mp3',
        audio_channel: 1,
      },
      trace_id: job.id,
      base_resp: { status_code: 0, status_msg: 'success' },
    }),
  unauthorized: statusBody(1004, 'login fail: please carry the API secret key'),
  missing: jsonAnswer(404, {}),
};

/** Nearly every error has HTTP status 200: its code is in the body. */
function statusBody(status_code: number, status_msg: string) {
  return jsonAnswer(200, { base_resp: { status_code, status_msg } });
}
