import { z } from 'zod';
import { seconds } from '../../domain/clock.ts';
import type { Usage } from '../../domain/job.ts';
import { toJson } from '../../domain/json.ts';
import type {
  CancelResult,
  PollResult,
  ProducedFile,
  Provider,
  ProviderAttempt,
  ProviderTask,
  ProviderTraits,
  SubmitResult,
} from '../../domain/provider.ts';
import { callbackFlag, callbacksSetting, withCallbackFlag } from '../kit/callback-flag.ts';
import { defineProvider, type ProviderDependencies } from '../kit/definition.ts';
import {
  type ErrorTable,
  errorOf,
  failureOf,
  mapCodes,
  pollAfter,
  readSubmission,
  unreadableError,
} from '../kit/error-table.ts';
import { invalidInputError, mappingFaults, mappingOf, withoutDelivery } from '../kit/mapping.ts';
import { encodeMedia, modelOf } from '../kit/media-encoding.ts';
import { lenient, readResults, readSuccess } from '../kit/read-success.ts';
import {
  baseUrlWithDefault,
  openUpstream,
  toOpenedProvider,
  type Upstream,
  type UpstreamReply,
} from '../kit/upstream.ts';
import { falMappings, falModels } from './models.ts';

/** docs/providers/fal.md: the queue of fal.ai. */
export default defineProvider({
  name: 'fal',
  settings: secret =>
    z.strictObject({
      api_key: secret,
      base_url: baseUrlWithDefault('https://queue.fal.run'),
      callbacks: callbacksSetting,
      /** Whether the upstream may hand a request on to an endpoint that it holds to be equivalent. */
      allow_fallback: z.boolean().default(false),
    }),
  models: falModels,
  faults: (model, input) => mappingFaults(falMappings, model, input),
  open: ({ api_key: key, base_url: baseUrl, callbacks, allow_fallback: allowsFallback }, parts) => {
    const upstream = openUpstream({
      baseUrl,
      headers: { authorization: `Key ${key}` },
      secrets: [key],
      outbound: parts.outbound,
    });
    return toOpenedProvider(
      upstream,
      openFal({ upstream, takesCallbacks: callbacks, allowsFallback, ...parts }),
    );
  },
});

/** A medium in the body is taken in before the answer. */
const submitTimeoutMs = 60 * seconds;
const askTimeoutMs = 15 * seconds;
const firstPollMs = 2 * seconds;
const maxInlineBytes = 20 * 1024 * 1024;
/** Results are kept here by then; a day is left for a gateway that was away. */
const resultLifecycle = toJson({ expiration_duration_seconds: 86_400 });

const traits: ProviderTraits = {
  // It offers no key for a call and no list to look into.
  dedupe: 'none',
  dedupeWindowMs: 0,
  submitTimeoutMs,
  billable: true,
  minPollMs: 1 * seconds,
};

/**
 * Paths, not addresses: an answer never decides where the key is sent. `path` is what the three have in common;
 * absent where an operator named the request by its id alone.
 */
const refSchema = z.object({
  id: z.string().min(1),
  path: z.string().optional(),
  response: z.string().optional(),
});
const handle = z.object({
  request_id: z.string().min(1).max(200),
  status_url: z.string(),
  response_url: z.string(),
});
const status = z.object({
  status: z.enum(['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED']),
  error: lenient(z.string()),
  error_type: lenient(z.string()),
});
const file = z.object({ url: z.string().min(1), content_type: lenient(z.string()) });
const result = z.object({
  video: z.unknown().optional(),
  images: z.unknown().optional(),
  audio: z.unknown().optional(),
  seed: lenient(z.int().nonnegative()),
  duration_ms: lenient(z.number().positive()),
});
const detail = z.object({
  detail: z.union([z.string(), z.array(z.object({ msg: z.string(), type: z.string().optional() })).min(1)]),
  error_type: z.string().optional(),
});

