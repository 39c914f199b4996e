import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { FormData } from 'undici';
import { z } from 'zod';
import type { Catalog } from '../../catalog/catalog.ts';
import { minutes, seconds } from '../../domain/clock.ts';
import { parseFileId } from '../../domain/ids.ts';
import type { Usage } from '../../domain/job.ts';
import { toJson } from '../../domain/json.ts';
import type {
  PollResult,
  PrepareResult,
  ProducedFile,
  Provider,
  ProviderTask,
  ProviderTraits,
} from '../../domain/provider.ts';
import { callbackFlag, callbacksSetting, withCallbackFlag } from '../kit/callback-flag.ts';
import { defineProvider } from '../kit/definition.ts';
import { type ErrorTable, errorOf, failureOf, pollAfter, readSubmission } from '../kit/error-table.ts';
import { invalidInputError, mappingFaults, mappingOf, withoutDelivery } from '../kit/mapping.ts';
import { modelOf, renameMedia } from '../kit/media-encoding.ts';
import { lenient, readResults, readSuccess, resultUrl } from '../kit/read-success.ts';
import { runAccountTest } from '../kit/test-account.ts';
import {
  baseUrlWithDefault,
  openUpstream,
  toOpenedProvider,
  type Upstream,
  type UpstreamReply,
} from '../kit/upstream.ts';
import { isWebhookSecret, verifyWebhookSignature } from '../kit/webhook-signature.ts';
import { replicateMappings, replicateModels } from './models.ts';

/** docs/providers/replicate.md: predictions of Replicate. */
export default defineProvider({
  name: 'replicate',
  settings: secret =>
    z.strictObject({
      api_key: secret,
      base_url: baseUrlWithDefault('https://api.replicate.com/v1'),
      callbacks: callbacksSetting,
      /** By which its calls are judged; absent: by their path alone. */
      webhook_secret: secret.refine(isWebhookSecret, { error: 'must be whsec_ and base64' }).optional(),
    }),
  models: replicateModels,
  faults: (model, input) => mappingFaults(replicateMappings, model, input),
  isSigned: ({ webhook_secret: signedBy }, call) =>
    signedBy === undefined || verifyWebhookSignature(signedBy, call),
  open: ({ api_key: key, base_url: baseUrl, callbacks }, { catalog, outbound }) => {
    const upstream = openUpstream({
      baseUrl,
      headers: { authorization: `Bearer ${key}` },
      secrets: [key],
      outbound,
    });
    return toOpenedProvider(upstream, openReplicate(upstream, callbacks, catalog));
  },
});

const submitTimeoutMs = 30 * seconds;
const askTimeoutMs = 15 * seconds;
const uploadTimeoutMs = 2 * minutes;
const firstPollMs = 2 * seconds;

const traits: ProviderTraits = {
  // Its list names neither a key of ours nor, for certain, the address that is called back.
  dedupe: 'none',
  dedupeWindowMs: 0,
  submitTimeoutMs,
  billable: true,
  minPollMs: 1 * seconds,
};

const refSchema = z.object({ id: z.string().min(1) });
const prediction = z.object({
  id: z.string().regex(/^[a-z0-9]{1,64}$/i),
  status: z.enum(['starting', 'processing', 'succeeded', 'failed', 'canceled', 'aborted']),
  output: z.unknown().optional(),
  error: z.unknown().optional(),
  metrics: lenient(z.object({ predict_time: lenient(z.number().nonnegative()) })),
});
const uploaded = z.object({ urls: z.object({ get: z.url() }) });
/** A reference of the input → the address of its upload, as it came back from the row. */
const uploadsSchema = z.record(z.string(), z.string()).default({});
const problem = z.object({ detail: z.string().optional(), title: z.string().optional() });

const errors: ErrorTable = {
  read(json) {
    const said = problem.safeParse(json).data;
    const message = said?.detail ?? said?.title;
    return message === undefined ? null : { code: null, message };
  },
  codes: { E005: 'moderation', E006: 'input' },
  // The model is the operator's choice, not the client's.
  statuses: { 404: 'account' },
};

