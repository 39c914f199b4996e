import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { FormData } from 'undici';
import { z } from 'zod';
import type { Catalog } from '../../catalog/catalog.ts';
import { days, hours, minutes, seconds } from '../../domain/clock.ts';
import { parseFileId } from '../../domain/ids.ts';
import type { JobErrorCode } from '../../domain/job.ts';
import { toJson } from '../../domain/json.ts';
import type {
  Pinned,
  PollResult,
  ProducedFile,
  Production,
  Provider,
  ProviderAttempt,
  ProviderError,
  ProviderTask,
  ProviderTraits,
} from '../../domain/provider.ts';
import { defineProvider } from '../kit/definition.ts';
import { type ErrorTable, errorOf, pollAfter, readSubmission } from '../kit/error-table.ts';
import { memberAt, readList, readLookup } from '../kit/lookup.ts';
import { modelOf, renameMedia, withDraftOnly, withUpstreamIds } from '../kit/media-encoding.ts';
import { lenient, readResults, readSuccess, resultUrl } from '../kit/read-success.ts';
import { type AccountTestCall, runAccountTest } from '../kit/test-account.ts';
import {
  baseUrlSchema,
  openUpstream,
  toOpenedProvider,
  type Upstream,
  type UpstreamReply,
} from '../kit/upstream.ts';

/** Contract 2 to 4: another gateway that speaks this same contract. */
export default defineProvider({
  name: 'relay',
  settings: secret =>
    z.strictObject({
      base_url: baseUrlSchema(),
      api_key: secret,
      /**
       * What that gateway does for a create whose answer was lost. `replay`: it honours Idempotency-Key.
       * `lookup`: its list of requests finds one by external_task_id. `none`: neither is known of it.
       */
      dedupe: z.enum(['replay', 'lookup', 'none']).default('none'),
      /** Whether what that gateway, or an upstream of its, made for others may be named here by its own id. */
      foreign_ids: z.boolean().default(false),
    }),
  takesForeign: ({ foreign_ids }) => (foreign_ids ? ['image', 'draft', 'video', 'asset'] : []),
  open: ({ base_url: baseUrl, api_key: key, dedupe }, { catalog, outbound }) => {
    const headers = { authorization: `Bearer ${key}` };
    const upstream = openUpstream({ baseUrl, headers, secrets: [key], outbound });
    return toOpenedProvider(upstream, openRelay(upstream, dedupe, catalog));
  },
});

const submitTimeoutMs = 20 * seconds;
const askTimeoutMs = 15 * seconds;
const uploadTimeoutMs = 2 * minutes;
const minPollMs = 1 * seconds;
/** That gateway remembers a key for a day; the last hour is left for clocks that differ. */
const replayWindowMs = 23 * hours;
/** Its finished jobs live longer than any job of ours. */
const lookupWindowMs = 7 * days;

const handle = z.object({ request_id: z.string().min(1).max(200) });
/** An id that no gateway gives. */
const nonexistentRequestId = '00000000-0000-7000-8000-000000000000';
const refSchema = z.object({ id: z.string().min(1) });
const status = z.object({
  request_id: z.string(),
  status: z.enum(['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED']),
  progress: z.number().min(0).max(1).optional(),
});
const upload = z.object({ id: z.string() });
/** Our file id → that gateway's, as it came back from the row. */
const uploadsSchema = z.record(z.string(), z.string()).default({});
const link = z.object({ url: resultUrl, content_type: z.string().catch('application/octet-stream') });
const picture = link.extend({ index: lenient(z.int().min(0)) });
const sound = link.extend({ sample_rate: lenient(z.int()), channels: lenient(z.int()) });
const result = z.object({
  request_id: z.string(),
  error: z
    .object({ code: z.string(), message: z.string().default('') })
    .nullable()
    .default(null),
  video: z.unknown().optional(),
  images: z.unknown().optional(),
  audio: z.unknown().optional(),
  watermarked_url: lenient(z.string()),
  last_frame: lenient(link),
  image_url: lenient(z.string()),
  seed: lenient(z.int()),
  data: lenient(z.object({ subtitle_file: lenient(z.string()) })),
  extra_info: lenient(z.object({ bitrate: lenient(z.int()), word_count: lenient(z.int()) })),
  creations: lenient(z.array(z.object({ id: lenient(z.string()), cover_url: lenient(z.string()) }))),
});

