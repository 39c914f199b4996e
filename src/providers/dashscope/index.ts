import { z } from 'zod';
import { seconds } from '../../domain/clock.ts';
import type { Usage } from '../../domain/job.ts';
import { toJson } from '../../domain/json.ts';
import type {
  CancelResult,
  PollResult,
  ProducedFile,
  Provider,
  ProviderTraits,
} from '../../domain/provider.ts';
import { defineProvider, type ProviderDependencies } from '../kit/definition.ts';
import { type ErrorTable, failureOf, mapCodes, pollAfter, readSubmission } from '../kit/error-table.ts';
import { invalidInputError, mappingFaults, mappingOf, withoutDelivery } from '../kit/mapping.ts';
import { encodeMedia, modelOf } from '../kit/media-encoding.ts';
import { lenient, readResults, readSuccess, resultUrl } from '../kit/read-success.ts';
import { runAccountTest } from '../kit/test-account.ts';
import {
  baseUrlWithDefault,
  openUpstream,
  toOpenedProvider,
  type Upstream,
  type UpstreamReply,
} from '../kit/upstream.ts';
import { dashscopeMappings, dashscopeModels } from './models.ts';

/** docs/providers/dashscope.md: Wan at Alibaba Cloud Model Studio. */
export default defineProvider({
  name: 'dashscope',
  settings: secret =>
    z.strictObject({
      api_key: secret,
      /** Keys belong to a region, and so does the address. */
      base_url: baseUrlWithDefault('https://dashscope-intl.aliyuncs.com'),
      workspace: z.string().min(1).max(200).optional(),
    }),
  models: dashscopeModels,
  faults: (model, input) => mappingFaults(dashscopeMappings, model, input),
  open: ({ api_key: key, base_url: baseUrl, workspace }, parts) => {
    const upstream = openUpstream({
      baseUrl,
      headers: {
        authorization: `Bearer ${key}`,
        ...(workspace !== undefined && { 'x-dashscope-workspace': workspace }),
      },
      secrets: [key],
      outbound: parts.outbound,
    });
    return toOpenedProvider(upstream, openDashscope(upstream, parts));
  },
});

const submitTimeoutMs = 30 * seconds;
const askTimeoutMs = 15 * seconds;
/** A video takes one to five minutes. */
const firstPollMs = 15 * seconds;

const traits: ProviderTraits = {
  // It takes no key, and nothing that its list tells is ours alone.
  dedupe: 'none',
  dedupeWindowMs: 0,
  submitTimeoutMs,
  billable: true,
  // An account may ask 20 times a second, for all its tasks together.
  minPollMs: 5 * seconds,
};

const refSchema = z.object({ id: z.string().min(1) });
const accepted = z.object({ output: z.object({ task_id: z.string().min(1).max(200) }) });
const length = z.number().nonnegative().nullish();
const task = z.object({
  output: z.object({
    task_id: lenient(z.string()),
    task_status: z.enum(['PENDING', 'RUNNING', 'SUSPENDED', 'SUCCEEDED', 'FAILED', 'CANCELED', 'UNKNOWN']),
    video_url: z.unknown().optional(),
    code: lenient(z.string()),
    message: lenient(z.string()),
  }),
  usage: lenient(z.object({ duration: length, output_video_duration: length })),
});
const problem = z.object({ code: z.string().min(1), message: z.string().nullish() });

const codes: ErrorTable['codes'] = {
  ...mapCodes('input', 'InvalidParameter', 'InvalidFile', 'BadRequest', 'UnsupportedOperation'),
  ...mapCodes('input', 'invalid_parameter_error', 'invalid_request_error'),
  // It could not fetch the medium in order to look at it, or at all.
  ...mapCodes('media', 'InvalidParameter.DataInspection', 'InvalidURL'),
  ...mapCodes('moderation', 'DataInspectionFailed', 'IPInfringementSuspect'),
  ...mapCodes('account', 'InvalidApiKey', 'Arrearage', 'AccessDenied', 'ModelNotFound', 'Model', 'Workspace'),
  ...mapCodes('account', 'AllocationQuota', 'insufficient_quota', 'CommodityNotPurchased'),
  ...mapCodes('account', 'PrepaidBillOverdue', 'PostpaidBillOverdue'),
  ...mapCodes('pause', 'Throttling', 'limit_requests'),
  ...mapCodes('unclear', 'RequestTimeOut', 'InternalError', 'SystemError', 'ModelServiceFailed'),
};

