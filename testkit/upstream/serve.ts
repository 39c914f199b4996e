/** What the scripted upstream answers: its queue contract, with the faults that its script puts in. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { answer, jsonAnswer, type Truth } from './answer.ts';
import { handleOf, resultOf, statusOf } from './bodies.ts';
import { type Creation, type Dedupe, stageOf, type UpstreamJob, type UpstreamJobs } from './jobs.ts';
import type { Ledger } from './ledger.ts';
import { readAll } from './listen.ts';
import { sha256 } from './media.ts';
import { type Operation, openPicker, type Rule, type Script, type Subject, script } from './script.ts';

/** One upstream between its requests. */
export interface UpstreamState {
  readonly ledger: Ledger;
  readonly jobs: UpstreamJobs;
  readonly counts: Record<Operation, number>;
  /** What each account offers, by its API key. */
  readonly dedupeByKey: Readonly<Record<string, Dedupe>>;
  /** Aborted when it closes. */
  readonly ended: AbortSignal;
  /** Its own address, which its answers name. */
  base: string;
  played: Script;
  pick: ReturnType<typeof openPicker>;
  submissions: number;
}

/** Replaces the script; the jobs stay. */
export function play(state: UpstreamState, wanted: unknown): void {
  state.played = script.parse(wanted);
  state.pick = openPicker(state.played);
}

/** Answers one request to the upstream. */
export async function serve(
  state: UpstreamState,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { dedupeByKey, jobs } = state;
  const asked = new URL(request.url ?? '/', state.base);
  const body = await readAll(request);
  if (asked.pathname === '/control') return control(state, request.method ?? '', body, response);
  const medium = /^\/media\/([^/]+)\/([^/]+)$/.exec(asked.pathname);
  if (medium) return serveMedium(state, medium[1] ?? '', response);
  const key = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
  if (dedupeByKey[key] === undefined) return answer(response, unauthorized, null);
  const path = /^(?:\/model)?\/v1\/queue\/([^/]+)(\/requests(?:\/([^/]+)(?:\/([^/]+))?)?)?$/.exec(
    asked.pathname,
  );
  if (asked.pathname === '/v1/files') return upload(state, key, response);
  if (!path) return answer(response, jsonAnswer(404, { detail: 'Not Found' }), null);
  const [, model = '', requests, id, end] = path;
  if (requests === undefined) return create(state, request, body, { key, model }, response);
  if (id === undefined)
    return list(state, key, model, asked.searchParams.get('external_task_id') ?? '', response);
  const job = jobs.find(id);
  if (job?.creation.key !== key)
    return answer(response, jsonAnswer(404, { detail: 'Request not found' }), null);
  return serveJob(state, job, end, response);
}

async function control(
  state: UpstreamState,
  method: string,
  body: Buffer,
  response: ServerResponse,
): Promise<void> {
  if (method === 'POST') play(state, JSON.parse(body.toString()));
  return answer(response, jsonAnswer(200, { counts: state.counts }), null);
}

/** A request with its rule; counted. */
function meet(state: UpstreamState, on: Operation, { key, model, mark }: Omit<Subject, 'on'>): Rule | null {
  state.counts[on]++;
  return state.pick({ on, key, model, mark });
}

async function create(
  state: UpstreamState,
  { headers }: IncomingMessage,
  body: Buffer,
  { key, model }: Pick<Creation, 'key' | 'model'>,
  response: ServerResponse,
): Promise<void> {
  const text = body.toString();
  const creation: Creation = {
    submission: ++state.submissions,
    key,
    model,
    mark: /\bmark-[0-9a-z]+\b/.exec(text)?.[0] ?? null,
    idempotencyKey: headerOf(headers, 'idempotency-key'),
    task: taskIn(text) ?? headerOf(headers, 'x-atelier-task') ?? headerOf(headers, 'idempotency-key'),
    bodySha256: sha256(body),
  };
  const rule = meet(state, 'create', creation);
  const { submission: number, ...received } = creation;
  state.ledger.write({
    kind: 'submission',
    at: Date.now(),
    number,
    ...received,
    act: rule ? nameOf(rule) : null,
    accepts: rule?.accepts ?? true,
  });
  const accept = () => state.jobs.accept(creation, state.dedupeByKey[key] ?? 'none', state.played);
  // Up to where it is cut, the answer looks the same whether there is a job behind it or not.
  const wouldBe = jsonAnswer(200, handleOf(state.base, randomUUID(), model));
  if (rule && !rule.accepts) return answer(response, wouldBe, rule.act);
  if (rule && rule.acceptsAfterMs > 0) {
    await answer(response, wouldBe, rule.act);
    await sleep(rule.acceptsAfterMs, undefined, { signal: state.ended });
    await accept();
    return;
  }
  const accepted = await accept();
  if (accepted === 'contradiction') return answer(response, contradicted, rule?.act ?? null);
  const { job, replayed } = accepted;
  const header: Readonly<Record<string, string>> = replayed ? { 'idempotent-replayed': 'true' } : {};
  return answer(response, jsonAnswer(200, handleOf(state.base, job.id, model), header), rule?.act ?? null);
}

