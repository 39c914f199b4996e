import { z } from 'zod';
import { minutes, seconds } from '../../domain/clock.ts';
import type { Usage } from '../../domain/job.ts';
import { toJson } from '../../domain/json.ts';
import type { Provider, ProviderTraits, SubmitResult } from '../../domain/provider.ts';
import { defineProvider, type ProviderDependencies } from '../kit/definition.ts';
import { type ErrorTable, failureOf, mapCodes, readSubmission } from '../kit/error-table.ts';
import {
  defineMapping,
  invalidInputError,
  type Mapping,
  mappingFaults,
  mappingOf,
  withoutDelivery,
} from '../kit/mapping.ts';
import { modelOf } from '../kit/media-encoding.ts';
import { openInlineResults } from '../kit/self-hosted.ts';
import { runAccountTest } from '../kit/test-account.ts';
import { baseUrlWithDefault, openUpstream, toOpenedProvider, type Upstream } from '../kit/upstream.ts';
import { readRawType, wavOf } from './wav.ts';

const models = { 'theta-3.1-flash-tts-preview': 'gemini-3.1-flash-tts-preview' } as const;

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

/** docs/providers/gemini.md: speech of the Gemini API, which answers with the sound itself. */
export default defineProvider({
  name: 'gemini',
  settings: secret =>
    z.strictObject({
      api_key: secret,
      base_url: baseUrlWithDefault('https://generativelanguage.googleapis.com/v1beta'),
    }),
  models,
  faults: (model, input) => mappingFaults(mappings, model, input),
  open: ({ api_key: key, base_url: baseUrl }, parts) => {
    const upstream = openUpstream({
      baseUrl,
      // Never in the address, where it would be logged on the way.
      headers: { 'x-goog-api-key': key },
      secrets: [key],
      outbound: parts.outbound,
    });
    return toOpenedProvider(upstream, openGemini(upstream, parts));
  },
});

/** Eleven minutes of sound, the longest there is, are spoken before the answer, and are 42 MB in it. */
const submitTimeoutMs = 10 * minutes;
const maxAnswerBytes = 64 * 1024 * 1024;

const traits: ProviderTraits = {
  // It knows no key for a call and keeps none of them.
  dedupe: 'none',
  dedupeWindowMs: 0,
  submitTimeoutMs,
  billable: true,
  minPollMs: 1 * seconds,
};

const inlineData = z.object({ mimeType: z.string(), data: z.string() });
const answer = z.object({
  candidates: z
    .array(
      z.object({
        content: z
          .object({ parts: z.array(z.object({ inlineData: inlineData.optional() })).optional() })
          .nullish(),
        finishReason: z.string().optional(),
      }),
    )
    .default([]),
  promptFeedback: z.object({ blockReason: z.string().optional() }).optional(),
  usageMetadata: z.object({ totalTokenCount: z.int().nonnegative().optional() }).optional().catch(undefined),
});

const detail = z.object({
  reason: z.string().optional(),
  retryDelay: z.string().optional(),
  violations: z.array(z.object({ quotaId: z.string().optional() })).optional(),
});
const problem = z.object({
  error: z.object({
    status: z.string(),
    message: z.string().default(''),
    details: z.array(detail).default([]).catch([]),
  }),
});

const errors: ErrorTable = {
  read(json) {
    const said = problem.safeParse(json).data?.error;
    return said ? { code: codeOf(said), message: said.message } : null;
  },
  codes: {
    ...mapCodes('input', 'INVALID_ARGUMENT', 'OUT_OF_RANGE'),
    // Key, right, region, billing, a model that is gone, the day's quota.
    ...mapCodes('account', 'API_KEY_INVALID', 'UNAUTHENTICATED', 'PERMISSION_DENIED', 'FAILED_PRECONDITION'),
    ...mapCodes('account', 'NOT_FOUND', 'DAY_EXHAUSTED'),
    ...mapCodes('pause', 'RESOURCE_EXHAUSTED'),
    // Calls that end so are not charged.
    ...mapCodes('down', 'INTERNAL', 'UNAVAILABLE'),
    ...mapCodes('unclear', 'DEADLINE_EXCEEDED'),
    ...mapCodes('moderation', 'SAFETY', 'PROHIBITED_CONTENT', 'BLOCKLIST', 'SPII'),
  },
};

