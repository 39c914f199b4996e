/** Speech of the Gemini API, which answers with the sound itself: docs/providers/gemini.md. */

import { z } from 'zod';
import { minutes, seconds } from '../../domain/clock.ts';
import type { Provider, ProviderTraits, SubmitResult } from '../../domain/provider.ts';
import type { Usage } from '../../domain/usage.ts';
import { defineProvider, type ProviderDependencies } from '../kit/definition.ts';
import { type ErrorTable, failureOf, mapCodes, readSubmission } from '../kit/error-table.ts';
import { type InlineResults, openInlineResults } from '../kit/inline-results.ts';
import { memberAt } from '../kit/lookup.ts';
import { defineMapping, type Mapping, mappingFaults } from '../kit/mapping.ts';
import { providerDefaults } from '../kit/poll.ts';
import { hasResult, lenient, notedProduction, readResults } from '../kit/read-success.ts';
import { secretField } from '../kit/setup.ts';
import { submitMapped } from '../kit/submit.ts';
import { runAccountTest, runRouteTest } from '../kit/test-account.ts';
import {
  baseUrlWithDefault,
  isSuccess,
  openUpstream,
  toOpenedProvider,
  type Upstream,
  type UpstreamReply,
} from '../kit/upstream.ts';
import { readRawType, wavOf } from './wav.ts';

const models = { 'theta-3.1-flash-tts-preview': 'gemini-3.1-flash-tts-preview' } as const;

/** The mappings by model id. */
const mappings: Readonly<Record<keyof typeof models, Mapping<unknown>>> = {
  'theta-3.1-flash-tts-preview': defineMapping(
    z.strictObject({ text: z.string(), voice_name: z.string() }),
    ({ text, voice_name: voiceName }) => ({
      contents: [{ role: 'user', parts: [{ text }] }],
      generationConfig: {
        responseModalities: ['AUDIO'],
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName } } },
      },
    }),
  ),
};

export default defineProvider({
  name: 'gemini',
  setup: {
    trial: {
      model: 'theta-3.1-flash-tts-preview',
      cost: 'less than a cent: one short sentence, by the token',
    },
    fields: [secretField({ where: 'aistudio.google.com → API keys', example: 'GEMINI_KEY' })],
  },
  settings: secret =>
    z.strictObject({
      api_key: secret,
      base_url: baseUrlWithDefault('https://generativelanguage.googleapis.com/v1beta'),
    }),
  models,
  bodyRoutes: { of: 'custom' },
  faults: (model, input) => mappingFaults(mappings, model, input),
  open: ({ api_key: key, base_url: baseUrl }, dependencies) => {
    const upstream = openUpstream({
      baseUrl,
      // Never in the address, where it would be logged on the way.
      headers: { 'x-goog-api-key': key },
      secrets: [key],
      outbound: dependencies.outbound,
    });
    return toOpenedProvider(upstream, openGemini(upstream, dependencies));
  },
});

/** Eleven minutes of sound, the longest possible, are generated before the answer, and take 42 MB in it. */
const submitTimeoutMs = 10 * minutes;
const maxAnswerBytes = 64 * 1024 * 1024;

/** What the upstream guarantees for repeated calls, and the timing of calls. */
const traits: ProviderTraits = {
  // It takes no key for a call and stores no calls.
  dedupe: 'none',
  dedupeWindowMs: 0,
  submitTimeoutMs,
  billable: true,
  minPollMs: 1 * seconds,
};

/** A part of a candidate: a piece of the sound in base64, or something beside it, such as text. */
const part = z.object({ inlineData: z.object({ mimeType: z.string(), data: z.string() }).nullish() });
/** One version of the answer; a single one is requested. */
const candidate = z.object({
  content: lenient(z.object({ parts: z.unknown().optional() })),
  finishReason: lenient(z.string()),
});
/** The answer to a submission. Each part is read by itself. */
const answer = z.object({
  promptFeedback: lenient(z.object({ blockReason: lenient(z.string()) })),
  usageMetadata: lenient(z.object({ totalTokenCount: lenient(z.int().nonnegative()) })),
});

/** One of the details of an error: each has other members. */
const detail = z.object({
  reason: lenient(z.string()),
  /** Such as `37s`. */
  retryDelay: lenient(z.string()),
  violations: lenient(z.array(z.object({ quotaId: lenient(z.string()) }))),
});
/** The body of an error. */
const problem = z.object({
  error: z.object({
    status: z.string(),
    message: lenient(z.string()),
    details: z.unknown().transform(list => readResults(list, detail).items),
  }),
});

/** What the upstream's error codes and statuses mean, by its documentation. */
const errors: ErrorTable = {
  read(json) {
    const error = problem.safeParse(json).data?.error;
    return error ? { code: codeOf(error), message: error.message ?? '' } : null;
  },
  codes: {
    ...mapCodes('input', 'INVALID_ARGUMENT', 'OUT_OF_RANGE'),
    // Key, permission, region, billing, a retired model, the day's quota.
    ...mapCodes('account', 'API_KEY_INVALID', 'UNAUTHENTICATED', 'PERMISSION_DENIED', 'FAILED_PRECONDITION'),
    ...mapCodes('account', 'NOT_FOUND', 'DAY_EXHAUSTED'),
    ...mapCodes('pause', 'RESOURCE_EXHAUSTED'),
    // Calls that end so are not charged.
    ...mapCodes('down', 'INTERNAL', 'UNAVAILABLE'),
    ...mapCodes('unclear', 'DEADLINE_EXCEEDED'),
    ...mapCodes('moderation', 'SAFETY', 'PROHIBITED_CONTENT', 'BLOCKLIST', 'SPII'),
  },
};

