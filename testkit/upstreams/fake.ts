/** A fake upstream of a provider's protocol: it follows a script of faults and keeps a ledger of what it charged. */
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { answer, jsonAnswer, type Truth } from '../upstream/answer.ts';
import { type Creation, openJobs, type UpstreamJob, type UpstreamJobs } from '../upstream/jobs.ts';
import { type Ledger, openLedger, readLedger } from '../upstream/ledger.ts';
import { listen, readBody } from '../upstream/listen.ts';
import { sha256 } from '../upstream/media.ts';
import { openPlayer, type Player } from '../upstream/player.ts';
import type { Operation, Rule } from '../upstream/script.ts';
import { ledgerPath, type Upstream } from '../upstream/upstream.ts';
import type { Addresses, Protocol, ProtocolCall, ProtocolRequest, WebhookTarget } from './protocol.ts';

/** A creation as it was received. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly json: unknown;
}

/** A request to the host of the media. */
interface MediaRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

export interface Fake extends Upstream {
  /** Every creation, oldest first. */
  received(): readonly Received[];
  /** Every request to the second host, which serves the media, with its headers. */
  mediaRequests(): readonly MediaRequest[];
  readonly mediaHostUrl: string;
  /** From now on every other key is refused; null: the key of the start again. */
  acceptOnlyKey(key: string | null): void;
  /** Ends every job now. */
  completeJobs(): void;
  /** The callback address of the last creation with that mark; null where it had none. */
  webhookUrlOf(mark: string): string | null;
  /** Calls that address, whatever the state of the job; the answer to it. */
  callWebhook(
    mark: string,
    target: WebhookTarget,
  ): Promise<{ readonly status: number; readonly text: string }>;
}

/** Everything a fake keeps while it runs. */
interface State {
  readonly protocol: Protocol;
  /** The key of its one account. */
  readonly key: string;
  /** The key that is accepted at present. */
  acceptedKey: string;
  readonly ledger: Ledger;
  readonly jobs: UpstreamJobs;
  /** In the order of their creation; `completeJobs` replaces them. */
  readonly accepted: UpstreamJob[];
  readonly player: Player;
  readonly received: Received[];
  readonly mediaRequests: MediaRequest[];
  readonly webhookUrls: Map<string, string>;
  addresses: Addresses;
  submissions: number;
}

/** Starts a server of that protocol, and a second one for the media; `key` is the only key that it accepts. */
export async function startFake(protocol: Protocol, folder: string, key: string): Promise<Fake> {
  const state = openState(protocol, folder, key);
  const { ledger, player, accepted } = state;
  const api = await listen((request, response) => serve(state, request, response));
  const media = await listen((request, response) => serveMedium(state, request, response));
  state.addresses = {
    base: api.url,
    mediumUrlOf: ({ id, medium }) => `${media.url}/media/${id}/${medium.name}`,
  };
  return {
    url: api.url,
    mediaHostUrl: media.url,
    play: async wanted => player.play(wanted),
    counts: async () => player.counts(),
    ledger: () => readLedger(ledgerPath(folder)),
    received: () => state.received,
    mediaRequests: () => state.mediaRequests,
    acceptOnlyKey: wanted => {
      state.acceptedKey = wanted ?? key;
    },
    completeJobs() {
      for (const [index, job] of accepted.entries()) accepted[index] = { ...job, runsAt: 0, endsAt: 0 };
    },
    webhookUrlOf: mark => state.webhookUrls.get(mark) ?? null,
    callWebhook: (mark, target) => callWebhook(state, mark, target),
    async close() {
      await Promise.all([api.close(), media.close()]);
      ledger.close();
    },
  };
}

function openState(protocol: Protocol, folder: string, key: string): State {
  const ledger = openLedger(ledgerPath(folder), () => {});
  return {
    protocol,
    key,
    acceptedKey: key,
    ledger,
    jobs: openJobs(ledger),
    accepted: [],
    player: openPlayer(),
    received: [],
    mediaRequests: [],
    webhookUrls: new Map(),
    addresses: { base: '', mediumUrlOf: () => '' },
    submissions: 0,
  };
}

async function callWebhook(
  { protocol, accepted, webhookUrls, addresses }: State,
  mark: string,
  { publicUrl, gateway, ...signing }: WebhookTarget,
): Promise<{ readonly status: number; readonly text: string }> {
  const job = accepted.find(({ creation }) => creation.mark === mark);
  const address = URL.parse(webhookUrls.get(mark) ?? '');
  if (!address) throw new Error(`expected ${mark} to have a webhook address`);
  const { webhook, status } = protocol;
  const content = job && (webhook?.body?.(job, addresses) ?? jsonIn(status?.(job, addresses)));
  const body = JSON.stringify(content ?? {});
  const headers = { 'content-type': 'application/json', ...webhook?.signatureOf?.(address, body, signing) };
  const url = address.href.replace(publicUrl, gateway);
  const answered = await fetch(url, { method: 'POST', headers, body });
  return { status: answered.status, text: await answered.text() };
}

