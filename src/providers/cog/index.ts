import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { Model } from '../../catalog/model.ts';
import { minutes } from '../../domain/clock.ts';
import type { Usage } from '../../domain/job.ts';
import { toJson } from '../../domain/json.ts';
import type {
  PollResult,
  ProducedFile,
  Provider,
  ProviderError,
  ProviderTask,
  ProviderTraits,
  SubmitResult,
} from '../../domain/provider.ts';
import { capabilities } from '../kit/capabilities.ts';
import { defineProvider, type ProviderDependencies } from '../kit/definition.ts';
import {
  type DeclaredCapabilities,
  engineInputFaults,
  engineJobOf,
  engineModels,
  mediaNames,
  sharedEngineOptions,
  unmappedFieldFaults,
  valueNames,
} from '../kit/engine-job.ts';
import { type ErrorTable, failureOf, readSubmission } from '../kit/error-table.ts';
import { modelOf } from '../kit/media-encoding.ts';
import {
  freeTraits,
  openInlineResults,
  openSelfHostedUpstream,
  selfHostedSettings,
} from '../kit/self-hosted.ts';
import { runAccountTest } from '../kit/test-account.ts';
import type { Upstream, UpstreamReply } from '../kit/upstream.ts';
import { toOpenedProvider } from '../kit/upstream.ts';

/** What the arguments of the loaded model's `run` are to a job. */
const cogRouteOptions = z.strictObject({
  ...sharedEngineOptions,
  does: z.array(z.enum(capabilities)).default([]),
  /** The name of an argument → what it is given. */
  input: z.record(z.string().min(1), z.enum([...valueNames, ...mediaNames])),
  /** Arguments that are the same for every job of the route. */
  extra: z.record(z.string().min(1), z.json()).default({}),
});

/** docs/providers/cog.md: a container that Cog built. */
export default defineProvider({
  name: 'cog',
  settings: secret => z.strictObject(selfHostedSettings(secret)),
  switches: cogRouteOptions,
  models: engineModels,
  takesOwnModels: true,
  routeFaults: unmappedFieldFaults,
  // Pictures of earlier jobs are this gateway's: any container can be given them.
  needsOwnJobs: false,
  faults: (model, input, { options }) => engineInputFaults(model, input, declaredCapabilities(options)),
  open: (settings, parts) => {
    const upstream = openSelfHostedUpstream(settings, parts);
    return toOpenedProvider(upstream, openCog(upstream, parts));
  },
});

/** The one call lasts as long as the run: there is no way to ask for its state. */
const runTimeoutMs = 30 * minutes;
/** Files come inside the answer, as base64. */
const maxAnswerBytes = 256 * 1024 * 1024;

/**
 * The same id again finds the run that goes on. One that has ended is forgotten, and is made again: that costs
 * electricity alone.
 */
const traits: ProviderTraits = { ...freeTraits, submitTimeoutMs: runTimeoutMs };

const usageSchema = z.object({
  unit: z.literal('gpu_second'),
  quantity: z.number(),
  basis: z.literal('reported'),
});
/** Of an id alone nothing is known: it is made again. */
const refSchema = z.object({
  kept: z.int().min(0).default(1),
  urls: z.array(z.string()).default([]),
  usage: z.array(usageSchema).default([]),
  seed: z.int().nullable().default(null),
});
const prediction = z.object({
  status: z.enum(['starting', 'processing', 'succeeded', 'failed', 'canceled']),
  output: z.unknown().optional(),
  error: z.string().nullish(),
  metrics: z.object({ predict_time: z.number().nonnegative().optional() }).nullish(),
});
type Prediction = z.output<typeof prediction>;
const problem = z.union([
  z.object({ detail: z.array(z.object({ msg: z.string() })).min(1) }),
  z.object({ detail: z.string() }),
  z.object({ error: z.string() }),
]);

const errors: ErrorTable = {
  read(json) {
    // A run that failed is told with 200: that is read by itself.
    const told = problem.safeParse(json).data;
    if (!told) return null;
    if ('error' in told) return { code: null, message: told.error };
    return {
      code: null,
      message: typeof told.detail === 'string' ? told.detail : (told.detail[0]?.msg ?? ''),
    };
  },
  codes: {},
  // 409: every slot is taken. 503: the model is being set up. Nothing was begun by either.
  statuses: { 404: 'account', 405: 'account', 409: 'pause', 503: 'down' },
};

function declaredCapabilities(switches: unknown): DeclaredCapabilities {
  const { input, does, ignores } = cogRouteOptions.parse(switches);
  return { parameters: Object.values(input), does, ignores };
}

