/** A container that Cog built: docs/providers/cog.md. */

import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { capabilities } from '../../catalog/field-meaning.ts';
import type { Model } from '../../catalog/model.ts';
import { minutes } from '../../domain/clock.ts';
import { toJson } from '../../domain/json.ts';
import type {
  PollResult,
  Provider,
  ProviderError,
  ProviderTask,
  ProviderTraits,
  SubmitResult,
  TestResult,
} from '../../domain/provider.ts';
import type { Usage } from '../../domain/usage.ts';
import { type BodyRoute, bodyInputFaults, bodyRouteOf } from '../kit/body-route.ts';
import { fillBody } from '../kit/body-template.ts';
import type { DeclaredOutput } from '../kit/declared-outputs.ts';
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
import { type InlineResults, openInlineResults } from '../kit/inline-results.ts';
import { valuesAt } from '../kit/json-path.ts';
import { invalidInputError, withoutDelivery } from '../kit/mapping.ts';
import { type EncodedInput, encodeMedia, inlineBytesPerMedium, modelOf } from '../kit/media-encoding.ts';
import { providerDefaults } from '../kit/poll.ts';
import { fileAt, lenient, notedProduction, readResults, resultUrl } from '../kit/read-success.ts';
import { freeTraits, openSelfHostedUpstream, selfHostedSettings } from '../kit/self-hosted.ts';
import { selfHostedSetup } from '../kit/setup.ts';
import { runAccountTest, runRouteTest } from '../kit/test-account.ts';
import { readJson, toOpenedProvider, type Upstream } from '../kit/upstream.ts';

/** The options of a route: which value of a job each argument of the loaded model's `run` gets. */
const cogRouteOptions = z.strictObject({
  ...sharedEngineOptions,
  does: z.array(z.enum(capabilities)).default([]),
  /** Name of an argument → name of the value or medium that it gets. */
  input: z.record(z.string().min(1), z.enum([...valueNames, ...mediaNames])),
  /** Arguments that are the same for every job of the route. */
  extra: z.record(z.string().min(1), z.json()).default({}),
});

export default defineProvider({
  name: 'cog',
  setup: selfHostedSetup(5000),
  settings: secret => z.strictObject(selfHostedSettings(secret)),
  routeOptions: cogRouteOptions,
  models: engineModels,
  servesCustomModels: true,
  bodyRoutes: { of: 'custom', members: ['outputs'], namesModel: false },
  routeFaults: unmappedFieldFaults,
  // Pictures of earlier jobs are stored here, so they can be sent to any container.
  requiresSameAccount: false,
  faults: (model, input, { options }) => engineInputFaults(model, input, declaredCapabilities(options)),
  open: (settings, dependencies) => {
    const upstream = openSelfHostedUpstream(settings, dependencies);
    return toOpenedProvider(upstream, openCog(upstream, dependencies));
  },
});

/** The one call lasts as long as the run: its state cannot be polled. */
const runTimeoutMs = 30 * minutes;
/** Files come inside the answer, as base64. */
const maxAnswerBytes = 256 * 1024 * 1024;
/** Of all media in one body. */
const maxInlineBytesInAll = 256 * 1024 * 1024;

/**
 * A second call with the same id finds a run in progress. A run that has ended is forgotten and runs again, which
 * costs electricity only.
 */
const traits: ProviderTraits = { ...freeTraits, submitTimeoutMs: runTimeoutMs };

const usageSchema = z.object({
  unit: z.literal('gpu_second'),
  quantity: z.number(),
  basis: z.literal('reported'),
});
/** The result, beside the files on disk. An id alone carries none: the job runs again. */
const refSchema = z.object({
  kept: z.int().min(0).default(1),
  urls: z.array(z.string()).default([]),
  /** False where a file of the answer could not be read. */
  isWhole: z.boolean().default(true),
  usage: z.array(usageSchema).default([]),
  seed: z.int().nullable().default(null),
});
const prediction = z.object({
  status: z.enum(['starting', 'processing', 'succeeded', 'failed', 'canceled']),
  output: z.unknown().optional(),
  error: lenient(z.string()),
  /** Seconds. */
  metrics: lenient(z.object({ predict_time: lenient(z.number().nonnegative()) })),
});
/** One answer of the server. */
type Prediction = z.output<typeof prediction>;
/** The body of an error. */
const problem = z.union([
  z.object({ detail: z.array(z.object({ msg: z.string() })).min(1) }),
  z.object({ detail: z.string() }),
  z.object({ error: z.string() }),
]);

