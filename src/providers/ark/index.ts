import { z } from 'zod';
import { days, minutes, seconds } from '../../domain/clock.ts';
import { toJson } from '../../domain/json.ts';
import type {
  CancelResult,
  Pinned,
  PollResult,
  Provider,
  ProviderTask,
  ProviderTraits,
} from '../../domain/provider.ts';
import { callbackFlag, callbacksSetting, withCallbackFlag } from '../kit/callback-flag.ts';
import { defineProvider, type ProviderDefinition, type ProviderDependencies } from '../kit/definition.ts';
import { type ErrorTable, failureOf, mapCodes, pollAfter, readSubmission } from '../kit/error-table.ts';
import { readLookup } from '../kit/lookup.ts';
import { invalidInputError, mappingFaults, mappingOf, withoutDelivery } from '../kit/mapping.ts';
import {
  encodeMedia,
  inlineBytesPerMedium,
  modelOf,
  withDraftOnly,
  withUpstreamIds,
} from '../kit/media-encoding.ts';
import { readSuccess } from '../kit/read-success.ts';
import { runAccountTest } from '../kit/test-account.ts';
import {
  baseUrlWithDefault,
  openUpstream,
  toOpenedProvider,
  type Upstream,
  type UpstreamReply,
} from '../kit/upstream.ts';
import { arkMappings, arkModels, modelarkModels } from './models.ts';
import { type ArkTask, arkTask, findTask, productionOf } from './task.ts';

/** docs/providers/ark.md: Seedance on Volcengine Ark, in mainland China. */
export const ark = defineArk('ark', 'https://ark.cn-beijing.volces.com/api/v3', arkModels);
/** docs/providers/modelark.md: the same on BytePlus ModelArk, elsewhere. */
export const modelark = defineArk(
  'modelark',
  'https://ark.ap-southeast.bytepluses.com/api/v3',
  modelarkModels,
);

function defineArk(
  name: string,
  defaultUrl: string,
  models: Readonly<Record<keyof typeof arkModels, string>>,
): ProviderDefinition {
  return defineProvider({
    name,
    settings: secret =>
      z.strictObject({
        api_key: secret,
        base_url: baseUrlWithDefault(defaultUrl),
        /**
         * `lookup`: each task carries a name of ours in `safety_identifier`, by which one whose answer was lost is
         * found in the list. That field is meant for the end user, so it is the operator's choice.
         */
        dedupe: z.enum(['lookup', 'none']).default('none'),
        callbacks: callbacksSetting,
      }),
    models,
    takesForeign: () => ['draft', 'asset'],
    faults: (model, input) => mappingFaults(arkMappings, model, input),
    open: ({ api_key: key, base_url: baseUrl, dedupe, callbacks: takesCallbacks }, parts) => {
      const upstream = openUpstream({
        baseUrl,
        headers: { authorization: `Bearer ${key}` },
        secrets: [key],
        outbound: parts.outbound,
      });
      const provider = openArk({ name, upstream, dedupe, takesCallbacks, ...parts });
      return toOpenedProvider(upstream, provider);
    },
  });
}

const tasks = '/contents/generations/tasks';
/** Pictures may stand in the body. */
const submitTimeoutMs = 60 * seconds;
const askTimeoutMs = 15 * seconds;
/** A video takes a minute and more. */
const firstPollMs = 10 * seconds;
/** The whole body may have 64 MB there, and base64 needs a third more than the bytes. */
const maxInlineBytesInAll = 45 * 1024 * 1024;
/** As many as a page may have, and what they may weigh. */
const pageSize = 500;
const maxListBytes = 16 * 1024 * 1024;
/** Clocks differ. */
const clockSkewMs = 10 * minutes;

const refSchema = z.object({ id: z.string().min(1) });
const createdTask = z.object({ id: z.string().min(1).max(200) });
const tiered = z.object({ service_tier: z.string() });
const problem = z.object({ error: z.object({ code: z.string(), message: z.string().default('') }) });

