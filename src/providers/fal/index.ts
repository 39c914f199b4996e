/** The queue of fal.ai: docs/providers/fal.md. */

import { z } from 'zod';
import type { Model } from '../../catalog/model.ts';
import { seconds } from '../../domain/clock.ts';
import { toJson } from '../../domain/json.ts';
import type {
  CancelResult,
  CandidateList,
  PollResult,
  Provider,
  ProviderAttempt,
  ProviderTask,
  ProviderTraits,
} from '../../domain/provider.ts';
import { callbacksSetting, withCallbackFlag } from '../kit/callback-flag.ts';
import { declaredOutputsIn } from '../kit/declared-files.ts';
import type { DeclaredOutput } from '../kit/declared-outputs.ts';
import { defineProvider, type ProviderDependencies } from '../kit/definition.ts';
import {
  type ErrorTable,
  errorOf,
  failureOf,
  mapCodes,
  pollAfter,
  unreadableError,
} from '../kit/error-table.ts';
import { mappingFaults } from '../kit/mapping.ts';
import { encodeMedia } from '../kit/media-encoding.ts';
import { isNotFound, providerDefaults, readPoll } from '../kit/poll.ts';
import { lenient, readSuccess } from '../kit/read-success.ts';
import { secretField } from '../kit/setup.ts';
import { mapInput, readAcceptance, submitMapped, type WrittenBody } from '../kit/submit.ts';
import {
  baseUrlSchema,
  baseUrlWithDefault,
  openUpstream,
  query,
  readJson,
  toOpenedProvider,
  type Upstream,
  type UpstreamReply,
} from '../kit/upstream.ts';
import type { FalCall } from './call.ts';
import { listSameInput } from './history.ts';
import { falMappings, falModels } from './models.ts';
import { productionIn } from './result.ts';

/** The addresses of the service, unless the account has another base. */
const queueUrl = 'https://queue.fal.run';
const platformUrl = 'https://api.fal.ai';

export default defineProvider({
  name: 'fal',
  setup: {
    trial: { model: 'theta-3.1-flash-tts-preview', cost: 'less than a cent: one short sentence' },
    fields: [secretField({ where: 'fal.ai → Dashboard → Keys, scope API', example: 'FAL_KEY' })],
  },
  retired: { 'wan/v2.6/text-to-video': 'fal-ai/wan/v2.7/text-to-video' },
  settings: secret =>
    z.strictObject({
      api_key: secret,
      base_url: baseUrlWithDefault(queueUrl),
      callbacks: callbacksSetting,
      /** Whether the upstream may forward a request to an endpoint that it considers equivalent. */
      allow_fallback: z.boolean().default(false),
      /** Where requests are listed. Default: fal's own address, unless `base_url` is another: the key goes nowhere unsaid. */
      api_url: baseUrlSchema().optional(),
      /**
       * Whether a call whose answer was lost is taken to be the only one of its input in fal's list. Default: an
       * operator decides.
       */
      adopt_candidates: z.boolean().default(false),
    }),
  models: falModels,
  bodyRoutes: { of: 'custom', members: ['outputs'] },
  faults: (model, input) => mappingFaults(falMappings, model, input),
  open: ({ api_key: key, base_url: baseUrl, api_url: apiUrl, ...settings }, dependencies) => {
    const at = (url: string) =>
      openUpstream({
        baseUrl: url,
        headers: { authorization: `Key ${key}` },
        secrets: [key],
        outbound: dependencies.outbound,
      });
    const upstream = at(baseUrl);
    const listUrl = apiUrl ?? (baseUrl === queueUrl ? platformUrl : null);
    const history = listUrl === null ? null : at(listUrl);
    const opened = toOpenedProvider(upstream, openFal({ upstream, history, settings, ...dependencies }));
    const close = async () => {
      await Promise.all([upstream.close(), history?.close()]);
    };
    return { ...opened, close };
  },
});

/** A medium in the body is stored before the answer. */
const submitTimeoutMs = 60 * seconds;
/** When to poll first, after a submission. */
const firstPollMs = 2 * seconds;
/** Of a medium that is sent as a data URL. */
const maxInlineBytes = 20 * 1024 * 1024;
/** Results are stored here by then; a day is left for a gateway that was down. */
const resultLifecycle = toJson({ expiration_duration_seconds: 86_400 });