function openReplicate(upstream: Upstream, takesCallbacks: boolean, catalog: Catalog): Provider {
  const own = { ...traits, takesCallbacks };
  const ask = (method: 'GET' | 'POST', path: string) =>
    upstream.request({ method, path, timeoutMs: askTimeoutMs });
  const pathOf = (ref: unknown) => `/predictions/${encodeURIComponent(refSchema.parse(ref).id)}`;

  return {
    name: 'replicate',
    traits: () => own,
    ready: async () => ({ ok: true }),
    test: () => runAccountTest(upstream, { path: '/account', errors }),

    /** Our files become files there; addresses elsewhere go as they are. */
    async prepare(task, signal): Promise<PrepareResult> {
      const uploads: Record<string, string> = {};
      for (const [reference, path] of Object.entries(task.media)) {
        if (!parseFileId(reference)) continue;
        const body = new FormData();
        body.append('content', await openAsBlob(path), basename(path));
        const wanted = { method: 'POST', path: '/files', timeoutMs: uploadTimeoutMs } as const;
        const reply = await upstream.request({ ...wanted, body, signal, isBillable: true });
        const made =
          reply.kind === 'answered' && reply.status < 300 ? uploaded.safeParse(reply.json).data : null;
        if (!made) return { kind: 'refused', error: errorOf(reply, errors) };
        uploads[reference] = made.urls.get;
      }
      return { kind: 'prepared', prepared: uploads };
    },

    async submit(task, prepared) {
      const entry = modelOf(catalog, task);
      const model = mappingOf(replicateMappings, task.modelId);
      const named = renameMedia(entry, task.job.input, uploadsSchema.parse(prepared));
      const input = withoutDelivery(entry, named);
      const made = model.map(input);
      if (!made) return { kind: 'refused', error: invalidInputError(model.faults(input)) };
      const reply = await upstream.request({
        method: 'POST',
        ...callOf(task, made),
        timeoutMs: submitTimeoutMs,
        isBillable: true,
      });
      return readSubmission(reply, errors, ({ json }) => {
        const { id } = prediction.safeParse(json).data ?? {};
        return id === undefined
          ? null
          : { kind: 'accepted', ref: { id, ...callbackFlag(task) }, firstPollMs };
      });
    },

    poll: async (_, ref) =>
      withCallbackFlag(ref, readPrediction(await ask('GET', pathOf(ref)), refSchema.parse(ref).id)),

    async cancel(_, ref) {
      const reply = await ask('POST', `${pathOf(ref)}/cancel`);
      const isKnown = reply.kind !== 'answered' || reply.status !== 404;
      // The next polls tell whether it came in time.
      return { kind: isKnown ? 'requested' : 'unsupported' };
    },

    release: async () => {},
  };
}

/** `owner/name` runs the newest version, `owner/name:version` that one. */
function callOf({ upstreamModel, callbackUrl: webhook }: ProviderTask, input: unknown) {
  const [model = '', version] = upstreamModel.split(':');
  const called = webhook === null ? {} : { webhook, webhook_events_filter: ['completed'] };
  return version === undefined
    ? { path: `/models/${model}/predictions`, body: toJson({ input, ...called }) }
    : { path: '/predictions', body: toJson({ version, input, ...called }) };
}

function readPrediction(reply: UpstreamReply, id: string): PollResult {
  if (reply.kind !== 'answered') return { kind: 'unreachable', reason: reply.reason };
  if (reply.status === 404) return { kind: 'missing' };
  const told = reply.status === 200 ? prediction.safeParse(reply.json).data : undefined;
  // A state that we do not know, or of another prediction, is no end: it is asked again.
  if (told?.id !== id)
    return { kind: 'unreachable', reason: `the upstream answered ${reply.status}`, ...pollAfter(reply) };
  switch (told.status) {
    case 'starting':
    case 'processing':
      return { kind: 'running', ...pollAfter(reply) };
    case 'canceled':
    case 'aborted':
      return { kind: 'cancelled' };
    case 'failed': {
      const message = typeof told.error === 'string' ? told.error : '';
      return {
        kind: 'failed',
        error: failureOf({ code: codeIn(message), message }, errors),
        usage: usageOf(told),
      };
    }
    case 'succeeded': {
      const { items, isWhole } = readResults(told.output, resultUrl);
      const production = { files: items.map(fileAt), usage: usageOf(told) };
      return readSuccess(reply, { production, isWhole }, errors);
    }
  }
}

/** Sentences, with the code of the platform in brackets where it is one of its own. */
const codeIn = (message: string): string | null => /\bE\d{3,4}\b/.exec(message)?.[0] ?? null;

function usageOf({ metrics }: z.output<typeof prediction>): readonly Usage[] {
  const quantity = metrics?.predict_time;
  return quantity === undefined ? [] : [{ unit: 'gpu_second', quantity, basis: 'reported' }];
}

const fileAt = (url: string, index: number): ProducedFile => ({
  role: 'primary',
  index,
  mimeType: 'application/octet-stream',
  source: { kind: 'url', url },
});
