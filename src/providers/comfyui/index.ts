import { createHash } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { FormData } from 'undici';
import { z } from 'zod';
import { days, minutes, seconds } from '../../domain/clock.ts';
import { extensionByMimeType } from '../../domain/file.ts';
import type { Usage } from '../../domain/job.ts';
import { toJson } from '../../domain/json.ts';
import type {
  CancelResult,
  PollResult,
  PrepareResult,
  ProducedFile,
  Provider,
  ProviderTask,
  ProviderTraits,
} from '../../domain/provider.ts';
import { defineProvider, type ProviderDependencies } from '../kit/definition.ts';
import { engineInputFaults, engineJobOf, engineModels, unmappedFieldFaults } from '../kit/engine-job.ts';
import {
  type ErrorTable,
  errorOf,
  failureOf,
  mapCodes,
  pollAfter,
  readSubmission,
} from '../kit/error-table.ts';
import { readLookup } from '../kit/lookup.ts';
import { modelOf } from '../kit/media-encoding.ts';
import { freeTraits, openSelfHostedUpstream, selfHostedSettings } from '../kit/self-hosted.ts';
import { runAccountTest } from '../kit/test-account.ts';
import type { Upstream, UpstreamReply } from '../kit/upstream.ts';
import { toOpenedProvider } from '../kit/upstream.ts';
import { comfyuiRouteOptions, declaredCapabilities, fillWorkflow } from './workflow.ts';

/** docs/providers/comfyui.md: workflows of the operator's own on ComfyUI. */
export default defineProvider({
  name: 'comfyui',
  settings: secret => z.strictObject(selfHostedSettings(secret)),
  switches: comfyuiRouteOptions,
  models: engineModels,
  takesOwnModels: true,
  routeFaults: unmappedFieldFaults,
  // Pictures of earlier jobs are this gateway's: any machine can be given them.
  needsOwnJobs: false,
  faults: (model, input, { options }) => engineInputFaults(model, input, declaredCapabilities(options)),
  open: (settings, parts) => {
    const upstream = openSelfHostedUpstream(settings, parts);
    const provider = openComfyui(upstream, settings.base_url, parts);
    return toOpenedProvider(upstream, provider);
  },
});

const askTimeoutMs = 15 * seconds;
const submitTimeoutMs = 30 * seconds;
const uploadTimeoutMs = 2 * minutes;
const firstPollMs = 1 * seconds;
/** Ten thousand jobs that it remembers. */
const maxListBytes = 32 * 1024 * 1024;

const traits: ProviderTraits = {
  ...freeTraits,
  // It runs a graph twice that comes twice, and can be asked for the id that the sender gave.
  dedupe: 'lookup',
  dedupeWindowMs: 7 * days,
  submitTimeoutMs,
};

const refSchema = z.object({
  id: z.string().min(1),
  /** Absent where an operator named the job by its id alone: every node counts then. */
  outputs: z.array(z.string()).optional(),
  seed: z.int().optional(),
});
const handle = z.object({ prompt_id: z.string().min(1).max(200) });
const uploaded = z.object({ name: z.string().min(1), subfolder: z.string().default('') });
/** A reference of the input → the name of its upload, as it came back from the row. */
const uploadsSchema = z.record(z.string(), z.string()).default({});
const file = z.object({
  filename: z.string().regex(/^[^/\\]+$/),
  subfolder: z
    .string()
    .regex(/^(?!.*\.\.)/)
    .default(''),
  type: z.string(),
});
const job = z.object({
  id: z.string(),
  status: z.enum(['pending', 'in_progress', 'completed', 'failed', 'cancelled']),
  outputs: z.record(z.string(), z.record(z.string(), z.unknown())).nullish(),
  execution_error: z
    .object({ exception_type: z.string().nullish(), exception_message: z.string().nullish() })
    .nullish(),
  execution_start_time: z.number().nullish(),
  execution_end_time: z.number().nullish(),
});
type ComfyJob = z.output<typeof job>;
const jobs = z.object({
  jobs: z.array(z.object({ id: z.string() })),
  pagination: z.object({ has_more: z.boolean().nullish() }).nullish(),
});
const nodeError = z.object({
  errors: z.array(z.object({ message: z.string(), details: z.string().nullish() })),
});
const problem = z.object({
  error: z.union([z.string(), z.object({ type: z.string().nullish(), message: z.string().default('') })]),
  node_errors: z
    .union([z.record(z.string(), nodeError), z.array(z.unknown())])
    .nullish()
    .catch(null),
});

