import { z } from 'zod';
import { days, seconds } from '../../domain/clock.ts';
import type { Usage } from '../../domain/job.ts';
import { toJson } from '../../domain/json.ts';
import type {
  CancelResult,
  Pinned,
  PollResult,
  ProducedFile,
  Provider,
  ProviderTraits,
} from '../../domain/provider.ts';
import { callbackFlag, callbacksSetting, withCallbackFlag } from '../kit/callback-flag.ts';
import { defineProvider, type ProviderDependencies } from '../kit/definition.ts';
import { type ErrorTable, failureOf, mapCodes, pollAfter, readSubmission } from '../kit/error-table.ts';
import { invalidInputError, mappingFaults, mappingOf, withoutDelivery } from '../kit/mapping.ts';
import { encodeMedia, inlineBytesPerMedium, modelOf, withUpstreamIds } from '../kit/media-encoding.ts';
import { lenient, readResults, readSuccess, resultUrl } from '../kit/read-success.ts';
import { runAccountTest } from '../kit/test-account.ts';
import {
  baseUrlWithDefault,
  openUpstream,
  toOpenedProvider,
  type Upstream,
  type UpstreamReply,
} from '../kit/upstream.ts';
import { verifyViduSignature } from '../kit/webhook-signature.ts';
import { findByPayload } from './lookup.ts';
import { viduMappings, viduModels } from './models.ts';

/** docs/providers/vidu.md: Vidu's own API. */
export default defineProvider({
  name: 'vidu',
  settings: secret =>
    z.strictObject({
      api_key: secret,
      base_url: baseUrlWithDefault('https://api.vidu.com'),
      callbacks: callbacksSetting,
    }),
  models: viduModels,
  takesForeign: () => ['video'],
  faults: (model, input) => mappingFaults(viduMappings, model, input),
  isSigned: ({ api_key: key }, call) => verifyViduSignature(key, call),
  open: ({ api_key: key, base_url: baseUrl, callbacks }, parts) => {
    const upstream = openUpstream({
      baseUrl,
      headers: { authorization: `Token ${key}` },
      secrets: [key],
      outbound: parts.outbound,
    });
    return toOpenedProvider(upstream, openVidu(upstream, callbacks, parts));
  },
});

const submitTimeoutMs = 60 * seconds;
const askTimeoutMs = 15 * seconds;
const firstPollMs = 5 * seconds;
/** The whole body may have 20 MB there, and base64 needs a third more than the bytes. */
const maxInlineBytesInAll = 14 * 1024 * 1024;

const traits: ProviderTraits = {
  dedupe: 'lookup',
  // Its list goes back seven days.
  dedupeWindowMs: 6 * days,
  submitTimeoutMs,
  billable: true,
  minPollMs: 3 * seconds,
};

const refSchema = z.object({ id: z.string().min(1) });
const accepted = z.object({ task_id: z.string().min(1).max(200) });
const creation = z.object({
  id: lenient(z.string()),
  url: resultUrl,
  cover_url: lenient(z.string()),
  watermarked_url: lenient(z.string()),
});
const task = z.object({
  state: z.enum(['created', 'queueing', 'processing', 'success', 'failed']),
  err_code: lenient(z.string()),
  credits: lenient(z.number().nonnegative()),
  creations: z.unknown().optional(),
});
const problem = z.object({ reason: z.string().min(1), message: z.string().nullish() });

const errors: ErrorTable = {
  read(json) {
    const said = problem.safeParse(json).data;
    return said ? { code: said.reason, message: said.message ?? '' } : null;
  },
  codes: {
    ...mapCodes('input', 'BadRequest', 'FieldLacking', 'FieldUnwanted', 'FieldItemCountOutOfRange'),
    ...mapCodes('input', 'FieldInvalid', 'PageSizeOutOfRange', 'ImageFormatInvalid', 'CreationNotFound'),
    ...mapCodes('input', 'ImageCheckBodyJointsFailed', 'ImageCheckFaceFailed', 'ImageObjectsUndetected'),
    ...mapCodes('media', 'ImageDownloadFailure'),
    ...mapCodes('moderation', 'TaskPromptPolicyViolation', 'AuditSubmitIllegal', 'CreationPolicyViolation'),
    ...mapCodes('account', 'CreditInsufficient', 'ModelUnavailable', 'Unauthorized', 'Forbidden', 'NotFound'),
    ...mapCodes('pause', 'QuotaExceeded', 'TooManyRequests', 'SystemThrottling'),
    // Each may mean that this very call is being worked on: the list tells.
    ...mapCodes('unclear', 'OperationInProcess', 'Conflict', 'Canceled'),
  },
};

