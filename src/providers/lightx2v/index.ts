/** The server of LightX2V: docs/providers/lightx2v.md. */

import { z } from 'zod';
import type { Catalog } from '../../catalog/catalog.ts';
import { days, minutes, seconds } from '../../domain/clock.ts';
import type {
  CancelResult,
  PollResult,
  Provider,
  ProviderTask,
  ProviderTraits,
  RecoverResult,
  SubmitResult,
} from '../../domain/provider.ts';
import { defineProvider } from '../kit/definition.ts';
import { type ErrorTable, failureOf, readSubmission } from '../kit/error-table.ts';
import { readLookup } from '../kit/lookup.ts';
import { modelOf } from '../kit/media-encoding.ts';
import { isNotFound, providerDefaults, readPoll } from '../kit/poll.ts';
import { fileAt, lenient } from '../kit/read-success.ts';
import { freeTraits, openSelfHostedUpstream, selfHostedSettings } from '../kit/self-hosted.ts';
import { selfHostedSetup } from '../kit/setup.ts';
import { runAccountTest } from '../kit/test-account.ts';
import { query, readJson, toOpenedProvider, type Upstream, type UpstreamReply } from '../kit/upstream.ts';
import { lightx2vCall, lightx2vFaults, lightx2vModels, lightx2vRouteOptions, seedOf } from './models.ts';

export default defineProvider({
  name: 'lightx2v',
  setup: selfHostedSetup(8000),
  settings: secret => z.strictObject(selfHostedSettings(secret)),
  routeOptions: lightx2vRouteOptions,
  models: lightx2vModels,
  // What an input refers to is stored here, so it can be sent to any server.
  requiresSameAccount: false,
  faults: (model, input, { options }) => lightx2vFaults(model, input, options),
  open: (settings, { catalog, outbound }) => {
    const upstream = openSelfHostedUpstream(settings, { outbound });
    const provider = openLightx2v({ upstream, baseUrl: settings.base_url, catalog });
    return toOpenedProvider(upstream, provider);
  },
});

/** Media in the body are written to disk before the answer. */
const submitTimeoutMs = 1 * minutes;
/** When to poll first, after a submission. */
const firstPollMs = 2 * seconds;

/** What the upstream guarantees for repeated calls, and the timing of calls. */
const traits: ProviderTraits = {
  ...freeTraits,
  // The sender chooses the id: it can be looked up, and a known one is refused.
  dedupe: 'lookup',
  dedupeWindowMs: 1 * days,
  submitTimeoutMs,
};

/** What later calls need to know of a job: the ref, as read back from the database. */
const refSchema = z.object({ id: z.string().min(1), seed: z.int().optional() });
/** The part of an answer to a submission that names the job. */
const handle = z.object({ task_id: z.string().min(1).max(200) });
/** A task, as the server answers a poll. */
const task = z.object({
  task_id: z.string(),
  status: z.enum(['pending', 'processing', 'completed', 'failed', 'cancelled']),
  error: lenient(z.string()),
  error_type: lenient(z.string()),
});
type Lightx2vTask = z.output<typeof task>;
/** The list of tasks, by id. An object of another shape, such as an error, is no list: it proves no loss. */
const tasks = z.record(z.string(), z.object({ status: z.string() }));
/** The answer to a cancel that came in time. */
const stopped = z.object({ stop_status: z.literal('success') });
/** The body of an error. */
const problem = z.object({
  detail: z.union([z.string(), z.array(z.object({ msg: z.string() })).min(1)]),
});

/** What the upstream's error codes and statuses mean, by its documentation. */
const errors: ErrorTable = {
  read(json) {
    const detail = problem.safeParse(json).data?.detail;
    if (detail === undefined) return null;
    const message = typeof detail === 'string' ? detail : (detail[0]?.msg ?? '');
    // One status for a full queue and for a known id: only the sentence differs.
    return { code: /queue is full/i.test(message) ? 'queue_full' : null, message };
  },
  codes: { queue_full: 'pause', ValueError: 'input' },
  statuses: { 404: 'account', 405: 'account', 503: 'down' },
};

/** An opened account. */
interface Lightx2vContext {
  readonly upstream: Upstream;
  readonly baseUrl: string;
  readonly catalog: Catalog;
}