/** Its errors of models and of requests, as its documentation names them. */
const falErrors: ErrorTable = {
  read(json, headers) {
    const said = detail.safeParse(json).data;
    if (!said) return null;
    const [first] = typeof said.detail === 'string' ? [] : said.detail;
    return {
      code: said.error_type ?? first?.type ?? headers['x-fal-error-type'] ?? null,
      message: first?.msg ?? (typeof said.detail === 'string' ? said.detail : ''),
    };
  },
  codes: {
    ...mapCodes('moderation', 'content_policy_violation'),
    ...mapCodes('media', 'file_download_error', 'file_too_large', 'image_load_error'),
    ...mapCodes(
      'input',
      'image_too_small',
      'image_too_large',
      'face_detection_error',
      'feature_not_supported',
    ),
    ...mapCodes('input', 'unsupported_image_format', 'unsupported_video_format', 'unsupported_audio_format'),
    ...mapCodes('input', 'video_duration_too_long', 'video_duration_too_short'),
    ...mapCodes('input', 'audio_duration_too_long', 'audio_duration_too_short', 'value_error', 'bad_request'),
    ...mapCodes('failed', 'internal_server_error', 'generation_timeout', 'no_media_generated'),
    ...mapCodes('failed', 'downstream_service_error', 'downstream_service_unavailable'),
    ...mapCodes('failed', 'request_timeout', 'startup_timeout', 'internal_error', 'client_cancelled'),
    ...mapCodes('failed', 'runner_scheduling_failure', 'runner_connection_timeout', 'runner_disconnected'),
    ...mapCodes(
      'failed',
      'runner_connection_refused',
      'runner_connection_error',
      'runner_incomplete_response',
    ),
    ...mapCodes('failed', 'runner_server_error', 'client_disconnected'),
  },
  // The endpoint is the operator's choice, not the client's.
  statuses: { 404: 'account' },
};

interface Fal extends Pick<ProviderDependencies, 'catalog' | 'linkTo'> {
  readonly upstream: Upstream;
  readonly takesCallbacks: boolean;
  readonly allowsFallback: boolean;
}

/** One run at the endpoint that was asked, and no other: each further one may be charged. */
const noRetry = { 'x-fal-no-retry': '1' };
/** Two spellings are in use. */
const noFallback = { 'x-app-fal-disable-fallback': 'true', 'x-fal-disable-fallbacks': 'true' };

function openFal({ upstream, takesCallbacks, allowsFallback, catalog, linkTo }: Fal): Provider {
  const own = { ...traits, takesCallbacks };
  const headers = {
    'x-fal-object-lifecycle-preference': resultLifecycle,
    ...noRetry,
    ...(!allowsFallback && noFallback),
  };
  const ask = (method: 'GET' | 'PUT', path: string) =>
    upstream.request({ method, path, timeoutMs: askTimeoutMs });

  return {
    name: 'fal',
    traits: () => own,
    ready: async () => ({ ok: true }),

    async submit(task) {
      const entry = modelOf(catalog, task);
      const model = mappingOf(falMappings, task.modelId);
      const formed = await encodeMedia(entry, task, { linkTo, encoding: 'link-or-data-url', maxInlineBytes });
      if (formed.kind === 'refused') return formed;
      const input = withoutDelivery(entry, formed.input);
      const call = model.map(input);
      if (!call) return { kind: 'refused', error: invalidInputError(model.faults(input)) };
      const reply = await upstream.request({
        method: 'POST',
        path: `/${[task.upstreamModel, call.path].filter(Boolean).join('/')}${webhookQueryOf(task)}`,
        headers,
        body: toJson(call.body),
        timeoutMs: submitTimeoutMs,
        isBillable: true,
      });
      return readSubmission(reply, falErrors, ({ json }) => readHandle(upstream, task, json));
    },

    async poll(attempt, ref) {
      const { path, response } = pathsOf(attempt, ref);
      const told = readState(await ask('GET', `${path}/status`));
      if ('completed' in told) return readResult(await ask('GET', response), told.completed);
      return withCallbackFlag(ref, told);
    },

    async cancel(attempt, ref): Promise<CancelResult> {
      const reply = await ask('PUT', `${pathsOf(attempt, ref).path}/cancel`);
      const isKnown = reply.kind !== 'answered' || reply.status !== 404;
      // Asked for, or ended before: the next polls tell.
      return { kind: isKnown ? 'requested' : 'unsupported' };
    },

    release: async () => {},
  };
}