function openRelay(upstream: Upstream, dedupe: ProviderTraits['dedupe'], catalog: Catalog): Provider {
  const traits: ProviderTraits = {
    dedupe,
    dedupeWindowMs: dedupe === 'replay' ? replayWindowMs : lookupWindowMs,
    submitTimeoutMs,
    billable: true,
    minPollMs,
  };
  const requestOf = ({ upstreamModel }: ProviderAttempt, ref: unknown, end: string) =>
    `/v1/queue/${encodeURIComponent(upstreamModel)}/requests/${encodeURIComponent(refSchema.parse(ref).id)}${end}`;
  const ask = (method: 'GET' | 'PUT', path: string) =>
    upstream.request({ method, path, timeoutMs: askTimeoutMs });

  return {
    name: 'relay',
    // A model without external_task_id leaves nothing to find a job by.
    traits: modelId =>
      dedupe === 'lookup' && !catalog.find(modelId)?.takesExternalTaskId
        ? { ...traits, dedupe: 'none' }
        : traits,
    ready: async () => ({ ok: true }),
    // Whoever is let in hears that there is no such request, which costs nothing to ask.
    test: () =>
      runAccountTest(upstream, {
        path: `/v1/queue/beta-edit/requests/${nonexistentRequestId}/status`,
        isAccepted: isRequestNotFound,
        errors,
      }),

    /** Our files become files of that gateway; addresses elsewhere go as they are. */
    async prepare(task, signal) {
      const uploads: Record<string, string> = {};
      for (const { value: reference } of modelOf(catalog, task).media(task.job.input)) {
        const path = task.media[reference];
        if (!parseFileId(reference) || path === undefined || reference in uploads) continue;
        const body = new FormData();
        body.append('file', await openAsBlob(path), basename(path));
        const reply = await upstream.request({
          method: 'POST',
          path: '/v1/files',
          body,
          timeoutMs: uploadTimeoutMs,
          signal,
          isBillable: true,
        });
        const made = reply.kind === 'answered' && reply.status === 200 ? upload.safeParse(reply.json) : null;
        if (!made?.success) return { kind: 'refused', error: errorOf(reply, errors) };
        uploads[reference] = made.data.id;
      }
      return { kind: 'prepared', prepared: uploads };
    },

    async submit(task, prepared) {
      const reply = await upstream.request({
        method: 'POST',
        path: `/v1/queue/${encodeURIComponent(task.upstreamModel)}`,
        headers: dedupe === 'replay' ? { 'idempotency-key': task.dedupeKey } : {},
        body: toJson(bodyOf(task, prepared)),
        timeoutMs: submitTimeoutMs,
        isBillable: true,
      });
      return readSubmission(reply, errors, ({ json }) => {
        const made = handle.safeParse(json).data;
        return made ? { kind: 'accepted', ref: { id: made.request_id }, firstPollMs: minPollMs } : null;
      });
    },

    async recover(task) {
      const query = new URLSearchParams({ external_task_id: task.dedupeKey, limit: '1' });
      const reply = await ask('GET', `/v1/queue/${encodeURIComponent(task.upstreamModel)}/requests?${query}`);
      return readLookup(reply, {
        errors,
        read(json) {
          const found = readList(memberAt(json, 'data'), handle);
          const [first] = found?.items ?? [];
          return first ? { id: first.request_id } : found?.isWhole ? null : undefined;
        },
      });
    },

    async poll(attempt, ref) {
      const reply = await ask('GET', requestOf(attempt, ref, '/status'));
      const { id } = refSchema.parse(ref);
      const told = readState(reply, id);
      if (told !== 'completed') return told;
      return readResult(await ask('GET', requestOf(attempt, ref, '/response')), id);
    },

    async cancel(attempt, ref) {
      const reply = await ask('PUT', requestOf(attempt, ref, '/cancel'));
      if (reply.kind !== 'answered') return { kind: 'requested' };
      if (reply.status === 200) return { kind: 'cancelled' };
      // Asked for, or ended before: the next polls tell.
      return reply.status === 202 || reply.status === 400 ? { kind: 'requested' } : { kind: 'unsupported' };
    },

    release: async () => {},
  };

  /** The body as the client gave it, in that gateway's names; whoever is called back and finds jobs by name there is us. */
  function bodyOf(task: ProviderTask, prepared: unknown): unknown {
    const model = modelOf(catalog, task);
    const { input } = task.job;
    const externalTaskId = dedupe === 'lookup' && model.takesExternalTaskId ? task.dedupeKey : null;
    const named = withUpstreamIds(
      model,
      task,
      renameMedia(model, input, uploadsSchema.parse(prepared)),
      upstreamIdOf,
    );
    const body = model.withDelivery(withDraftOnly(model, named), { externalTaskId });
    // Sound comes by address, whatever form our client wants it in.
    return model.inlineAudio(input) ? { ...body, output_format: 'url' } : body;
  }
}

/** A video has a name of its own there; all else goes by its job. */
const upstreamIdOf = ({ ref, upstreamId }: Pinned, kind: 'image' | 'draft' | 'video'): string | null =>
  kind === 'video' ? upstreamId : refSchema.parse(ref).id;

const detail = z.object({ detail: z.string() });
const gatewayError = z.object({ error: z.object({ message: z.string() }) });