/** What the upstream's error codes and statuses mean, by its documentation. */
const errors: ErrorTable = {
  read(json) {
    // A failed run is answered with 200 and read by `resultOf`.
    const body = problem.safeParse(json).data;
    if (!body) return null;
    if ('error' in body) return { code: null, message: body.error };
    const { detail } = body;
    return { code: null, message: typeof detail === 'string' ? detail : (detail[0]?.msg ?? '') };
  },
  codes: {},
  // 409: every slot is taken. 503: the model is being set up. Neither started a run.
  statuses: { 404: 'account', 405: 'account', 409: 'pause', 503: 'down' },
};

function declaredCapabilities(options: unknown): DeclaredCapabilities {
  const { input, does, ignores } = cogRouteOptions.parse(options);
  return { parameters: Object.values(input), does, ignores };
}

/** The port of one account. */
function openCog(
  upstream: Upstream,
  dependencies: Pick<ProviderDependencies, 'catalog' | 'folder'>,
): Provider {
  const results = openInlineResults(dependencies);

  return {
    ...providerDefaults,
    name: 'cog',
    traits: () => traits,
    test: () => runAccountTest(upstream, { path: '/health-check', errors, unhealthyReason }),
    testRoute: ({ upstreamModel: model, routeOptions }) =>
      runRouteTest(upstream, {
        path: '/openapi.json',
        errors,
        model,
        read: json => readArguments(json, argumentsOf(routeOptions)),
      }),

    async submit(task): Promise<SubmitResult> {
      const written = await bodyOf(modelOf(dependencies.catalog, task), task);
      if (written.kind === 'refused') return written;
      const { body, seed } = written;
      const reply = await upstream.request({
        method: 'PUT',
        path: `/predictions/${encodeURIComponent(task.dedupeKey)}`,
        body,
        timeoutMs: runTimeoutMs,
        maxAnswerBytes,
        isBillable: true,
      });
      const run = readJson(reply, prediction, [200, 202]);
      const { outputs } = bodyRouteOf(task.routeOptions) ?? {};
      return run
        ? resultOf(run, { results, dedupeKey: task.dedupeKey, seed, outputs })
        : readSubmission(reply, errors, () => null);
    },

    /** The result was in the answer: it is on this machine, or at the addresses of the ref. */
    async poll({ dedupeKey }, ref): Promise<PollResult> {
      const { kept, urls, isWhole, usage, seed } = refSchema.parse(ref);
      const local = await results.find(dedupeKey, kept);
      if (!local) return { kind: 'lost' };
      const remote = urls.map((url, place) => fileAt(url, { index: kept + place }));
      const files = [...local, ...remote];
      const production = { files, usage, ...(seed !== null && { seed }) };
      return { kind: 'succeeded', production: notedProduction({ production, isWhole }) };
    },

    // Cannot cancel: no run is in progress there by then.
    release: ({ dedupeKey }) => results.remove(dedupeKey),
  };
}

interface RunContext {
  readonly results: InlineResults;
  readonly dedupeKey: string;
  readonly seed: number | null;
  /** Paths of the results in the answer; undefined: its output is one or a list of them. */
  readonly outputs: readonly DeclaredOutput[] | undefined;
}

/** What each state of the upstream means for the job. */
async function resultOf(
  run: Prediction,
  { results, dedupeKey, seed, outputs }: RunContext,
): Promise<SubmitResult> {
  switch (run.status) {
    case 'starting':
    case 'processing':
      return { kind: 'unknown', error: stillRunning };
    case 'failed':
      return refusedWith(run.error ?? '');
    case 'canceled':
      return refusedWith('the engine cancelled the job');
    case 'succeeded': {
      const { contents, urls, isWhole } = filesIn(
        outputs ? outputs.flatMap(({ at }) => valuesAt(run, at)) : [run.output].flat(),
      );
      if (contents.length + urls.length === 0) return refusedWith('the engine ended without a file');
      if (contents.length > 0) await results.save(dedupeKey, contents);
      const ref = { kept: contents.length, urls, isWhole, usage: usageOf(run), seed };
      return { kind: 'accepted', ref, firstPollMs: 0 };
    }
  }
}

/** A run that the server ended without a result. */
const refusedWith = (message: string): SubmitResult => ({
  kind: 'refused',
  error: failureOf({ code: null, message }, errors),
});

/** An earlier call under this id is still running: the same call is sent again later, and gets its result. */
const stillRunning: ProviderError = {
  code: 'provider_unavailable',
  message: 'the engine is still running an earlier call for this job',
  retry: true,
  trouble: 'upstream',
};
/** The arguments of the container's model, as it publishes them. */
const published = z.object({
  components: z.object({
    schemas: z.object({ Input: z.object({ properties: z.record(z.string(), z.unknown()) }) }),
  }),
});