/** A file of its own for every upload, whatever was uploaded before. */
async function upload(state: UpstreamState, key: string, response: ServerResponse): Promise<void> {
  const id = `file_${randomUUID().replaceAll('-', '').slice(0, 24)}`;
  const rule = meet(state, 'upload', { key, model: null, mark: null });
  return answer(response, jsonAnswer(200, { id, object: 'file' }), rule?.act ?? null);
}

async function list(
  state: UpstreamState,
  key: string,
  model: string,
  task: string,
  response: ServerResponse,
): Promise<void> {
  const found = state.dedupeByKey[key] === 'lookup' ? state.jobs.findByTask(key, model, task) : [];
  const data = found.map(job => statusOf(state.base, job));
  const body = {
    object: 'list',
    data,
    has_more: false,
    first_id: data[0]?.request_id ?? null,
    last_id: data.at(-1)?.request_id ?? null,
  };
  const mark = found[0]?.creation.mark ?? null;
  return answer(response, jsonAnswer(200, body), meet(state, 'list', { key, model, mark })?.act ?? null);
}

async function serveJob(
  state: UpstreamState,
  job: UpstreamJob,
  end: string | undefined,
  response: ServerResponse,
) {
  switch (end) {
    case 'status':
      return answer(
        response,
        jsonAnswer(200, statusOf(state.base, job)),
        meet(state, 'status', job.creation)?.act ?? null,
      );
    case 'response':
    case undefined: {
      const truth =
        stageOf(job) === 'COMPLETED'
          ? jsonAnswer(200, resultOf(state.base, job))
          : jsonAnswer(202, statusOf(state.base, job));
      return answer(response, truth, meet(state, 'response', job.creation)?.act ?? null);
    }
    case 'cancel': {
      const rule = meet(state, 'cancel', job.creation);
      const cancelled = rule?.accepts === false ? 'requested' : state.jobs.cancel(job);
      return answer(response, cancelAnswers[cancelled](job.id), rule?.act ?? null);
    }
    default:
      return answer(response, jsonAnswer(404, { detail: 'Not Found' }), null);
  }
}

async function serveMedium(state: UpstreamState, id: string, response: ServerResponse): Promise<void> {
  const job = state.jobs.find(id);
  if (!job) return answer(response, jsonAnswer(404, { detail: 'Not Found' }), null);
  const { bytes, contentType } = job.medium;
  const truth: Truth = { status: 200, headers: { 'content-type': contentType }, body: bytes };
  return answer(response, truth, meet(state, 'media', job.creation)?.act ?? null);
}

const cancelAnswers = {
  cancelled: (id: string) => jsonAnswer(200, { status: 'OK', request_id: id }),
  requested: (id: string) => jsonAnswer(202, { status: 'CANCELLATION_REQUESTED', request_id: id }),
  already_final: (id: string) => jsonAnswer(400, { status: 'ALREADY_COMPLETED', request_id: id }),
} as const;

const unauthorized = jsonAnswer(
  401,
  { error: { code: 'UNAUTHORIZED', message: 'Invalid API key' }, request_id: 'none' },
  { 'www-authenticate': 'Bearer' },
);

const contradicted = jsonAnswer(422, {
  detail: 'Idempotency-Key: already used with another body',
});

/** An act in a word, for the ledger. */
const nameOf = ({ act }: Rule): string =>
  act.kind === 'reset' ? `reset at ${act.at}` : act.kind === 'answer' ? `answer ${act.status}` : act.kind;

/** Where the contract lets a model take the caller's own id: at the top, or among the options. */
function taskIn(text: string): string | null {
  const body = parse(text);
  const found = body?.external_task_id ?? body?.options?.external_task_id;
  return typeof found === 'string' ? found : null;
}

interface WithTask {
  readonly external_task_id?: unknown;
  readonly options?: { readonly external_task_id?: unknown } | null;
}

function parse(text: string): WithTask | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const headerOf = (headers: IncomingMessage['headers'], name: string): string | null =>
  [headers[name]].flat()[0] ?? null;
