/** PixVerse's own platform: docs/providers/pixverse.md. */

import { createHash, randomUUID } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import type { FormData } from 'undici';
import { z } from 'zod';
import type { Catalog } from '../../catalog/catalog.ts';
import { hours, seconds } from '../../domain/clock.ts';
import { extensionByMimeType } from '../../domain/file.ts';
import type {
  PollResult,
  PrepareResult,
  Provider,
  ProviderTask,
  ProviderTraits,
} from '../../domain/provider.ts';
import { defineProvider } from '../kit/definition.ts';
import { type ErrorTable, errorOf, failureOf, mapCodes, pollAfter } from '../kit/error-table.ts';
import { mappingFaults } from '../kit/mapping.ts';
import { idOf, isNotFound, providerDefaults, readPoll, unreachable } from '../kit/poll.ts';
import { fileAt, lenient, readResults, readSuccess, resultUrl } from '../kit/read-success.ts';
import { secretField } from '../kit/setup.ts';
import { readAcceptance, submitMapped } from '../kit/submit.ts';
import { sendUpload } from '../kit/upload.ts';
import {
  baseUrlWithDefault,
  newForm,
  openUpstream,
  query,
  readJson,
  toOpenedProvider,
  type Upstream,
  type UpstreamReply,
} from '../kit/upstream.ts';
import { pixverseMappings, pixverseModels } from './models.ts';

export default defineProvider({
  name: 'pixverse',
  setup: {
    trial: { model: 'zeta-v6-i2v', cost: 'one second at 360p without sound, 5 credits (0.05 USD)' },
    fields: [secretField({ where: 'platform.pixverse.ai → API keys', example: 'PIXVERSE_KEY' })],
  },
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

/** Timeout of a submission. */
const submitTimeoutMs = 30 * seconds;
/** When to poll first, after a submission. */
const firstPollMs = 10 * seconds;

/** What the upstream guarantees for repeated calls, and the timing of calls. */
const traits: ProviderTraits = {
  // The same trace id makes no second video. How long that is so is not documented: one hour is assumed.
  dedupe: 'replay',
  dedupeWindowMs: 1 * hours,
  submitTimeoutMs,
  billable: true,
  // It has no cancel: the video is made and charged.
  charges: { failed: 'nothing', cancelled: 'all' },
  minPollMs: 3 * seconds,
};

/** Every answer: a code, 0 for success, and a payload. */
const answer = z.object({ ErrCode: z.int(), ErrMsg: z.string().nullish(), Resp: z.unknown().optional() });
/** The answer to an upload. */
const uploaded = z.object({ img_id: z.int().positive() });
/** What `prepare` returned, as read back from the database. */
const preparedSchema = z.object({ img_id: z.int() });
/** The part of an answer to a submission that names the job. */
const accepted = z.object({ video_id: z.union([z.int().positive(), z.string().min(1).max(200)]) });
/** A video, as the payload of a poll. */
const video = z.object({
  status: z.int(),
  url: z.unknown().optional(),
  seed: lenient(z.int().nonnegative()),
});

/** The code for an unknown video. */
const videoNotFound = '500008';
/** What the upstream's error codes and statuses mean, by its documentation. */
const errors: ErrorTable = {
  /** Most errors come with the status 200. */
  read(json) {
    const error = answer.safeParse(json).data;
    return error && error.ErrCode !== 0 ? { code: String(error.ErrCode), message: error.ErrMsg ?? '' } : null;
  },
  codes: {
    ...mapCodes('input', '400011', '400013', '400017', '400018', '400019', '400032', videoNotFound),
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

/** The payload of an answer without an error; undefined for every other reply. */
function respOf(reply: UpstreamReply): unknown {
  const body = readJson(reply, answer);
  return body?.ErrCode === 0 ? body.Resp : undefined;
}

/** The port of one account. */
function openPixverse(upstream: Upstream, catalog: Catalog): Provider {
  return {
    ...providerDefaults,
    name: 'pixverse',
    traits: () => traits,

    /** Uploads the picture wherever it is stored: the upstream accepts no addresses. */
    async prepare(task, signal): Promise<PrepareResult> {
      const call = { path: '/openapi/v2/image/upload', headers: { 'ai-trace-id': randomUUID() } };
      const reply = await sendUpload(upstream, call, await uploadFormOf(task), signal);
      const created = uploaded.safeParse(respOf(reply)).data;
      return created
        ? { kind: 'prepared', prepared: created }
        : { kind: 'refused', error: errorOf(reply, errors) };
    },

    submit: (task, prepared) =>
      submitMapped(task, {
        upstream,
        catalog,
        mappings: pixverseMappings,
        callOf: ({ body }) => ({
          path: '/openapi/v2/video/img/generate',
          headers: { 'ai-trace-id': traceIdOf(task.dedupeKey) },
          body: { ...preparedSchema.parse(prepared), model: task.upstreamModel, ...body },
        }),
        timeoutMs: submitTimeoutMs,
        read: (reply, submission) => readAcceptance(reply, submission, { errors, firstPollMs, refIn }),
      }),

    async poll(_, ref) {
      const path = `/openapi/v2/video/result/${encodeURIComponent(idOf(ref))}`;
      // A trace id that is used twice gets the first answer again.
      return readVideo(await query(upstream, 'GET', path, { headers: { 'ai-trace-id': randomUUID() } }));
    },
  };
}

/** The ref of an accepted submission; undefined where the answer names no job. */
function refIn(_: unknown, reply: UpstreamReply) {
  const created = accepted.safeParse(respOf(reply)).data;
  return created && { id: String(created.video_id) };
}

/** The form with the one picture of the job. */
async function uploadFormOf({ media, facts }: ProviderTask): Promise<FormData> {
  const [path] = Object.values(media);
  const mimeType = facts.image?.mimeType ?? 'application/octet-stream';
  if (path === undefined) throw new Error('expected the picture to be fetched');
  const body = newForm();
  const blob = await openAsBlob(path, { type: mimeType });
  body.append('image', blob, `image.${extensionByMimeType[mimeType] ?? 'bin'}`);
  return body;
}

/** A UUID derived from the attempt: the same for every call of it, and of no other. */
export function traceIdOf(dedupeKey: string): string {
  const hex = createHash('sha256').update(dedupeKey).digest('hex');
  const variant = '89ab'[Number.parseInt(hex.slice(16, 17), 16) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Reads the answer to a poll. */
const readVideo = (reply: UpstreamReply): PollResult =>
  readPoll(reply, {
    stateIn: answer => video.safeParse(respOf(answer)).data,
    isMissing: answer =>
      isNotFound(answer) || errors.read(answer.json, answer.headers)?.code === videoNotFound,
    resultOf,
  });

/** What each state of the upstream means for the job. */
function resultOf({ status, url, seed }: z.output<typeof video>, answer: UpstreamReply): PollResult {
  switch (status) {
    case 1: {
      const { items, isWhole } = readResults(url || [], resultUrl);
      const files = items.map(at => fileAt(at, { mimeType: 'video/mp4' }));
      const production = { files, ...(seed !== undefined && { seed }) };
      return readSuccess(answer, { production, isWhole }, errors);
    }
    case 5:
      return { kind: 'running', ...pollAfter(answer) };
    case 7:
      return failed('500063', 'the content did not pass their moderation');
    case 8:
      return failed(null, 'the upstream failed to make the video');
    default:
      // An unknown state does not end a job: it is polled again.
      return unreachable(answer);
  }
}

/** A run that the upstream ended; it is not sent again. */
const failed = (code: string | null, message: string): PollResult => ({
  kind: 'failed',
  error: failureOf({ code, message }, errors),
});