const errors: ErrorTable = {
  read(json) {
    const told = problem.safeParse(json).data;
    if (!told) return null;
    const { error, node_errors: nodes } = told;
    if (typeof error === 'string') return { code: null, message: error };
    const [first] = nodes && !Array.isArray(nodes) ? Object.values(nodes).flatMap(node => node.errors) : [];
    const details = first?.details ? `${first.message}: ${first.details}` : first?.message;
    return { code: error.type ?? null, message: details ?? error.message };
  },
  codes: {
    // The graph is the operator's, not the client's.
    ...mapCodes(
      'account',
      'invalid_prompt',
      'missing_node_type',
      'prompt_no_outputs',
      'no_prompt',
      'invalid_prompt_id',
    ),
    prompt_outputs_failed_validation: 'input',
  },
  statuses: { 404: 'account', 405: 'account' },
};

/** What the sender calls it: in the form of a UUID, which newer versions insist on. */
function promptIdOf({ dedupeKey }: Pick<ProviderTask, 'dedupeKey'>): string {
  const hex = createHash('sha256').update(dedupeKey).digest('hex');
  const variant = '89ab'[Number.parseInt(hex[16] ?? '0', 16) % 4];
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `${variant}${hex.slice(17, 20)}`]
    .concat(hex.slice(20, 32))
    .join('-');
}

function openComfyui(
  upstream: Upstream,
  baseUrl: string,
  { catalog }: Pick<ProviderDependencies, 'catalog'>,
): Provider {
  const ask = (method: 'GET' | 'POST', path: string, maxAnswerBytes?: number) =>
    upstream.request({ method, path, timeoutMs: askTimeoutMs, ...(maxAnswerBytes && { maxAnswerBytes }) });
  const pathOf = (id: string) => `/api/jobs/${encodeURIComponent(id)}`;

  return {
    name: 'comfyui',
    traits: () => traits,
    ready: async () => ({ ok: true }),
    test: () => runAccountTest(upstream, { path: '/system_stats', errors }),

    /** Every medium that the workflow names becomes a file there, under a name of this attempt. */
    async prepare(task, signal): Promise<PrepareResult> {
      const wanted: readonly string[] = declaredCapabilities(task.routeOptions).parameters;
      const uploads: Record<string, string> = {};
      for (const [name, medium] of Object.entries(engineJobOf(modelOf(catalog, task), task, {}).media)) {
        const { reference, path, mimeType } = medium;
        if (!wanted.includes(name) || reference in uploads) continue;
        const body = new FormData();
        const fileName = `${task.dedupeKey}_${name}.${extensionByMimeType[mimeType] ?? 'bin'}`;
        body.append('image', await openAsBlob(path, { type: mimeType }), fileName);
        body.append('type', 'input');
        body.append('subfolder', 'atelier');
        body.append('overwrite', 'true');
        const call = { method: 'POST', path: '/upload/image', timeoutMs: uploadTimeoutMs } as const;
        const reply = await upstream.request({ ...call, body, signal, isBillable: true });
        const made =
          reply.kind === 'answered' && reply.status === 200 ? uploaded.safeParse(reply.json).data : null;
        if (!made) return { kind: 'refused', error: errorOf(reply, errors) };
        uploads[reference] = made.subfolder === '' ? made.name : `${made.subfolder}/${made.name}`;
      }
      return { kind: 'prepared', prepared: uploads };
    },

    async submit(task, prepared) {
      const { graph, outputs, seed } = fillWorkflow(
        modelOf(catalog, task),
        task,
        uploadsSchema.parse(prepared),
      );
      const reply = await upstream.request({
        method: 'POST',
        path: '/prompt',
        body: toJson({ prompt: graph, prompt_id: promptIdOf(task), client_id: 'atelier' }),
        timeoutMs: submitTimeoutMs,
        isBillable: true,
      });
      return readSubmission(reply, errors, ({ json }) => {
        const { prompt_id: id } = handle.safeParse(json).data ?? {};
        const ref = { id, outputs, ...(seed !== null && { seed }) };
        return id === undefined ? null : { kind: 'accepted', ref, firstPollMs };
      });
    },

    async recover(task) {
      const id = promptIdOf(task);
      const reply = await ask('GET', pathOf(id));
      const { outputs, seed } = fillWorkflow(modelOf(catalog, task), task, {});
      const ref = { id, outputs, ...(seed !== null && { seed }) };
      return readLookup(reply, {
        errors,
        read: () => (jobIn(reply, id) ? ref : undefined),
        // Its own word, and not that of a version that lacks the route.
        isNotFound: (_, status) => status === 404,
      });
    },

    async poll(_, ref) {
      const { id, outputs, seed } = refSchema.parse(ref);
      const reply = await ask('GET', pathOf(id));
      if (reply.kind === 'answered' && reply.status === 404)
        return { kind: (await isGone(id)) ? 'lost' : 'missing' };
      const told = jobIn(reply, id);
      if (!told) {
        const reason = reply.kind === 'answered' ? `the upstream answered ${reply.status}` : reply.reason;
        return { kind: 'unreachable', reason, ...pollAfter(reply) };
      }
      return readJob(told, { files: filesOf(told, outputs, baseUrl), seed });
    },

    async cancel(_, ref): Promise<CancelResult> {
      const { id } = refSchema.parse(ref);
      const reply = await ask('POST', `${pathOf(id)}/cancel`);
      if (reply.kind !== 'answered') return { kind: 'requested' };
      // Versions without that route stop whatever runs when they are asked to interrupt: they are not.
      if (reply.status === 404 || reply.status === 405) return { kind: 'unsupported' };
      const isStopped = z.object({ cancelled: z.literal(true) }).safeParse(reply.json).success;
      return { kind: isStopped ? 'cancelled' : 'requested' };
    },

    release: async () => {},
  };

  /** It keeps its jobs in memory: what it does not know and does not list went with a restart. */
  async function isGone(id: string): Promise<boolean> {
    const reply = await ask('GET', '/api/jobs', maxListBytes);
    const told = reply.kind === 'answered' && reply.status === 200 ? jobs.safeParse(reply.json).data : null;
    if (!told || told.pagination?.has_more === true) return false;
    return told.jobs.every(one => one.id !== id);
  }
}

