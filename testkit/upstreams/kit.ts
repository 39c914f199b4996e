import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { answer, jsonAnswer, type Truth } from '../upstream/answer.ts';
import { type Creation, type Dedupe, openJobs, type UpstreamJob } from '../upstream/jobs.ts';
import { openLedger, readLedger } from '../upstream/ledger.ts';
import { type Kind, sha256 } from '../upstream/media.ts';
import { type Operation, openPicker, operations, type Rule, script } from '../upstream/script.ts';
import { ledgerPath, type Upstream } from '../upstream/upstream.ts';

/** A request as a protocol reads it. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Undefined for what is no JSON. */
  readonly json: unknown;
}

/** What a request asks for. */
export type Question =
  | {
      readonly on: 'create';
      readonly model: string;
      readonly kind: Kind;
      /** What the sender calls it, where it can be looked up by that. */
      readonly task?: string;
      /** What makes a repetition free, where it does. */
      readonly idempotencyKey?: string;
    }
  | { readonly on: 'status' | 'response' | 'cancel'; readonly id: string }
  | { readonly on: 'list'; readonly model: string; readonly task: string }
  | { readonly on: 'upload' };

/** Where an answer says that things are. */
export interface Places {
  /** The address of the fake itself. */
  readonly base: string;
  /** Where the medium of a job lies: at another host, as at every real upstream. */
  readonly mediumOf: (job: UpstreamJob) => string;
}

export type CancelTold = 'cancelled' | 'requested' | 'already_final';

/** One upstream's protocol, written from its public documents: how requests are read, and what is answered truly. */
export interface Protocol {
  readonly dedupe: Dedupe;
  /** The key in the headers, of whatever kind; null where there is none. */
  keyOf(headers: IncomingHttpHeaders): string | null;
  /** Null: there is no such address. */
  read(asked: Asked): Question | null;
  created(job: UpstreamJob, places: Places): Truth;
  /** Absent where the answer to the creation is the result. */
  status?(job: UpstreamJob, places: Places): Truth;
  /** Where the result is asked for by itself. */
  response?(job: UpstreamJob, places: Places): Truth;
  /** Absent where nothing can be cancelled. */
  cancelled?(job: UpstreamJob, told: CancelTold): Truth;
  listed?(jobs: readonly UpstreamJob[], places: Places, asked: Asked): Truth;
  /** What a second creation of a name is answered; absent where names may be used twice. */
  readonly taken?: Truth;
  uploaded?(id: string, places: Places): Truth;
  /** How it writes the id of a job; as the ledger does where it says nothing. */
  nameOf?(id: string): string;
  /** How it calls once there is news; absent where it calls nobody. */
  readonly calls?: Calls;
  readonly unauthorized: Truth;
  readonly missing: Truth;
}

export interface Calls {
  /** Where a creation asks it to call; null where it asks for nothing. */
  addressIn(asked: Asked): string | null;
  /** What it posts there; the answer to a poll where nothing is said. */
  body?(job: UpstreamJob, places: Places): unknown;
  /** What it signs with, by headers; nothing where nothing is said. */
  signed?(url: URL, body: string, by: Signing): Readonly<Record<string, string>>;
}

export interface Signing {
  readonly secret: string;
  /** Epoch ms. */
  readonly now: number;
}

/** Who is called: the gateway by its address on this machine, as if by a proxy that has its public one. */
export interface Called extends Signing {
  readonly publicUrl: string;
  readonly gateway: string;
}

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly json: unknown;
}

export interface Fake extends Upstream {
  /** Every creation as it came, oldest first. */
  received(): readonly Received[];
  /** Everything that the other host was asked, with the headers that came. */
  elsewhere(): readonly { readonly path: string; readonly headers: IncomingHttpHeaders }[];
  readonly elsewhereUrl: string;
  /** From now on no other key is taken; null: any that was given at the start. */
  takeOnly(key: string | null): void;
  /** Every job there has ended. */
  hasten(): void;
  /** Where the creation with that mark asked it to call, last; null where it asked for nothing. */
  addressOf(mark: string): string | null;
  /** Calls there, whatever there is to be told; what is answered. */
  call(mark: string, called: Called): Promise<{ readonly status: number; readonly text: string }>;
}

const maxBodyBytes = 64 * 1024 * 1024;

