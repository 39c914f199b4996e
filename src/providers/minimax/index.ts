import { z } from 'zod';
import type { Catalog } from '../../catalog/catalog.ts';
import { minutes } from '../../domain/clock.ts';
import { toJson } from '../../domain/json.ts';
import type { PollResult, ProducedFile, Provider, ProviderTraits } from '../../domain/provider.ts';
import { defineProvider } from '../kit/definition.ts';
import { type ErrorTable, failureOf, mapCodes, readSubmission } from '../kit/error-table.ts';
import { invalidInputError, mappingOf, withoutDelivery } from '../kit/mapping.ts';
import { modelOf } from '../kit/media-encoding.ts';
import { runAccountTest } from '../kit/test-account.ts';
import { baseUrlWithDefault, openUpstream, toOpenedProvider, type Upstream } from '../kit/upstream.ts';
import { minimaxFaults, minimaxMappings, minimaxModels } from './models.ts';

/** docs/providers/minimax.md: speech of MiniMax, which answers with the result. */
export default defineProvider({
  name: 'minimax',
  settings: secret =>
    z.strictObject({
      api_key: secret,
      /** Older accounts name their group with each call. */
      group_id: z.string().min(1).optional(),
      /** How a mix of voices is spelled there: documents and clients differ. */
      timbre_field: z.enum(['timber_weights', 'timbre_weights']).default('timber_weights'),
      base_url: baseUrlWithDefault('https://api.minimax.io'),
    }),
  models: minimaxModels,
  faults: minimaxFaults,
  open: ({ api_key: key, group_id: group, base_url: baseUrl, timbre_field }, { catalog, outbound }) => {
    const upstream = openUpstream({
      baseUrl,
      headers: { authorization: `Bearer ${key}` },
      secrets: [key],
      outbound,
    });
    const groupQuery = group === undefined ? '' : `?GroupId=${encodeURIComponent(group)}`;
    return toOpenedProvider(
      upstream,
      openMinimax({ upstream, groupQuery, timbreField: timbre_field, catalog }),
    );
  },
});

/** Ten thousand characters are spoken before the answer. */
const submitTimeoutMs = 5 * minutes;

const traits: ProviderTraits = {
  // It knows no key for a call and keeps no list of them.
  dedupe: 'none',
  dedupeWindowMs: 0,
  submitTimeoutMs,
  billable: true,
  minPollMs: 0,
};

const spoken = z.object({
  data: z.object({ audio: z.url(), subtitle_file: z.url().optional().catch(undefined) }),
  extra_info: z
    .object({
      audio_sample_rate: z.int().positive().optional(),
      audio_channel: z.int().positive().optional(),
      bitrate: z.int().positive().optional(),
      word_count: z.int().nonnegative().optional(),
      usage_characters: z.int().nonnegative().optional(),
    })
    .default({})
    .catch({}),
  trace_id: z.string().default(''),
});

/** All that there is to know stands in the ref: a process that takes over fetches the sound, which lives a day. */
const refSchema = z.object({
  id: z.string(),
  audio: z.string().optional(),
  subtitles: z.string().optional(),
  pcm: z.object({ sampleRate: z.int(), channels: z.int() }).optional(),
  bitrate: z.int().optional(),
  words: z.int().optional(),
  characters: z.int().optional(),
});
type Ref = z.output<typeof refSchema>;

const wanted = z.object({
  subtitle_enable: z.boolean(),
  audio_setting: z.object({ format: z.string(), sample_rate: z.int(), channel: z.int() }),
});
const problem = z.object({
  base_resp: z.object({ status_code: z.int(), status_msg: z.string().default('') }),
});

const errors: ErrorTable = {
  read(json) {
    const said = problem.safeParse(json).data?.base_resp;
    return said && said.status_code !== 0
      ? { code: String(said.status_code), message: said.status_msg }
      : null;
  },
  codes: {
    // Calls, tokens and connections at a time, and how fast they grow.
    ...mapCodes('pause', '1002', '1039', '1041', '2045'),
    // Key, balance, the window of the plan, a model that is not in it.
    ...mapCodes('account', '1004', '1008', '1028', '1030', '2049', '2056', '2061'),
    ...mapCodes('down', '1024', '1033'),
    ...mapCodes('unclear', '1000', '1001'),
    ...mapCodes('moderation', '1026', '1027'),
    // Parameters, voices that are not there or another's, characters that cannot be seen.
    ...mapCodes('input', '2013', '20132', '2042', '1042'),
  },
};