/** What the upstream guarantees for repeated calls, and the timing of calls. */
const traits: ProviderTraits = {
  // It takes no key for a call, and its list names none: candidates are found there, never a proof.
  dedupe: 'none',
  dedupeWindowMs: 0,
  submitTimeoutMs,
  billable: true,
  minPollMs: 1 * seconds,
};

/**
 * Paths, not addresses: an answer never decides where the key is sent. `path` is the common part of the handle's
 * three addresses; absent where an operator named the request by its id alone.
 */
const refSchema = z.object({
  id: z.string().min(1),
  path: z.string().optional(),
  response: z.string().optional(),
});
/** The part of an answer to a submission that names the job. */
const handle = z.object({
  request_id: z.string().min(1).max(200),
  status_url: z.string().nullish(),
  response_url: z.string().nullish(),
});
/** A completed status with an `error` is a failed run, whatever its response says. */
const status = z.object({
  status: z.enum(['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED']),
  error: lenient(z.string()),
  error_type: lenient(z.string()),
});
const detail = z.object({
  detail: z.union([z.string(), z.array(z.object({ msg: z.string(), type: z.string().optional() })).min(1)]),
  error_type: z.string().optional(),
});

/** Errors of models and of requests, as the documentation names them. */
const falErrors: ErrorTable = {
  read(json, headers) {
    const error = detail.safeParse(json).data;
    if (!error) return null;
    const [first] = typeof error.detail === 'string' ? [] : error.detail;
    return {
      code: error.error_type ?? first?.type ?? headers['x-fal-error-type'] ?? null,
      message: first?.msg ?? (typeof error.detail === 'string' ? error.detail : ''),
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

/** An opened account. */
interface Fal extends Pick<ProviderDependencies, 'catalog' | 'linkTo'> {
  readonly upstream: Upstream;
  /** Where requests are listed; null where no address is known for the account's base. */
  readonly history: Upstream | null;
  readonly settings: {
    readonly callbacks: boolean;
    readonly allow_fallback: boolean;
    readonly adopt_candidates: boolean;
  };
}

/** One run, at the endpoint that was called: each further run may be charged. */
const noRetry = { 'x-fal-no-retry': '1' };
/** Two spellings are in use. */
const noFallback = { 'x-app-fal-disable-fallback': 'true', 'x-fal-disable-fallbacks': 'true' };

/** The port of one account. */
function openFal({ upstream, history, settings, catalog, linkTo }: Fal): Provider {
  const accountTraits: ProviderTraits = {
    ...traits,
    takesCallbacks: settings.callbacks,
    ...(settings.adopt_candidates && { adoptsCandidates: true }),
  };
  /** How an input becomes a call. */
  const mappingFor = (task: ProviderTask) => ({
    catalog,
    mappings: falMappings,
    bodyOf: (body: WrittenBody): FalCall => ({ path: '', body }),
    encode: (model: Model) =>
      encodeMedia(model, task, { linkTo, encoding: 'link-or-data-url', maxInlineBytes }),
  });
  const headers = {
    'x-fal-object-lifecycle-preference': resultLifecycle,
    ...noRetry,
    ...(!settings.allow_fallback && noFallback),
  };

  return {
    ...providerDefaults,
    name: 'fal',
    traits: () => accountTraits,

    submit: task =>
      submitMapped(task, {
        upstream,
        ...mappingFor(task),
        callOf: ({ body: { path, body } }) => ({
          path: `/${endpointOf(task, path)}${webhookQueryOf(task)}`,
          headers,
          body,
        }),
        timeoutMs: submitTimeoutMs,
        read: (reply, submission) =>
          readAcceptance(reply, submission, {
            errors: falErrors,
            firstPollMs,
            refIn: json => readHandle(upstream, json),
          }),
      }),

    ...(history && {
      async candidates(task: ProviderTask, sentAt: number): Promise<CandidateList> {
        const mapped = await mapInput(task, mappingFor(task));
        if (mapped.kind === 'refused') return { kind: 'undecided' };
        const { path, body } = mapped.submission.body;
        return listSameInput(history, { endpoint: endpointOf(task, path), body, sentAt }, falErrors);
      },
    }),

    async poll(attempt, ref) {
      const { path, response } = pathsOf(attempt, ref);
      const result = readState(await query(upstream, 'GET', `${path}/status`));
      if ('completed' in result)
        return readResult(await query(upstream, 'GET', response), {
          ...result.completed,
          outputs: declaredOutputsIn(ref),
        });
      return withCallbackFlag(ref, result);
    },

    async cancel(attempt, ref): Promise<CancelResult> {
      const reply = await query(upstream, 'PUT', `${pathsOf(attempt, ref).path}/cancel`);
      // Requested, or ended before: the next polls show which.
      return { kind: isNotFound(reply) ? 'unsupported' : 'requested' };
    },
  };
}

/** The id of the endpoint that a call goes to. */
const endpointOf = ({ upstreamModel }: ProviderTask, path: string): string =>
  [upstreamModel, path].filter(Boolean).join('/');

/** The address of our webhook stands in the query of the submission, so the body is the input alone. */
const webhookQueryOf = ({ callbackUrl }: ProviderTask): string =>
  callbackUrl === null ? '' : `?${new URLSearchParams({ fal_webhook: callbackUrl })}`;

/** Whichever endpoint accepted the job, its requests lie below `owner/app`. */
function pathsOf({ upstreamModel }: ProviderAttempt, ref: unknown) {
  const { id, path, response } = refSchema.parse(ref);
  const [owner, app] = upstreamModel.split('/');
  const base = path ?? `/${owner}/${app}/requests/${encodeURIComponent(id)}`;
  return { path: base, response: response ?? base };
}

/** Null for a handle whose addresses lie elsewhere: they cannot be called with the key. Absent ones follow from the id. */
function readHandle(upstream: Upstream, json: unknown): z.output<typeof refSchema> | null {
  const created = handle.safeParse(json).data;
  if (!created) return null;
  const { request_id: id, status_url: statusUrl, response_url: responseUrl } = created;
  const path = statusUrl ? upstream.pathOf(statusUrl)?.replace(/\/status$/, '') : undefined;
  const response = responseUrl ? upstream.pathOf(responseUrl) : undefined;
  if ((statusUrl && !path) || (responseUrl && !response)) return null;
  return { id, ...(path && { path }), ...(response && response !== path && { response }) };
}

type Status = z.output<typeof status>;
/** A run that ended: its response is requested next. */
interface Completed {
  readonly completed: Status;
}

/** Reads the answer to a poll. */
const readState = (reply: UpstreamReply): PollResult | Completed =>
  readPoll<Status, Completed>(reply, {
    stateIn: answer => readJson(answer, status, [200, 202]),
    resultOf: (state, answer) =>
      state.status === 'COMPLETED' ? { completed: state } : { kind: 'running', ...pollAfter(answer) },
  });

/** A run that ended, with where its results are. */
interface CompletedJob extends Status {
  /** Undefined: they are where most endpoints have them. */
  readonly outputs: readonly DeclaredOutput[] | undefined;
}

/** `error` of the completed status decides first, because the response of a failed run may be any error. */
function readResult(reply: UpstreamReply, { error, error_type: type, outputs }: CompletedJob): PollResult {
  const isError = reply.kind === 'answered' && reply.status >= 400;
  const responseError = isError ? falErrors.read(reply.json, reply.headers) : null;
  if (error) {
    const cause = responseError ?? { code: type ?? null, message: error };
    return { kind: 'failed', error: failureOf(cause, falErrors) };
  }
  if (responseError && reply.kind === 'answered' && reply.status === 422)
    return { kind: 'failed', error: failureOf(responseError, falErrors, 'input') };
  if (reply.kind !== 'answered' || reply.status !== 200 || reply.json === undefined)
    return { kind: 'unreachable', reason: errorOf(reply, falErrors).message };
  const found = productionIn(reply.json, outputs);
  return found ? readSuccess(reply, found, falErrors) : { kind: 'unreadable', error: unreadableError(reply) };
}