const errors: ErrorTable = {
  read(json) {
    const message = detail.safeParse(json).data?.detail ?? gatewayError.safeParse(json).data?.error.message;
    return message === undefined ? null : { code: null, message };
  },
  codes: {},
  // Decisions 2: 503 is answered before anything is stored. Every other failure of a server says nothing.
  statuses: { 503: 'down' },
};

/** Contract 2: told to whoever has a key, in these words. */
const isRequestNotFound: NonNullable<AccountTestCall['isAccepted']> = ({ status, json }) =>
  status === 404 && detail.safeParse(json).data?.detail === 'Request not found';

function readState(reply: UpstreamReply, id: string): PollResult | 'completed' {
  if (reply.kind !== 'answered') return { kind: 'unreachable', reason: reply.reason };
  if (reply.status === 404) return { kind: 'missing' };
  const told = reply.status === 200 ? status.safeParse(reply.json) : null;
  // A state we do not know, or of another request, is no end: it is asked again.
  if (!told?.success || told.data.request_id !== id)
    return { kind: 'unreachable', reason: `the upstream answered ${reply.status}`, ...pollAfter(reply) };
  if (told.data.status === 'COMPLETED') return 'completed';
  const { progress } = told.data;
  return { kind: 'running', ...pollAfter(reply), ...(progress !== undefined && { progress }) };
}

function readResult(reply: UpstreamReply, id: string): PollResult {
  if (reply.kind !== 'answered') return { kind: 'unreachable', reason: reply.reason };
  const told = reply.status === 200 ? result.safeParse(reply.json) : null;
  if (!told?.success || told.data.request_id !== id)
    return { kind: 'unreachable', reason: `the upstream's result cannot be read` };
  const { error } = told.data;
  if (error) return { kind: 'failed', error: failureOf(error) };
  return readSuccess(reply, productionOf(told.data), errors);
}

/** Ends that mean the same here; whatever else befell that gateway is a failed run to our client. */
const passedThroughCodes: readonly JobErrorCode[] = [
  'invalid_input',
  'file_download_error',
  'file_invalid',
  'content_policy_violation',
  'response_too_large',
  'submission_uncertain',
  'provider_unavailable',
];

function failureOf({ code, message }: { readonly code: string; readonly message: string }): ProviderError {
  return {
    code: passedThroughCodes.find(known => known === code) ?? 'runtime_error',
    message: message.replace(/^Runtime execution failed: /, '') || 'the upstream failed',
    retry: false,
    upstream: { code, message },
  };
}

function productionOf(told: z.output<typeof result>) {
  const files: ProducedFile[] = [];
  const add = (
    role: ProducedFile['role'],
    index: number,
    from: z.output<typeof link> | string | undefined,
    more: { readonly pcm?: ProducedFile['pcm'] | undefined; readonly upstreamId?: string | undefined } = {},
  ) => {
    if (from === undefined) return;
    const url = typeof from === 'string' ? from : from.url;
    const mimeType = typeof from === 'string' ? 'application/octet-stream' : from.content_type;
    const { pcm, upstreamId } = more;
    const source = { kind: 'url', url } as const;
    files.push({ role, index, mimeType, source, ...(pcm && { pcm }), ...(upstreamId && { upstreamId }) });
  };
  const videos = readResults(told.video, link);
  const images = readResults(told.images, picture);
  const sounds = readResults(told.audio, sound);
  const [video] = videos.items;
  add('primary', 0, video, { upstreamId: told.creations?.[0]?.id ?? fileIdIn(video?.url) });
  for (const [place, image] of images.items.entries()) add('primary', image.index ?? place, image);
  const [audio] = sounds.items;
  add('primary', 0, audio, audio && { pcm: pcmOf(audio) });
  add('watermarked', 0, told.watermarked_url);
  add('last_frame', 0, told.last_frame);
  add('grid', 0, told.image_url);
  const subtitles = told.data?.subtitle_file;
  if (subtitles) add('subtitle', 0, { url: subtitles, content_type: 'application/json' });
  add('cover', 0, told.creations?.[0]?.cover_url);
  const { seed } = told;
  const { bitrate, word_count: words } = told.extra_info ?? {};
  const production: Production = {
    files,
    ...(seed !== undefined && { seed }),
    ...(bitrate !== undefined && { bitrate }),
    ...(words !== undefined && { words }),
  };
  return { production, isWhole: videos.isWhole && images.isWhole && sounds.isWhole };
}

/** A signed address there names the file, as every address of a gateway does. */
const fileIdIn = (url = ''): string | undefined => /\/v1\/f\/(file_[0-9A-Za-z]{24})\//.exec(url)?.[1];

const pcmOf = ({ content_type, sample_rate: sampleRate, channels }: z.output<typeof sound>) =>
  /pcm|l16/i.test(content_type) && sampleRate !== undefined
    ? { sampleRate, channels: channels ?? 1 }
    : undefined;