interface Minimax {
  readonly upstream: Upstream;
  readonly groupQuery: string;
  readonly timbreField: 'timber_weights' | 'timbre_weights';
  readonly catalog: Catalog;
}

function openMinimax({ upstream, groupQuery, timbreField, catalog }: Minimax): Provider {
  return {
    name: 'minimax',
    traits: () => traits,
    ready: async () => ({ ok: true }),
    test: () =>
      runAccountTest(upstream, {
        path: `/v1/files/list${groupQuery}${groupQuery === '' ? '?' : '&'}purpose=voice_clone`,
        errors,
      }),

    async submit(task) {
      const entry = modelOf(catalog, task);
      const input = withoutDelivery(entry, task.job.input);
      const faults = minimaxFaults(entry, input, task);
      const body = faults.length > 0 ? null : mappingOf(minimaxMappings, task.modelId).map(input);
      if (!body) return { kind: 'refused', error: invalidInputError(faults) };
      const { timbre_weights: mix, ...rest } = body;
      const mixed = mix === undefined ? rest : { ...rest, [timbreField]: mix };
      const reply = await upstream.request({
        method: 'POST',
        path: `/v1/t2a_v2${groupQuery}`,
        body: toJson({ model: task.upstreamModel, ...mixed }),
        timeoutMs: submitTimeoutMs,
        isBillable: true,
      });
      return readSubmission(reply, errors, ({ json }) => {
        const ref = refOf(json, input);
        return ref && { kind: 'accepted', ref, firstPollMs: 0 };
      });
    },

    /** Asks nobody: the answer to the submission told all. */
    async poll(_, ref): Promise<PollResult> {
      const { audio, subtitles, pcm, bitrate, words, characters } = refSchema.parse(ref);
      if (audio === undefined) {
        const nothing = { code: null, message: 'the upstream keeps no speech by its id' };
        return { kind: 'failed', error: failureOf(nothing, errors) };
      }
      const files: readonly ProducedFile[] = [
        { ...fileAt(audio, 'primary', pcm ? 'audio/pcm' : 'audio/mpeg'), ...(pcm && { pcm }) },
        ...(subtitles === undefined ? [] : [fileAt(subtitles, 'subtitle', 'application/json')]),
      ];
      const usage = { unit: 'character', quantity: characters ?? 0, basis: 'reported' } as const;
      return {
        kind: 'succeeded',
        production: {
          files,
          ...(bitrate !== undefined && { bitrate }),
          ...(words !== undefined && { words }),
          usage: characters === undefined ? [] : [usage],
        },
      };
    },

    cancel: async () => ({ kind: 'unsupported' }),
    release: async () => {},
  };
}

/** Null for an answer without sound. */
function refOf(json: unknown, input: unknown): Ref | null {
  const told = spoken.safeParse(json).data;
  if (!told) return null;
  const { data, extra_info: extra, trace_id: id } = told;
  const { audio_setting: asked, subtitle_enable: isTold } = wanted.parse(input);
  const pcm = {
    sampleRate: extra.audio_sample_rate ?? asked.sample_rate,
    channels: extra.audio_channel ?? asked.channel,
  };
  return {
    id,
    audio: data.audio,
    ...(isTold && data.subtitle_file !== undefined && { subtitles: data.subtitle_file }),
    ...(asked.format === 'pcm' && { pcm }),
    ...(extra.bitrate !== undefined && { bitrate: extra.bitrate }),
    ...(extra.word_count !== undefined && { words: extra.word_count }),
    ...(extra.usage_characters !== undefined && { characters: extra.usage_characters }),
  };
}

const fileAt = (url: string, role: ProducedFile['role'], mimeType: string): ProducedFile => ({
  role,
  index: 0,
  mimeType,
  source: { kind: 'url', url },
});
