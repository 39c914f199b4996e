/** Workflows of the operator on ComfyUI: docs/providers/comfyui.md. */

import { createHash } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import type { FormData } from 'undici';
import { z } from 'zod';
import type { Catalog } from '../../catalog/catalog.ts';
import type { Model } from '../../catalog/model.ts';
import { days, seconds } from '../../domain/clock.ts';
import { extensionByMimeType } from '../../domain/file.ts';
import { toJson } from '../../domain/json.ts';
import type {
  CancelResult,
  Provider,
  ProviderTask,
  ProviderTraits,
  RecoverResult,
  SubmitResult,
} from '../../domain/provider.ts';
import { defineProvider } from '../kit/definition.ts';
import {
  type EngineMedium,
  engineInputFaults,
  engineJobOf,
  engineModels,
  unmappedFieldFaults,
} from '../kit/engine-job.ts';
import { type ErrorTable, mapCodes, readSubmission } from '../kit/error-table.ts';
import { readLookup } from '../kit/lookup.ts';
import { modelOf } from '../kit/media-encoding.ts';
import { isNotFound, providerDefaults, readPoll } from '../kit/poll.ts';
import { lenient } from '../kit/read-success.ts';
import { freeTraits, openSelfHostedUpstream, selfHostedSettings } from '../kit/self-hosted.ts';
import { selfHostedSetup } from '../kit/setup.ts';
import { runAccountTest } from '../kit/test-account.ts';
import { type Upload, uploadEach } from '../kit/upload.ts';
import {
  newForm,
  query,
  readJson,
  toOpenedProvider,
  type Upstream,
  type UpstreamReply,
} from '../kit/upstream.ts';
import { fieldFaults, fieldInputFaults, placedMediaOf } from './fields.ts';
import { jobIn, resultOf } from './job.ts';
import {
  comfyuiRouteOptions,
  declaredCapabilities,
  type FilledWorkflow,
  fieldPlacesOf,
  fillWorkflow,
} from './workflow.ts';

export default defineProvider({
  name: 'comfyui',
  setup: selfHostedSetup(8188),
  settings: secret => z.strictObject(selfHostedSettings(secret)),
  routeOptions: comfyuiRouteOptions,
  models: engineModels,
  servesCustomModels: true,
  routeFaults(model, options) {
    const places = fieldPlacesOf(options);
    return places ? fieldFaults(model, places) : unmappedFieldFaults(model);
  },
  // Pictures of earlier jobs are stored here, so they can be sent to any machine.
  requiresSameAccount: false,
  faults(model, input, { options }) {
    const places = fieldPlacesOf(options);
    return places
      ? fieldInputFaults(model, input, places)
      : engineInputFaults(model, input, declaredCapabilities(options));
  },
  open: (settings, { catalog, outbound }) => {
    const upstream = openSelfHostedUpstream(settings, { outbound });
    const provider = openComfyui({ upstream, baseUrl: settings.base_url, catalog });
    return toOpenedProvider(upstream, provider);
  },
});

/** Timeout of a submission. */
const submitTimeoutMs = 30 * seconds;
/** When to poll first, after a submission. */
const firstPollMs = 1 * seconds;
/** Of the list of jobs, of which the engine remembers ten thousand. */
const maxListBytes = 32 * 1024 * 1024;

/** What the upstream guarantees for repeated calls, and the timing of calls. */
const traits: ProviderTraits = {
  ...freeTraits,
  // It runs a graph twice that arrives twice, and can be asked for the id that the sender chose.
  dedupe: 'lookup',
  dedupeWindowMs: 7 * days,
  submitTimeoutMs,
};

/** What later calls need to know of a job: the ref, as read back from the database. */
const refSchema = z.object({
  id: z.string().min(1),
  /** Absent where an operator named the job by its id alone: every node counts then. */
  outputs: z.array(z.string()).optional(),
  seed: z.int().optional(),
});
/** The part of an answer to a submission that names the job. */
const handle = z.object({ prompt_id: z.string().min(1).max(200) });
/** The answer to an upload. */
const uploaded = z.object({ name: z.string().min(1), subfolder: lenient(z.string()) });
/** A reference of the input → the name of its upload: what `prepare` returned, as read back from the database. */
const uploadsSchema = z.record(z.string(), z.string()).default({});
/** The list of jobs, as far as it shows whether one is in it. */
const jobs = z.object({
  jobs: z.array(z.object({ id: z.string() })),
  pagination: z.object({ has_more: z.boolean().nullish() }).nullish(),
});
/** What is wrong with the inputs of one node. */
const nodeError = z.object({
  errors: z.array(z.object({ message: z.string(), details: z.string().nullish() })),
});
/** The body of an error. */
const problem = z.object({
  error: z.union([z.string(), z.object({ type: z.string().nullish(), message: z.string().default('') })]),
  node_errors: z
    .union([z.record(z.string(), nodeError), z.array(z.unknown())])
    .nullish()
    .catch(null),
});