async function serve(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { protocol, addresses, key } = state;
  const read = await readRequest(request);
  const document = protocol.published?.(read);
  if (document) return answer(response, document, null);
  if (protocol.keyOf(read.headers) !== state.acceptedKey)
    return answer(response, protocol.unauthorized, null);
  const call = protocol.read(read);
  if (!call) return answer(response, protocol.missing, null);
  switch (call.on) {
    case 'create':
      return create(state, read, call, response);
    case 'upload': {
      const truth = protocol.uploaded?.(randomUUID(), addresses) ?? protocol.missing;
      return answer(response, truth, meet(state, 'upload', null)?.act ?? null);
    }
    case 'list': {
      const found = state.jobs.findByTask(key, call.model, call.task);
      const truth = protocol.listed?.(found, addresses, read) ?? protocol.missing;
      return answer(response, truth, meet(state, 'list', found[0] ?? null)?.act ?? null);
    }
    default:
      return serveJob(state, call, response);
  }
}

/** The rule that a request meets; counted. */
function meet({ player, key }: State, on: Operation, job: Pick<UpstreamJob, 'creation'> | null): Rule | null {
  return player.meet({ on, key, model: job?.creation.model ?? null, mark: job?.creation.mark ?? null });
}

/** Records the submission and makes a job of it, unless its rule says otherwise or its name is in use. */
async function create(
  state: State,
  read: ProtocolRequest,
  call: ProtocolCall & { on: 'create' },
  response: ServerResponse,
): Promise<void> {
  const { protocol, ledger, jobs, key, player } = state;
  state.received.push({ path: read.path, headers: read.headers, json: read.json });
  const creation = readCreation(state, read, call);
  const rule = meet(state, 'create', { creation });
  const isDuplicate =
    protocol.duplicateTask !== undefined &&
    jobs.findByTask(key, creation.model, creation.task ?? '').length > 0;
  const accepts = !isDuplicate && (rule?.accepts ?? true);
  const { submission: number, makes: _, ...recorded } = creation;
  const act = rule?.act.kind ?? null;
  ledger.write({ kind: 'submission', at: Date.now(), number, ...recorded, act, accepts });
  if (isDuplicate && protocol.duplicateTask)
    return answer(response, protocol.duplicateTask, rule?.act ?? null);
  if (!accepts && rule) return answer(response, jsonAnswer(200, {}), rule.act);
  const accepted = await jobs.accept(creation, protocol.dedupe, player.timing());
  if (accepted === 'contradiction') throw new Error('expected the same call under the same key');
  if (!accepted.replayed) state.accepted.push(accepted.job);
  return answer(response, protocol.created(accepted.job, state.addresses), rule?.act ?? null);
}

/** The creation; its callback address is kept under its mark. */
function readCreation(
  state: State,
  read: ProtocolRequest,
  { model, kind, task, idempotencyKey }: ProtocolCall & { on: 'create' },
): Creation {
  const mark = /\bmark-[0-9a-z]+\b/.exec(read.text)?.[0] ?? null;
  const webhookUrl = state.protocol.webhook?.urlIn(read) ?? null;
  if (mark !== null && webhookUrl !== null) state.webhookUrls.set(mark, webhookUrl);
  return {
    submission: ++state.submissions,
    key: state.key,
    model,
    makes: kind,
    mark,
    idempotencyKey: idempotencyKey ?? null,
    task: task ?? null,
    bodySha256: sha256(read.text),
  };
}

async function serveJob(
  state: State,
  { on, id }: ProtocolCall & { on: 'status' | 'response' | 'cancel' },
  response: ServerResponse,
): Promise<void> {
  const job = state.accepted.find(known => known.id === id);
  const rule = meet(state, on, job ?? null);
  const truth = job ? truthOf(state, on, job, rule) : state.protocol.missing;
  return answer(response, truth, rule?.act ?? null);
}

/** The true answer about a job; a cancellation is carried out by it. */
function truthOf(
  { protocol, addresses, jobs }: State,
  on: 'status' | 'response' | 'cancel',
  job: UpstreamJob,
  rule: Rule | null,
): Truth {
  if (on === 'status') return protocol.status?.(job, addresses) ?? protocol.missing;
  if (on === 'response') return protocol.response?.(job, addresses) ?? protocol.missing;
  if (!protocol.cancelled) return protocol.missing;
  return protocol.cancelled(job, rule?.accepts === false ? 'requested' : jobs.cancel(job));
}

async function serveMedium(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url ?? '/';
  state.mediaRequests.push({ path, headers: request.headers });
  const job = state.accepted.find(({ id }) => path.startsWith(`/media/${id}/`));
  const act = meet(state, 'media', job ?? null)?.act ?? null;
  if (!job) return answer(response, jsonAnswer(404, {}), act);
  const { bytes, contentType } = job.medium;
  return answer(response, { status: 200, headers: { 'content-type': contentType }, body: bytes }, act);
}

async function readRequest(request: IncomingMessage): Promise<ProtocolRequest> {
  const text = (await readBody(request)).toString();
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