/** Only the details distinguish a wrong key from a bad argument, and the end of a day's quota from a short rate limit. */
function codeOf({ status, details }: z.output<typeof problem>['error']): string {
  if (details.some(({ reason }) => reason === 'API_KEY_INVALID')) return 'API_KEY_INVALID';
  const quotas = details.flatMap(({ violations = [] }) => violations.map(({ quotaId = '' }) => quotaId));
  return status === 'RESOURCE_EXHAUSTED' && quotas.some(id => /PerDay/i.test(id)) ? 'DAY_EXHAUSTED' : status;
}

/** The port of one account. */
function openGemini(
  upstream: Upstream,
  dependencies: Pick<ProviderDependencies, 'catalog' | 'folder'>,
): Provider {
  const results = openInlineResults(dependencies);
  return {
    ...providerDefaults,
    name: 'gemini',
    traits: () => traits,
    test: () => runAccountTest(upstream, { path: '/models?pageSize=1', errors }),
    testRoute: ({ upstreamModel: model }) =>
      runRouteTest(upstream, { path: `/models/${encodeURIComponent(model)}`, errors, model }),

    submit: task =>
      submitMapped(task, {
        upstream,
        catalog: dependencies.catalog,
        mappings,
        bodyOf: body => body,
        callOf: ({ body }) => ({
          path: `/models/${encodeURIComponent(task.upstreamModel)}:generateContent`,
          body,
        }),
        timeoutMs: submitTimeoutMs,
        maxAnswerBytes,
        read: reply => readSpeech(reply, results, task.dedupeKey),
      }),

    // The answer to the submission was all there is.
    poll: async () => ({ kind: 'missing' }),
    release: ({ dedupeKey }) => results.remove(dedupeKey),
  };
}

/** Saves the sound of an answer. A refusal carries the wait that its details ask for. */
async function readSpeech(
  reply: UpstreamReply,
  results: InlineResults,
  dedupeKey: string,
): Promise<SubmitResult> {
  const { wav, isWhole } = isSuccess(reply) ? soundIn(reply.json) : noSound;
  const files = wav ? await results.save(dedupeKey, [wav]) : [];
  const result = readSubmission(reply, errors, ({ json }) => {
    const read = { production: { files, usage: usageIn(json) }, isWhole };
    if (hasResult(read)) return { kind: 'done', production: notedProduction(read) };
    // Sound of a kind that is not known was charged like any other.
    return isWhole ? readMissingSound(json) : null;
  });
  const retryAfterMs = reply.kind === 'answered' ? retryDelayIn(reply.json) : null;
  return result.kind === 'refused' && retryAfterMs !== null
    ? { kind: 'refused', error: { ...result.error, retryAfterMs } }
    : result;
}

/** The sound of an answer. */
interface Sound {
  /** Null where there is none. */
  readonly wav: Buffer | null;
  /** False where a piece of it could not be read. */
  readonly isWhole: boolean;
}

/** Of a reply that is no success. */
const noSound: Sound = { wav: null, isWhole: true };

/** Every piece of sound in the answer, in order, as one file. */
function soundIn(json: unknown): Sound {
  const { items, isWhole } = readResults(firstCandidateIn(json)?.content?.parts, part);
  const sent = items.flatMap(({ inlineData }) => inlineData ?? []);
  const pieces = sent.flatMap(({ mimeType, data }) => {
    const type = readRawType(mimeType);
    return type ? [{ ...type, samples: Buffer.from(data, 'base64') }] : [];
  });
  const [type] = pieces;
  const samples = Buffer.concat(pieces.map(piece => piece.samples));
  const wav = type && samples.length > 0 ? wavOf({ ...type, samples }) : null;
  return { wav, isWhole: isWhole && pieces.length === sent.length };
}

/** The one candidate that is requested; undefined where the answer has none that can be read. */
const firstCandidateIn = (json: unknown): z.output<typeof candidate> | undefined =>
  readResults(memberAt(json, 'candidates'), candidate).items[0];

/** Tokens of prompt and sound together, as the answer counts them. */
function usageIn(json: unknown): readonly Usage[] {
  const quantity = answer.safeParse(json).data?.usageMetadata?.totalTokenCount;
  return quantity === undefined ? [] : [{ unit: 'token', quantity, basis: 'reported' }];
}

/**
 * Reads an answer that says why there is no sound. Another attempt would be charged again, so it is not retried.
 * Null for an answer that gives no reason.
 */
function readMissingSound(json: unknown): SubmitResult | null {
  const body = answer.safeParse(json).data;
  const block = body?.promptFeedback?.blockReason;
  const code = block ?? firstCandidateIn(json)?.finishReason;
  if (code === undefined) return null;
  const cause = { code, message: `the upstream returned no sound (${code})` };
  return { kind: 'refused', error: failureOf(cause, errors, block === undefined ? 'failed' : 'moderation') };
}

/** The wait in the details of an error, such as `37s`; null where there is none. */
function retryDelayIn(json: unknown): number | null {
  const details = problem.safeParse(json).data?.error.details ?? [];
  const [, delay] =
    details.map(({ retryDelay }) => /^(\d+(?:\.\d+)?)s$/.exec(retryDelay ?? '')).find(Boolean) ?? [];
  return delay === undefined ? null : Math.ceil(Number(delay)) * seconds;
}