/** What the upstream's error codes and statuses mean, by its documentation. */
const errors: ErrorTable = {
  read(json) {
    const body = problem.safeParse(json).data;
    if (!body) return null;
    const { error, node_errors: nodes } = body;
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

/** The id that this gateway gives the job: a UUID derived from the attempt, as newer versions require one. */
function promptIdOf({ dedupeKey }: Pick<ProviderTask, 'dedupeKey'>): string {
  const hex = createHash('sha256').update(dedupeKey).digest('hex');
  const variant = '89ab'[Number.parseInt(hex[16] ?? '0', 16) % 4];
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `${variant}${hex.slice(17, 20)}`]
    .concat(hex.slice(20, 32))
    .join('-');
}

/** An opened account. */
interface ComfyuiContext {
  readonly upstream: Upstream;
  readonly baseUrl: string;
  readonly catalog: Catalog;
}

/** The port of one account. */
function openComfyui(context: ComfyuiContext): Provider {
  const { upstream, baseUrl, catalog } = context;
  return {
    ...providerDefaults,
    name: 'comfyui',
    traits: () => traits,
    test: () => runAccountTest(upstream, { path: '/system_stats', errors }),
    /** Uploads every medium that the workflow names, under a file name of this attempt. */
    prepare: (task, signal) =>
      uploadEach(upstream, uploadsOf(catalog, task), { path: '/upload/image', errors, nameIn }, signal),
    submit: (task, prepared) => submitWorkflow(context, task, prepared),
    recover: task => lookUpJob(context, task),

    async poll(_, ref) {
      const { id, outputs, seed } = refSchema.parse(ref);
      const reply = await query(upstream, 'GET', pathOf(id));
      if (isNotFound(reply)) return { kind: (await isGone(upstream, id)) ? 'lost' : 'missing' };
      return readPoll(reply, {
        stateIn: answer => jobIn(answer, id),
        resultOf: (found, answer) => resultOf(found, answer, { baseUrl, outputs, seed, errors }),
      });
    },

    async cancel(_, ref): Promise<CancelResult> {
      const reply = await query(upstream, 'POST', `${pathOf(refSchema.parse(ref).id)}/cancel`);
      if (reply.kind !== 'answered') return { kind: 'requested' };
      // Versions without that route can only interrupt whatever runs at the moment: they are not asked to.
      if (reply.status === 404 || reply.status === 405) return { kind: 'unsupported' };
      const isStopped = z.object({ cancelled: z.literal(true) }).safeParse(reply.json).success;
      return { kind: isStopped ? 'cancelled' : 'requested' };
    },
  };
}

/** The address of one job. */
const pathOf = (id: string): string => `/api/jobs/${encodeURIComponent(id)}`;

/** The media of a job that have to be uploaded. */
function uploadsOf(catalog: Catalog, task: ProviderTask): readonly Upload[] {
  const model = modelOf(catalog, task);
  const places = fieldPlacesOf(task.routeOptions);
  const media = places ? placedMediaOf(model, task, places) : parameterMediaOf(model, task);
  return media.map(([name, medium]) => ({
    reference: medium.reference,
    form: () => formOf(task, name, medium),
  }));
}

/** The media that the workflow has a parameter for. */
function parameterMediaOf(model: Model, task: ProviderTask) {
  const names: readonly string[] = declaredCapabilities(task.routeOptions).parameters;
  return Object.entries(engineJobOf(model, task, {}).media).filter(([name]) => names.includes(name));
}

/** One upload. A repeated one replaces the file of the same attempt, so that nothing piles up. */
async function formOf(
  { dedupeKey }: ProviderTask,
  name: string,
  { path, mimeType }: EngineMedium,
): Promise<FormData> {
  const body = newForm();
  const fileName = `${dedupeKey}_${name}.${extensionByMimeType[mimeType] ?? 'bin'}`;
  body.append('image', await openAsBlob(path, { type: mimeType }), fileName);
  body.append('type', 'input');
  body.append('subfolder', 'atelier');
  body.append('overwrite', 'true');
  return body;
}

/** What the upstream calls an uploaded file. */
function nameIn(reply: UpstreamReply): string | undefined {
  const created = readJson(reply, uploaded);
  return created?.subfolder ? `${created.subfolder}/${created.name}` : created?.name;
}

/** The one billable call for a job. */
async function submitWorkflow(
  { upstream, catalog }: ComfyuiContext,
  task: ProviderTask,
  prepared: unknown,
): Promise<SubmitResult> {
  const { graph, ...filled } = fillWorkflow(modelOf(catalog, task), task, uploadsSchema.parse(prepared));
  const reply = await upstream.request({
    method: 'POST',
    path: '/prompt',
    body: toJson({ prompt: graph, prompt_id: promptIdOf(task), client_id: 'atelier' }),
    timeoutMs: submitTimeoutMs,
    isBillable: true,
  });
  return readSubmission(reply, errors, ({ json }) => {
    const { prompt_id: id } = handle.safeParse(json).data ?? {};
    return id === undefined ? null : { kind: 'accepted', ref: refOf(id, filled), firstPollMs };
  });
}

/** Looks up the job by the id that this gateway gave it. */
async function lookUpJob({ upstream, catalog }: ComfyuiContext, task: ProviderTask): Promise<RecoverResult> {
  const id = promptIdOf(task);
  const reply = await query(upstream, 'GET', pathOf(id));
  const ref = refOf(id, fillWorkflow(modelOf(catalog, task), task, {}));
  return readLookup(reply, {
    errors,
    read: () => (jobIn(reply, id) ? ref : undefined),
    // The engine's own answer, and not that of a version that lacks the route.
    isNotFound: (_, status) => status === 404,
  });
}

/** A drawn seed is part of the ref, because no answer of the engine repeats it. */
const refOf = (id: string, { outputs, seed }: Pick<FilledWorkflow, 'outputs' | 'seed'>) => ({
  id,
  outputs,
  ...(seed !== null && { seed }),
});

/** Whether a job was lost with a restart: the engine keeps jobs in memory, and neither knows nor lists this one. */
async function isGone(upstream: Upstream, id: string): Promise<boolean> {
  const reply = await query(upstream, 'GET', '/api/jobs', { maxAnswerBytes: maxListBytes });
  const list = readJson(reply, jobs);
  if (!list || list.pagination?.has_more === true) return false;
  return list.jobs.every(one => one.id !== id);
}
