import { z } from 'zod';
import { minutes, seconds } from '../../domain/clock.ts';
import type {
  CancelResult,
  PollResult,
  Production,
  Provider,
  ProviderTraits,
} from '../../domain/provider.ts';
import { defineProvider, type ProviderDependencies } from '../kit/definition.ts';
import { unmappedFieldFaults } from '../kit/engine-job.ts';
import { type ErrorTable, failureOf, mapCodes, pollAfter, readSubmission } from '../kit/error-table.ts';
import { modelOf } from '../kit/media-encoding.ts';
import {
  freeTraits,
  openInlineResults,
  openSelfHostedUpstream,
  selfHostedSettings,
} from '../kit/self-hosted.ts';
import { runAccountTest } from '../kit/test-account.ts';
import type { Upstream, UpstreamReply } from '../kit/upstream.ts';
import { toOpenedProvider } from '../kit/upstream.ts';
import { openaiCall, openaiCompatibleModels, openaiCompatibleRouteOptions, openaiFaults } from './models.ts';

/** docs/providers/openai-compatible.md: LocalAI, vLLM-Omni, SGLang and Kokoro-FastAPI on machines of one's own. */
export default defineProvider({
  name: 'openai-compatible',
  settings: secret =>
    z.strictObject({
      ...selfHostedSettings(secret),
      /** Where a call costs money: then one whose outcome is unknown is never sent again. */
      paid: z.boolean().default(false),
    }),
  switches: openaiCompatibleRouteOptions,
  models: openaiCompatibleModels,
  takesOwnModels: true,
  routeFaults: unmappedFieldFaults,
  // Pictures of earlier jobs are this gateway's: any server can be given them.
  needsOwnJobs: false,
  faults: (model, input, { options }) => openaiFaults(model, input, options),
  open: ({ paid, base_url, ...settings }, parts) => {
    // Written with /v1 by those who know it from other clients.
    const baseUrl = base_url.replace(/\/v1$/, '');
    const upstream = openSelfHostedUpstream({ ...settings, base_url: baseUrl }, parts);
    const provider = openServer({ upstream, baseUrl, traits: paid ? paidTraits : freeTraits, parts });
    return toOpenedProvider(upstream, provider);
  },
});

const askTimeoutMs = 15 * seconds;
const handleTimeoutMs = 1 * minutes;
/** A video on a small card takes its time. */
const generationTimeoutMs = 30 * minutes;
const firstPollMs = 2 * seconds;
/** Nine pictures of 2k in base64. */
const maxGenerationBytes = 256 * 1024 * 1024;
const listed = 100;

const paidTraits: ProviderTraits = {
  ...freeTraits,
  // None of these servers knows a call again.
  dedupe: 'none',
  dedupeWindowMs: 0,
  submitTimeoutMs: generationTimeoutMs,
  billable: true,
};

const refSchema = z.object({ id: z.string().min(1), seed: z.int().optional() });
const handle = z.object({ id: z.string().min(1).max(200) });
const fault = z.object({
  message: z.string().default(''),
  code: z.union([z.string(), z.number()]).nullish(),
  type: z.string().nullish(),
});
const video = z.object({
  id: z.string(),
  status: z.enum(['queued', 'in_progress', 'completed', 'failed']),
  progress: z.number().min(0).max(100).nullish().catch(null),
  /** Where the server keeps its results elsewhere. */
  url: z
    .url({ protocol: /^https?$/ })
    .nullish()
    .catch(null),
  error: fault.nullish(),
});
const items = z.object({
  data: z.array(z.object({ b64_json: z.string().nullish(), url: z.string().nullish() })).min(1),
});
const list = z.object({ data: z.array(handle), has_more: z.boolean().nullish() });
const errorBody = z.union([
  z.object({ error: fault }),
  z.object({ object: z.literal('error'), message: z.string(), code: z.unknown(), type: z.unknown() }),
  z.object({ detail: z.union([z.string(), z.array(z.object({ msg: z.string() })).min(1)]) }),
]);

const errors: ErrorTable = {
  read(json) {
    const told = errorBody.safeParse(json).data;
    if (!told) return null;
    if ('error' in told) return errorIn(told.error);
    if ('detail' in told) {
      const { detail } = told;
      return { code: null, message: typeof detail === 'string' ? detail : (detail[0]?.msg ?? '') };
    }
    return { code: null, message: told.message };
  },
  codes: {
    ...mapCodes('moderation', 'content_policy_violation', 'moderation_blocked', 'content_filter'),
    ...mapCodes(
      'account',
      'insufficient_quota',
      'invalid_api_key',
      'model_not_found',
      'authentication_error',
    ),
    rate_limit_exceeded: 'pause',
  },
  // The model, and whether the server has that route at all, is the operator's choice.
  statuses: { 404: 'account', 405: 'account' },
};

const errorIn = ({ code, type, message }: z.output<typeof fault>) => ({
  code: typeof code === 'string' ? code : (type ?? null),
  message,
});

interface Server {
  readonly upstream: Upstream;
  readonly baseUrl: string;
  readonly traits: ProviderTraits;
  readonly parts: ProviderDependencies;
}