/** A wrong key is a bad argument like any other, and the end of a day's quota a pause like any other, but for the details. */
function codeOf({ status, details }: z.output<typeof problem>['error']): string {
  if (details.some(({ reason }) => reason === 'API_KEY_INVALID')) return 'API_KEY_INVALID';
  const quotas = details.flatMap(({ violations = [] }) => violations.map(({ quotaId = '' }) => quotaId));
  return status === 'RESOURCE_EXHAUSTED' && quotas.some(id => /PerDay/i.test(id)) ? 'DAY_EXHAUSTED' : status;
}

function openGemini(upstream: Upstream, parts: Pick<ProviderDependencies, 'catalog' | 'folder'>): Provider {
  const results = openInlineResults(parts);
  return {
    name: 'gemini',
    traits: () => traits,
    ready: async () => ({ ok: true }),
    test: () => runAccountTest(upstream, { path: '/models?pageSize=1', errors }),

    async submit(task): Promise<SubmitResult> {
      const entry = modelOf(parts.catalog, task);
      const model = mappingOf(mappings, task.modelId);
      const input = withoutDelivery(entry, task.job.input);
      const body = model.map(input);
      if (!body) return { kind: 'refused', error: invalidInputError(model.faults(input)) };
      const reply = await upstream.request({
        method: 'POST',
        path: `/models/${encodeURIComponent(task.upstreamModel)}:generateContent`,
        body: toJson(body),
        timeoutMs: submitTimeoutMs,
        maxAnswerBytes,
        isBillable: true,
      });
      const wav = reply.kind === 'answered' && reply.status === 200 ? soundIn(reply.json) : null;
      const files = wav && (await results.save(task.dedupeKey, [wav]));
      const result = readSubmission(reply, errors, ({ json }) =>
        files ? { kind: 'done', production: { files, usage: usageIn(json) } } : readMissingSound(json),
      );
      const asked = reply.kind === 'answered' ? retryDelayIn(reply.json) : null;
      return result.kind === 'refused' && asked !== null
        ? { kind: 'refused', error: { ...result.error, retryAfterMs: asked } }
        : result;
    },

    // The answer to the submission was all there is.
    poll: async () => ({ kind: 'missing' }),
    cancel: async () => ({ kind: 'unsupported' }),
    release: ({ dedupeKey }) => results.remove(dedupeKey),
  };
}

/** Every piece of sound in the answer, in order, as one file; null where there is none. */
function soundIn(json: unknown): Buffer | null {
  const [first] = answer.safeParse(json).data?.candidates ?? [];
  const pieces = (first?.content?.parts ?? []).flatMap(({ inlineData: piece }) => {
    const type = piece && readRawType(piece.mimeType);
    return type ? [{ ...type, samples: Buffer.from(piece.data, 'base64') }] : [];
  });
  const [type] = pieces;
  const samples = Buffer.concat(pieces.map(piece => piece.samples));
  return type && samples.length > 0 ? wavOf({ ...type, samples }) : null;
}

function usageIn(json: unknown): readonly Usage[] {
  const quantity = answer.safeParse(json).data?.usageMetadata?.totalTokenCount;
  return quantity === undefined ? [] : [{ unit: 'token', quantity, basis: 'reported' }];
}

/**
 * An answer that says why there is no sound. Another try would be charged again, so none is made by itself.
 * Null for one that says nothing.
 */
function readMissingSound(json: unknown): SubmitResult | null {
  const told = answer.safeParse(json).data;
  const block = told?.promptFeedback?.blockReason;
  const code = block ?? told?.candidates[0]?.finishReason;
  if (code === undefined) return null;
  const said = { code, message: `the upstream gave no sound (${code})` };
  return { kind: 'refused', error: failureOf(said, errors, block === undefined ? 'failed' : 'moderation') };
}

function retryDelayIn(json: unknown): number | null {
  const details = problem.safeParse(json).data?.error.details ?? [];
  const [, told] =
    details.map(({ retryDelay }) => /^(\d+(?:\.\d+)?)s$/.exec(retryDelay ?? '')).find(Boolean) ?? [];
  return told === undefined ? null : Math.ceil(Number(told)) * seconds;
}
