import { createHash, randomUUID } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { FormData } from 'undici';
import { z } from 'zod';
import type { Catalog } from '../../catalog/catalog.ts';
import { hours, minutes, seconds } from '../../domain/clock.ts';
import { extensionByMimeType } from '../../domain/file.ts';
import { toJson } from '../../domain/json.ts';
import type {
  PollResult,
  PrepareResult,
  ProducedFile,
  Provider,
  ProviderTask,
  ProviderTraits,
} from '../../domain/provider.ts';
import { defineProvider } from '../kit/definition.ts';
import {
  type ErrorTable,
  errorOf,
  failureOf,
  mapCodes,
  pollAfter,
  readSubmission,
} from '../kit/error-table.ts';
import { invalidInputError, mappingFaults, mappingOf, withoutDelivery } from '../kit/mapping.ts';
import { modelOf } from '../kit/media-encoding.ts';
import { lenient, readResults, readSuccess, resultUrl } from '../kit/read-success.ts';
import {
  baseUrlWithDefault,
  openUpstream,
  toOpenedProvider,
  type Upstream,
  type UpstreamReply,
} from '../kit/upstream.ts';
import { pixverseMappings, pixverseModels } from './models.ts';

/** docs/providers/pixverse.md: PixVerse's own platform. */
export default defineProvider({
  name: 'pixverse',
  settings: secret =>
    z.strictObject({
      api_key: secret,
      base_url: baseUrlWithDefault('https://app-api.pixverse.ai'),
    }),
  models: pixverseModels,
  faults: (model, input) => mappingFaults(pixverseMappings, model, input),
  open: ({ api_key: key, base_url: baseUrl }, { catalog, outbound }) => {
    const upstream = openUpstream({
      baseUrl,
      headers: { 'api-key': key },
      secrets: [key],
      outbound,
    });
    return toOpenedProvider(upstream, openPixverse(upstream, catalog));
  },
});

const submitTimeoutMs = 30 * seconds;
const askTimeoutMs = 15 * seconds;
const uploadTimeoutMs = 2 * minutes;
const firstPollMs = 10 * seconds;

const traits: ProviderTraits = {
  // The same trace id makes no second video. For how long is not documented, so it is not trusted for long.
  dedupe: 'replay',
  dedupeWindowMs: 1 * hours,
  submitTimeoutMs,
  billable: true,
  minPollMs: 3 * seconds,
};

const refSchema = z.object({ id: z.string().min(1) });
const answer = z.object({ ErrCode: z.int(), ErrMsg: z.string().nullish(), Resp: z.unknown().optional() });
const uploaded = z.object({ img_id: z.int().positive() });
/** As it came back from the row. */
const preparedSchema = z.object({ img_id: z.int() });
const accepted = z.object({ video_id: z.union([z.int().positive(), z.string().min(1).max(200)]) });
const video = z.object({
  status: z.int(),
  url: z.unknown().optional(),
  seed: lenient(z.int().nonnegative()),
});

const notFound = '500008';
const errors: ErrorTable = {
  /** Most errors come with the status 200. */
  read(json) {
    const said = answer.safeParse(json).data;
    return said && said.ErrCode !== 0 ? { code: String(said.ErrCode), message: said.ErrMsg ?? '' } : null;
  },
  codes: {
    ...mapCodes('input', '400011', '400013', '400017', '400018', '400019', '400032', notFound),
    ...mapCodes('input', '500030', '500032', '500033', '500042', '500064', '500070', '500071'),
    ...mapCodes('media', '500031'),
    ...mapCodes('moderation', '500054', '500063'),
    ...mapCodes('account', '400012', '500020', '500060', '500090'),
    ...mapCodes('pause', '500044', '500069'),
    ...mapCodes('down', '500041'),
    ...mapCodes('unclear', '99999', '500100'),
  },
  // The address is the operator's choice, not the client's.
  statuses: { 404: 'account' },
};

/** What an answer without an error holds; undefined for every other. */
function respOf(reply: UpstreamReply): unknown {
  if (reply.kind !== 'answered' || reply.status !== 200) return undefined;
  const told = answer.safeParse(reply.json).data;
  return told?.ErrCode === 0 ? told.Resp : undefined;
}