/** The job of that id as the answer tells of it; null for every other answer. */
function jobIn(reply: UpstreamReply, id: string): ComfyJob | null {
  const told = reply.kind === 'answered' && reply.status === 200 ? job.safeParse(reply.json).data : undefined;
  return told?.id === id ? told : null;
}

function readJob(
  told: ComfyJob,
  { files, seed }: { readonly files: readonly ProducedFile[]; readonly seed: number | undefined },
): PollResult {
  const usage = usageOf(told);
  switch (told.status) {
    case 'pending':
    case 'in_progress':
      return { kind: 'running' };
    case 'cancelled':
      return { kind: 'cancelled' };
    case 'failed': {
      const { exception_type: code, exception_message: message } = told.execution_error ?? {};
      const why = { code: code ?? null, message: message ?? 'the workflow failed' };
      return { kind: 'failed', error: failureOf(why, errors), usage };
    }
    case 'completed': {
      if (files.length > 0)
        return { kind: 'succeeded', production: { files, usage, ...(seed !== undefined && { seed }) } };
      const nothing = { code: null, message: 'the workflow ended without a file of its output nodes' };
      return { kind: 'failed', error: failureOf(nothing, errors), usage };
    }
  }
}

/** How long it ran, as it says in epoch ms. */
function usageOf({ execution_start_time: start, execution_end_time: end }: ComfyJob): readonly Usage[] {
  if (!start || !end || end <= start) return [];
  return [{ unit: 'gpu_second', quantity: (end - start) / 1000, basis: 'reported' }];
}

/** What the output nodes saved, under whatever key they list it; previews are no results. */
function filesOf(
  { outputs }: ComfyJob,
  nodes: readonly string[] | undefined,
  baseUrl: string,
): readonly ProducedFile[] {
  const listed = (nodes ?? Object.keys(outputs ?? {})).flatMap(node => Object.values(outputs?.[node] ?? {}));
  return listed
    .flatMap(list => (Array.isArray(list) ? list : []))
    .flatMap(one => file.safeParse(one).data ?? [])
    .filter(({ type }) => type === 'output')
    .map((one, index) => ({
      role: 'primary',
      index,
      mimeType: 'application/octet-stream',
      source: { kind: 'url', url: `${baseUrl}/view?${new URLSearchParams(one)}` },
    }));
}
