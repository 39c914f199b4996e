import { z } from 'zod';
import { seconds } from '../../domain/clock.ts';
import { toJson } from '../../domain/json.ts';
import type { Pinned, PollResult, ProducedFile, Provider, ProviderTraits } from '../../domain/provider.ts';
import { callbackFlag, callbacksSetting, withCallbackFlag } from '../kit/callback-flag.ts';
import { defineProvider, type ProviderDependencies } from '../kit/definition.ts';
import {
  type ErrorTable,
  failureOf,
  mapCodes,
  pollAfter,
  readSubmission,
  unreadableError,
} from '../kit/error-table.ts';
import { invalidInputError, mappingFaults, mappingOf, withoutDelivery } from '../kit/mapping.ts';
import { encodeMedia, modelOf, withUpstreamIds } from '../kit/media-encoding.ts';
import { lenient, readResults, readSuccess, resultUrl } from '../kit/read-success.ts';
import { runAccountTest } from '../kit/test-account.ts';
import {
  baseUrlWithDefault,
  openUpstream,
  toOpenedProvider,
  type Upstream,
  type UpstreamReply,
} from '../kit/upstream.ts';
import { youchuanMappings, youchuanModels } from './models.ts';

/** docs/providers/youchuan.md: Midjourney through Youchuan, its agent in China. */
export default defineProvider({
  name: 'youchuan',
  settings: secret =>
    z.strictObject({
      app: z.string().min(1).max(200),
      secret,
      base_url: baseUrlWithDefault('https://ali.youchuan.cn'),
      callbacks: callbacksSetting,
    }),
  models: youchuanModels,
  takesForeign: () => ['image'],
  faults: (model, input) => mappingFaults(youchuanMappings, model, input),
  open: ({ app, secret, base_url: baseUrl, callbacks }, parts) => {
    const upstream = openUpstream({
      baseUrl,
      headers: { 'x-youchuan-app': app, 'x-youchuan-secret': secret },
      secrets: [secret],
      outbound: parts.outbound,
    });
    return toOpenedProvider(upstream, openYouchuan(upstream, callbacks, parts));
  },
});

const submitTimeoutMs = 30 * seconds;
const askTimeoutMs = 15 * seconds;
const firstPollMs = 5 * seconds;
/** Of a mask. */
const maxInlineBytes = 8 * 1024 * 1024;

const traits: ProviderTraits = {
  // It takes no key, and its list of costs tells no more than times.
  dedupe: 'none',
  dedupeWindowMs: 0,
  submitTimeoutMs,
  billable: true,
  minPollMs: 3 * seconds,
};

const refSchema = z.object({ id: z.string().min(1) });
const accepted = z.object({ id: z.string().min(1).max(200) });
const job = z.object({
  id: lenient(z.string()),
  status: z.int(),
  comment: lenient(z.string()),
  urls: z.unknown().optional(),
});
const problem = z.object({ reason: z.string().min(1), message: z.string().nullish() });

const errors: ErrorTable = {
  read(json) {
    const said = problem.safeParse(json).data;
    return said ? { code: said.reason, message: said.message || said.reason } : null;
  },
  codes: {
    ...mapCodes('input', 'Invalid_Prompt_Parameter', 'Invalid_Argument', 'Not_Support'),
    ...mapCodes('input', 'Job_ReUpscale_Not_Support', 'Upscale_Not_Support'),
    // Asked for by the prompt: whoever asks for it must not stop the whole account.
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

function openYouchuan(
  upstream: Upstream,
  takesCallbacks: boolean,
  { catalog, linkTo }: Pick<ProviderDependencies, 'catalog' | 'linkTo'>,
): Provider {
  const own = { ...traits, takesCallbacks };
  return {
    name: 'youchuan',
    traits: () => own,
    ready: async () => ({ ok: true }),
    test: () => runAccountTest(upstream, { path: '/v1/tob/subscribe', errors }),

    async submit(task) {
      const entry = modelOf(catalog, task);
      const model = mappingOf(youchuanMappings, task.modelId);
      const formed = await encodeMedia(entry, task, { linkTo, encoding: 'link-or-data-url', maxInlineBytes });
      if (formed.kind === 'refused') return formed;
      const input = withoutDelivery(entry, withUpstreamIds(entry, task, formed.input, upstreamJobIdOf));
      const body = model.map(input);
      if (!body) return { kind: 'refused', error: invalidInputError(model.faults(input)) };
      const reply = await upstream.request({
        method: 'POST',
        path: `/v1/tob/${encodeURIComponent(task.upstreamModel)}`,
        body: toJson({ ...body, ...(task.callbackUrl !== null && { callback: task.callbackUrl }) }),
        timeoutMs: submitTimeoutMs,
        isBillable: true,
      });
      return readSubmission(reply, errors, ({ json }) => {
        const made = accepted.safeParse(json).data;
        const ref = { id: made?.id, ...callbackFlag(task) };
        return made ? { kind: 'accepted', ref, firstPollMs } : null;
      });
    },

    async poll(_, ref) {
      const { id } = refSchema.parse(ref);
      const path = `/v1/tob/job/${encodeURIComponent(id)}`;
      const reply = await upstream.request({ method: 'GET', path, timeoutMs: askTimeoutMs });
      return withCallbackFlag(ref, readJob(reply, id));
    },

    // There is no way to stop a job.
    cancel: async () => ({ kind: 'unsupported' }),

    release: async () => {},
  };
}

const upstreamJobIdOf = ({ ref }: Pinned): string => refSchema.parse(ref).id;

function readJob(reply: UpstreamReply, id: string): PollResult {
  if (reply.kind !== 'answered') return { kind: 'unreachable', reason: reply.reason };
  if (reply.status === 404) return { kind: 'missing' };
  const told = reply.status === 200 ? job.safeParse(reply.json).data : undefined;
  const unreachable = (reason: string): PollResult => ({ kind: 'unreachable', reason, ...pollAfter(reply) });
  if (!told || (told.id ?? id) !== id) return unreachable(`the upstream answered ${reply.status}`);
  const { status, urls } = told;
  switch (status) {
    case 0:
    case 1:
      return { kind: 'running' };
    case 2: {
      const { items } = readResults(urls, resultUrl.nullable().catch(null));
      // Later jobs name a picture by its place, which an odd one beside it does not change.
      const files = items.flatMap((url, index): readonly ProducedFile[] => {
        const source = url === null ? null : ({ kind: 'url', url } as const);
        return source ? [{ role: 'primary', index, mimeType: 'application/octet-stream', source }] : [];
      });
      // A job that is done may be told so a moment before its pictures.
      if (files.length === 0) return { kind: 'unreadable', error: unreadableError(reply) };
      const isWhole = files.length === items.length;
      return readSuccess(reply, { production: { files }, isWhole }, errors);
    }
    case 3: {
      const code = told.comment?.replace(/^JobStatus/, '') || null;
      if (code === 'Canceled') return { kind: 'cancelled' };
      return { kind: 'failed', error: failureOf({ code, message: code ?? '' }, errors) };
    }
    case 4:
      return {
        kind: 'failed',
        error: failureOf({ code: 'Reject', message: 'the audit refused it' }, errors),
      };
    default:
      // A state that we do not know is no end: it is asked again.
      return unreachable(`the upstream told the state ${status}`);
  }
}
