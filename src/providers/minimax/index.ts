/** Speech of MiniMax, whose answer to the submission names the result: docs/providers/minimax.md. */

import { z } from 'zod';
import type { Catalog } from '../../catalog/catalog.ts';
import { minutes } from '../../domain/clock.ts';
import type { PollResult, Provider, ProviderTraits } from '../../domain/provider.ts';
import { defineProvider } from '../kit/definition.ts';
import { type ErrorTable, failureOf, mapCodes } from '../kit/error-table.ts';
import { providerDefaults } from '../kit/poll.ts';
import { fileAt, lenient, resultUrl } from '../kit/read-success.ts';
import { secretField } from '../kit/setup.ts';
import { readAcceptance, submitMapped } from '../kit/submit.ts';
import { runAccountTest } from '../kit/test-account.ts';
import { baseUrlWithDefault, openUpstream, toOpenedProvider, type Upstream } from '../kit/upstream.ts';
import { minimaxFaults, minimaxMappings, minimaxModels } from './models.ts';

export default defineProvider({
  name: 'minimax',
  setup: {
    trial: {
      model: 'delta-speech-02-hd',
      cost: 'less than a cent: one short sentence at 100 USD a million characters',
    },
    fields: [secretField({ where: 'platform.minimax.io → API keys', example: 'MINIMAX_KEY' })],
  },
  settings: secret =>
    z.strictObject({
      api_key: secret,
      /** Older accounts must name their group in each call. */
      group_id: z.string().min(1).optional(),
      /** The upstream's name of the field for a mix of voices: its documents and its clients differ. */
      timbre_field: z.enum(['timber_weights', 'timbre_weights']).default('timber_weights'),
      base_url: baseUrlWithDefault('https://api.minimax.io'),
    }),
  models: minimaxModels,
  bodyRoutes: { of: 'custom' },
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

/** Ten thousand characters are turned into speech before the answer. */
const submitTimeoutMs = 5 * minutes;

/** What the upstream guarantees for repeated calls, and the timing of calls. */
const traits: ProviderTraits = {
  // It takes no key for a call and keeps no list of calls.
  dedupe: 'none',
  dedupeWindowMs: 0,
  submitTimeoutMs,
  billable: true,
  minPollMs: 0,
};

/** The answer to a submission: the address of the sound, and its figures. */
const spoken = z.object({
  data: z.object({ audio: resultUrl, subtitle_file: lenient(resultUrl) }),
  extra_info: lenient(
    z.object({
      /** Hz. */
      audio_sample_rate: lenient(z.int().positive()),
      audio_channel: lenient(z.int().positive()),
      /** Bits a second. */
      bitrate: lenient(z.int().positive()),
      word_count: lenient(z.int().nonnegative()),
      usage_characters: lenient(z.int().nonnegative()),
    }),
  ),
  trace_id: lenient(z.string()),
});

/** The whole result: a process that resumes the job fetches the sound by it, which the upstream keeps for a day. */
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

/** The members of the body that decide how the answer is read, with the upstream's defaults. */
const wanted = z.object({
  subtitle_enable: z.boolean().default(false),
  audio_setting: z
    .object({
      format: z.string().default('mp3'),
      sample_rate: z.int().default(32_000),
      channel: z.int().default(1),
    })
    .prefault({}),
});
/** The body of an error. */
const problem = z.object({
  base_resp: z.object({ status_code: z.int(), status_msg: lenient(z.string()) }),
});

/** What the upstream's error codes and statuses mean, by its documentation. */
const errors: ErrorTable = {
  read(json) {
    const status = problem.safeParse(json).data?.base_resp;
    return status && status.status_code !== 0
      ? { code: String(status.status_code), message: status.status_msg ?? '' }
      : null;
  },
  codes: {
    // Too many calls, tokens or connections at a time, or too fast a growth.
    ...mapCodes('pause', '1002', '1039', '1041', '2045'),
    // Key, balance, the period of the plan, a model that the plan lacks.
    ...mapCodes('account', '1004', '1008', '1028', '1030', '2049', '2056', '2061'),
    ...mapCodes('down', '1024', '1033'),
    ...mapCodes('unclear', '1000', '1001'),
    ...mapCodes('moderation', '1026', '1027'),
    // Parameters, voices that do not exist or belong to others, invisible characters.
    ...mapCodes('input', '2013', '20132', '2042', '1042'),
  },
};

/** An opened account; `groupQuery` is empty, or the query that names its group in every call. */
interface Minimax {
  readonly upstream: Upstream;
  readonly groupQuery: string;
  readonly timbreField: 'timber_weights' | 'timbre_weights';
  readonly catalog: Catalog;
}

/** The port of one account. */
function openMinimax({ upstream, groupQuery, timbreField, catalog }: Minimax): Provider {
  return {
    ...providerDefaults,
    name: 'minimax',
    traits: () => traits,
    test: () =>
      runAccountTest(upstream, {
        path: `/v1/files/list${groupQuery}${groupQuery === '' ? '?' : '&'}purpose=voice_clone`,
        errors,
      }),

    submit: task =>
      submitMapped(task, {
        upstream,
        catalog,
        mappings: minimaxMappings,
        bodyOf: body => ({ stream: false, output_format: 'url', ...body }),
        faults: minimaxFaults,
        callOf: ({ body: { timbre_weights: mix, ...rest } }) => ({
          path: `/v1/t2a_v2${groupQuery}`,
          body: { model: task.upstreamModel, ...rest, ...(mix !== undefined && { [timbreField]: mix }) },
        }),
        timeoutMs: submitTimeoutMs,
        read: (reply, submission) =>
          readAcceptance(reply, submission, {
            errors,
            firstPollMs: 0,
            refIn: json => refOf(json, submission.body),
          }),
      }),

    /** Calls no upstream: the answer to the submission named the result. */
    poll: async (_, ref) => resultOf(refSchema.parse(ref)),
  };
}

/** What each state of the upstream means for the job. */
function resultOf({ audio, subtitles, pcm, bitrate, words, characters }: Ref): PollResult {
  if (audio === undefined) {
    const cause = { code: null, message: 'the upstream cannot return speech by id' };
    return { kind: 'failed', error: failureOf(cause, errors) };
  }
  const speech = fileAt(audio, { mimeType: pcm ? 'audio/pcm' : 'audio/mpeg' });
  const subtitleFile = { role: 'subtitle', mimeType: 'application/json' } as const;
  const usage = { unit: 'character', quantity: characters ?? 0, basis: 'reported' } as const;
  return {
    kind: 'succeeded',
    production: {
      files: [
        { ...speech, ...(pcm && { pcm }) },
        ...(subtitles === undefined ? [] : [fileAt(subtitles, subtitleFile)]),
      ],
      ...(bitrate !== undefined && { bitrate }),
      ...(words !== undefined && { words }),
      usage: characters === undefined ? [] : [usage],
    },
  };
}

/** Null for an answer without sound. */
function refOf(json: unknown, body: unknown): Ref | null {
  const answer = spoken.safeParse(json).data;
  if (!answer) return null;
  const { data, extra_info: extra, trace_id: id = '' } = answer;
  const { audio_setting: requested, subtitle_enable: hasSubtitles } = wanted.parse(body);
  const pcm = {
    sampleRate: extra?.audio_sample_rate ?? requested.sample_rate,
    channels: extra?.audio_channel ?? requested.channel,
  };
  return {
    id,
    audio: data.audio,
    ...(hasSubtitles && data.subtitle_file !== undefined && { subtitles: data.subtitle_file }),
    ...(requested.format === 'pcm' && { pcm }),
    ...(extra?.bitrate !== undefined && { bitrate: extra.bitrate }),
    ...(extra?.word_count !== undefined && { words: extra.word_count }),
    ...(extra?.usage_characters !== undefined && { characters: extra.usage_characters }),
  };
}
