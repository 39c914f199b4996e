/** The provider of the built-in engine: renders on this machine, without an account. */

import { createHash } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Render, RenderEngine, RenderResult } from '../../../engine/src/engine.ts';
import type { RenderPlan } from '../../../engine/src/render-plan.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { Clock } from '../../domain/clock.ts';
import { toJson } from '../../domain/json.ts';
import type {
  ProducedFile,
  Production,
  Provider,
  ProviderAttempt,
  ProviderTask,
  ProviderTraits,
} from '../../domain/provider.ts';
import { ineffectiveParametersNote } from '../kit/ineffective-parameters.ts';
import { modelOf } from '../kit/media-encoding.ts';
import { extractSandbox, type Sandbox } from './sandbox.ts';

const pollMs = 250;
/** No render takes this long unless it is stuck. */
const renderTimeoutMs = 30 * 60 * 1000;

/** What the upstream guarantees for repeated calls, and the timing of calls. */
const traits: ProviderTraits = {
  dedupe: 'replay',
  dedupeWindowMs: Number.POSITIVE_INFINITY,
  submitTimeoutMs: 0,
  billable: false,
  minPollMs: pollMs,
};

/** What the provider needs of the gateway. */
export interface LocalProviderOptions {
  readonly catalog: Catalog;
  readonly engine: RenderEngine;
  readonly clock: Clock;
  /** Directory where renders write until their outputs are stored. */
  readonly folder: string;
}

/** A render, and how its job will end. */
interface Running {
  readonly plan: RenderPlan;
  readonly render: Render;
  readonly sandbox: Sandbox;
  ended: Awaited<Render['outcome']> | null;
  /** Epoch ms before which the end is not reported. */
  reportedAt: number;
}

/** Used instead of a render where a switch requests a failure. */
const skippedRender: Render = {
  outcome: Promise.resolve({ kind: 'cancelled' }),
  progress: () => 1,
  cancel: () => {},
};

/** Opens the provider of the built-in engine. A repeated submission costs nothing. */
export function openLocalProvider({ catalog, engine, clock, folder }: LocalProviderOptions): Provider {
  const running = new Map<string, Running>();
  const folderOf = ({ dedupeKey }: ProviderAttempt) => join(folder, dedupeKey);

  return {
    name: 'local',
    traits: () => traits,
    ready: () => engine.ready(),

    async submit(task) {
      const directory = folderOf(task);
      await rm(directory, { recursive: true, force: true });
      await mkdir(directory, { recursive: true });
      const { plan, sandbox } = extractSandbox(planOf(catalog, task));
      const render = sandbox.failure
        ? skippedRender
        : engine.start({
            plan,
            seed: seedOf(plan, task),
            directory,
            inputs: task.media,
            timeoutMs: renderTimeoutMs,
          });
      const entry: Running = { plan, render, sandbox, ended: null, reportedAt: 0 };
      running.set(task.dedupeKey, entry);
      render.outcome.then(ended => {
        entry.ended = ended;
        entry.reportedAt = clock.now() + sandbox.delayMs;
      });
      return {
        kind: 'accepted',
        ref: { key: task.dedupeKey },
        firstPollMs: pollMs,
        finished: render.outcome,
      };
    },

    async poll({ dedupeKey }) {
      const entry = running.get(dedupeKey);
      if (!entry) return { kind: 'lost' };
      const remainingMs = entry.reportedAt - clock.now();
      if (!entry.ended || remainingMs > 0)
        return { kind: 'running', nextPollMs: pollMs, progress: progressOf(entry, remainingMs) };
      const { failure } = entry.sandbox;
      if (failure) return { kind: 'failed', error: { ...failure, retry: false } };
      switch (entry.ended.kind) {
        case 'rendered':
          return { kind: 'succeeded', production: productionOf(entry.plan, entry.ended.rendered) };
        case 'failed':
          return {
            kind: 'failed',
            error: { code: 'runtime_error', message: entry.ended.message, retry: false },
          };
        case 'cancelled':
          return { kind: 'cancelled' };
      }
    },

    async cancel({ dedupeKey }) {
      const entry = running.get(dedupeKey);
      if (!entry) return { kind: 'cancelled' };
      entry.render.cancel();
      await entry.render.outcome;
      return { kind: 'cancelled' };
    },

    async release(attempt) {
      const entry = running.get(attempt.dedupeKey);
      if (entry && !entry.ended) {
        entry.render.cancel();
        await entry.render.outcome;
      }
      running.delete(attempt.dedupeKey);
      await rm(folderOf(attempt), { recursive: true, force: true });
    },
  };
}

/** A requested delay is half of the progress, or all of it where nothing is rendered. */
function progressOf({ render, sandbox: { failure, delayMs }, ended }: Running, remainingMs: number): number {
  if (delayMs === 0) return render.progress();
  const waited = ended ? 1 - remainingMs / delayMs : 0;
  return failure ? waited : (render.progress() + waited) / 2;
}

/** The plan of a task; a video without a content label gets the default one. */
function planOf(catalog: Catalog, task: ProviderTask): RenderPlan {
  const { job, facts } = task;
  const plan = modelOf(catalog, task).render(job.input, path => facts[path] ?? null);
  return plan.kind === 'video' && plan.defaultLabel ? { ...plan, metadata: contentLabelOf(job.id) } : plan;
}

/** Contract 2.10: the members of such a label, where the client gave none. */
const contentLabelOf = (jobId: string): string =>
  toJson({
    Label: '1',
    ContentProducer: 'Atelier',
    ContentPropagator: '',
    ProduceID: jobId,
    PropagateID: '',
    ReservedCode1: '',
    ReservedCode2: '',
  });

/** The requested seed; else one derived from the job's id, so that a second attempt makes the same result. */
function seedOf(plan: RenderPlan, { job }: ProviderTask): number {
  if (plan.kind !== 'speech' && plan.seed !== null) return plan.seed;
  return createHash('sha256').update(job.id).digest().readUInt32BE(0) >>> 1;
}

/** The files and figures of a render, with a note on parameters without effect. */
function productionOf(plan: RenderPlan, { outputs, seed, bitrate, words }: RenderResult): Production {
  const pcm =
    plan.kind === 'speech' && plan.format === 'pcm'
      ? { sampleRate: plan.sampleRate, channels: plan.channels }
      : null;
  const files = outputs.map(
    ({ role, index, mimeType, path }): ProducedFile => ({
      role,
      index,
      mimeType,
      source: { kind: 'path', path },
      ...(pcm && role === 'primary' && { pcm }),
    }),
  );
  const note = ineffectiveParametersNote(plan);
  return {
    files,
    seed,
    ...(bitrate !== undefined && { bitrate }),
    ...(words !== undefined && { words }),
    ...(note !== null && { notes: [note] }),
  };
}