const errors: ErrorTable = {
  read(json) {
    const said = problem.safeParse(json).data?.error;
    return said ? { code: familyOf(said), message: said.message } : null;
  },
  codes: {
    ...mapCodes('moderation', 'SensitiveContentDetected', 'InputTextSensitiveContentDetected'),
    ...mapCodes('moderation', 'InputImageSensitiveContentDetected', 'InputVideoSensitiveContentDetected'),
    ...mapCodes('moderation', 'InputAudioSensitiveContentDetected', 'OutputTextSensitiveContentDetected'),
    ...mapCodes('moderation', 'OutputImageSensitiveContentDetected', 'OutputVideoSensitiveContentDetected'),
    ...mapCodes('moderation', 'OutputAudioSensitiveContentDetected', 'InputTextRiskDetection'),
    ...mapCodes(
      'moderation',
      'InputImageRiskDetection',
      'OutputTextRiskDetection',
      'OutputImageRiskDetection',
    ),
    ...mapCodes('input', 'InvalidParameter', 'MissingParameter'),
    ...mapCodes('pause', 'RateLimitExceeded', 'QuotaExceeded', 'ServerOverloaded'),
    ...mapCodes('account', 'FreeQuotaExceeded', 'SetLimitExceeded', 'ModelNotOpen', 'UnsupportedModel'),
    ...mapCodes('account', 'InvalidEndpoint', 'InvalidEndpointOrModel', 'AccountOverdueError'),
    ...mapCodes('account', 'ServiceOverdue', 'ServiceNotOpen', 'AuthenticationError', 'AccessDenied'),
    // A check of theirs broke before anything was made, though it is told as a bad request.
    ...mapCodes('down', 'ContentSecurityDetectionError'),
    ...mapCodes('failed', 'InternalServiceError'),
  },
  // The model is the operator's choice, not the client's.
  statuses: { 404: 'account' },
};
/** What is not there is the draft, which is kept for seven days. */
const errorsForFinal: ErrorTable = { ...errors, statuses: { 404: 'input' } };

/** Codes have parts: what went wrong, then where. A queue that is full and a free trial that is used up share one. */
function familyOf({ code, message }: { readonly code: string; readonly message: string }): string {
  const [family = ''] = code.split('.');
  return family === 'QuotaExceeded' && /free/i.test(message) ? 'FreeQuotaExceeded' : family;
}

interface Ark extends Pick<ProviderDependencies, 'catalog' | 'linkTo'> {
  readonly name: string;
  readonly upstream: Upstream;
  readonly dedupe: 'lookup' | 'none';
  readonly takesCallbacks: boolean;
}

