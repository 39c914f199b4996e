/** Bodies, paths and answers of the queue, as the tests of the contract use them. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import type { Outcome } from '../../src/domain/job.ts';
import { jobTopic } from '../../src/store/db/connection.ts';
import { claimJobs } from '../../src/store/jobs/claim.ts';
import { recordProgress } from '../../src/store/jobs/leased-job.ts';
import { settle } from '../../src/store/jobs/settle.ts';
import { registerLastingWorker } from '../databases/lasting-worker.ts';
import { type Answer, parse, type TestGateway } from '../gateway/gateway.ts';

export const speech = 'theta-3.1-flash-tts-preview';
export const hexSpeech = 'delta-speech-02-hd';
export const image = 'gamma-v3-image';
export const turbo = 'gamma-v3-turbo-t2v';
export const video = 'eta2.6-t2v';

/** A body that each model accepts. */
export const bodies: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  [speech]: { text: 'Hello.' },
  [hexSpeech]: { text: 'Hello.', voice_setting: { voice_id: 'calm-man' } },
  [image]: { prompt: 'A red balloon', aspect_ratio: '1:1' },
  [turbo]: { prompt: 'A red balloon' },
  [video]: { prompt: 'A red balloon', duration: 15 },
};

export const uuidv7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** An id of the right form that no job has. */
export const unknownId = '01900000-0000-7000-8000-000000000000';

/** What the answer of a creation holds. */
export interface Handle {
  readonly request_id: string;
  readonly response_url: string;
  readonly status_url: string;
  readonly cancel_url: string;
  readonly queue_position: number;
}

export interface Wanted {
  readonly model?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Makes a job. */
export async function create(gateway: TestGateway, key: string, wanted: Wanted = {}): Promise<Handle> {
  const { model = speech, headers = {} } = wanted;
  const body = wanted.body ?? bodies[model];
  const answer = await gateway.ask('POST', `/v1/queue/${model}`, { key, body, headers });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}

/** The three addresses of a job, as every body of it holds them. */
export function addressesOf(gateway: TestGateway, model: string, id: string) {
  const base = `${gateway.url}/model/v1/queue/${model}/requests/${id}`;
  return { response_url: `${base}/response`, status_url: `${base}/status`, cancel_url: `${base}/cancel` };
}

/** The paths of a job without the mount. */
export const pathOf = (id: string, end: string, model = speech): string =>
  `/v1/queue/${model}/requests/${id}${end}`;

/** A body without its Unix times, which must be there, be whole seconds and follow one another. */
export function withoutTimes(body: Record<string, unknown>, ...names: readonly string[]) {
  const times = names.map(name => Number(body[name]));
  for (const name of names) assert.match(String(body[name]), /^\d{10}$/, name);
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  );
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
}

/** A job leased by a worker that does only what the test calls. */
export interface HeldJob {
  progress(share: number): Promise<void>;
  /** Settles the job and wakes those who wait. */
  settle(outcome: Outcome): Promise<void>;
}

/** Takes the one waiting job of a model. */
export async function hold({ gateway, clock }: TestGateway, model: string, id: string): Promise<HeldJob> {
  const { db } = gateway;
  const worker = await registerLastingWorker(db);
  const [job] = await claimJobs(db, { worker, modelId: model, limit: 1, now: clock.now() });
  if (job?.id !== id) throw new Error(`expected to hold job ${id}, got ${job?.id}`);
  const held = { jobId: job.id, holder: worker, claim: job.claim };
  db.announce(jobTopic(id));
  return {
    progress: share => recordProgress(db, held, share),
    async settle(outcome) {
      assert.equal(await settle(db, held, outcome, clock.now()), true);
      db.announce(jobTopic(id));
    },
  };
}

export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly chunks?: readonly (string | Uint8Array)[];
  /** False: the body stays unended, as of a client that is still sending. */
  readonly end?: boolean;
}

/** Sends a request as it stands: any header, and a body in pieces. */
export function send(url: string, path: string, sent: Sent = {}): Promise<Answer> {
  const { method = 'POST', headers = {}, chunks = [], end = true } = sent;
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const out = request({ hostname, port, path, method, headers, agent: false }, async message => {
      const text = Buffer.concat(await message.toArray()).toString();
      const given = Object.entries(message.headers).map(([name, value]) => [name, String(value)]);
      resolve({
        status: message.statusCode ?? 0,
        headers: new Headers(given as [string, string][]),
        body: parse(text),
      });
      out.destroy();
    });
    out.on('error', reject);
    for (const chunk of chunks) out.write(chunk);
    if (end) out.end();
    else out.flushHeaders();
  });
}