/** The arguments that a route sends. */
function argumentsOf(routeOptions: unknown): readonly string[] {
  const route = bodyRouteOf(routeOptions);
  if (route) return Object.keys(route.body);
  const { input, extra } = cogRouteOptions.parse(routeOptions);
  return [...Object.keys(input), ...Object.keys(extra)];
}

/** Whether the model has every argument of a route: since April 2026 it drops the others in silence. */
function readArguments(json: unknown, names: readonly string[]): TestResult {
  const known = published.safeParse(json).data?.components.schemas.Input.properties;
  if (!known) return { kind: 'unclear', reason: 'its openapi.json names no arguments' };
  const unknown = names.filter(name => !Object.hasOwn(known, name));
  if (unknown.length === 0) return { kind: 'accepted' };
  const has = Object.keys(known).join(', ');
  return { kind: 'refused', reason: `its model has no argument ${unknown.join(', ')} (it has ${has})` };
}

/** The state of the server's own set-up. */
const health = z.object({ status: z.string() });
const states: Readonly<Record<string, string | null>> = {
  READY: null,
  BUSY: null,
  STARTING: 'the container is still setting up its model (STARTING)',
  SETUP_FAILED: 'the setup of its model failed (SETUP_FAILED): see the log of the container',
  DEFUNCT: 'the container is broken (DEFUNCT): start it again',
  UNHEALTHY: "the model's own health check fails (UNHEALTHY)",
};

/** The health check answers 200 in every state. */
function unhealthyReason(json: unknown): string | null {
  const status = health.safeParse(json).data?.status ?? '';
  const reason = Object.hasOwn(states, status) ? states[status] : undefined;
  return reason === undefined ? 'its health check reports an unknown state' : reason;
}

type Body =
  | { readonly kind: 'written'; readonly body: string; readonly seed: number | null }
  | Extract<EncodedInput, { readonly kind: 'refused' }>;

async function bodyOf(model: Model, task: ProviderTask): Promise<Body> {
  const route = bodyRouteOf(task.routeOptions);
  if (route) return writtenBody(model, task, route);
  const options = cogRouteOptions.parse(task.routeOptions);
  const { values, media } = engineJobOf(model, task, options);
  const input: Record<string, unknown> = { ...options.extra };
  for (const [argument, name] of Object.entries(options.input)) {
    const medium = media[name];
    // A value that the job leaves out is left to the default of the loaded model.
    const value = medium
      ? `data:${medium.mimeType};base64,${(await readFile(medium.path)).toString('base64')}`
      : values[name];
    if (value !== undefined) input[argument] = value;
  }
  const isSeeded = Object.values(options.input).includes('seed');
  return { kind: 'written', body: toJson({ input }), seed: isSeeded ? Number(values.seed) : null };
}

/** The body of a route that writes it itself. */
async function writtenBody(model: Model, task: ProviderTask, route: BodyRoute): Promise<Body> {
  const refused = bodyInputFaults(model, task.job.input, route);
  if (refused.length > 0) return { kind: 'refused', error: invalidInputError(refused) };
  const encoded = await encodeMedia(model, task, {
    linkTo: () => null,
    encoding: 'data-url',
    maxInlineBytes: inlineBytesPerMedium(task, maxInlineBytesInAll),
  });
  if (encoded.kind === 'refused') return encoded;
  const input = fillBody(route, task, withoutDelivery(model, encoded.input));
  return { kind: 'written', body: toJson({ input }), seed: null };
}

/** A result within the answer. */
const dataUrl = /^data:[^,]*;base64,(.+)$/s;
const outputFile = z.union([z.string().regex(dataUrl), resultUrl]);

/** Results are data URLs, or addresses where the container uploads them; texts beside them are no results. */
function filesIn(output: readonly unknown[]) {
  const values = output.filter(one => typeof one !== 'string' || outputFile.safeParse(one).success);
  const { items, isWhole } = readResults(values, outputFile);
  const contents = items.flatMap(text => {
    const base64 = dataUrl.exec(text)?.[1];
    return base64 === undefined ? [] : [Buffer.from(base64, 'base64')];
  });
  return { contents, urls: items.filter(text => !dataUrl.test(text)), isWhole };
}

/** The usage that the upstream reports. */
function usageOf({ metrics }: Prediction): readonly Usage[] {
  const quantity = metrics?.predict_time;
  return quantity === undefined ? [] : [{ unit: 'gpu_second', quantity, basis: 'reported' }];
}
