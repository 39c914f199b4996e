import { z } from 'zod';
import { replaceMedia } from '../../catalog/media.ts';
import type { Model } from '../../catalog/model.ts';
import { days, seconds } from '../../domain/clock.ts';
import { toJson } from '../../domain/json.ts';
import type {
  PollResult,
  Provider,
  ProviderTask,
  ProviderTraits,
  RecoverResult,
  SubmitResult,
} from '../../domain/provider.ts';
import { callbackFlag, callbacksSetting, withCallbackFlag } from '../kit/callback-flag.ts';
import { defineProvider, type ProviderDependencies } from '../kit/definition.ts';
import {
  type ErrorTable,
  failureOf,
  mapCodes,
  pollAfter,
  readSubmission,
  type UpstreamError,
} from '../kit/error-table.ts';
import { readLookup } from '../kit/lookup.ts';
import { invalidInputError, mappingOf, withoutDelivery } from '../kit/mapping.ts';
import { encodeMedia, modelOf } from '../kit/media-encoding.ts';
import { readSuccess } from '../kit/read-success.ts';
import { runAccountTest } from '../kit/test-account.ts';
import {
  baseUrlWithDefault,
  openUpstream,
  toOpenedProvider,
  type Upstream,
  type UpstreamReply,
} from '../kit/upstream.ts';
import { classicPaths, type KlingInput, klingFaults, klingMappings, klingModels } from './models.ts';
import {
  filesOf,
  findClassic,
  findV2,
  isNameTaken,
  isTaskNotFound,
  type KlingTask,
  readClassic,
  readV2,
} from './task.ts';
import { mintToken } from './token.ts';

/** docs/providers/kling.md: both APIs of Kling, the classic one and 2.0. */
export default defineProvider({
  name: 'kling',
  settings: secret =>
    z
      .strictObject({
        api_key: secret.optional(),
        access_key: secret.optional(),
        secret_key: secret.optional(),
        base_url: baseUrlWithDefault('https://api-singapore.klingai.com'),
        callbacks: callbacksSetting,
      })
      .refine(
        ({ api_key, access_key, secret_key }) =>
          api_key === undefined
            ? access_key !== undefined && secret_key !== undefined
            : access_key === undefined && secret_key === undefined,
        { path: ['api_key'], error: 'either api_key, or access_key and secret_key must be given' },
      ),
  models: klingModels,
  faults: klingFaults,
  routeRefusal: ({ api_key: key }, model) =>
    key === undefined && classicPaths[model.id] === undefined
      ? 'needs an account with api_key: API 2.0 of Kling does not take access_key and secret_key'
      : null,
  open: ({ api_key: key, access_key: accessKey, secret_key: secretKey, ...rest }, parts) => {
    const { base_url: baseUrl, callbacks } = rest;
    const tokenOf = () =>
      accessKey !== undefined && secretKey !== undefined
        ? mintToken({ accessKey, secretKey }, parts.clock.now())
        : key;
    const upstream = openUpstream({
      baseUrl,
      headers: () => ({ authorization: `Bearer ${tokenOf()}` }),
      secrets: [key, accessKey, secretKey].filter(secret => secret !== undefined),
      outbound: parts.outbound,
    });
    return toOpenedProvider(upstream, openKling(upstream, callbacks, parts));
  },
});

/** Pictures may stand in the body. */
const submitTimeoutMs = 60 * seconds;
const askTimeoutMs = 15 * seconds;
const firstPollMs = { image: 3 * seconds, video: 10 * seconds, speech: 3 * seconds } as const;
const maxInlineBytes = 10 * 1024 * 1024;

const traits: ProviderTraits = {
  dedupe: 'lookup',
  keepsDedupeKey: true,
  // Tasks are kept for a month; no job lives as long as this.
  dedupeWindowMs: 7 * days,
  // A refused name is looked up before it is told.
  submitTimeoutMs: submitTimeoutMs + askTimeoutMs,
  billable: true,
  minPollMs: 2 * seconds,
};

