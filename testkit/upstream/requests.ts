/** How the scripted gateway answers requests of the queue contract: truly, or as a rule of its script says. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { answer, jsonAnswer, type Truth } from './answer.ts';
import { handleOf, resultOf, statusOf } from './bodies.ts';
import { type Creation, type Dedupe, stageOf, type UpstreamJob, type UpstreamJobs } from './jobs.ts';
import type { Ledger } from './ledger.ts';
import { readBody } from './listen.ts';
import { sha256 } from './media.ts';
import type { Player } from './player.ts';
import type { Operation, Rule } from './script.ts';

/** The gateway that requests are served from. */
export interface ScriptedGateway {
  /** Its own address; set once it listens. */
  base: string;
  /** By API key; other keys are refused. */
  readonly dedupeByKey: Readonly<Record<string, Dedupe>>;
  readonly ledger: Ledger;
  readonly jobs: UpstreamJobs;
  readonly player: Player;
  /** Aborted at its close: jobs that would be accepted later are not. */
  readonly ended: AbortSignal;
  /** Creations so far. */
  submissions: number;
}

export async function serve(
  gateway: ScriptedGateway,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { jobs, dedupeByKey, base } = gateway;
  const url = new URL(request.url ?? '/', base);
  const body = await readBody(request);
  if (url.pathname === '/control') return control(gateway, request.method ?? '', body, response);
  const medium = /^\/media\/([^/]+)\/([^/]+)$/.exec(url.pathname);
  if (medium) return serveMedium(gateway, medium[1] ?? '', response);
  const key = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
  if (dedupeByKey[key] === undefined) return answer(response, unauthorized, null);
  if (url.pathname === '/v1/files') return upload(gateway, key, response);
  const path = /^(?:\/model)?\/v1\/queue\/([^/]+)(\/requests(?:\/([^/]+)(?:\/([^/]+))?)?)?$/.exec(
    url.pathname,
  );
  if (!path) return answer(response, notFound, null);
  const [, model = '', requests, id, end] = path;
  if (requests === undefined) return create(gateway, { key, model }, request, body, response);
  if (id === undefined)
    return list(gateway, { key, model }, url.searchParams.get('external_task_id') ?? '', response);
  const job = jobs.find(id);
  if (job?.creation.key !== key)
    return answer(response, jsonAnswer(404, { detail: 'Request not found' }), null);
  return serveJob(gateway, job, end, response);
}

/** POST replaces the script, GET only reads the counts: for an upstream in another process. */
async function control(
  { player }: ScriptedGateway,
  method: string,
  body: Buffer,
  response: ServerResponse,
): Promise<void> {
  if (method === 'POST') player.play(JSON.parse(body.toString()));
  return answer(response, jsonAnswer(200, { counts: player.counts() }), null);
}

/** The rule that a request about this job meets; counted. */
const meet = (
  { player }: ScriptedGateway,
  on: Operation,
  { key, model, mark }: Pick<Creation, 'key' | 'model' | 'mark'>,
): Rule | null => player.meet({ on, key, model, mark });

/** Records the submission and makes a job of it, unless its rule says otherwise. */
async function create(
  gateway: ScriptedGateway,
  owner: Pick<Creation, 'key' | 'model'>,
  { headers }: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): Promise<void> {
  const { base, jobs, dedupeByKey, player } = gateway;
  const creation = readCreation(++gateway.submissions, owner, headers, body);
  const rule = meet(gateway, 'create', creation);
  recordSubmission(gateway, creation, rule);
  const accept = () => jobs.accept(creation, dedupeByKey[owner.key] ?? 'none', player.timing());
  // Up to where it is cut, the answer looks the same whether there is a job behind it or not.
  const wouldBe = jsonAnswer(200, handleOf(base, randomUUID(), owner.model));
  if (rule && !rule.accepts) return answer(response, wouldBe, rule.act);
  if (rule && rule.acceptsAfterMs > 0) {
    await answer(response, wouldBe, rule.act);
    await sleep(rule.acceptsAfterMs, undefined, { signal: gateway.ended });
    await accept();
    return;
  }
  const accepted = await accept();
  if (accepted === 'contradiction') return answer(response, contradiction, rule?.act ?? null);
  const { job, replayed } = accepted;
  const header: Readonly<Record<string, string>> = replayed ? { 'idempotent-replayed': 'true' } : {};
  return answer(response, jsonAnswer(200, handleOf(base, job.id, owner.model), header), rule?.act ?? null);
}