/** Most codes are a word and a narrower one behind a dot. */
const familyOf = (code: string): string => (code in codes ? code : (code.split('.')[0] ?? code));

const errors: ErrorTable = {
  read(json) {
    const said = problem.safeParse(json).data;
    return said ? { code: familyOf(said.code), message: said.message || said.code } : null;
  },
  codes,
  // The model and the address are the operator's choice, not the client's.
  statuses: { 404: 'account' },
};

function openDashscope(
  upstream: Upstream,
  { catalog, linkTo }: Pick<ProviderDependencies, 'catalog' | 'linkTo'>,
): Provider {
  const ask = (method: 'GET' | 'POST', path: string) =>
    upstream.request({ method, path, timeoutMs: askTimeoutMs });
  const pathOf = (ref: unknown) => `/api/v1/tasks/${encodeURIComponent(refSchema.parse(ref).id)}`;

  return {
    name: 'dashscope',
    traits: () => traits,
    ready: async () => ({ ok: true }),
    test: () => runAccountTest(upstream, { path: '/api/v1/tasks?page_no=1&page_size=1', errors }),

    async submit(task) {
      const entry = modelOf(catalog, task);
      const model = mappingOf(dashscopeMappings, task.modelId);
      const formed = await encodeMedia(entry, task, { linkTo, encoding: 'link', maxInlineBytes: 0 });
      if (formed.kind === 'refused') return formed;
      const input = withoutDelivery(entry, formed.input);
      const body = model.map(input);
      if (!body) return { kind: 'refused', error: invalidInputError(model.faults(input)) };
      const reply = await upstream.request({
        method: 'POST',
        path: '/api/v1/services/aigc/video-generation/video-synthesis',
        headers: { 'x-dashscope-async': 'enable' },
        body: toJson({ model: task.upstreamModel, ...body }),
        timeoutMs: submitTimeoutMs,
        isBillable: true,
      });
      return readSubmission(reply, errors, ({ json }) => {
        const made = accepted.safeParse(json).data;
        return made ? { kind: 'accepted', ref: { id: made.output.task_id }, firstPollMs } : null;
      });
    },

    poll: async (_, ref) => readTask(await ask('GET', pathOf(ref)), refSchema.parse(ref).id),

    async cancel(_, ref): Promise<CancelResult> {
      const reply = await ask('POST', `${pathOf(ref)}/cancel`);
      if (reply.kind !== 'answered') return { kind: 'requested' };
      if (reply.status === 200) return { kind: 'cancelled' };
      // Only what waits can be stopped: the next polls tell whether it ends in time.
      return { kind: reply.status === 404 ? 'unsupported' : 'requested' };
    },

    release: async () => {},
  };
}

function readTask(reply: UpstreamReply, id: string): PollResult {
  if (reply.kind !== 'answered') return { kind: 'unreachable', reason: reply.reason };
  if (reply.status === 404) return { kind: 'missing' };
  const told = reply.status === 200 ? task.safeParse(reply.json).data : undefined;
  // A state that we do not know, or of another task, is no end: it is asked again.
  if (!told || (told.output.task_id ?? id) !== id)
    return { kind: 'unreachable', reason: `the upstream answered ${reply.status}`, ...pollAfter(reply) };
  const { task_status: state, video_url: video, code, message } = told.output;
  switch (state) {
    case 'PENDING':
    case 'RUNNING':
    case 'SUSPENDED':
      return { kind: 'running' };
    case 'UNKNOWN':
      return { kind: 'missing' };
    case 'CANCELED':
      return { kind: 'cancelled' };
    case 'FAILED': {
      const said = { code: code ? familyOf(code) : null, message: message || code || '' };
      return { kind: 'failed', error: failureOf(said, errors), usage: usageOf(told) };
    }
    case 'SUCCEEDED': {
      const { items, isWhole } = readResults(video || [], resultUrl);
      const files = items.map((url): ProducedFile => {
        const source = { kind: 'url', url } as const;
        return { role: 'primary', index: 0, mimeType: 'video/mp4', source };
      });
      return readSuccess(reply, { production: { files, usage: usageOf(told) }, isWhole }, errors);
    }
  }
}

/** What is billed; of an input video there is none here. */
function usageOf({ usage }: z.output<typeof task>): readonly Usage[] {
  const quantity = usage?.duration ?? usage?.output_video_duration;
  return quantity ? [{ unit: 'second', quantity, basis: 'reported' }] : [];
}
