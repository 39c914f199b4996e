/** A fake of PixVerse: pictures are uploaded first, and a trace id makes a repeated call free. */
import { z } from 'zod';
import { jsonAnswer } from '../upstream/answer.ts';
import { stageOf, type UpstreamJob } from '../upstream/jobs.ts';
import type { Protocol } from './protocol.ts';

/** The number of every uploaded picture. */
export const pictureNumber = 4711;

const body = z.object({ model: z.string(), img_id: z.literal(pictureNumber) });
const uuid = z.uuid();
/** PixVerse numbers its videos: job ids of this fake by their numbers. */
const idsByNumber = new Map<string, string>();

/** https://docs.platform.pixverse.ai */
export const pixverse: Protocol = {
  dedupe: 'replay',
  keyOf: headers => {
    const { 'api-key': key, 'ai-trace-id': trace } = headers;
    return typeof key === 'string' && uuid.safeParse(trace).success ? key : null;
  },
  read({ method, path, headers, json }) {
    if (method === 'POST' && path === '/openapi/v2/image/upload') return { on: 'upload' };
    if (method === 'POST' && path === '/openapi/v2/video/img/generate') {
      const model = body.safeParse(json).data?.model;
      const idempotencyKey = uuid.parse(headers['ai-trace-id']);
      return model ? { on: 'create', model, kind: 'video', idempotencyKey } : null;
    }
    const [, number = ''] = /^\/openapi\/v2\/video\/result\/([^/]+)$/.exec(path) ?? [];
    return method === 'GET' && number !== '' ? { on: 'status', id: idsByNumber.get(number) ?? '' } : null;
  },
  created(job) {
    idsByNumber.set(String(numberOf(job)), job.id);
    return enveloped(0, 'success', { video_id: numberOf(job) });
  },
  status(job, { mediumUrlOf }) {
    const head = { id: numberOf(job), prompt: 'A red boat', seed: 42, create_time: '2026-01-02T03:04:05Z' };
    return stageOf(job) === 'COMPLETED'
      ? enveloped(0, 'Success', { ...head, status: 1, url: mediumUrlOf(job), size: 1000, has_audio: false })
      : enveloped(0, 'Success', { ...head, status: 5, url: '' });
  },
  uploaded: (_, { base }) =>
    enveloped(0, 'success', { img_id: pictureNumber, img_url: `${base}/pictures/${pictureNumber}.png` }),
  unauthorized: enveloped(400012, 'Invalid account', null),
  missing: enveloped(500008, 'Requested data not found', null),
};

function enveloped(ErrCode: number, ErrMsg: string, Resp: unknown) {
  return jsonAnswer(200, { ErrCode, ErrMsg, Resp });
}

/** PixVerse numbers videos: the first twelve hex digits of the id as a number. */
const numberOf = ({ id }: UpstreamJob): number => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