/** The port of one account. */
function openLightx2v(context: Lightx2vContext): Provider {
  const { upstream, baseUrl } = context;
  return {
    ...providerDefaults,
    name: 'lightx2v',
    traits: () => traits,
    test: () => runAccountTest(upstream, { path: '/v1/service/status', errors }),
    submit: job => submitTask(context, job),
    recover: job => lookUpTask(context, job),

    async poll(_, ref) {
      const { id, seed } = refSchema.parse(ref);
      const reply = await query(upstream, 'GET', `${pathOf(id)}/status`);
      if (isNotFound(reply)) return { kind: (await isGone(upstream, id)) ? 'lost' : 'missing' };
      return readPoll(reply, {
        stateIn: answer => taskIn(answer, id),
        resultOf: found => resultOf(found, `${baseUrl}${pathOf(id)}/result`, seed),
      });
    },

    async cancel(_, ref): Promise<CancelResult> {
      const reply = await query(upstream, 'DELETE', pathOf(refSchema.parse(ref).id));
      const isStopped = reply.kind === 'answered' && stopped.safeParse(reply.json).success;
      // Ended before, or not stopped: the next polls show which.
      return { kind: isStopped ? 'cancelled' : 'requested' };
    },
  };
}

/** The address of one task. */
const pathOf = (id: string): string => `/v1/tasks/${encodeURIComponent(id)}`;

/** The one billable call for a job. */
async function submitTask({ upstream, catalog }: Lightx2vContext, job: ProviderTask): Promise<SubmitResult> {
  const { path, body, seed } = await lightx2vCall(modelOf(catalog, job), job);
  const call = { method: 'POST', path, body, timeoutMs: submitTimeoutMs, isBillable: true } as const;
  const reply = await upstream.request(call);
  if (isKnownAlready(reply)) return { kind: 'accepted', ref: { id: job.dedupeKey, seed }, firstPollMs };
  return readSubmission(reply, errors, ({ json }) => {
    const { task_id: id } = handle.safeParse(json).data ?? {};
    return id === undefined ? null : { kind: 'accepted', ref: { id, seed }, firstPollMs };
  });
}

/** Looks up the task whose id is the key of an attempt. */
async function lookUpTask({ upstream, catalog }: Lightx2vContext, job: ProviderTask): Promise<RecoverResult> {
  const { dedupeKey: id } = job;
  const reply = await query(upstream, 'GET', `${pathOf(id)}/status`);
  return readLookup(reply, {
    errors,
    read: () => (taskIn(reply, id) ? { id, ...seedOf(modelOf(catalog, job), job) } : undefined),
    isNotFound: (_, status) => status === 404,
  });
}

/** Whether a task was lost with a restart: the server keeps tasks in memory, and neither knows nor lists this one. */
async function isGone(upstream: Upstream, id: string): Promise<boolean> {
  const list = readJson(await query(upstream, 'GET', '/v1/tasks/'), tasks);
  return list !== undefined && !(id in list);
}

/** Whether the server refused a repeated id: then the first call was accepted. */
const isKnownAlready = (reply: UpstreamReply): boolean =>
  reply.kind === 'answered' &&
  reply.status === 503 &&
  /already exists/i.test(errors.read(reply.json, {})?.message ?? '');

/** The task of that id in an answer; undefined for every other reply. */
function taskIn(reply: UpstreamReply, id: string): Lightx2vTask | undefined {
  const found = readJson(reply, task);
  return found?.task_id === id ? found : undefined;
}

/** What each state of the upstream means for the job. */
function resultOf(
  { status, error, error_type: type }: Lightx2vTask,
  url: string,
  seed: number | undefined,
): PollResult {
  switch (status) {
    case 'pending':
    case 'processing':
      return { kind: 'running' };
    case 'cancelled':
      return { kind: 'cancelled' };
    case 'failed': {
      const cause = { code: type ?? null, message: error ?? 'the engine failed' };
      return { kind: 'failed', error: failureOf(cause, errors) };
    }
    case 'completed':
      return {
        kind: 'succeeded',
        production: { files: [fileAt(url)], ...(seed !== undefined && { seed }) },
      };
  }
}
