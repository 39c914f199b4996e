/** A server of one upstream's protocol that fails as its script says, and a second one for the media it made. */
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { answer, jsonAnswer, type Truth } from '../upstream/answer.ts';
import { type Creation, openJobs, type UpstreamJob, type UpstreamJobs } from '../upstream/jobs.ts';
import { type Ledger, openLedger, readLedger } from '../upstream/ledger.ts';
import { listen, readAll } from '../upstream/listen.ts';
import { sha256 } from '../upstream/media.ts';
import { type Operation, openPicker, type Rule, type Script, script } from '../upstream/script.ts';
import { emptyCounts, ledgerPath } from '../upstream/upstream.ts';
import type { Asked, Called, Fake, Places, Protocol, Question, Received } from './kit.ts';

/** One fake between its requests. */
interface FakeState {
  readonly protocol: Protocol;
  /** The key that its creations are written down under. */
  readonly key: string;
  readonly ledger: Ledger;
  readonly jobs: UpstreamJobs;
  readonly places: Places;
  readonly counts: Record<Operation, number>;
  /** Every job, oldest first. */
  readonly all: UpstreamJob[];
  readonly received: Received[];
  readonly elsewhere: { path: string; headers: IncomingHttpHeaders }[];
  /** Where a creation asked it to call, by the mark of the creation. */
  readonly addresses: Map<string, string>;
  played: Script;
  pick: ReturnType<typeof openPicker>;
  /** The one key that is taken now. */
  taken: string;
  submissions: number;
}

/** Starts both servers. Its ledger is kept in the folder. */
export async function startFake(protocol: Protocol, folder: string, key: string): Promise<Fake> {
  const [api, media] = [
    await listen((request, response) => serve(state, request, response)),
    await listen((request, response) => serveElsewhere(state, request, response)),
  ];
  const state = openState(protocol, folder, key, {
    base: api.url,
    mediumOf: ({ id, medium }) => `${media.url}/media/${id}/${medium.name}`,
  });
  return {
    url: api.url,
    elsewhereUrl: media.url,
    async play(wanted) {
      state.played = script.parse(wanted);
      state.pick = openPicker(state.played);
    },
    counts: async () => ({ ...state.counts }),
    ledger: () => readLedger(ledgerPath(folder)),
    received: () => state.received,
    elsewhere: () => state.elsewhere,
    takeOnly: wanted => {
      state.taken = wanted ?? key;
    },
    hasten() {
      for (const [place, job] of state.all.entries()) state.all[place] = { ...job, runsAt: 0, endsAt: 0 };
    },
    addressOf: mark => state.addresses.get(mark) ?? null,
    call: (mark, called) => call(state, mark, called),
    async close() {
      await Promise.all([api.close(), media.close()]);
      state.ledger.close();
    },
  };
}

function openState(protocol: Protocol, folder: string, key: string, places: Places): FakeState {
  const ledger = openLedger(ledgerPath(folder), () => {});
  const played = script.parse({});
  return {
    protocol,
    key,
    ledger,
    jobs: openJobs(ledger),
    places,
    counts: emptyCounts(),
    all: [],
    received: [],
    elsewhere: [],
    addresses: new Map(),
    played,
    pick: openPicker(played),
    taken: key,
    submissions: 0,
  };
}

/** Calls the address of a creation, as the upstream does once there is news. */
async function call(
  { all, addresses, protocol, places }: FakeState,
  mark: string,
  { publicUrl, gateway, ...by }: Called,
) {
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
}

async function serve(state: FakeState, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { protocol, jobs, key, places } = state;
  const asked = await readAsked(request);
  if (protocol.keyOf(asked.headers) !== state.taken) return answer(response, protocol.unauthorized, null);
  const question = protocol.read(asked);
  if (!question) return answer(response, protocol.missing, null);
  switch (question.on) {
    case 'create':
      return create(state, asked, question, response);
    case 'upload':
      return answer(
        response,
        protocol.uploaded?.(randomUUID(), places) ?? protocol.missing,
        meet(state, 'upload', null)?.act ?? null,
      );
    case 'list': {
      const found = jobs.findByTask(key, question.model, question.task);
      return answer(
        response,
        protocol.listed?.(found, places, asked) ?? protocol.missing,
        meet(state, 'list', found[0] ?? null)?.act ?? null,
      );
    }
    default:
      return ofJob(state, question, response);
  }
}