function openServer({ upstream, baseUrl, traits, parts }: Server): Provider {
  const results = openInlineResults(parts);
  const ask = (method: 'GET' | 'DELETE', path: string) =>
    upstream.request({ method, path, timeoutMs: askTimeoutMs });
  const pathOf = (ref: unknown) => `/v1/videos/${encodeURIComponent(refSchema.parse(ref).id)}`;

  return {
    name: 'openai-compatible',
    traits: () => traits,
    ready: async () => ({ ok: true }),
    test: () => runAccountTest(upstream, { path: '/v1/models', errors }),

    async submit(task) {
      const { responseKind, seed, ...call } = await openaiCall(modelOf(parts.catalog, task), task);
      const reply = await upstream.request({
        method: 'POST',
        ...call,
        timeoutMs: responseKind === 'handle' ? handleTimeoutMs : generationTimeoutMs,
        maxAnswerBytes: maxGenerationBytes,
        isBillable: true,
      });
      const drawn = seed === undefined ? {} : { seed };
      if (responseKind === 'handle') {
        return readSubmission(reply, errors, ({ json }) => {
          const { id } = handle.safeParse(json).data ?? {};
          return id === undefined ? null : { kind: 'accepted', ref: { id, ...drawn }, firstPollMs };
        });
      }
      const made = responseKind === 'items' ? itemsIn(reply, baseUrl) : soundIn(reply);
      const files = made && [...(await results.save(task.dedupeKey, made.contents)), ...made.remoteFiles];
      return readSubmission(reply, errors, () =>
        files ? { kind: 'done', production: { files, ...drawn } } : null,
      );
    },

    async poll(_, ref) {
      const { id, seed } = refSchema.parse(ref);
      const reply = await ask('GET', pathOf(ref));
      if (reply.kind === 'answered' && reply.status === 404) {
        return { kind: !traits.billable && (await isGone(id)) ? 'lost' : 'missing' };
      }
      const told = readVideo(reply, id);
      if (told.kind !== 'made') return told;
      const url = told.url ?? `${baseUrl}${pathOf(ref)}/content`;
      const production = { files: [videoAt(url)], ...(seed !== undefined && { seed }) };
      return { kind: 'succeeded', production };
    },

    async cancel(_, ref): Promise<CancelResult> {
      const reply = await ask('DELETE', pathOf(ref));
      if (reply.kind !== 'answered') return { kind: 'requested' };
      if (reply.status < 300) return { kind: 'cancelled' };
      return { kind: reply.status >= 500 ? 'requested' : 'unsupported' };
    },

    release: ({ dedupeKey }) => results.remove(dedupeKey),
  };

  /** These servers keep their jobs in memory: what one does not know and does not list went with a restart. */
  async function isGone(id: string): Promise<boolean> {
    const reply = await ask('GET', `/v1/videos?limit=${listed}`);
    const told = reply.kind === 'answered' && reply.status === 200 ? list.safeParse(reply.json).data : null;
    if (!told || told.has_more === true || told.data.length >= listed) return false;
    return told.data.every(one => one.id !== id);
  }
}

const videoAt = (url: string): Production['files'][number] => ({
  role: 'primary',
  index: 0,
  mimeType: 'video/mp4',
  source: { kind: 'url', url },
});

type VideoState = PollResult | { readonly kind: 'made'; readonly url: string | null };

function readVideo(reply: UpstreamReply, id: string): VideoState {
  if (reply.kind !== 'answered') return { kind: 'unreachable', reason: reply.reason };
  const told = reply.status === 200 ? video.safeParse(reply.json).data : undefined;
  // A state that we do not know, or of another video, is no end: it is asked again.
  if (told?.id !== id)
    return { kind: 'unreachable', reason: `the upstream answered ${reply.status}`, ...pollAfter(reply) };
  const { progress, error } = told;
  switch (told.status) {
    case 'queued':
    case 'in_progress':
      return { kind: 'running', ...pollAfter(reply), ...(progress && { progress: progress / 100 }) };
    case 'failed': {
      const why = error ? errorIn(error) : { code: null, message: 'the engine failed' };
      return { kind: 'failed', error: failureOf(why, errors) };
    }
    case 'completed':
      return { kind: 'made', url: told.url ?? null };
  }
}

interface ServerOutput {
  readonly contents: readonly Buffer[];
  readonly remoteFiles: Production['files'];
}

/** Null for what holds none. */
function itemsIn(reply: UpstreamReply, baseUrl: string): ServerOutput | null {
  const told = isSuccess(reply) ? items.safeParse(reply.json).data?.data : undefined;
  if (!told) return null;
  const contents = told.flatMap(({ b64_json }) => (b64_json ? Buffer.from(b64_json, 'base64') : []));
  if (contents.length > 0) return { contents, remoteFiles: [] };
  const urls = told.flatMap(({ url }) => (url ? (URL.parse(url, `${baseUrl}/`)?.href ?? []) : []));
  const remoteFiles = urls.map((url, index) => ({ ...videoAt(url), index }));
  return remoteFiles.length > 0 ? { contents, remoteFiles } : null;
}

/** The bytes themselves; a page or JSON in their place is none. */
function soundIn(reply: UpstreamReply): ServerOutput | null {
  if (!isSuccess(reply) || !reply.bytes || reply.bytes.length === 0) return null;
  return /^audio\//.test(reply.headers['content-type'] ?? '')
    ? { contents: [reply.bytes], remoteFiles: [] }
    : null;
}

const isSuccess = (reply: UpstreamReply): reply is UpstreamReply & { readonly kind: 'answered' } =>
  reply.kind === 'answered' && reply.status >= 200 && reply.status < 300;