function openCog(upstream: Upstream, parts: Pick<ProviderDependencies, 'catalog' | 'folder'>): Provider {
  const results = openInlineResults(parts);

  return {
    name: 'cog',
    traits: () => traits,
    ready: async () => ({ ok: true }),
    test: () => runAccountTest(upstream, { path: '/health-check', errors, unhealthyReason }),

    async submit(task): Promise<SubmitResult> {
      const { body, seed } = await bodyOf(modelOf(parts.catalog, task), task);
      const reply = await upstream.request({
        method: 'PUT',
        path: `/predictions/${encodeURIComponent(task.dedupeKey)}`,
        body,
        timeoutMs: runTimeoutMs,
        maxAnswerBytes,
        isBillable: true,
      });
      const told = predictionIn(reply);
      if (!told) return readSubmission(reply, errors, () => null);
      switch (told.status) {
        case 'starting':
        case 'processing':
          return { kind: 'unknown', error: stillRunning };
        case 'failed':
          return { kind: 'refused', error: failureOf({ code: null, message: told.error ?? '' }, errors) };
        case 'canceled':
          return {
            kind: 'refused',
            error: failureOf({ code: null, message: 'the engine stopped it' }, errors),
          };
        case 'succeeded': {
          const made = filesIn(told);
          if (!made) return { kind: 'refused', error: failureOf(noResult, errors) };
          await results.save(task.dedupeKey, made.contents);
          const ref = { kept: made.contents.length, urls: made.urls, usage: usageOf(told), seed };
          return { kind: 'accepted', ref, firstPollMs: 0 };
        }
      }
    },

    /** What was made was in the answer: it lies on this machine, or at the addresses of the ref. */
    async poll({ dedupeKey }, ref): Promise<PollResult> {
      const { kept, urls, usage, seed } = refSchema.parse(ref);
      const here = await results.find(dedupeKey, kept);
      if (!here) return { kind: 'lost' };
      const elsewhere = urls.map((url, place): ProducedFile => {
        const source = { kind: 'url', url } as const;
        return { role: 'primary', index: kept + place, mimeType: 'application/octet-stream', source };
      });
      const files = [...here, ...elsewhere];
      return { kind: 'succeeded', production: { files, usage, ...(seed !== null && { seed }) } };
    },

    // There is nothing at work there by then.
    cancel: async () => ({ kind: 'unsupported' }),
    release: ({ dedupeKey }) => results.remove(dedupeKey),
  };
}

/** An earlier call under this id is at work: the same is asked again later, and gets what came of it. */
const stillRunning: ProviderError = {
  code: 'provider_unavailable',
  message: 'the engine is at work on it for an earlier call',
  retry: true,
  trouble: 'upstream',
};
const health = z.object({ status: z.string() });
const states: Readonly<Record<string, string | null>> = {
  READY: null,
  BUSY: null,
  STARTING: 'the container is still setting up its model (STARTING)',
  SETUP_FAILED: 'the setup of its model failed (SETUP_FAILED): see the log of the container',
  DEFUNCT: 'the container is broken (DEFUNCT): start it again',
  UNHEALTHY: "the model's own health check fails (UNHEALTHY)",
};

/** It answers 200 whatever its state is. */
function unhealthyReason(json: unknown): string | null {
  const status = health.safeParse(json).data?.status ?? '';
  const known = Object.hasOwn(states, status) ? states[status] : undefined;
  return known === undefined ? 'its health check names no state that is known' : known;
}

const noResult = { code: null, message: 'the engine ended without a file' };

async function bodyOf(
  model: Model,
  task: ProviderTask,
): Promise<{ readonly body: string; readonly seed: number | null }> {
  const switches = cogRouteOptions.parse(task.routeOptions);
  const { values, media } = engineJobOf(model, task, switches);
  const input: Record<string, unknown> = { ...switches.extra };
  for (const [argument, name] of Object.entries(switches.input)) {
    const medium = media[name];
    // What a job does not say is left to the default of the model.
    const value = medium
      ? `data:${medium.mimeType};base64,${(await readFile(medium.path)).toString('base64')}`
      : values[name];
    if (value !== undefined) input[argument] = value;
  }
  const isSeeded = Object.values(switches.input).includes('seed');
  return { body: toJson({ input }), seed: isSeeded ? Number(values.seed) : null };
}

/** Null for what is no prediction: an error, a page, an answer that was cut. */
function predictionIn(reply: UpstreamReply): Prediction | null {
  if (reply.kind !== 'answered' || (reply.status !== 200 && reply.status !== 202)) return null;
  return prediction.safeParse(reply.json).data ?? null;
}

interface CogOutput {
  readonly contents: readonly Buffer[];
  readonly urls: readonly string[];
}

/** Files are data URLs, or addresses where the container puts them elsewhere. */
function filesIn({ output }: Prediction): CogOutput | null {
  const told = [output].flat().filter(one => typeof one === 'string');
  const contents = told.flatMap(one => {
    const base64 = /^data:[^,]*;base64,(.+)$/s.exec(one)?.[1];
    return base64 === undefined ? [] : [Buffer.from(base64, 'base64')];
  });
  const urls = told.filter(one => /^https?:\/\//.test(one));
  return contents.length + urls.length > 0 ? { contents, urls } : null;
}

function usageOf({ metrics }: Prediction): readonly Usage[] {
  const quantity = metrics?.predict_time;
  return quantity === undefined ? [] : [{ unit: 'gpu_second', quantity, basis: 'reported' }];
}
