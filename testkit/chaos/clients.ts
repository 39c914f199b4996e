/** Clients of a chaos run: they create, read and cancel jobs, and record every call in the history. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { openRandom } from '../random.ts';
import { bodyOf, kinds, modelOf } from '../upstream/routing.ts';
import type { Call, Created, History, Seen } from './history.ts';

const callTimeoutMs = 15_000;
/** A careful client sends a create again under its key until it is answered. */
const longestCreateMs = 60_000;
const retryMs = 20;

export interface ClientOptions {
  readonly key: string;
  /** Addresses that answer clients; some may be dead at the moment. */
  readonly urls: readonly string[];
  readonly callbackUrl: string;
  readonly history: History;
  readonly isOver: () => boolean;
  /** Waits while too many jobs are unfinished. */
  readonly untilUncrowded: () => Promise<void>;
}

/** What one client does until the run is over: create, read, cancel, wait, abandon. */
export async function runClient(options: ClientOptions, name: string, seed: number): Promise<void> {
  const random = openRandom(seed);
  const api = openApi(options, name, random);
  for (let n = 0; !options.isOver(); n++) {
    await options.untilUncrowded();
    const kind = kinds[Math.floor(random() * kinds.length)] ?? 'none';
    const mark = `mark-${name}x${n}`;
    const body: Record<string, unknown> = { ...bodyOf[kind](mark) };
    // Of the three models one accepts an external_task_id and a callback_url.
    const isNamed = kind === 'lookup' && random() < 0.5;
    const externalTaskId = isNamed ? `task of ${mark}` : null;
    if (externalTaskId !== null) body.external_task_id = externalTaskId;
    if (kind === 'lookup' && random() < 0.5) body.callback_url = options.callbackUrl;
    const model = modelOf[kind];
    // Several concurrent creates with one external_task_id: one of them becomes a job.
    const racers = externalTaskId !== null && random() < 0.3 ? 3 : 1;
    const wanted = { mark, model, body, externalTaskId };
    const [first] = await Promise.all(
      Array.from({ length: racers }, (_, racer) => api.create(wanted, racer === 0 ? `key-of-${mark}` : null)),
    );
    if (first?.kind !== 'acked') continue;
    await followJob(api, model, first.id, random, options.isOver);
  }
}

/** Follows one job: maybe cancels it, then reads it for as long as the client's patience lasts. */
async function followJob(
  api: Api,
  model: string,
  id: string,
  random: () => number,
  isOver: () => boolean,
): Promise<void> {
  if (random() < 0.2) {
    await sleep(random() * 600);
    for (let calls = random() < 0.5 ? 2 : 1; calls > 0; calls--) await api.cancel(model, id);
  }
  const patience = Math.floor(random() * 6);
  for (let reads = 0; reads < patience && !isOver(); reads++) {
    const seen = await api.read(model, id, random() < 0.5 ? '/status' : '/response', 1);
    if (seen?.status === 'COMPLETED') break;
    if (!seen) await sleep(retryMs);
  }
}

/** The three calls of a client; each is recorded with its answer. */
export interface Api {
  /** With an idempotency key, retries until it is answered by other than a 5xx. */
  create(wanted: CreateWanted, idempotencyKey: string | null): Promise<Created>;
  cancel(model: string, id: string): Promise<void>;
  /** Null where no answer came. */
  read(model: string, id: string, end: '/status' | '/response', waitSeconds: number): Promise<Seen | null>;
}

/** The create of one mark, with the names that the checker compares. */
interface CreateWanted {
  readonly mark: string;
  readonly model: string;
  readonly body: unknown;
  readonly externalTaskId: string | null;
}

type CallOf<Name extends Call['call']> = Omit<Extract<Call, { call: Name }>, 'client' | 'begin' | 'end'>;

