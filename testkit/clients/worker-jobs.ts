/** Jobs as a client creates and follows them. */
import { minutes } from '../../src/domain/clock.ts';
import { jobIdFromRow } from '../../src/domain/ids.ts';
import type { Answer, AskOptions, TestGateway } from '../gateway/gateway.ts';
import { until } from '../gateway/gateway.ts';

export const speech = '/v1/queue/theta-3.1-flash-tts-preview';
export const video = '/v1/queue/eta2.6-t2v';
/** Draws for many seconds: a test has time to meet it while it runs. */
export const longVideo = { prompt: 'A lighthouse', size: '1920*1080', duration: 15 };
export const shortSpeech = { text: 'Hello.' };
export const longestRunMs = 2 * minutes;

/** A created job, as its client sees it. */
export interface Created {
  readonly id: ReturnType<typeof jobIdFromRow>;
  status(): Promise<Answer>;
  cancel(): Promise<Answer>;
  /** The answer of the result once the job ended, which it does within that time. */
  ended(withinMs?: number): Promise<Answer>;
}

export async function create(
  gateway: Pick<TestGateway, 'ask'>,
  model: string,
  options: AskOptions & { readonly key: string },
): Promise<Created> {
  const made = await gateway.ask('POST', model, options);
  if (made.status !== 200) throw new Error(`expected a handle, got ${JSON.stringify(made.body)}`);
  return found(gateway, model, made.body.request_id, options.key);
}

export function found(gateway: Pick<TestGateway, 'ask'>, model: string, id: string, key: string): Created {
  const path = `${model}/requests/${id}`;
  return {
    id: jobIdFromRow(id),
    status: () => gateway.ask('GET', `${path}/status`, { key }),
    cancel: () => gateway.ask('PUT', `${path}/cancel`, { key }),
    ended: (withinMs = longestRunMs) =>
      until(
        async () => {
          const answer = await gateway.ask('GET', `${path}/response`, {
            key,
            headers: { prefer: 'wait=10' },
          });
          return answer.status === 200 && answer;
        },
        'the job to end',
        withinMs,
      ),
  };
}

/** Resolves once its render has begun to draw. */
export const untilRunning = (job: Created): Promise<unknown> =>
  until(async () => (await job.status()).body.status === 'IN_PROGRESS', 'the job to run');
