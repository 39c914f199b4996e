import { z } from 'zod';
import { seconds } from '../domain/clock.ts';
import { toJson } from '../domain/json.ts';
import type { Pinned, PollResult, ProducedFile, Provider, ProviderTraits } from '../domain/provider.ts';
import { asCalled, callbacksSetting, rememberCall } from './called-back.ts';
import { defineProvider, type ProviderParts } from './definition.ts';
import { type ErrorTable, each, failureOf, pollAfter, readSubmission, unreadable } from './error-table.ts';
import { faultsBy, mappingOf, notTaken, ownInput } from './mapping.ts';
import { formMedia, modelOf, namePinned } from './media-form.ts';
import { lenient, readResults, readSuccess, resultUrl } from './read-success.ts';
import { testBy } from './test-account.ts';
import { baseUrlOr, openedWith, openUpstream, type Upstream, type UpstreamReply } from './upstream.ts';
import { youchuanMappings, youchuanModels } from './youchuan-models.ts';

/** docs/providers/youchuan.md: Midjourney through Youchuan, its agent in China. */
export default defineProvider({
  name: 'youchuan',
  settings: secret =>
    z.strictObject({
      app: z.string().min(1).max(200),
      secret,
      base_url: baseUrlOr('https://ali.youchuan.cn'),
      callbacks: callbacksSetting,
    }),
  models: youchuanModels,
  takesForeign: () => ['image'],
  faults: (model, input) => faultsBy(youchuanMappings, model, input),
  open: ({ app, secret, base_url: baseUrl, callbacks }, parts) => {
    const upstream = openUpstream({
      baseUrl,
      headers: { 'x-youchuan-app': app, 'x-youchuan-secret': secret },
      secrets: [secret],
      outbound: parts.outbound,
    });
    return openedWith(upstream, openYouchuan(upstream, callbacks, parts));
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
    ...each('input', 'Invalid_Prompt_Parameter', 'Invalid_Argument', 'Not_Support'),
    ...each('input', 'Job_ReUpscale_Not_Support', 'Upscale_Not_Support'),
    // Asked for by the prompt: whoever asks for it must not stop the whole account.
    ...each('input', 'Relax_Not_Allow', 'No_More_Relax_Credit'),
    ...each('moderation', 'Msg_Sensitive'),
    ...each('account', 'Invalid_App_Identifier', 'Account_Fee_Not_Enough'),
    ...each('account', 'No_Avaliable_Plan', 'Permission_Denied'),
    ...each('pause', 'Max_Concurrent_Limited'),
    ...each('down', 'Server_Busy'),
    ...each('unclear', 'Request_Timout'),
    // How a job ended.
    ...each('input', 'BadPrompt', 'InvalidParameter', 'DuplicateImage'),
    ...each('moderation', 'Reject', 'TextReject', 'ImagePromptDenied'),
    ...each('media', 'InvalidImagePromptLink'),
    ...each(
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
  { catalog, linkTo }: Pick<ProviderParts, 'catalog' | 'linkTo'>,
): Provider {
  const own = { ...traits, takesCallbacks };
  return {
    name: 'youchuan',
    traits: () => own,
    ready: async () => ({ ok: true }),
    test: () => testBy(upstream, { path: '/v1/tob/subscribe', errors }),

    async submit(task) {
      const entry = modelOf(catalog, task);
      const model = mappingOf(youchuanMappings, task.modelId);
      const formed = await formMedia(entry, task, { linkTo, form: 'link-or-data-url', maxInlineBytes });
      if (formed.kind === 'refused') return formed;
      const input = ownInput(entry, namePinned(entry, task, formed.input, jobThere));
      const body = model.make(input);
      if (!body) return { kind: 'refused', error: notTaken(model.faults(input)) };
      const reply = await upstream.ask({
        method: 'POST',
        path: `/v1/tob/${encodeURIComponent(task.upstreamModel)}`,
        body: toJson({ ...body, ...(task.callbackUrl !== null && { callback: task.callbackUrl }) }),
        timeoutMs: submitTimeoutMs,
        isBillable: true,
      });
      return readSubmission(reply, errors, ({ json }) => {
        const made = accepted.safeParse(json).data;
        const ref = { id: made?.id, ...rememberCall(task) };
        return made ? { kind: 'accepted', ref, firstPollMs } : null;
      });
    },

    async poll(_, ref) {
      const { id } = refSchema.parse(ref);
      const path = `/v1/tob/job/${encodeURIComponent(id)}`;
      const reply = await upstream.ask({ method: 'GET', path, timeoutMs: askTimeoutMs });
      return asCalled(ref, readJob(reply, id));
    },

    // There is no way to stop a job.
    cancel: async () => ({ kind: 'unsupported' }),

    release: async () => {},
  };
}

const jobThere = ({ ref }: Pinned): string => refSchema.parse(ref).id;

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
      if (files.length === 0) return { kind: 'unreadable', error: unreadable(reply) };
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