function openArk({ name, upstream, dedupe, takesCallbacks, catalog, linkTo }: Ark): Provider {
  const traits: ProviderTraits = {
    dedupe,
    // Its list goes back seven days.
    dedupeWindowMs: dedupe === 'lookup' ? 6 * days : 0,
    submitTimeoutMs,
    billable: true,
    minPollMs: 2 * seconds,
    takesCallbacks,
  };
  const ask = (method: 'GET' | 'DELETE', path: string, maxAnswerBytes = maxListBytes) =>
    upstream.request({ method, path, timeoutMs: askTimeoutMs, maxAnswerBytes });
  const pathOf = (ref: unknown) => `${tasks}/${encodeURIComponent(refSchema.parse(ref).id)}`;

  return {
    name,
    traits: () => traits,
    ready: async () => ({ ok: true }),
    test: () => runAccountTest(upstream, { path: `${tasks}?page_num=1&page_size=1`, errors }),

    async submit(task) {
      const entry = modelOf(catalog, task);
      const model = mappingOf(arkMappings, task.modelId);
      const formed = await encodeMedia(entry, task, {
        linkTo,
        encoding: ({ video }) => (video ? 'link' : 'link-or-data-url'),
        maxInlineBytes: inlineBytesPerMedium(task, maxInlineBytesInAll),
      });
      if (formed.kind === 'refused') return formed;
      const named = withUpstreamIds(entry, task, formed.input, upstreamIdOf);
      const input = withoutDelivery(entry, withDraftOnly(entry, named));
      const body = model.map(input);
      if (!body) return { kind: 'refused', error: invalidInputError(model.faults(input)) };
      const reply = await upstream.request({
        method: 'POST',
        path: tasks,
        body: toJson({
          model: task.upstreamModel,
          ...body,
          ...(dedupe === 'lookup' && { safety_identifier: task.dedupeKey }),
          ...(task.callbackUrl !== null && { callback_url: task.callbackUrl }),
        }),
        timeoutMs: submitTimeoutMs,
        isBillable: true,
      });
      const isFinal = Object.keys(task.pinned).length > 0;
      return readSubmission(reply, isFinal ? errorsForFinal : errors, ({ json }) => {
        const { id } = createdTask.safeParse(json).data ?? {};
        const ref = { id, ...callbackFlag(task) };
        return id === undefined ? null : { kind: 'accepted', ref, firstPollMs };
      });
    },

    async recover(task) {
      const query = new URLSearchParams({
        page_num: '1',
        page_size: String(pageSize),
        // Tasks of the other tier are listed only where they are asked for.
        'filter.service_tier': tiered.safeParse(task.job.input).data?.service_tier ?? 'default',
      });
      const reply = await ask('GET', `${tasks}?${query}`);
      return readLookup(reply, {
        errors,
        read(json) {
          const found = findTask(json, taskQueryOf(task));
          return typeof found === 'string' ? { id: found, ...callbackFlag(task) } : found;
        },
      });
    },

    poll: async (_, ref) => withCallbackFlag(ref, readTask(await ask('GET', pathOf(ref)))),

    /** Only what waits can be stopped; the same call takes what has ended out of the records. */
    async cancel(_, ref): Promise<CancelResult> {
      const told = statusIn(await ask('GET', pathOf(ref)));
      if (told === 'cancelled') return { kind: 'cancelled' };
      if (told !== 'queued') return { kind: told === 'running' ? 'unsupported' : 'requested' };
      const reply = await ask('DELETE', pathOf(ref));
      const isStopped = reply.kind === 'answered' && reply.status < 300;
      return { kind: isStopped ? 'cancelled' : 'requested' };
    },

    release: async () => {},
  };
}

const upstreamIdOf = ({ ref }: Pinned): string => refSchema.parse(ref).id;

const taskQueryOf = ({ dedupeKey: name, job }: ProviderTask) => ({
  name,
  notBefore: (job.startedAt ?? job.createdAt) - clockSkewMs,
  pageSize,
});

const statusIn = (reply: UpstreamReply): ArkTask['status'] | undefined =>
  reply.kind === 'answered' && reply.status === 200 ? arkTask.safeParse(reply.json).data?.status : undefined;

function readTask(reply: UpstreamReply): PollResult {
  if (reply.kind !== 'answered') return { kind: 'unreachable', reason: reply.reason };
  if (reply.status === 404) return { kind: 'missing' };
  const told = reply.status === 200 ? arkTask.safeParse(reply.json).data : undefined;
  // A state that we do not know is no end: it is asked again.
  if (!told)
    return { kind: 'unreachable', reason: `the upstream answered ${reply.status}`, ...pollAfter(reply) };
  const { status, error } = told;
  switch (status) {
    case 'queued':
    case 'running':
      return { kind: 'running', ...pollAfter(reply) };
    case 'cancelled':
      return { kind: 'cancelled' };
    case 'expired':
      return {
        kind: 'failed',
        error: { code: 'expired', message: 'the upstream gave it up after its time', retry: false },
      };
    case 'failed': {
      const said = { code: error?.code ?? '', message: error?.message ?? '' };
      const { usage = [] } = productionOf(told).production;
      return { kind: 'failed', error: failureOf({ ...said, code: familyOf(said) || null }, errors), usage };
    }
    case 'succeeded':
      return readSuccess(reply, productionOf(told), errors);
  }
}
