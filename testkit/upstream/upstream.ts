import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { answer, jsonAnswer, type Truth } from './answer.ts';
import { handleOf, resultOf, statusOf } from './bodies.ts';
import { type Creation, type Dedupe, openJobs, stageOf, type UpstreamJob } from './jobs.ts';
import { type Entry, openLedger, readLedger } from './ledger.ts';
import { sha256 } from './media.ts';
import {
  type Operation,
  openPicker,
  operations,
  type Rule,
  type ScriptInput,
  type Subject,
  script,
} from './script.ts';

/** Another gateway of the same queue contract that fails as it is told, and keeps a ledger of its own. */
export interface Upstream {
  readonly url: string;
  /** Takes the place of the script before; the jobs stay. */
  play(wanted: ScriptInput): Promise<void>;
  /** How often each operation was asked. */
  counts(): Promise<Counts>;
  ledger(): readonly Entry[];
  close(): Promise<void>;
}

export type Counts = Readonly<Record<Operation, number>>;

export interface UpstreamOptions {
  /** Where the ledger is kept. */
  readonly folder: string;
  /** What each account offers, by its API key. Default: `accounts`. */
  readonly accounts?: Readonly<Record<string, Dedupe>>;
  /** Default 0: any free one. */
  readonly port?: number;
  /** Flushes the ledger; fsync unless a test looks on. */
  readonly flush?: (descriptor: number) => void;
}

/** The API keys of three accounts, one of each kind. */
export const accounts = { 'key-replay': 'replay', 'key-lookup': 'lookup', 'key-none': 'none' } as const;

export const ledgerPath = (folder: string): string => join(folder, 'ledger.jsonl');

const maxBodyBytes = 64 * 1024 * 1024;

