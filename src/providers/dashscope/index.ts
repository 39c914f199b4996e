/** Wan at Alibaba Cloud Model Studio: docs/providers/dashscope.md. */

import { z } from 'zod';
import { seconds } from '../../domain/clock.ts';
import type { CancelResult, PollResult, Provider, ProviderTraits } from '../../domain/provider.ts';
import type { Usage } from '../../domain/usage.ts';
import { declaredFiles, declaredOutputsIn, type FoundFiles } from '../kit/declared-files.ts';
import type { DeclaredOutput } from '../kit/declared-outputs.ts';
import { defineProvider, type ProviderDependencies } from '../kit/definition.ts';
import { type ErrorTable, failureOf, mapCodes } from '../kit/error-table.ts';
import { mappingFaults } from '../kit/mapping.ts';
import { encodeMedia } from '../kit/media-encoding.ts';
import { idOf, providerDefaults, readPoll } from '../kit/poll.ts';
import { fileAt, lenient, readResults, readSuccess, resultUrl } from '../kit/read-success.ts';
import { secretField } from '../kit/setup.ts';
import { readAcceptance, submitMapped } from '../kit/submit.ts';
import { runAccountTest } from '../kit/test-account.ts';
import {
  baseUrlWithDefault,
  openUpstream,
  query,
  readJson,
  toOpenedProvider,
  type Upstream,
  type UpstreamReply,
} from '../kit/upstream.ts';
import { dashscopeMappings, dashscopeModels } from './models.ts';

export default defineProvider({
  name: 'dashscope',
  setup: {
    trial: { model: 'eta2.6-t2v', cost: 'two seconds at 720P' },
    fields: [secretField({ where: 'Alibaba Cloud Model Studio → API keys', example: 'DASHSCOPE_KEY' })],
  },
  settings: secret =>
    z.strictObject({
      api_key: secret,
      /** Keys belong to a region, and so does the address. */
      base_url: baseUrlWithDefault('https://dashscope-intl.aliyuncs.com'),
      workspace: z.string().min(1).max(200).optional(),
    }),
  models: dashscopeModels,
  bodyRoutes: { of: 'custom', members: ['path', 'outputs'] },
  faults: (model, input) => mappingFaults(dashscopeMappings, model, input),
  open: ({ api_key: key, base_url: baseUrl, workspace }, dependencies) => {
    const upstream = openUpstream({
      baseUrl,
      headers: {
        authorization: `Bearer ${key}`,
        ...(workspace !== undefined && { 'x-dashscope-workspace': workspace }),
      },
      secrets: [key],
      outbound: dependencies.outbound,
    });
    return toOpenedProvider(upstream, openDashscope(upstream, dependencies));
  },
});

/** Timeout of a submission. */
const submitTimeoutMs = 30 * seconds;
/** A video takes one to five minutes. */
const firstPollMs = 15 * seconds;

/** What the upstream guarantees for repeated calls, and the timing of calls. */
const traits: ProviderTraits = {
  // It takes no key, and nothing in its list identifies an attempt of ours.
  dedupe: 'none',
  dedupeWindowMs: 0,
  submitTimeoutMs,
  billable: true,
  // An account may send 20 polls a second, for all its tasks.
  minPollMs: 5 * seconds,
};

/** The part of an answer to a submission that names the job. */
const accepted = z.object({ output: z.object({ task_id: z.string().min(1).max(200) }) });
/** Seconds. */
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
/** The body of an error. */
const problem = z.object({ code: z.string().min(1), message: z.string().nullish() });