/** The rule of a request; counted. */
function meet(state: FakeState, on: Operation, job: Pick<UpstreamJob, 'creation'> | null): Rule | null {
  state.counts[on]++;
  return state.pick({
    on,
    key: state.key,
    model: job?.creation.model ?? null,
    mark: job?.creation.mark ?? null,
  });
}

async function create(
  state: FakeState,
  asked: Asked,
  question: Question & { on: 'create' },
  response: ServerResponse,
): Promise<void> {
  const { protocol, jobs, key } = state;
  const { model, kind } = question;
  const [task, idempotencyKey] = [question.task ?? null, question.idempotencyKey ?? null];
  state.received.push({ path: asked.path, headers: asked.headers, json: asked.json });
  const mark = /\bmark-[0-9a-z]+\b/.exec(asked.text)?.[0] ?? null;
  const address = protocol.calls?.addressIn(asked) ?? null;
  if (mark !== null && address !== null) state.addresses.set(mark, address);
  const bodySha256 = sha256(asked.text);
  const submission = ++state.submissions;
  const ids = { submission, key, model, mark, idempotencyKey, task, bodySha256 };
  const creation: Creation = { ...ids, makes: kind };
  const rule = meet(state, 'create', { creation });
  const isTaken = protocol.taken !== undefined && jobs.findByTask(key, model, task ?? '').length > 0;
  const accepts = !isTaken && (rule?.accepts ?? true);
  const act = rule?.act.kind ?? null;
  const { submission: number, ...told } = ids;
  state.ledger.write({ kind: 'submission', at: Date.now(), number, ...told, act, accepts });
  if (isTaken && protocol.taken) return answer(response, protocol.taken, rule?.act ?? null);
  if (!accepts && rule) return answer(response, jsonAnswer(200, {}), rule.act);
  const accepted = await jobs.accept(creation, protocol.dedupe, state.played);
  if (accepted === 'contradiction') throw new Error('expected the same call under the same key');
  if (!accepted.replayed) state.all.push(accepted.job);
  return answer(response, protocol.created(accepted.job, state.places), rule?.act ?? null);
}

async function ofJob(
  state: FakeState,
  { on, id }: Question & { on: 'status' | 'response' | 'cancel' },
  response: ServerResponse,
): Promise<void> {
  const job = state.all.find(known => known.id === id);
  const rule = meet(state, on, job ?? null);
  const truth = job ? truthOf(state, on, job, rule) : state.protocol.missing;
  return answer(response, truth, rule?.act ?? null);
}

function truthOf(
  state: FakeState,
  on: 'status' | 'response' | 'cancel',
  job: UpstreamJob,
  rule: Rule | null,
): Truth {
  const { protocol, jobs, places } = state;
  if (on === 'status') return protocol.status?.(job, places) ?? protocol.missing;
  if (on === 'response') return protocol.response?.(job, places) ?? protocol.missing;
  if (!protocol.cancelled) return protocol.missing;
  return protocol.cancelled(job, rule?.accepts === false ? 'requested' : jobs.cancel(job));
}

async function serveElsewhere(
  state: FakeState,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = request.url ?? '/';
  state.elsewhere.push({ path, headers: request.headers });
  const job = state.all.find(({ id }) => path.startsWith(`/media/${id}/`));
  const rule = meet(state, 'media', job ?? null);
  if (!job) return answer(response, jsonAnswer(404, {}), rule?.act ?? null);
  const { bytes, contentType } = job.medium;
  return answer(
    response,
    { status: 200, headers: { 'content-type': contentType }, body: bytes },
    rule?.act ?? null,
  );
}

async function readAsked(request: IncomingMessage): Promise<Asked> {
  const text = (await readAll(request)).toString();
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
