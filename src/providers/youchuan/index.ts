/** Midjourney through Youchuan, its agent in China: docs/providers/youchuan.md. */

import { z } from 'zod';
import { seconds } from '../../domain/clock.ts';
import type { Pinned, PollResult, Provider, ProviderTraits } from '../../domain/provider.ts';
import { callbacksSetting, withCallbackFlag } from '../kit/callback-flag.ts';
import { defineProvider, type ProviderDependencies } from '../kit/definition.ts';
import { type ErrorTable, failureOf, mapCodes, unreadableError } from '../kit/error-table.ts';
import { mappingFaults } from '../kit/mapping.ts';
import { encodeMedia, mapEncoded, withUpstreamIds } from '../kit/media-encoding.ts';
import { idOf, providerDefaults, readPoll, unreachable } from '../kit/poll.ts';
import { fileAt, lenient, readResults, readSuccess, resultUrl } from '../kit/read-success.ts';
import { plainField, secretField } from '../kit/setup.ts';
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
import { youchuanMappings, youchuanModels } from './models.ts';

export default defineProvider({
  name: 'youchuan',
  setup: {
    trial: { model: 'beta-upscale', cost: 'one job of the plan' },
    fields: [
      plainField({
        name: 'app',
        title: 'App id',
        where: 'tob.youchuan.cn → Applications',
        example: '1234567890',
      }),
      secretField({
        name: 'secret',
        title: 'Secret',
        where: 'tob.youchuan.cn → Applications',
        example: 'YOUCHUAN_SECRET',
      }),
    ],
  },
  settings: secret =>
    z.strictObject({
      app: z.string().min(1).max(200),
      secret,
      base_url: baseUrlWithDefault('https://ali.youchuan.cn'),
      callbacks: callbacksSetting,
    }),
  models: youchuanModels,
  bodyRoutes: { of: 'custom' },
  foreignKinds: () => ['image'],
  faults: (model, input) => mappingFaults(youchuanMappings, model, input),
  open: ({ app, secret, base_url: baseUrl, callbacks }, dependencies) => {
    const upstream = openUpstream({
      baseUrl,
      headers: { 'x-youchuan-app': app, 'x-youchuan-secret': secret },
      secrets: [secret],
      outbound: dependencies.outbound,
    });
    return toOpenedProvider(upstream, openYouchuan(upstream, callbacks, dependencies));
  },
});

/** Timeout of a submission. */
const submitTimeoutMs = 30 * seconds;
/** When to poll first, after a submission. */
const firstPollMs = 5 * seconds;
/** Of a mask in the body. */
const maxInlineBytes = 8 * 1024 * 1024;

/** What the upstream guarantees for repeated calls, and the timing of calls. */
const traits: ProviderTraits = {
  // It takes no key, and its list of costs has no more than times.
  dedupe: 'none',
  dedupeWindowMs: 0,
  submitTimeoutMs,
  billable: true,
  // It has no cancel: the task runs on and is charged.
  charges: { failed: 'nothing', cancelled: 'all' },
  minPollMs: 3 * seconds,
};

/** The part of an answer to a submission that names the job. */
const accepted = z.object({ id: z.string().min(1).max(200) });
/** A job, as the API answers a poll. */
const job = z.object({
  id: lenient(z.string()),
  status: z.int(),
  comment: lenient(z.string()),
  urls: z.unknown().optional(),
});
/** The body of an error. */
const problem = z.object({ reason: z.string().min(1), message: z.string().nullish() });