function openPixverse(upstream: Upstream, catalog: Catalog): Provider {
  return {
    name: 'pixverse',
    traits: () => traits,
    ready: async () => ({ ok: true }),

    /** The picture becomes one of theirs, wherever it lies: they take none by its address. */
    async prepare(task, signal): Promise<PrepareResult> {
      const reply = await upstream.request({
        method: 'POST',
        path: '/openapi/v2/image/upload',
        headers: { 'ai-trace-id': randomUUID() },
        body: await uploadFormOf(task),
        timeoutMs: uploadTimeoutMs,
        signal,
        isBillable: true,
      });
      const made = uploaded.safeParse(respOf(reply)).data;
      return made ? { kind: 'prepared', prepared: made } : { kind: 'refused', error: errorOf(reply, errors) };
    },

    async submit(task, prepared) {
      const entry = modelOf(catalog, task);
      const model = mappingOf(pixverseMappings, task.modelId);
      const input = withoutDelivery(entry, task.job.input);
      const body = model.map(input);
      if (!body) return { kind: 'refused', error: invalidInputError(model.faults(input)) };
      const { img_id } = preparedSchema.parse(prepared);
      const reply = await upstream.request({
        method: 'POST',
        path: '/openapi/v2/video/img/generate',
        headers: { 'ai-trace-id': traceIdOf(task.dedupeKey) },
        body: toJson({ img_id, model: task.upstreamModel, ...body }),
        timeoutMs: submitTimeoutMs,
        isBillable: true,
      });
      return readSubmission(reply, errors, () => {
        const made = accepted.safeParse(respOf(reply)).data;
        return made ? { kind: 'accepted', ref: { id: String(made.video_id) }, firstPollMs } : null;
      });
    },

    async poll(_, ref) {
      const { id } = refSchema.parse(ref);
      const reply = await upstream.request({
        method: 'GET',
        path: `/openapi/v2/video/result/${encodeURIComponent(id)}`,
        // A trace id that is used twice is answered as the first time.
        headers: { 'ai-trace-id': randomUUID() },
        timeoutMs: askTimeoutMs,
      });
      return readVideo(reply);
    },

    // There is no way to stop a video.
    cancel: async () => ({ kind: 'unsupported' }),

    release: async () => {},
  };
}

async function uploadFormOf({ media, facts }: ProviderTask): Promise<FormData> {
  const [path] = Object.values(media);
  const mimeType = facts.image?.mimeType ?? 'application/octet-stream';
  if (path === undefined) throw new Error('expected the picture to be gathered');
  const body = new FormData();
  const blob = await openAsBlob(path, { type: mimeType });
  body.append('image', blob, `image.${extensionByMimeType[mimeType] ?? 'bin'}`);
  return body;
}

/** A UUID of the attempt's own: the same for every call of it, and no other's. */
export function traceIdOf(dedupeKey: string): string {
  const hex = createHash('sha256').update(dedupeKey).digest('hex');
  const variant = '89ab'[Number.parseInt(hex.slice(16, 17), 16) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function readVideo(reply: UpstreamReply): PollResult {
  if (reply.kind !== 'answered') return { kind: 'unreachable', reason: reply.reason };
  const isUnknown = errors.read(reply.json, reply.headers)?.code === notFound;
  if (reply.status === 404 || isUnknown) return { kind: 'missing' };
  const told = video.safeParse(respOf(reply)).data;
  switch (told?.status) {
    case 1: {
      const { url, seed } = told;
      const { items, isWhole } = readResults(url || [], resultUrl);
      const files = items.map((at): ProducedFile => {
        const source = { kind: 'url', url: at } as const;
        return { role: 'primary', index: 0, mimeType: 'video/mp4', source };
      });
      return readSuccess(
        reply,
        { production: { files, ...(seed !== undefined && { seed }) }, isWhole },
        errors,
      );
    }
    case 5:
      return { kind: 'running', ...pollAfter(reply) };
    case 7:
      return failed('500063', 'the content did not pass their moderation');
    case 8:
      return failed(null, 'the upstream failed to make the video');
    default:
      // A state that we do not know is no end: it is asked again.
      return { kind: 'unreachable', reason: `the upstream answered ${reply.status}`, ...pollAfter(reply) };
  }
}

const failed = (code: string | null, message: string): PollResult => ({
  kind: 'failed',
  error: failureOf({ code, message }, errors),
});
