import { z } from 'zod';
import { days, minutes, seconds } from '../../domain/clock.ts';
import type { CancelResult, PollResult, Provider, ProviderTraits } from '../../domain/provider.ts';
import { defineProvider, type ProviderDependencies } from '../kit/definition.ts';
import { type ErrorTable, failureOf, pollAfter, readSubmission } from '../kit/error-table.ts';
import { readLookup } from '../kit/lookup.ts';
import { modelOf } from '../kit/media-encoding.ts';
import { freeTraits, openSelfHostedUpstream, selfHostedSettings } from '../kit/self-hosted.ts';
import { runAccountTest } from '../kit/test-account.ts';
import type { Upstream, UpstreamReply } from '../kit/upstream.ts';
import { toOpenedProvider } from '../kit/upstream.ts';
import { lightx2vCall, lightx2vFaults, lightx2vModels, lightx2vRouteOptions, seedOf } from './models.ts';

/** docs/providers/lightx2v.md: the server of LightX2V. */
export default defineProvider({
  name: 'lightx2v',
  settings: secret => z.strictObject(selfHostedSettings(secret)),
  switches: lightx2vRouteOptions,
  models: lightx2vModels,
  // What an input points at is this gateway's: any server can be given it.
  needsOwnJobs: false,
  faults: (model, input, { options }) => lightx2vFaults(model, input, options),
  open: (settings, parts) => {
    const upstream = openSelfHostedUpstream(settings, parts);
    const provider = openLightx2v(upstream, settings.base_url, parts);
    return toOpenedProvider(upstream, provider);
  },
});

/** Media in the body are written down before the answer. */
const submitTimeoutMs = 1 * minutes;
const askTimeoutMs = 15 * seconds;
const firstPollMs = 2 * seconds;

const traits: ProviderTraits = {
  ...freeTraits,
  // The id is the sender's: it can be asked for, and one that is known already is refused.
  dedupe: 'lookup',
  dedupeWindowMs: 1 * days,
  submitTimeoutMs,
};

const refSchema = z.object({ id: z.string().min(1), seed: z.int().optional() });
const handle = z.object({ task_id: z.string().min(1).max(200) });
const task = z.object({
  task_id: z.string(),
  status: z.enum(['pending', 'processing', 'completed', 'failed', 'cancelled']),
  error: z.string().nullish(),
  error_type: z.string().nullish(),
});
type Lightx2vTask = z.output<typeof task>;
const tasks = z.record(z.string(), z.unknown());
const stopped = z.object({ stop_status: z.literal('success') });
const problem = z.object({
  detail: z.union([z.string(), z.array(z.object({ msg: z.string() })).min(1)]),
});

const errors: ErrorTable = {
  read(json) {
    const detail = problem.safeParse(json).data?.detail;
    if (detail === undefined) return null;
    const message = typeof detail === 'string' ? detail : (detail[0]?.msg ?? '');
    // One status for both: only its sentence tells them apart.
    return { code: /queue is full/i.test(message) ? 'queue_full' : null, message };
  },
  codes: { queue_full: 'pause', ValueError: 'input' },
  statuses: { 404: 'account', 405: 'account', 503: 'down' },
};

function openLightx2v(
  upstream: Upstream,
  baseUrl: string,
  { catalog }: Pick<ProviderDependencies, 'catalog'>,
): Provider {
  const ask = (method: 'GET' | 'DELETE', path: string) =>
    upstream.request({ method, path, timeoutMs: askTimeoutMs });
  const pathOf = (id: string) => `/v1/tasks/${encodeURIComponent(id)}`;

  return {
    name: 'lightx2v',
    traits: () => traits,
    ready: async () => ({ ok: true }),
    test: () => runAccountTest(upstream, { path: '/v1/service/status', errors }),

    async submit(job) {
      const { path, body, seed } = await lightx2vCall(modelOf(catalog, job), job);
      const wanted = { method: 'POST', path, body, timeoutMs: submitTimeoutMs, isBillable: true } as const;
      const reply = await upstream.request(wanted);
      if (isKnownAlready(reply)) return { kind: 'accepted', ref: { id: job.dedupeKey, seed }, firstPollMs };
      return readSubmission(reply, errors, ({ json }) => {
        const { task_id: id } = handle.safeParse(json).data ?? {};
        return id === undefined ? null : { kind: 'accepted', ref: { id, seed }, firstPollMs };
      });
    },

    async recover(job) {
      const reply = await ask('GET', `${pathOf(job.dedupeKey)}/status`);
      return readLookup(reply, {
        errors,
        read: () =>
          taskIn(reply, job.dedupeKey)
            ? { id: job.dedupeKey, ...seedOf(modelOf(catalog, job), job) }
            : undefined,
        isNotFound: (_, status) => status === 404,
      });
    },

    async poll(_, ref) {
      const { id, seed } = refSchema.parse(ref);
      const reply = await ask('GET', `${pathOf(id)}/status`);
      if (reply.kind === 'answered' && reply.status === 404)
        return { kind: (await isGone(id)) ? 'lost' : 'missing' };
      const told = taskIn(reply, id);
      if (told) return readTask(told, { url: `${baseUrl}${pathOf(id)}/result`, seed });
      const reason = reply.kind === 'answered' ? `the upstream answered ${reply.status}` : reply.reason;
      return { kind: 'unreachable', reason, ...pollAfter(reply) };
    },

    async cancel(_, ref): Promise<CancelResult> {
      const reply = await ask('DELETE', pathOf(refSchema.parse(ref).id));
      const isStopped = reply.kind === 'answered' && stopped.safeParse(reply.json).success;
      // Ended before, or not stopped: the next polls tell.
      return { kind: isStopped ? 'cancelled' : 'requested' };
    },

    release: async () => {},
  };

  /** It keeps its tasks in memory: what it does not know and does not list went with a restart. */
  async function isGone(id: string): Promise<boolean> {
    const reply = await ask('GET', '/v1/tasks/');
    const told = reply.kind === 'answered' && reply.status === 200 ? tasks.safeParse(reply.json).data : null;
    return told !== null && told !== undefined && !(id in told);
  }
}

const isKnownAlready = (reply: UpstreamReply): boolean =>
  reply.kind === 'answered' &&
  reply.status === 503 &&
  /already exists/i.test(errors.read(reply.json, {})?.message ?? '');

/** The task of that id as the answer tells of it; null for every other answer. */
function taskIn(reply: UpstreamReply, id: string): Lightx2vTask | null {
  const told =
    reply.kind === 'answered' && reply.status === 200 ? task.safeParse(reply.json).data : undefined;
  return told?.task_id === id ? told : null;
}

function readTask(
  { status, error, error_type: type }: Lightx2vTask,
  { url, seed }: { readonly url: string; readonly seed: number | undefined },
): PollResult {
  switch (status) {
    case 'pending':
    case 'processing':
      return { kind: 'running' };
    case 'cancelled':
      return { kind: 'cancelled' };
    case 'failed': {
      const why = { code: type ?? null, message: error ?? 'the engine failed' };
      return { kind: 'failed', error: failureOf(why, errors) };
    }
    case 'completed': {
      const source = { kind: 'url', url } as const;
      const files = [{ role: 'primary', index: 0, mimeType: 'application/octet-stream', source }] as const;
      return { kind: 'succeeded', production: { files, ...(seed !== undefined && { seed }) } };
    }
  }
}