/** What the upstream's error codes and statuses mean, by its documentation. */
const errors: ErrorTable = {
  read(json) {
    const error = problem.safeParse(json).data;
    return error ? { code: error.reason, message: error.message || error.reason } : null;
  },
  codes: {
    ...mapCodes('input', 'Invalid_Prompt_Parameter', 'Invalid_Argument', 'Not_Support'),
    ...mapCodes('input', 'Job_ReUpscale_Not_Support', 'Upscale_Not_Support'),
    // Requested by a prompt: one client must not stop the whole account.
    ...mapCodes('input', 'Relax_Not_Allow', 'No_More_Relax_Credit'),
    ...mapCodes('moderation', 'Msg_Sensitive'),
    ...mapCodes('account', 'Invalid_App_Identifier', 'Account_Fee_Not_Enough'),
    ...mapCodes('account', 'No_Avaliable_Plan', 'Permission_Denied'),
    ...mapCodes('pause', 'Max_Concurrent_Limited'),
    ...mapCodes('down', 'Server_Busy'),
    ...mapCodes('unclear', 'Request_Timout'),
    // How a job ended.
    ...mapCodes('input', 'BadPrompt', 'InvalidParameter', 'DuplicateImage'),
    ...mapCodes('moderation', 'Reject', 'TextReject', 'ImagePromptDenied'),
    ...mapCodes('media', 'InvalidImagePromptLink'),
    ...mapCodes(
      'failed',
      'Fail',
      'Error',
      'Timeout',
      'RequestTimeout',
      'MaxConcurrentLimited',
      'CreditNotEnough',
    ),
  },
};

/** The port of one account. */
function openYouchuan(
  upstream: Upstream,
  takesCallbacks: boolean,
  { catalog, linkTo }: Pick<ProviderDependencies, 'catalog' | 'linkTo'>,
): Provider {
  const accountTraits = { ...traits, takesCallbacks };
  return {
    ...providerDefaults,
    name: 'youchuan',
    traits: () => accountTraits,
    test: () => runAccountTest(upstream, { path: '/v1/tob/subscribe', errors }),

    submit: task =>
      submitMapped(task, {
        upstream,
        catalog,
        mappings: youchuanMappings,
        bodyOf: body => body,
        encode: async model => {
          const options = { linkTo, encoding: 'link-or-data-url', maxInlineBytes } as const;
          const encoded = await encodeMedia(model, task, options);
          return mapEncoded(encoded, input => withUpstreamIds(model, task, input, upstreamJobIdOf));
        },
        callOf: ({ body }) => ({
          path: `/v1/tob/${encodeURIComponent(task.upstreamModel)}`,
          body: { ...body, ...(task.callbackUrl !== null && { callback: task.callbackUrl }) },
        }),
        timeoutMs: submitTimeoutMs,
        read: (reply, submission) =>
          readAcceptance(reply, submission, {
            errors,
            firstPollMs,
            refIn: json => accepted.safeParse(json).data,
          }),
      }),

    async poll(_, ref) {
      const id = idOf(ref);
      const reply = await query(upstream, 'GET', `/v1/tob/job/${encodeURIComponent(id)}`);
      return withCallbackFlag(ref, readJob(reply, id));
    },
  };
}

const upstreamJobIdOf = ({ ref }: Pinned): string => idOf(ref);

/** Reads the answer to a poll. */
const readJob = (reply: UpstreamReply, id: string): PollResult =>
  readPoll(reply, {
    stateIn(answer) {
      const found = readJson(answer, job);
      return (found?.id ?? id) === id ? found : undefined;
    },
    resultOf,
  });

/** What each state of the upstream means for the job. */
function resultOf({ status, comment, urls }: z.output<typeof job>, answer: UpstreamReply): PollResult {
  switch (status) {
    case 0:
    case 1:
      return { kind: 'running' };
    case 2:
      return readPictures(urls, answer);
    case 3: {
      const code = comment?.replace(/^JobStatus/, '') || null;
      if (code === 'Canceled') return { kind: 'cancelled' };
      return { kind: 'failed', error: failureOf({ code, message: code ?? '' }, errors) };
    }
    case 4: {
      const cause = { code: 'Reject', message: "the upstream's content review rejected it" };
      return { kind: 'failed', error: failureOf(cause, errors) };
    }
    default:
      // An unknown state does not end a job: it is polled again.
      return unreachable(answer, `the upstream answered with unknown state ${status}`);
  }
}

/** The pictures of a job that is done. */
function readPictures(urls: unknown, answer: UpstreamReply): PollResult {
  const { items } = readResults(urls, resultUrl.nullable().catch(null));
  // Later jobs name a picture by its index, which an unreadable one beside it must not change.
  const files = items.flatMap((url, index) => (url === null ? [] : [fileAt(url, { index })]));
  // The upstream may report a job as done a moment before it lists the pictures.
  if (files.length === 0) return { kind: 'unreadable', error: unreadableError(answer) };
  return readSuccess(answer, { production: { files }, isWhole: files.length === items.length }, errors);
}
