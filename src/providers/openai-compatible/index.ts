/** LocalAI, vLLM-Omni, SGLang and Kokoro-FastAPI on the operator's machines: docs/providers/openai-compatible.md. */

import { z } from 'zod';
import { minutes, seconds } from '../../domain/clock.ts';
import type {
  CancelResult,
  PollResult,
  Production,
  Provider,
  ProviderTask,
  ProviderTraits,
  SubmitResult,
  TestResult,
} from '../../domain/provider.ts';
import { sniff } from '../../media/sniff.ts';
import { defineProvider, type ProviderDependencies } from '../kit/definition.ts';
import { unmappedFieldFaults } from '../kit/engine-job.ts';
import { type ErrorTable, failureOf, mapCodes, pollAfter, readSubmission } from '../kit/error-table.ts';
import { type InlineResults, openInlineResults } from '../kit/inline-results.ts';
import { memberAt } from '../kit/lookup.ts';
import { modelOf } from '../kit/media-encoding.ts';
import { isNotFound, providerDefaults, readPoll } from '../kit/poll.ts';
import { fileAt, hasResult, lenient, notedProduction, readResults, resultUrl } from '../kit/read-success.ts';
import { freeTraits, openSelfHostedUpstream, selfHostedSettings } from '../kit/self-hosted.ts';
import { selfHostedSetup } from '../kit/setup.ts';
import { runAccountTest, runRouteTest } from '../kit/test-account.ts';
import {
  isSuccess,
  query,
  readJson,
  toOpenedProvider,
  type Upstream,
  type UpstreamReply,
} from '../kit/upstream.ts';
import { openaiCall, openaiCompatibleModels, openaiCompatibleRouteOptions, openaiFaults } from './models.ts';

export default defineProvider({
  name: 'openai-compatible',
  setup: selfHostedSetup(8000),
  settings: secret =>
    z.strictObject({
      ...selfHostedSettings(secret),
      /** Where a call costs money: then one whose outcome is unknown is never sent again. */
      paid: z.boolean().default(false),
    }),
  routeOptions: openaiCompatibleRouteOptions,
  models: openaiCompatibleModels,
  servesCustomModels: true,
  bodyRoutes: { of: 'custom', members: ['path', 'media'], namesModel: false },
  routeFaults: unmappedFieldFaults,
  // Pictures of earlier jobs are stored here, so they can be sent to any server.
  requiresSameAccount: false,
  faults: (model, input, { options }) => openaiFaults(model, input, options),
  open: ({ paid, base_url, ...settings }, dependencies) => {
    // Other clients of these servers want the address with /v1, so operators may write it so.
    const baseUrl = base_url.replace(/\/v1$/, '');
    const upstream = openSelfHostedUpstream({ ...settings, base_url: baseUrl }, dependencies);
    const traits = paid ? paidTraits : freeTraits;
    const provider = openServer({ upstream, baseUrl, traits, dependencies });
    return toOpenedProvider(upstream, provider);
  },
});

/** For a call that only creates a video to poll. */
const handleTimeoutMs = 1 * minutes;
/** A video takes that long on a small graphics card. */
const generationTimeoutMs = 30 * minutes;
/** When to poll first, after a submission. */
const firstPollMs = 2 * seconds;
/** Nine pictures of 2k in base64. */
const maxGenerationBytes = 256 * 1024 * 1024;
/** Videos that one page of the list has at most. */
const pageSize = 100;

/** Traits of an account whose calls cost money. */
const paidTraits: ProviderTraits = {
  ...freeTraits,
  // None of these servers recognises a repeated call.
  dedupe: 'none',
  dedupeWindowMs: 0,
  submitTimeoutMs: generationTimeoutMs,
  billable: true,
};

/** What later calls need to know of a job: the ref, as read back from the database. */
const refSchema = z.object({ id: z.string().min(1), seed: z.int().optional() });
/** The part of an answer to a submission that names the job. */
const handle = z.object({ id: z.string().min(1).max(200) });
/** An error, as an answer or a failed video has it. */
const fault = z.object({
  message: lenient(z.string()),
  code: lenient(z.union([z.string(), z.number()])),
  type: lenient(z.string()),
});
/** The same, or a sentence alone. */
const reason = z.union([
  fault,
  z.string().transform((message): z.output<typeof fault> => ({ message, code: undefined, type: undefined })),
]);
/** A video, as the server answers a poll. */
const video = z.object({
  id: z.string(),
  status: z.enum(['queued', 'in_progress', 'completed', 'failed']),
  /** Percent. */
  progress: lenient(z.number().min(0).max(100)),
  /** Where the server stores its results elsewhere; absent: the server itself sends the bytes. */
  url: lenient(resultUrl),
  error: lenient(reason),
});
/** One result of an answer: base64, or an address that may be relative to the server. */
const item = z
  .object({ b64_json: lenient(z.string().min(1)), url: lenient(z.string().min(1)) })
  .refine(({ b64_json, url }) => b64_json !== undefined || url !== undefined);