function openVidu(
  upstream: Upstream,
  takesCallbacks: boolean,
  { catalog, linkTo }: Pick<ProviderDependencies, 'catalog' | 'linkTo'>,
): Provider {
  const own = { ...traits, takesCallbacks };
  const get = (path: string) => upstream.request({ method: 'GET', path, timeoutMs: askTimeoutMs });

  return {
    name: 'vidu',
    traits: () => own,
    ready: async () => ({ ok: true }),
    test: () => runAccountTest(upstream, { path: '/ent/v2/credits', errors }),

    async submit(task) {
      const entry = modelOf(catalog, task);
      const model = mappingOf(viduMappings, task.modelId);
      const formed = await encodeMedia(entry, task, {
        linkTo,
        encoding: ({ image }) => (image ? 'link-or-data-url' : 'link'),
        maxInlineBytes: inlineBytesPerMedium(task, maxInlineBytesInAll),
      });
      if (formed.kind === 'refused') return formed;
      const input = withoutDelivery(entry, withUpstreamIds(entry, task, formed.input, upstreamCreationIdOf));
      const call = model.map(input);
      if (!call) return { kind: 'refused', error: invalidInputError(model.faults(input)) };
      const reply = await upstream.request({
        method: 'POST',
        path: call.path,
        body: toJson({
          model: task.upstreamModel,
          ...call.body,
          payload: task.dedupeKey,
          ...(task.callbackUrl !== null && { callback_url: task.callbackUrl }),
        }),
        timeoutMs: submitTimeoutMs,
        isBillable: true,
      });
      return readSubmission(reply, errors, ({ json }) => {
        const made = accepted.safeParse(json).data;
        const ref = { id: made?.task_id, ...callbackFlag(task) };
        return made ? { kind: 'accepted', ref, firstPollMs } : null;
      });
    },

    async recover(task) {
      const found = await findByPayload({ get, errors }, task);
      if (found.kind !== 'found') return found;
      return { ...found, ref: { ...refSchema.parse(found.ref), ...callbackFlag(task) } };
    },

    poll: async (_, ref) => withCallbackFlag(ref, readTask(await get(pathOf(ref, '/creations')))),

    async cancel(_, ref): Promise<CancelResult> {
      const { id } = refSchema.parse(ref);
      const reply = await upstream.request({
        method: 'POST',
        path: pathOf(ref, '/cancel'),
        body: toJson({ id }),
        timeoutMs: askTimeoutMs,
      });
      if (reply.kind !== 'answered') return { kind: 'requested' };
      if (reply.status === 200) return { kind: 'cancelled' };
      // Scheduled already, which nothing stops: the next polls tell whether it ends in time.
      return { kind: reply.status === 404 ? 'unsupported' : 'requested' };
    },

    release: async () => {},
  };
}

/** What Vidu calls the video of an earlier job; nothing where it named none. */
const upstreamCreationIdOf = ({ upstreamId }: Pinned): string => upstreamId ?? '';

const pathOf = (ref: unknown, end: string): string =>
  `/ent/v2/tasks/${encodeURIComponent(refSchema.parse(ref).id)}${end}`;

function readTask(reply: UpstreamReply): PollResult {
  if (reply.kind !== 'answered') return { kind: 'unreachable', reason: reply.reason };
  if (reply.status === 404) return { kind: 'missing' };
  const told = reply.status === 200 ? task.safeParse(reply.json).data : undefined;
  // A state that we do not know is no end: it is asked again.
  if (!told)
    return { kind: 'unreachable', reason: `the upstream answered ${reply.status}`, ...pollAfter(reply) };
  const usage: readonly Usage[] = told.credits
    ? [{ unit: 'credit', quantity: told.credits, basis: 'reported' }]
    : [];
  switch (told.state) {
    case 'created':
    case 'queueing':
    case 'processing':
      return { kind: 'running' };
    case 'failed': {
      const code = told.err_code || null;
      if (code === 'UserCancelled') return { kind: 'cancelled' };
      return { kind: 'failed', error: failureOf({ code, message: code ?? '' }, errors), usage };
    }
    case 'success': {
      const { items, isWhole } = readResults(told.creations, creation);
      const production = { files: items.slice(0, 1).flatMap(filesOf), usage };
      return readSuccess(reply, { production, isWhole }, errors);
    }
  }
}

function filesOf(made: z.output<typeof creation>): readonly ProducedFile[] {
  const { id, url, cover_url, watermarked_url } = made;
  const addresses = [
    ['primary', url],
    ['watermarked', watermarked_url],
    ['cover', cover_url],
  ] as const;
  return addresses.flatMap(([role, address]): ProducedFile[] => {
    if (!address) return [];
    const file = { role, index: 0, mimeType: 'application/octet-stream' } as const;
    const source = { kind: 'url', url: address } as const;
    return [{ ...file, source, ...(role === 'primary' && id && { upstreamId: id }) }];
  });
}
