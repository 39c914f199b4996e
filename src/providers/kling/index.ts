/** Both APIs of Kling, the classic one and 2.0: docs/providers/kling.md. */

import { z } from 'zod';
import { replaceMedia } from '../../catalog/media.ts';
import type { Model } from '../../catalog/model.ts';
import { days, seconds } from '../../domain/clock.ts';
import type {
  PollResult,
  Provider,
  ProviderTask,
  ProviderTraits,
  RecoverResult,
  SubmitResult,
} from '../../domain/provider.ts';
import { bodyRouteOf } from '../kit/body-route.ts';
import { callbackFlag, callbacksSetting, withCallbackFlag } from '../kit/callback-flag.ts';
import { defineProvider, type ProviderDependencies } from '../kit/definition.ts';
import { type ErrorTable, failureOf, mapCodes, pollAfter, type UpstreamError } from '../kit/error-table.ts';
import { readLookup } from '../kit/lookup.ts';
import { encodeMedia, mapEncoded } from '../kit/media-encoding.ts';
import { isNotFound, providerDefaults, readPoll } from '../kit/poll.ts';
import { readSuccess } from '../kit/read-success.ts';
import { secretField } from '../kit/setup.ts';
import { type MappedSubmission, readAcceptance, submitMapped } from '../kit/submit.ts';
import { runAccountTest } from '../kit/test-account.ts';
import {
  baseUrlWithDefault,
  openUpstream,
  query,
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

export default defineProvider({
  name: 'kling',
  setup: {
    trial: {
      model: 'gamma-v2-image',
      cost: 'one picture, a small part of a unit (a unit is about 0.14 USD)',
    },
    fields: [secretField({ where: 'the developer console of klingai.com → API keys', example: 'KLING_KEY' })],
  },
  retired: { 'kling-v2': 'kling-v2-1' },
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
  bodyRoutes: { of: 'custom', members: ['path'] },
  faults: klingFaults,
  routeRefusal: ({ api_key: key }, model) =>
    key === undefined && model.family !== 'own' && classicPaths[model.id] === undefined
      ? 'needs an account with api_key: API 2.0 of Kling does not take access_key and secret_key'
      : null,
  open: ({ api_key: key, access_key: accessKey, secret_key: secretKey, ...rest }, dependencies) => {
    const { base_url: baseUrl, callbacks } = rest;
    const tokenOf = () =>
      accessKey !== undefined && secretKey !== undefined
        ? mintToken({ accessKey, secretKey }, dependencies.clock.now())
        : key;
    const upstream = openUpstream({
      baseUrl,
      headers: () => ({ authorization: `Bearer ${tokenOf()}` }),
      secrets: [key, accessKey, secretKey].filter(secret => secret !== undefined),
      outbound: dependencies.outbound,
    });
    return toOpenedProvider(upstream, openKling(upstream, callbacks, dependencies));
  },
});

/** Pictures may stand in the body. */
const submitTimeoutMs = 60 * seconds;
/** Of the lookup that may follow a refusal. */
const lookupTimeoutMs = 15 * seconds;
/** When to poll first, by the kind of the model. */
const firstPollMs = { image: 3 * seconds, video: 10 * seconds, speech: 3 * seconds } as const;
/** Where tasks of a custom model are created, unless its route says otherwise. */
const defaultPath = '/v1/videos/text2video';
/** Largest picture in a body; longer ones need an address. */
const maxInlineBytes = 10 * 1024 * 1024;

/** What the upstream guarantees for repeated calls, and the timing of calls. */
const traits: ProviderTraits = {
  dedupe: 'lookup',
  keepsDedupeKey: true,
  // The upstream keeps tasks for a month; no job lives as long as seven days.
  dedupeWindowMs: 7 * days,
  // A refused name is looked up before `submit` returns.
  submitTimeoutMs: submitTimeoutMs + lookupTimeoutMs,
  billable: true,
  // Its API has no cancel: the task runs on and is charged. Failed tasks are free.
  charges: { failed: 'nothing', cancelled: 'all' },
  minPollMs: 2 * seconds,
};

/** `marked`: a watermarked copy was requested. `path`: of the tasks, where the model does not say it. */
const refSchema = z.object({
  id: z.string().min(1),
  marked: z.boolean().optional(),
  path: z.string().optional(),
});
type Ref = z.output<typeof refSchema>;
/** The part of an answer to a submission that names the job. */
const createdTask = z.object({
  data: z.union([
    z.object({ task_id: z.string().min(1) }).transform(task => task.task_id),
    z.object({ id: z.string().min(1) }).transform(task => task.id),
  ]),
});
const mark = z.object({ enabled: z.boolean() });
/** Where an input requests a watermarked copy. */
const marked = z.object({
  watermark_info: mark.optional(),
  options: z.object({ watermark_info: mark.optional() }).optional(),
});
/** The body of an error. */
const problem = z.object({ code: z.int(), message: z.string().default('') });
/** Tokens are signed for each call, so they are not among the known secrets of the account. */
const token = /\beyJ[\w-]+\.[\w-]+\.[\w-]+/g;

/** What the upstream's error codes and statuses mean, by its documentation. */
const errors: ErrorTable = {
  read(json) {
    const error = problem.safeParse(json).data;
    if (!error || error.code === 0) return null;
    return { code: String(error.code), message: error.message.replaceAll(token, '(a token)') };
  },
  codes: {
    // Key or token, arrears, an empty package, no permission for the model, an address that is not allowed.
    ...mapCodes('account', '1000', '1001', '1002', '1003', '1004', '1100', '1101', '1102', '1103', '1304'),
    ...mapCodes('input', '1200', '1201'),
    // An unknown method or model: the operator's choice, not the client's.
    ...mapCodes('account', '1202', '1203'),
    ...mapCodes('moderation', '1300', '1301'),
    ...mapCodes('pause', '1302', '1303'),
    ...mapCodes('unclear', '5000', '5001', '5002'),
  },
};
/** For inputs with subjects: what is not found may be a subject that the client named. */
const errorsWithSubjects: ErrorTable = {
  ...errors,
  codes: { ...errors.codes, ...mapCodes('input', '1203') },
};

/** What a submission needs of its account. */
interface KlingContext extends Pick<ProviderDependencies, 'catalog' | 'linkTo'> {
  readonly upstream: Upstream;
}

/** The port of one account. */
function openKling(
  upstream: Upstream,
  takesCallbacks: boolean,
  dependencies: Pick<ProviderDependencies, 'catalog' | 'linkTo'>,
): Provider {
  const accountTraits = { ...traits, takesCallbacks };
  return {
    ...providerDefaults,
    name: 'kling',
    traits: () => accountTraits,
    test: () => runAccountTest(upstream, { path: '/v1/images/generations?pageNum=1&pageSize=1', errors }),
    submit: task => submitTask({ upstream, ...dependencies }, task),
    recover: task => lookUpTask(upstream, task),
    async poll({ modelId }, ref) {
      const { id, marked = false, path: routePath } = refSchema.parse(ref);
      const classicPath = routePath ?? classicPaths[modelId];
      const encodedId = encodeURIComponent(id);
      const path = classicPath ? `${classicPath}/${encodedId}` : `/tasks?task_ids=${encodedId}`;
      const read = classicPath ? readClassic : readV2;
      const reply = await query(upstream, 'GET', path);
      return withCallbackFlag(
        ref,
        readTask(reply, json => read(json, id), marked),
      );
    },
  };
}

/** The one billable call for a job. */
const submitTask = ({ upstream, catalog, linkTo }: KlingContext, task: ProviderTask) =>
  submitMapped(task, {
    upstream,
    catalog,
    mappings: klingMappings,
    bodyOf: body => body,
    encode: async model => {
      const encoded = await encodeMedia(model, task, {
        linkTo,
        encoding: ({ video }) => (video ? 'link' : 'link-or-data-url'),
        maxInlineBytes,
      });
      return mapEncoded(encoded, input => asRawBase64(model, input));
    },
    faults: klingFaults,
    callOf,
    timeoutMs: submitTimeoutMs,
    read: (reply, submission) => readCreated(upstream, reply, submission),
  });

/** The task gets the key of the attempt as its name, by which it is found again. */
function callOf({ task, model, body }: MappedSubmission<KlingInput>) {
  const path = classicPathOf(task);
  const { dedupeKey: externalTaskId, callbackUrl } = task;
  const named = model.withDelivery(body, { externalTaskId, callbackUrl });
  return path
    ? { path, body: { model_name: task.upstreamModel, ...named } }
    : { path: `/text-to-video/${encodeURIComponent(task.upstreamModel)}`, body: named };
}

/** Reads the answer to a submission, and looks up the name where it was refused as a bad parameter. */
async function readCreated(
  upstream: Upstream,
  reply: UpstreamReply,
  submission: MappedSubmission<KlingInput>,
): Promise<SubmitResult> {
  const { task, model, body } = submission;
  const result = readAcceptance(reply, submission, {
    errors: 'element_list' in body ? errorsWithSubjects : errors,
    firstPollMs: firstPollMs[model.kind],
    refIn(json) {
      const id = createdTask.safeParse(json).data?.data;
      return id === undefined ? null : refOf(task, id);
    },
  });
  const error = reply.kind === 'answered' ? errors.read(reply.json, reply.headers) : null;
  return error?.code === '1201' ? readTwin(await lookUpTask(upstream, task), result, error) : result;
}

/** The upstream refuses a second task under one name with the code of a bad parameter: the lookup decides which it is. */
function readTwin(found: RecoverResult, refused: SubmitResult, error: UpstreamError): SubmitResult {
  if (found.kind === 'found') return { kind: 'accepted', ref: found.ref, firstPollMs: 0 };
  const isCertain = found.kind === 'absent' && !isNameTaken(error);
  return isCertain || refused.kind !== 'refused' ? refused : { ...refused, kind: 'unknown' };
}

/** A custom model has its tasks where its route says, in the classic API; undefined for a model of API 2.0. */
const classicPathOf = ({ modelId, routeOptions }: ProviderTask): string | undefined => {
  const route = bodyRouteOf(routeOptions);
  return route ? (route.path ?? defaultPath) : classicPaths[modelId];
};

/** Looks up the task that carries the key of an attempt; both APIs can be searched by it. */
async function lookUpTask(upstream: Upstream, task: ProviderTask): Promise<RecoverResult> {
  const { dedupeKey } = task;
  const path = classicPathOf(task);
  const name = encodeURIComponent(dedupeKey);
  const find = path ? findClassic : findV2;
  const reply = await query(upstream, 'GET', path ? `${path}/${name}` : `/tasks?external_task_ids=${name}`);
  return readLookup(reply, {
    errors,
    read(json) {
      const id = find(json, dedupeKey);
      return typeof id === 'string' ? refOf(task, id) : id;
    },
    isNotFound: (error, status) => path !== undefined && status === 400 && isTaskNotFound(error),
  });
}

/** A picture in a body is base64 without a prefix. */
const asRawBase64 = (model: Model, input: unknown): unknown =>
  model
    .media(input)
    .reduce(
      (raw, { path, value }) =>
        value.startsWith('data:') ? replaceMedia(raw, path, value.slice(value.indexOf(',') + 1)) : raw,
      input,
    );

/** The ref of a task: its id, and what its polls need of the input. */
function refOf(task: ProviderTask, id: string): Ref {
  const requested = marked.safeParse(task.job.input).data;
  const isMarked = requested?.watermark_info?.enabled ?? requested?.options?.watermark_info?.enabled ?? false;
  const path = bodyRouteOf(task.routeOptions) ? classicPathOf(task) : undefined;
  return { id, ...(isMarked && { marked: true }), ...(path && { path }), ...callbackFlag(task) };
}

/** Reads the answer to a poll. */
const readTask = (
  reply: UpstreamReply,
  read: (json: unknown) => KlingTask | undefined | null,
  isMarked: boolean,
): PollResult =>
  readPoll(reply, {
    stateIn: ({ status, json }) => (status === 200 ? read(json) : undefined),
    isMissing: answer =>
      isNotFound(answer) ||
      (answer.status === 400 && isTaskNotFound(errors.read(answer.json, answer.headers))),
    resultOf: (task, answer) => resultOf(task, answer, isMarked),
  });

/** What each state of the upstream means for the job. */
function resultOf(task: KlingTask, answer: UpstreamReply, isMarked: boolean): PollResult {
  const { state, message, usage } = task;
  switch (state) {
    case 'submitted':
    case 'processing':
      return { kind: 'running', ...pollAfter(answer) };
    case 'failed':
      return { kind: 'failed', error: failureOf({ code: codeIn(message), message }, errors), usage };
    case 'succeeded': {
      const production = { files: filesOf(task, isMarked), usage };
      return readSuccess(answer, { production, isWhole: task.isWhole }, errors);
    }
  }
}

/** The upstream gives the reason of a failed run as a sentence only; null for any reason but its content review. */
const codeIn = (message: string): string | null =>
  /risk control|content safety|风控/i.test(message) ? '1301' : null;