/** A server of that protocol that fails as it is told and keeps a ledger, and a second one for what it made. */
export async function startFake(protocol: Protocol, folder: string, key: string): Promise<Fake> {
  const ledger = openLedger(ledgerPath(folder), () => {});
  const jobs = openJobs(ledger);
  const all: UpstreamJob[] = [];
  const received: Received[] = [];
  const elsewhere: { path: string; headers: IncomingHttpHeaders }[] = [];
  const addresses = new Map<string, string>();
  const zeros = operations.map(name => [name, 0] as const);
  const counts = Object.fromEntries(zeros) as Record<Operation, number>;
  let played = script.parse({});
  let pick = openPicker(played);
  let taken = key;
  let submissions = 0;
  const [api, media] = [await listen(serve), await listen(serveElsewhere)];
  const places: Places = {
    base: api.url,
    mediumOf: ({ id, medium }) => `${media.url}/media/${id}/${medium.name}`,
  };

  return {
    url: api.url,
    elsewhereUrl: media.url,
    async play(wanted) {
      played = script.parse(wanted);
      pick = openPicker(played);
    },
    counts: async () => ({ ...counts }),
    ledger: () => readLedger(ledgerPath(folder)),
    received: () => received,
    elsewhere: () => elsewhere,
    takeOnly: wanted => {
      taken = wanted ?? key;
    },
    hasten() {
      for (const [place, job] of all.entries()) all[place] = { ...job, runsAt: 0, endsAt: 0 };
    },
    addressOf: mark => addresses.get(mark) ?? null,
    async call(mark, { publicUrl, gateway, ...by }) {
      const job = all.find(({ creation }) => creation.mark === mark);
      const address = URL.parse(addresses.get(mark) ?? '');
      if (!address) throw new Error(`expected ${mark} to have an address to call`);
      const { calls, status } = protocol;
      const told = job && (calls?.body?.(job, places) ?? jsonIn(status?.(job, places)));
      const body = JSON.stringify(told ?? {});
      const headers = { 'content-type': 'application/json', ...calls?.signed?.(address, body, by) };
      const url = address.href.replace(publicUrl, gateway);
      const answered = await fetch(url, { method: 'POST', headers, body });
      return { status: answered.status, text: await answered.text() };
    },
    async close() {
      await Promise.all([api.close(), media.close()]);
      ledger.close();
    },
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = await readAsked(request);
    if (protocol.keyOf(asked.headers) !== taken) return answer(response, protocol.unauthorized, null);
    const question = protocol.read(asked);
    if (!question) return answer(response, protocol.missing, null);
    switch (question.on) {
      case 'create':
        return create(asked, question, response);
      case 'upload':
        return answer(
          response,
          protocol.uploaded?.(randomUUID(), places) ?? protocol.missing,
          meet('upload', null)?.act ?? null,
        );
      case 'list': {
        const found = jobs.findByTask(key, question.model, question.task);
        return answer(
          response,
          protocol.listed?.(found, places, asked) ?? protocol.missing,
          meet('list', found[0] ?? null)?.act ?? null,
        );
      }
      default:
        return ofJob(question, response);
    }
  }

  /** The rule of a request; counted. */
  function meet(on: Operation, job: Pick<UpstreamJob, 'creation'> | null): Rule | null {
    counts[on]++;
    return pick({ on, key, model: job?.creation.model ?? null, mark: job?.creation.mark ?? null });
  }

  async function create(
    asked: Asked,
    question: Question & { on: 'create' },
    response: ServerResponse,
  ): Promise<void> {
    const { model, kind } = question;
    const [task, idempotencyKey] = [question.task ?? null, question.idempotencyKey ?? null];
    received.push({ path: asked.path, headers: asked.headers, json: asked.json });
    const mark = /\bmark-[0-9a-z]+\b/.exec(asked.text)?.[0] ?? null;
    const address = protocol.calls?.addressIn(asked) ?? null;
    if (mark !== null && address !== null) addresses.set(mark, address);
    const bodySha256 = sha256(asked.text);
    const submission = ++submissions;
    const ids = { submission, key, model, mark, idempotencyKey, task, bodySha256 };
    const creation: Creation = { ...ids, makes: kind };
    const rule = meet('create', { creation });
    const isTaken = protocol.taken !== undefined && jobs.findByTask(key, model, task ?? '').length > 0;
    const accepts = !isTaken && (rule?.accepts ?? true);
    const act = rule?.act.kind ?? null;
    const { submission: number, ...told } = ids;
    ledger.write({ kind: 'submission', at: Date.now(), number, ...told, act, accepts });
    if (isTaken && protocol.taken) return answer(response, protocol.taken, rule?.act ?? null);
    if (!accepts && rule) return answer(response, jsonAnswer(200, {}), rule.act);
    const accepted = await jobs.accept(creation, protocol.dedupe, played);
    if (accepted === 'contradiction') throw new Error('expected the same call under the same key');
    if (!accepted.replayed) all.push(accepted.job);
    return answer(response, protocol.created(accepted.job, places), rule?.act ?? null);
  }

  async function ofJob(
    { on, id }: Question & { on: 'status' | 'response' | 'cancel' },
    response: ServerResponse,
  ): Promise<void> {
    const job = all.find(known => known.id === id);
    const rule = meet(on, job ?? null);
    const truth = job ? truthOf(on, job, rule) : protocol.missing;
    return answer(response, truth, rule?.act ?? null);
  }

  function truthOf(on: 'status' | 'response' | 'cancel', job: UpstreamJob, rule: Rule | null): Truth {
    if (on === 'status') return protocol.status?.(job, places) ?? protocol.missing;
    if (on === 'response') return protocol.response?.(job, places) ?? protocol.missing;
    if (!protocol.cancelled) return protocol.missing;
    return protocol.cancelled(job, rule?.accepts === false ? 'requested' : jobs.cancel(job));
  }

  async function serveElsewhere(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/';
    elsewhere.push({ path, headers: request.headers });
    const job = all.find(({ id }) => path.startsWith(`/media/${id}/`));
    const rule = meet('media', job ?? null);
    if (!job) return answer(response, jsonAnswer(404, {}), rule?.act ?? null);
    const { bytes, contentType } = job.medium;
    return answer(
      response,
      { status: 200, headers: { 'content-type': contentType }, body: bytes },
      rule?.act ?? null,
    );
  }
}

interface Listening {
  readonly url: string;
  close(): Promise<void>;
}

async function listen(
  serve: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<Listening> {
  const server: Server = createServer((request, response) => {
    serve(request, response).catch(failure => {
      if (!response.headersSent) response.writeHead(500).end(String(failure));
    });
  });
  server.on('clientError', (_, socket) => socket.destroy());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('expected an address');
  return {
    url: `http://127.0.0.1:${address.port}`,
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

async function readAsked(request: IncomingMessage): Promise<Asked> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw new Error('the body is too large');
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString();
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://fake');
  const { method = '', headers } = request;
  return { method, path: pathname, query: searchParams, headers, text, json: parse(text) };
}

const jsonIn = (truth: Truth | undefined): unknown => truth && parse(truth.body.toString());

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