const webhookQueryOf = ({ callbackUrl }: ProviderTask): string =>
  callbackUrl === null ? '' : `?${new URLSearchParams({ fal_webhook: callbackUrl })}`;

/** Whatever endpoint took the job, its requests lie below `owner/app`. */
function pathsOf({ upstreamModel }: ProviderAttempt, ref: unknown) {
  const { id, path, response } = refSchema.parse(ref);
  const [owner, app] = upstreamModel.split('/');
  const base = path ?? `/${owner}/${app}/requests/${encodeURIComponent(id)}`;
  return { path: base, response: response ?? base };
}

/** Null for a handle that leads elsewhere: it cannot be followed with the key. */
function readHandle(upstream: Upstream, task: ProviderTask, json: unknown): SubmitResult | null {
  const made = handle.safeParse(json).data;
  if (!made) return null;
  const path = upstream.pathOf(made.status_url)?.replace(/\/status$/, '');
  const response = upstream.pathOf(made.response_url);
  if (!path || !response) return null;
  const ref = { id: made.request_id, path, ...(response !== path && { response }), ...callbackFlag(task) };
  return { kind: 'accepted', ref, firstPollMs };
}

type Completed = { readonly completed: z.output<typeof status> };

function readState(reply: UpstreamReply): PollResult | Completed {
  if (reply.kind !== 'answered') return { kind: 'unreachable', reason: reply.reason };
  if (reply.status === 404) return { kind: 'missing' };
  const told = reply.status === 200 || reply.status === 202 ? status.safeParse(reply.json).data : undefined;
  // A state that we do not know is no end: it is asked again.
  if (!told)
    return { kind: 'unreachable', reason: `the upstream answered ${reply.status}`, ...pollAfter(reply) };
  return told.status === 'COMPLETED' ? { completed: told } : { kind: 'running', ...pollAfter(reply) };
}

function readResult(reply: UpstreamReply, { error, error_type: type }: Completed['completed']): PollResult {
  const isError = reply.kind === 'answered' && reply.status >= 400;
  const said = isError ? falErrors.read(reply.json, reply.headers) : null;
  if (error)
    return { kind: 'failed', error: failureOf(said ?? { code: type ?? null, message: error }, falErrors) };
  if (said && reply.kind === 'answered' && reply.status === 422)
    return { kind: 'failed', error: failureOf(said, falErrors, 'input') };
  if (reply.kind !== 'answered' || reply.status !== 200 || reply.json === undefined)
    return { kind: 'unreachable', reason: errorOf(reply, falErrors).message };
  const told = result.safeParse(reply.json).data;
  if (!told) return { kind: 'unreadable', error: unreadableError(reply) };
  return readSuccess(reply, productionOf(told), falErrors);
}

function productionOf({ video, images, audio, seed, duration_ms }: z.output<typeof result>) {
  const { items, isWhole } = readResults(video ?? audio ?? images, file);
  const files = items.map(
    ({ url, content_type }, index): ProducedFile => ({
      role: 'primary',
      index,
      mimeType: content_type ?? 'application/octet-stream',
      source: { kind: 'url', url },
    }),
  );
  const usage: readonly Usage[] = duration_ms
    ? [{ unit: 'second', quantity: duration_ms / 1000, basis: 'reported' }]
    : [];
  return { production: { files, usage, ...(seed !== undefined && { seed }) }, isWhole };
}
