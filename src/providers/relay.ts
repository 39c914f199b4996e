import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { FormData } from 'undici';
import { z } from 'zod';
import { findModel } from '../catalog/index.ts';
import { days, hours, minutes, seconds } from '../domain/clock.ts';
import { parseFileId } from '../domain/ids.ts';
import type { JobErrorCode } from '../domain/job.ts';
import { toJson } from '../domain/json.ts';
import type {
  PollResult,
  ProducedFile,
  Production,
  Provider,
  ProviderError,
  ProviderTask,
  ProviderTraits,
  SubmitResult,
} from '../domain/provider.ts';
import { defineProvider } from './definition.ts';
import { openUpstream, type Upstream, type UpstreamReply } from './upstream.ts';

/** Contract 2 to 4: another gateway that speaks this same contract. */
export default defineProvider({
  name: 'relay',
  settings: secret =>
    z.strictObject({
      base_url: z.url({ protocol: /^https?$/ }).transform(text => text.replace(/\/+$/, '')),
      api_key: secret,
      /**
       * What that gateway does for a create whose answer was lost. `replay`: it honours Idempotency-Key.
       * `lookup`: its list of requests finds one by external_task_id. `none`: neither is known of it.
       */
      dedupe: z.enum(['replay', 'lookup', 'none']).default('none'),
    }),
  open: ({ base_url: baseUrl, api_key: key, dedupe }, { outbound }) => {
    const upstream = openUpstream({ baseUrl, headers: { authorization: `Bearer ${key}` }, outbound });
    return {
      provider: openRelay(upstream, dedupe),
      results: upstream.results,
      close: () => upstream.close(),
    };
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
const refSchema = z.object({ id: z.string().min(1) });
const status = z.object({
  request_id: z.string(),
  status: z.enum(['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED']),
  progress: z.number().min(0).max(1).optional(),
});
const list = z.object({ data: z.array(handle) });
const upload = z.object({ id: z.string() });
/** Our file id → that gateway's, as it came back from the row. */
const uploadsSchema = z.record(z.string(), z.string()).default({});
const link = z.object({ url: z.string(), content_type: z.string().default('application/octet-stream') });
const picture = link.extend({ index: z.int().min(0).optional() });
const sound = link.extend({ sample_rate: z.int().optional(), channels: z.int().optional() });
const result = z.object({
  request_id: z.string(),
  error: z
    .object({ code: z.string(), message: z.string().default('') })
    .nullable()
    .default(null),
  video: link.optional(),
  images: z.array(picture).optional(),
  audio: sound.optional(),
  watermarked_url: z.string().optional(),
  last_frame: link.optional(),
  image_url: z.string().optional(),
  seed: z.int().optional(),
  data: z.object({ subtitle_file: z.string().optional() }).optional(),
  extra_info: z.object({ bitrate: z.int().optional(), word_count: z.int().optional() }).optional(),
  creations: z.array(z.object({ cover_url: z.string().optional() })).optional(),
});

function openRelay(upstream: Upstream, dedupe: ProviderTraits['dedupe']): Provider {
  const traits: ProviderTraits = {
    dedupe,
    dedupeWindowMs: dedupe === 'replay' ? replayWindowMs : lookupWindowMs,
    submitTimeoutMs,
    billable: true,
    minPollMs,
  };
  const requestOf = ({ upstreamModel }: ProviderTask, ref: unknown, end: string) =>
    `/v1/queue/${encodeURIComponent(upstreamModel)}/requests/${encodeURIComponent(refSchema.parse(ref).id)}${end}`;
  const ask = (method: 'GET' | 'PUT', path: string) =>
    upstream.ask({ method, path, timeoutMs: askTimeoutMs });

  return {
    name: 'relay',
    // A model without external_task_id leaves nothing to find a job by.
    traits: modelId =>
      dedupe === 'lookup' && !findModel(modelId)?.takesExternalTaskId
        ? { ...traits, dedupe: 'none' }
        : traits,
    ready: async () => ({ ok: true }),

    /** Our files become files of that gateway; addresses elsewhere go as they are. */
    async prepare(task, signal) {
      const uploads: Record<string, string> = {};
      for (const [reference, path] of Object.entries(task.media)) {
        if (!parseFileId(reference)) continue;
        const body = new FormData();
        body.append('file', await openAsBlob(path), basename(path));
        const reply = await upstream.ask({
          method: 'POST',
          path: '/v1/files',
          body,
          timeoutMs: uploadTimeoutMs,
          signal,
          isBillable: true,
        });
        const made = reply.kind === 'answered' && reply.status === 200 ? upload.safeParse(reply.json) : null;
        if (!made?.success) return { kind: 'refused', error: errorOf(reply, { isSafe: true }) };
        uploads[reference] = made.data.id;
      }
      return { kind: 'prepared', prepared: uploads };
    },

    async submit(task, prepared) {
      const reply = await upstream.ask({
        method: 'POST',
        path: `/v1/queue/${encodeURIComponent(task.upstreamModel)}`,
        headers: dedupe === 'replay' ? { 'idempotency-key': task.dedupeKey } : {},
        body: toJson(bodyOf(task, prepared)),
        timeoutMs: submitTimeoutMs,
        isBillable: true,
      });
      return readSubmit(reply);
    },

    async recover(task) {
      const query = new URLSearchParams({ external_task_id: task.dedupeKey, limit: '1' });
      const reply = await ask('GET', `/v1/queue/${encodeURIComponent(task.upstreamModel)}/requests?${query}`);
      const found = reply.kind === 'answered' && reply.status === 200 ? list.safeParse(reply.json) : null;
      if (!found?.success) return { kind: 'undecided', ...retryAfterOf(reply) };
      const [first] = found.data.data;
      return first ? { kind: 'found', ref: { id: first.request_id } } : { kind: 'absent' };
    },

    async poll(task, ref) {
      const reply = await ask('GET', requestOf(task, ref, '/status'));
      const { id } = refSchema.parse(ref);
      const told = readState(reply, id);
      if (told !== 'completed') return told;
      return readResult(await ask('GET', requestOf(task, ref, '/response')), id);
    },

    async cancel(task, ref) {
      const reply = await ask('PUT', requestOf(task, ref, '/cancel'));
      if (reply.kind !== 'answered') return { kind: 'requested' };
      if (reply.status === 200) return { kind: 'cancelled' };
      // Asked for, or ended before: the next polls tell.
      return reply.status === 202 || reply.status === 400 ? { kind: 'requested' } : { kind: 'unsupported' };
    },

    release: async () => {},
  };

  /** The body as the client gave it; whoever is called back and finds jobs by name there is us. */
  function bodyOf({ job, dedupeKey }: ProviderTask, prepared: unknown): unknown {
    const model = findModel(job.modelId);
    if (!model) throw new Error(`expected a model, got ${job.modelId}`);
    const externalTaskId = dedupe === 'lookup' && model.takesExternalTaskId ? dedupeKey : null;
    const body = model.withDelivery(rename(job.input, uploadsSchema.parse(prepared)), { externalTaskId });
    // Sound comes by address, whatever form our client wants it in.
    return model.inlineAudio(job.input) ? { ...body, output_format: 'url' } : body;
  }
}

/** The table that decides money (design, reading one submit attempt). */
function readSubmit(reply: UpstreamReply): SubmitResult {
  if (reply.kind === 'unsent') return { kind: 'refused', error: errorOf(reply, { isSafe: true }) };
  if (reply.kind === 'broken') return { kind: 'unknown', error: errorOf(reply, { isSafe: false }) };
  if (reply.status === 200) {
    const made = handle.safeParse(reply.json);
    return made.success
      ? { kind: 'accepted', ref: { id: made.data.request_id }, firstPollMs: minPollMs }
      : { kind: 'unknown', error: errorOf(reply, { isSafe: false }) };
  }
  // Decisions 2: 503 is answered before anything is stored. Every other failure of a server says nothing.
  const isCertain = (reply.status >= 300 && reply.status < 500) || reply.status === 503;
  const error = errorOf(reply, { isSafe: isCertain });
  return isCertain ? { kind: 'refused', error } : { kind: 'unknown', error };
}

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
  const production = productionOf(told.data);
  if (production.files.length > 0) return { kind: 'succeeded', production };
  const message = 'the upstream ended without a result';
  return { kind: 'failed', error: { code: 'runtime_error', message, retry: false } };
}

/** Ends that mean the same here; whatever else befell that gateway is a failed run to our client. */
const sameCodes: readonly JobErrorCode[] = [
  'invalid_input',
  'file_download_error',
  'content_policy_violation',
  'response_too_large',
  'submission_uncertain',
  'provider_unavailable',
];

function failureOf({ code, message }: { readonly code: string; readonly message: string }): ProviderError {
  return {
    code: sameCodes.find(known => known === code) ?? 'runtime_error',
    message: message.replace(/^Runtime execution failed: /, '') || 'the upstream failed',
    retry: false,
    upstream: { code, message },
  };
}

function productionOf(told: z.output<typeof result>): Production {
  const files: ProducedFile[] = [];
  const add = (
    role: ProducedFile['role'],
    index: number,
    from: z.output<typeof link> | string | undefined,
    pcm?: ProducedFile['pcm'],
  ) => {
    if (from === undefined) return;
    const url = typeof from === 'string' ? from : from.url;
    const mimeType = typeof from === 'string' ? 'application/octet-stream' : from.content_type;
    files.push({ role, index, mimeType, source: { kind: 'url', url }, ...(pcm && { pcm }) });
  };
  add('primary', 0, told.video);
  for (const [place, image] of (told.images ?? []).entries()) add('primary', image.index ?? place, image);
  const { audio } = told;
  add('primary', 0, audio, audio && pcmOf(audio));
  add('watermarked', 0, told.watermarked_url);
  add('last_frame', 0, told.last_frame);
  add('grid', 0, told.image_url);
  const subtitles = told.data?.subtitle_file;
  if (subtitles) add('subtitle', 0, { url: subtitles, content_type: 'application/json' });
  add('cover', 0, told.creations?.[0]?.cover_url);
  const { seed } = told;
  const { bitrate, word_count: words } = told.extra_info ?? {};
  return {
    files,
    ...(seed !== undefined && { seed }),
    ...(bitrate !== undefined && { bitrate }),
    ...(words !== undefined && { words }),
  };
}

const pcmOf = ({ content_type, sample_rate: sampleRate, channels }: z.output<typeof sound>) =>
  /pcm|l16/i.test(content_type) && sampleRate !== undefined
    ? { sampleRate, channels: channels ?? 1 }
    : undefined;

const detail = z.object({ detail: z.string() });
const gatewayError = z.object({ error: z.object({ message: z.string() }) });

/** What a call that did not succeed means. `isSafe`: nothing was created, so it may be made again. */
function errorOf(reply: UpstreamReply, { isSafe }: { readonly isSafe: boolean }): ProviderError {
  if (reply.kind !== 'answered') {
    return { code: 'provider_unavailable', message: reply.reason, retry: isSafe, trouble: 'upstream' };
  }
  const { status: code } = reply;
  const said = (
    detail.safeParse(reply.json).data?.detail ??
    gatewayError.safeParse(reply.json).data?.error.message ??
    `status ${code}`
  ).slice(0, 500);
  const upstream = { code: String(code), message: said };
  const unavailable = { code: 'provider_unavailable', upstream, ...retryAfterOf(reply) } as const;
  if ([401, 402, 403].includes(code))
    return {
      ...unavailable,
      message: `the upstream refused our account: ${said}`,
      retry: true,
      trouble: 'account',
    };
  if ([408, 425, 429].includes(code))
    return { ...unavailable, message: 'the upstream asks for a pause', retry: true, trouble: 'rate' };
  if (code >= 300 && code < 400)
    return { ...unavailable, message: 'the upstream redirects, which is not followed', retry: false };
  if (code >= 400 && code < 500)
    return {
      code: 'invalid_input',
      message: `the upstream refused the input: ${said}`,
      retry: false,
      upstream,
    };
  return { ...unavailable, message: `the upstream answered ${code}`, retry: isSafe, trouble: 'upstream' };
}

/** `Retry-After` in seconds; a date is as good as nothing said. */
function retryAfterOf(reply: UpstreamReply): { readonly retryAfterMs?: number } {
  const asked = reply.kind === 'answered' ? Number(reply.headers['retry-after'] ?? Number.NaN) : Number.NaN;
  return Number.isFinite(asked) && asked >= 0 ? { retryAfterMs: Math.min(asked, 86_400) * seconds } : {};
}

function pollAfter(reply: UpstreamReply): { readonly nextPollMs?: number } {
  const { retryAfterMs } = retryAfterOf(reply);
  return retryAfterMs === undefined ? {} : { nextPollMs: retryAfterMs };
}

/** The input with references replaced, wherever they stand. */
function rename(input: unknown, names: Readonly<Record<string, string>>): unknown {
  if (typeof input === 'string') return names[input] ?? input;
  if (Array.isArray(input)) return input.map(item => rename(item, names));
  if (typeof input !== 'object' || input === null) return input;
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [name, rename(value, names)]));
}