export function openApi(
  options: Omit<ClientOptions, 'isOver' | 'untilUncrowded'>,
  client: string,
  random: () => number,
): Api {
  const { key, urls, history } = options;
  const call = async (method: string, path: string, headers: Record<string, string> = {}, body?: unknown) => {
    const url = urls[Math.floor(random() * urls.length)] ?? '';
    const answer = await fetch(`${url}/v1/queue/${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      signal: AbortSignal.timeout(callTimeoutMs),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { code: answer.status, text: await answer.text() };
  };
  const write = (begin: number, call: CallOf<'create'> | CallOf<'cancel'> | CallOf<'read'>) =>
    history.write({ client, begin, end: performance.now(), ...call } as Call);

  return {
    async create({ mark, model, body, externalTaskId }, idempotencyKey) {
      const endsAt = performance.now() + longestCreateMs;
      const headers = idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey };
      for (;;) {
        const begin = performance.now();
        const answer = createdOf(await call('POST', model, headers, body).catch(() => null));
        write(begin, { call: 'create', mark, model, idempotencyKey, externalTaskId, answer });
        const isDone = answer.kind === 'acked' || (answer.kind === 'refused' && answer.code < 500);
        if (isDone || idempotencyKey === null || performance.now() > endsAt) return answer;
        await sleep(retryMs);
      }
    },
    async cancel(model, id) {
      const begin = performance.now();
      const answer = await call('PUT', `${model}/requests/${id}/cancel`).catch(() => null);
      write(begin, { call: 'cancel', id, code: answer?.code ?? null });
    },
    async read(model, id, end, waitSeconds) {
      const begin = performance.now();
      const headers = waitSeconds > 0 ? { prefer: `wait=${waitSeconds}` } : {};
      const answer = await call('GET', `${model}/requests/${id}${end}`, headers).catch(() => null);
      const seen = answer && (await seenOf(answer, end));
      if (seen) write(begin, { call: 'read', id, seen });
      return seen;
    },
  };
}

/** The outcome of a create; null: no answer came. */
function createdOf(answer: { code: number; text: string } | null): Created {
  if (!answer) return { kind: 'maybe' };
  if (answer.code === 200) return { kind: 'acked', id: JSON.parse(answer.text).request_id };
  // Decisions 2: 503 says that nothing was stored, any other 5xx says nothing.
  return answer.code >= 500 && answer.code !== 503
    ? { kind: 'maybe' }
    : { kind: 'refused', code: answer.code, detail: answer.text.slice(0, 200) };
}

/** Null where the medium of a success could not be fetched now: the read is not recorded. */
async function seenOf({ code, text }: { code: number; text: string }, end: string): Promise<Seen | null> {
  const unfinished = { code, error: null, bodySha256: null, mediumSha256: null };
  if (code !== 200 && code !== 202) return { ...unfinished, status: null };
  const body = JSON.parse(text);
  if (body.status !== 'COMPLETED') return { ...unfinished, status: body.status };
  const ended = { ...unfinished, status: body.status, error: body.error?.code ?? null };
  if (end === '/status') return ended;
  const url: string | undefined = body.audio?.url ?? body.images?.[0]?.url;
  const mediumSha256 = url === undefined ? null : await hashOf(url);
  if (url !== undefined && mediumSha256 === null) return null;
  // File URLs are signed anew at each read, in their query.
  return { ...ended, bodySha256: sha256(text.replace(/\?exp=[^"]*/g, '')), mediumSha256 };
}

/** Fetches a result and waits as `retry-after` says where it is rate limited; null where the fetch failed. */
async function hashOf(url: string): Promise<string | null> {
  const signal = AbortSignal.timeout(callTimeoutMs);
  try {
    for (;;) {
      const answer = await fetch(url, { signal });
      const bytes = Buffer.from(await answer.arrayBuffer());
      if (answer.status !== 429) return answer.ok ? sha256(bytes) : `answered ${answer.status}`;
      const waitMs = Number(answer.headers.get('retry-after')) * 1000;
      await new Promise(resolve => setTimeout(resolve, waitMs));
    }
  } catch {
    return null;
  }
}

const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');