/** One page of the list of videos. */
const list = z.object({ data: z.array(handle), has_more: z.boolean().nullish() });
/** The body of an error. */
const errorBody = z.union([
  z.object({ error: reason }),
  z.object({ object: z.literal('error'), message: z.string(), code: z.unknown(), type: z.unknown() }),
  z.object({ detail: z.union([z.string(), z.array(z.object({ msg: z.string() })).min(1)]) }),
]);

/** What the upstream's error codes and statuses mean, by its documentation. */
const errors: ErrorTable = {
  read(json) {
    const body = errorBody.safeParse(json).data;
    if (!body) return null;
    if ('error' in body) return errorIn(body.error);
    if ('detail' in body) {
      const { detail } = body;
      return { code: null, message: typeof detail === 'string' ? detail : (detail[0]?.msg ?? '') };
    }
    return { code: null, message: body.message };
  },
  codes: {
    ...mapCodes('moderation', 'content_policy_violation', 'moderation_blocked', 'content_filter'),
    ...mapCodes(
      'account',
      'insufficient_quota',
      'invalid_api_key',
      'model_not_found',
      'authentication_error',
    ),
    rate_limit_exceeded: 'pause',
  },
  // The model, and whether the server has that route at all, is the operator's choice.
  statuses: { 404: 'account', 405: 'account' },
};

/** A code that is a number repeats the status: the type says more. */
const errorIn = ({ code, type, message = '' }: z.output<typeof fault>) => ({
  code: typeof code === 'string' ? code : (type ?? null),
  message,
});

/** An opened account. */
interface ServerContext {
  readonly upstream: Upstream;
  readonly baseUrl: string;
  readonly traits: ProviderTraits;
  readonly dependencies: ProviderDependencies;
}

/** The port of one account. */
function openServer(context: ServerContext): Provider {
  const { upstream, baseUrl, traits, dependencies } = context;
  const results = openInlineResults(dependencies);

  return {
    ...providerDefaults,
    name: 'openai-compatible',
    traits: () => traits,
    test: () => runAccountTest(upstream, { path: '/v1/models', errors }),
    testRoute: ({ upstreamModel: model }) =>
      runRouteTest(upstream, { path: '/v1/models', errors, model, read: json => readModelList(json, model) }),
    submit: task => submitTask(context, results, task),

    async poll(_, ref) {
      const { id, seed } = refSchema.parse(ref);
      const reply = await query(upstream, 'GET', pathOf(ref));
      if (isNotFound(reply))
        return { kind: !traits.billable && (await isGone(upstream, id)) ? 'lost' : 'missing' };
      const result = readVideo(reply, id);
      if (result.kind !== 'completed') return result;
      const url = result.url ?? `${baseUrl}${pathOf(ref)}/content`;
      return {
        kind: 'succeeded',
        production: { files: [videoAt(url)], ...(seed !== undefined && { seed }) },
      };
    },

    async cancel(_, ref): Promise<CancelResult> {
      const reply = await query(upstream, 'DELETE', pathOf(ref));
      if (reply.kind !== 'answered') return { kind: 'requested' };
      if (reply.status < 300) return { kind: 'cancelled' };
      return { kind: reply.status >= 500 ? 'requested' : 'unsupported' };
    },

    release: ({ dedupeKey }) => results.remove(dedupeKey),
  };
}

/** The address of one video, below which its content lies. */
const pathOf = (ref: unknown): string => `/v1/videos/${encodeURIComponent(refSchema.parse(ref).id)}`;

