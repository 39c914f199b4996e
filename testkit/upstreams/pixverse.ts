/** The protocol of PixVerse, written from its public documents. */
import { z } from 'zod';
import { jsonAnswer } from '../upstream/answer.ts';
import { stageOf, type UpstreamJob } from '../upstream/jobs.ts';
import type { Protocol } from './kit.ts';

/** What every picture is called there. */
export const pictureNumber = 4711;

const body = z.object({ model: z.string(), img_id: z.literal(pictureNumber) });
const uuid = z.uuid();
/** Videos are numbers there. */
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
    return told(0, 'success', { video_id: numberOf(job) });
  },
  status(job, { mediumOf }) {
    const head = { id: numberOf(job), prompt: 'A red boat', seed: 42, create_time: '2026-01-02T03:04:05Z' };
    return stageOf(job) === 'COMPLETED'
      ? told(0, 'Success', { ...head, status: 1, url: mediumOf(job), size: 1000, has_audio: false })
      : told(0, 'Success', { ...head, status: 5, url: '' });
  },
  uploaded: (_, { base }) =>
    told(0, 'success', { img_id: pictureNumber, img_url: `${base}/pictures/${pictureNumber}.png` }),
  unauthorized: told(400012, 'Invalid account', null),
  missing: told(500008, 'Requested data not found', null),
};

function told(ErrCode: number, ErrMsg: string, Resp: unknown) {
  return jsonAnswer(200, { ErrCode, ErrMsg, Resp });
}

const numberOf = ({ id }: UpstreamJob): number => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