export async function startUpstream(options: UpstreamOptions): Promise<Upstream> {
  const { folder, port = 0, flush } = options;
  const dedupeByKey: Readonly<Record<string, Dedupe>> = options.accounts ?? accounts;
  const ledger = openLedger(ledgerPath(folder), flush);
  const jobs = openJobs(ledger);
  const counts: Record<Operation, number> = emptyCounts();
  const ended = new AbortController();
  let submissions = 0;
  let played = script.parse({});
  let pick = openPicker(played);
  let base = '';

  const server = createServer((request, response) => {
    serve(request, response).catch(failure => {
      if (!response.headersSent) response.writeHead(500).end(String(failure));
    });
  });
  // A connection that is reset under a request is what half of the scripts ask for.
  server.on('clientError', (_, socket) => socket.destroy());
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('expected an address');
  base = `http://127.0.0.1:${address.port}`;

  return {
    url: base,
    play: async wanted => play(wanted),
    counts: async () => ({ ...counts }),
    ledger: () => readLedger(ledgerPath(folder)),
    async close() {
      ended.abort();
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
      ledger.close();
    },
  };

  function play(wanted: unknown): void {
    played = script.parse(wanted);
    pick = openPicker(played);
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = new URL(request.url ?? '/', base);
    const body = await readAll(request);
    if (asked.pathname === '/control') return control(request.method ?? '', body, response);
    const medium = /^\/media\/([^/]+)\/([^/]+)$/.exec(asked.pathname);
    if (medium) return serveMedium(medium[1] ?? '', response);
    const key = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    if (dedupeByKey[key] === undefined) return answer(response, unauthorized, null);
    const path = /^(?:\/model)?\/v1\/queue\/([^/]+)(\/requests(?:\/([^/]+)(?:\/([^/]+))?)?)?$/.exec(
      asked.pathname,
    );
    if (asked.pathname === '/v1/files') return upload(key, response);
    if (!path) return answer(response, jsonAnswer(404, { detail: 'Not Found' }), null);
    const [, model = '', requests, id, end] = path;
    if (requests === undefined) return create(request, body, { key, model }, response);
    if (id === undefined) return list(key, model, asked.searchParams.get('external_task_id') ?? '', response);
    const job = jobs.find(id);
    if (job?.creation.key !== key)
      return answer(response, jsonAnswer(404, { detail: 'Request not found' }), null);
    return serveJob(job, end, response);
  }

  async function control(method: string, body: Buffer, response: ServerResponse): Promise<void> {
    if (method === 'POST') play(JSON.parse(body.toString()));
    return answer(response, jsonAnswer(200, { counts }), null);
  }

  /** A request with its rule; counted. */
  function meet(on: Operation, { key, model, mark }: Omit<Subject, 'on'>): Rule | null {
    counts[on]++;
    return pick({ on, key, model, mark });
  }

  async function create(
    { headers }: IncomingMessage,
    body: Buffer,
    { key, model }: Pick<Creation, 'key' | 'model'>,
    response: ServerResponse,
  ): Promise<void> {
    const text = body.toString();
    const creation: Creation = {
      submission: ++submissions,
      key,
      model,
      mark: /\bmark-[0-9a-z]+\b/.exec(text)?.[0] ?? null,
      idempotencyKey: headerOf(headers, 'idempotency-key'),
      task: taskIn(text) ?? headerOf(headers, 'x-atelier-task') ?? headerOf(headers, 'idempotency-key'),
      bodySha256: sha256(body),
    };
    const rule = meet('create', creation);
    const { submission: number, ...received } = creation;
    ledger.write({
      kind: 'submission',
      at: Date.now(),
      number,
      ...received,
      act: rule ? nameOf(rule) : null,
      accepts: rule?.accepts ?? true,
    });
    const accept = () => jobs.accept(creation, dedupeByKey[key] ?? 'none', played);
    // Up to where it is cut, the answer looks the same whether there is a job behind it or not.
    const wouldBe = jsonAnswer(200, handleOf(base, randomUUID(), model));
    if (rule && !rule.accepts) return answer(response, wouldBe, rule.act);
    if (rule && rule.acceptsAfterMs > 0) {
      await answer(response, wouldBe, rule.act);
      await sleep(rule.acceptsAfterMs, undefined, { signal: ended.signal });
      await accept();
      return;
    }
    const accepted = await accept();
    if (accepted === 'contradiction') return answer(response, contradicted, rule?.act ?? null);
    const { job, replayed } = accepted;
    const header: Readonly<Record<string, string>> = replayed ? { 'idempotent-replayed': 'true' } : {};
    return answer(response, jsonAnswer(200, handleOf(base, job.id, model), header), rule?.act ?? null);
  }

  /** A file of its own for every upload, whatever was uploaded before. */
  async function upload(key: string, response: ServerResponse): Promise<void> {
    const id = `file_${randomUUID().replaceAll('-', '').slice(0, 24)}`;
    const rule = meet('upload', { key, model: null, mark: null });
    return answer(response, jsonAnswer(200, { id, object: 'file' }), rule?.act ?? null);
  }

  async function list(key: string, model: string, task: string, response: ServerResponse): Promise<void> {
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
    return answer(response, jsonAnswer(200, body), meet('list', { key, model, mark })?.act ?? null);
  }

  async function serveJob(job: UpstreamJob, end: string | undefined, response: ServerResponse) {
    switch (end) {
      case 'status':
        return answer(
          response,
          jsonAnswer(200, statusOf(base, job)),
          meet('status', job.creation)?.act ?? null,
        );
      case 'response':
      case undefined: {
        const truth =
          stageOf(job) === 'COMPLETED'
            ? jsonAnswer(200, resultOf(base, job))
            : jsonAnswer(202, statusOf(base, job));
        return answer(response, truth, meet('response', job.creation)?.act ?? null);
      }
      case 'cancel': {
        const rule = meet('cancel', job.creation);
        const cancelled = rule?.accepts === false ? 'requested' : jobs.cancel(job);
        return answer(response, cancelAnswers[cancelled](job.id), rule?.act ?? null);
      }
      default:
        return answer(response, jsonAnswer(404, { detail: 'Not Found' }), null);
    }
  }

  async function serveMedium(id: string, response: ServerResponse): Promise<void> {
    const job = jobs.find(id);
    if (!job) return answer(response, jsonAnswer(404, { detail: 'Not Found' }), null);
    const { bytes, contentType } = job.medium;
    const truth: Truth = { status: 200, headers: { 'content-type': contentType }, body: bytes };
    return answer(response, truth, meet('media', job.creation)?.act ?? null);
  }
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

const emptyCounts = (): Record<Operation, number> => {
  const zeros = operations.map(name => [name, 0] as const);
  return Object.fromEntries(zeros) as Record<Operation, number>;
};

const headerOf = (headers: IncomingMessage['headers'], name: string): string | null =>
  [headers[name]].flat()[0] ?? null;

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw new Error('the body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