/** `marked`: a watermarked copy was asked for. */
const refSchema = z.object({ id: z.string().min(1), marked: z.boolean().optional() });
type Ref = z.output<typeof refSchema>;
const createdTask = z.object({
  data: z.union([
    z.object({ task_id: z.string().min(1) }).transform(task => task.task_id),
    z.object({ id: z.string().min(1) }).transform(task => task.id),
  ]),
});
const mark = z.object({ enabled: z.boolean() });
const marked = z.object({
  watermark_info: mark.optional(),
  options: z.object({ watermark_info: mark.optional() }).optional(),
});
const problem = z.object({ code: z.int(), message: z.string().default('') });
/** Made anew for each call, so that it is not among the secrets that are known beforehand. */
const token = /\beyJ[\w-]+\.[\w-]+\.[\w-]+/g;

const errors: ErrorTable = {
  read(json) {
    const said = problem.safeParse(json).data;
    if (!said || said.code === 0) return null;
    return { code: String(said.code), message: said.message.replaceAll(token, '(a token)') };
  },
  codes: {
    // Key or token, arrears, an empty package, no right to the model, an address that is not on the list.
    ...mapCodes('account', '1000', '1001', '1002', '1003', '1004', '1100', '1101', '1102', '1103', '1304'),
    ...mapCodes('input', '1200', '1201'),
    // A method or a model that is not there: the operator's choice, not the client's.
    ...mapCodes('account', '1202', '1203'),
    ...mapCodes('moderation', '1300', '1301'),
    ...mapCodes('pause', '1302', '1303'),
    ...mapCodes('unclear', '5000', '5001', '5002'),
  },
};
/** What is not there may be a subject that the client named. */
const errorsWithSubjects: ErrorTable = {
  ...errors,
  codes: { ...errors.codes, ...mapCodes('input', '1203') },
};

function openKling(
  upstream: Upstream,
  takesCallbacks: boolean,
  { catalog, linkTo }: Pick<ProviderDependencies, 'catalog' | 'linkTo'>,
): Provider {
  const own = { ...traits, takesCallbacks };
  const ask = (path: string) => upstream.request({ method: 'GET', path, timeoutMs: askTimeoutMs });

  /** By the name of the attempt: the same question in either API. */
  async function lookUp(task: ProviderTask): Promise<RecoverResult> {
    const { modelId, dedupeKey } = task;
    const path = classicPaths[modelId];
    const name = encodeURIComponent(dedupeKey);
    const find = path ? findClassic : findV2;
    return readLookup(await ask(path ? `${path}/${name}` : `/tasks?external_task_ids=${name}`), {
      errors,
      read(json) {
        const id = find(json, dedupeKey);
        return typeof id === 'string' ? refOf(task, id) : id;
      },
      isNotFound: (said, status) => path !== undefined && status === 400 && isTaskNotFound(said),
    });
  }

  /** A second task under one name is refused by the code of a bad parameter: what goes by the name decides. */
  async function readTwin(
    task: ProviderTask,
    refused: SubmitResult,
    said: UpstreamError,
  ): Promise<SubmitResult> {
    const found = await lookUp(task);
    if (found.kind === 'found') return { kind: 'accepted', ref: found.ref, firstPollMs: 0 };
    const isCertain = found.kind === 'absent' && !isNameTaken(said);
    return isCertain || refused.kind !== 'refused' ? refused : { ...refused, kind: 'unknown' };
  }

  return {
    name: 'kling',
    traits: () => own,
    ready: async () => ({ ok: true }),
    test: () => runAccountTest(upstream, { path: '/v1/images/generations?pageNum=1&pageSize=1', errors }),

    async submit(task) {
      const entry = modelOf(catalog, task);
      const model = mappingOf(klingMappings, task.modelId);
      const formed = await encodeMedia(entry, task, {
        linkTo,
        encoding: ({ video }) => (video ? 'link' : 'link-or-data-url'),
        maxInlineBytes,
      });
      if (formed.kind === 'refused') return formed;
      const input = withoutDelivery(entry, asRawBase64(entry, formed.input));
      const faults = klingFaults(entry, input, task);
      const body = faults.length > 0 ? null : model.map(input);
      if (!body) return { kind: 'refused', error: invalidInputError(faults) };
      const reply = await upstream.request({
        method: 'POST',
        ...callOf(entry, task, body),
        timeoutMs: submitTimeoutMs,
        isBillable: true,
      });
      const table = 'element_list' in body ? errorsWithSubjects : errors;
      const result = readSubmission(reply, table, ({ json }) => {
        const id = createdTask.safeParse(json).data?.data;
        if (id === undefined) return null;
        return { kind: 'accepted', ref: refOf(task, id), firstPollMs: firstPollMs[entry.kind] };
      });
      const said = reply.kind === 'answered' ? errors.read(reply.json, reply.headers) : null;
      return said?.code === '1201' ? readTwin(task, result, said) : result;
    },

    recover: lookUp,

    async poll({ modelId }, ref) {
      const { id, marked = false } = refSchema.parse(ref);
      const path = classicPaths[modelId];
      const reply = await ask(
        path ? `${path}/${encodeURIComponent(id)}` : `/tasks?task_ids=${encodeURIComponent(id)}`,
      );
      return withCallbackFlag(ref, readPoll(reply, path ? readClassic : readV2, id, marked));
    },

    cancel: async () => ({ kind: 'unsupported' }),
    release: async () => {},
  };
}