/** The answer is the id of a video to poll, or the result itself. */
async function submitTask(
  { upstream, baseUrl, dependencies }: ServerContext,
  results: InlineResults,
  task: ProviderTask,
): Promise<SubmitResult> {
  const made = await openaiCall(modelOf(dependencies.catalog, task), task, dependencies.linkTo);
  if (made.kind === 'refused') return made;
  const { responseKind, seed, ...call } = made;
  const reply = await upstream.request({
    method: 'POST',
    ...call,
    timeoutMs: responseKind === 'handle' ? handleTimeoutMs : generationTimeoutMs,
    maxAnswerBytes: maxGenerationBytes,
    isBillable: true,
  });
  const seeded = seed === undefined ? {} : { seed };
  if (responseKind === 'handle') {
    return readSubmission(reply, errors, ({ json }) => {
      const { id } = handle.safeParse(json).data ?? {};
      return id === undefined ? null : { kind: 'accepted', ref: { id, ...seeded }, firstPollMs };
    });
  }
  const { isWhole, contents, urls } = responseKind === 'items' ? itemsIn(reply, baseUrl) : soundIn(reply);
  const saved = contents.length > 0 ? await results.save(task.dedupeKey, contents) : [];
  const linked = urls.map((url, place) => ({ ...videoAt(url), index: saved.length + place }));
  const read = { production: { files: [...saved, ...linked], ...seeded }, isWhole };
  return readSubmission(reply, errors, () =>
    hasResult(read) ? { kind: 'done', production: notedProduction(read) } : null,
  );
}

/** Whether a video was lost with a restart: the server keeps jobs in memory, and neither knows nor lists this one. */
async function isGone(upstream: Upstream, id: string): Promise<boolean> {
  const page = readJson(await query(upstream, 'GET', `/v1/videos?limit=${pageSize}`), list);
  if (!page || page.has_more === true || page.data.length >= pageSize) return false;
  return page.data.every(one => one.id !== id);
}

/** The type is stated, because servers send videos as `application/octet-stream`. */
const videoAt = (url: string): Production['files'][number] => fileAt(url, { mimeType: 'video/mp4' });

type Video = z.output<typeof video>;
/** `url` is null where the server serves the bytes at the video's own path. */
interface CompletedVideo {
  readonly kind: 'completed';
  readonly url: string | null;
}

/** Reads the answer to a poll. */
const readVideo = (reply: UpstreamReply, id: string): PollResult | CompletedVideo =>
  readPoll<Video, CompletedVideo>(reply, {
    stateIn(answer) {
      const found = readJson(answer, video);
      return found?.id === id ? found : undefined;
    },
    resultOf,
  });

/** What each state of the upstream means for the job. */
function resultOf({ status, progress, error, url }: Video, answer: UpstreamReply) {
  switch (status) {
    case 'queued':
    case 'in_progress':
      return {
        kind: 'running',
        ...pollAfter(answer),
        ...(progress && { progress: progress / 100 }),
      } as const;
    case 'failed': {
      const cause = error ? errorIn(error) : { code: null, message: 'the engine failed' };
      return { kind: 'failed', error: failureOf(cause, errors) } as const;
    }
    case 'completed':
      return { kind: 'completed', url: url ?? null } as const;
  }
}

/** Results as bytes, or as addresses that are fetched later. */
interface ServerOutput {
  readonly contents: readonly Buffer[];
  readonly urls: readonly string[];
  /** False where a result could not be read. */
  readonly isWhole: boolean;
}

/** Of a reply without a result that can be read. */
const noOutput: ServerOutput = { contents: [], urls: [], isWhole: false };

/** The results in an answer, as base64 or as addresses. */
function itemsIn(reply: UpstreamReply, baseUrl: string): ServerOutput {
  if (!isSuccess(reply)) return noOutput;
  const { items, isWhole } = readResults(memberAt(reply.json, 'data'), item);
  const contents = items.flatMap(({ b64_json }) => (b64_json ? Buffer.from(b64_json, 'base64') : []));
  const urls = items.flatMap(({ b64_json, url = '' }) =>
    b64_json ? [] : (URL.parse(url, `${baseUrl}/`)?.href ?? []),
  );
  return { contents, urls, isWhole };
}

/** The body of an answer that is sound, by its type or by its first bytes; nothing for HTML or JSON in its place. */
function soundIn(reply: UpstreamReply): ServerOutput {
  if (!isSuccess(reply) || !reply.bytes || reply.bytes.length === 0) return noOutput;
  const types = [reply.headers['content-type'] ?? '', sniff(reply.bytes)?.mimeType ?? ''];
  return types.some(type => type.startsWith('audio/'))
    ? { ...noOutput, contents: [reply.bytes], isWhole: true }
    : noOutput;
}

const modelList = z.object({ data: z.array(z.object({ id: z.string() })) });

/** Some servers answer to names that they do not list, so a name that is missing proves nothing. */
function readModelList(json: unknown, model: string): TestResult {
  const names = modelList.safeParse(json).data?.data.map(({ id }) => id);
  if (!names) return { kind: 'unclear', reason: 'its list of models cannot be read' };
  if (model === '' || names.includes(model)) return { kind: 'accepted' };
  return {
    kind: 'unclear',
    reason: `its list of models does not name ${model} (it has ${names.join(', ')})`,
  };
}