const codes: ErrorTable['codes'] = {
  ...mapCodes('input', 'InvalidParameter', 'InvalidFile', 'BadRequest', 'UnsupportedOperation'),
  ...mapCodes('input', 'invalid_parameter_error', 'invalid_request_error'),
  // It could not fetch the medium in order to check it, or at all.
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

/** What the upstream's error codes and statuses mean, by its documentation. */
const errors: ErrorTable = {
  read(json) {
    const error = problem.safeParse(json).data;
    return error ? { code: familyOf(error.code), message: error.message || error.code } : null;
  },
  codes,
  // The model and the address are the operator's choice, not the client's.
  statuses: { 404: 'account' },
};

/** The port of one account. */
function openDashscope(
  upstream: Upstream,
  { catalog, linkTo }: Pick<ProviderDependencies, 'catalog' | 'linkTo'>,
): Provider {
  const pathOf = (ref: unknown) => `/api/v1/tasks/${encodeURIComponent(idOf(ref))}`;

  return {
    ...providerDefaults,
    name: 'dashscope',
    traits: () => traits,
    test: () => runAccountTest(upstream, { path: '/api/v1/tasks?page_no=1&page_size=1', errors }),

    submit: task =>
      submitMapped(task, {
        upstream,
        catalog,
        mappings: dashscopeMappings,
        bodyOf: body => ({ input: {}, parameters: {}, ...body }),
        encode: model => encodeMedia(model, task, { linkTo, encoding: 'link', maxInlineBytes: 0 }),
        callOf: ({ body }) => ({
          path: '/api/v1/services/aigc/video-generation/video-synthesis',
          headers: { 'x-dashscope-async': 'enable' },
          body: { model: task.upstreamModel, ...body },
        }),
        timeoutMs: submitTimeoutMs,
        read: (reply, submission) => readAcceptance(reply, submission, { errors, firstPollMs, refIn }),
      }),

    poll: async (_, ref) => readTask(await query(upstream, 'GET', pathOf(ref)), ref),

    async cancel(_, ref): Promise<CancelResult> {
      const reply = await query(upstream, 'POST', `${pathOf(ref)}/cancel`);
      if (reply.kind !== 'answered') return { kind: 'requested' };
      if (reply.status === 200) return { kind: 'cancelled' };
      // Only a queued task can be cancelled: the next polls show whether it was.
      return { kind: reply.status === 404 ? 'unsupported' : 'requested' };
    },
  };
}

/** The ref of an accepted submission; undefined where the answer names no job. */
function refIn(json: unknown) {
  const created = accepted.safeParse(json).data;
  return created && { id: created.output.task_id };
}

/** Reads the answer to a poll. */
const readTask = (reply: UpstreamReply, ref: unknown): PollResult =>
  readPoll(reply, {
    stateIn(answer) {
      const found = readJson(answer, task);
      return (found?.output.task_id ?? idOf(ref)) === idOf(ref) ? found : undefined;
    },
    resultOf: (found, answer) => resultOf(found, answer, declaredOutputsIn(ref)),
  });

/** What each state of the upstream means for the job. */
function resultOf(
  found: z.output<typeof task>,
  answer: UpstreamReply,
  outputs: readonly DeclaredOutput[] | undefined,
): PollResult {
  const { task_status: state, video_url: video, code, message } = found.output;
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
      const error = { code: code ? familyOf(code) : null, message: message || code || '' };
      return { kind: 'failed', error: failureOf(error, errors), usage: usageOf(found) };
    }
    case 'SUCCEEDED': {
      const { files, isWhole } = outputs
        ? declaredFiles(answer.kind === 'answered' ? answer.json : null, outputs)
        : filesOf(video);
      return readSuccess(answer, { production: { files, usage: usageOf(found) }, isWhole }, errors);
    }
  }
}

function filesOf(video: unknown): FoundFiles {
  const { items, isWhole } = readResults(video || [], resultUrl);
  return { files: items.map(url => fileAt(url, { mimeType: 'video/mp4' })), isWhole };
}

/** The billed seconds, as the upstream reports them. */
function usageOf({ usage }: z.output<typeof task>): readonly Usage[] {
  const quantity = usage?.duration ?? usage?.output_video_duration;
  return quantity ? [{ unit: 'second', quantity, basis: 'reported' }] : [];
}