function readCreation(
  submission: number,
  owner: Pick<Creation, 'key' | 'model'>,
  headers: IncomingMessage['headers'],
  body: Buffer,
): Creation {
  const text = body.toString();
  return {
    submission,
    ...owner,
    mark: /\bmark-[0-9a-z]+\b/.exec(text)?.[0] ?? null,
    idempotencyKey: headerOf(headers, 'idempotency-key'),
    task: taskIn(text) ?? headerOf(headers, 'x-atelier-task') ?? headerOf(headers, 'idempotency-key'),
    bodySha256: sha256(body),
  };
}

function recordSubmission({ ledger }: ScriptedGateway, creation: Creation, rule: Rule | null): void {
  const { submission: number, ...received } = creation;
  ledger.write({
    kind: 'submission',
    at: Date.now(),
    number,
    ...received,
    act: rule ? nameOf(rule) : null,
    accepts: rule?.accepts ?? true,
  });
}

/** Every upload gets a new file id, whatever was uploaded before. */
async function upload({ player }: ScriptedGateway, key: string, response: ServerResponse): Promise<void> {
  const id = `file_${randomUUID().replaceAll('-', '').slice(0, 24)}`;
  const rule = player.meet({ on: 'upload', key, model: null, mark: null });
  return answer(response, jsonAnswer(200, { id, object: 'file' }), rule?.act ?? null);
}

/** Jobs with this external_task_id; empty for accounts without a lookup. */
async function list(
  gateway: ScriptedGateway,
  { key, model }: Pick<Creation, 'key' | 'model'>,
  task: string,
  response: ServerResponse,
): Promise<void> {
  const { base, jobs, dedupeByKey } = gateway;
  const found = dedupeByKey[key] === 'lookup' ? jobs.findByTask(key, model, task) : [];
  const data = found.map(job => statusOf(base, job));
  const body = {
    object: 'list',
    data,
    has_more: false,
    first_id: data[0]?.request_id ?? null,
    last_id: data.at(-1)?.request_id ?? null,
  };
  const mark = found[0]?.creation.mark ?? null;
  const rule = meet(gateway, 'list', { key, model, mark });
  return answer(response, jsonAnswer(200, body), rule?.act ?? null);
}

/** `end`: the last segment of the path; absent for the address of the job itself, which answers as `response`. */
async function serveJob(
  gateway: ScriptedGateway,
  job: UpstreamJob,
  end: string | undefined,
  response: ServerResponse,
): Promise<void> {
  const { base, jobs } = gateway;
  switch (end) {
    case 'status': {
      const rule = meet(gateway, 'status', job.creation);
      return answer(response, jsonAnswer(200, statusOf(base, job)), rule?.act ?? null);
    }
    case 'response':
    case undefined: {
      const truth =
        stageOf(job) === 'COMPLETED'
          ? jsonAnswer(200, resultOf(base, job))
          : jsonAnswer(202, statusOf(base, job));
      return answer(response, truth, meet(gateway, 'response', job.creation)?.act ?? null);
    }
    case 'cancel': {
      const rule = meet(gateway, 'cancel', job.creation);
      const cancelled = rule?.accepts === false ? 'requested' : jobs.cancel(job);
      return answer(response, cancelAnswers[cancelled](job.id), rule?.act ?? null);
    }
    default:
      return answer(response, notFound, null);
  }
}

async function serveMedium(gateway: ScriptedGateway, id: string, response: ServerResponse): Promise<void> {
  const job = gateway.jobs.find(id);
  if (!job) return answer(response, notFound, null);
  const { bytes, contentType } = job.medium;
  const truth: Truth = { status: 200, headers: { 'content-type': contentType }, body: bytes };
  return answer(response, truth, meet(gateway, 'media', job.creation)?.act ?? null);
}

const notFound = jsonAnswer(404, { detail: 'Not Found' });

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

const contradiction = jsonAnswer(422, {
  detail: 'Idempotency-Key: already used with another body',
});

/** The act in a few words, for the ledger: `reset at headers`, `answer 503`, `cut`. */
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