/** Under a name of ours, by which the task is found again. */
function callOf(entry: Model, task: ProviderTask, body: KlingInput) {
  const path = classicPaths[task.modelId];
  const { dedupeKey: externalTaskId, callbackUrl } = task;
  const named = entry.withDelivery(body, { externalTaskId, callbackUrl });
  return path
    ? { path, body: toJson({ model_name: task.upstreamModel, ...named }) }
    : { path: `/text-to-video/${encodeURIComponent(task.upstreamModel)}`, body: toJson(named) };
}

/** A picture in a body stands there without a prefix. */
const asRawBase64 = (entry: Model, input: unknown): unknown =>
  entry
    .media(input)
    .reduce(
      (raw, { path, value }) =>
        value.startsWith('data:') ? replaceMedia(raw, path, value.slice(value.indexOf(',') + 1)) : raw,
      input,
    );

function refOf(task: ProviderTask, id: string): Ref {
  const asked = marked.safeParse(task.job.input).data;
  const isMarked = asked?.watermark_info?.enabled ?? asked?.options?.watermark_info?.enabled ?? false;
  return { id, ...(isMarked && { marked: true }), ...callbackFlag(task) };
}

function readPoll(
  reply: UpstreamReply,
  read: (json: unknown, id: string) => KlingTask | undefined | null,
  id: string,
  isMarked: boolean,
): PollResult {
  if (reply.kind !== 'answered') return { kind: 'unreachable', reason: reply.reason };
  const task = reply.status === 200 ? read(reply.json, id) : undefined;
  const isUnknown = reply.status === 400 && isTaskNotFound(errors.read(reply.json, reply.headers));
  if (reply.status === 404 || isUnknown || task === null) return { kind: 'missing' };
  // A state that we do not know, or of another task, is no end: it is asked again.
  if (!task)
    return { kind: 'unreachable', reason: `the upstream answered ${reply.status}`, ...pollAfter(reply) };
  const { state, message, usage } = task;
  switch (state) {
    case 'submitted':
    case 'processing':
      return { kind: 'running', ...pollAfter(reply) };
    case 'failed':
      return { kind: 'failed', error: failureOf({ code: codeIn(message), message }, errors), usage };
    case 'succeeded': {
      const production = { files: filesOf(task, isMarked), usage };
      return readSuccess(reply, { production, isWhole: task.isWhole }, errors);
    }
  }
}

/** Why a run failed is told in a sentence alone. */
const codeIn = (message: string): string | null =>
  /risk control|content safety|风控/i.test(message) ? '1301' : null;
