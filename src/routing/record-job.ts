/** Makes one real job at an account, outside the queue, and returns its calls as a cassette. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Catalog } from '../catalog/catalog.ts';
import type { Model } from '../catalog/model.ts';
import { seconds, systemClock } from '../domain/clock.ts';
import { keyIdFromRow, newJobId, userIdFromRow } from '../domain/ids.ts';
import type { Job } from '../domain/job.ts';
import type { MediaFacts } from '../domain/media.ts';
import type { ProviderTask } from '../domain/provider.ts';
import { fetchMedia } from '../media/fetch-media.ts';
import { type Outbound, openOutbound } from '../media/outbound.ts';
import { openProber } from '../media/prober.ts';
import { type Cassette, cassetteSchema } from '../providers/kit/cassette.ts';
import { driveJob } from '../providers/kit/drive-job.ts';
import type { Exchange } from '../providers/kit/exchange.ts';
import type { AccountConfig, RouteConfig } from './accounts.ts';

/** What is recorded, and until when. */
export interface Recording {
  readonly account: AccountConfig;
  readonly route: Pick<RouteConfig, 'upstreamModel' | 'options'>;
  readonly model: Model;
  /** As the model's schema left it. */
  readonly input: unknown;
  readonly catalog: Catalog;
  readonly allowPrivateNetwork: boolean;
  /** Aborts the wait; the job goes on at the upstream. */
  readonly signal: AbortSignal;
}

/** Two hours at the shortest interval that any provider allows. */
const maxPolls = 7200;

/** Exactly one billable call. The cassette has no secrets; its outcome may be one that shows an error. */
export async function recordJob(recording: Recording): Promise<Cassette> {
  const { account, route, model, catalog, allowPrivateNetwork: allowPrivate, signal } = recording;
  const exchanges: Exchange[] = [];
  const outbound = openOutbound({ allowPrivate });
  const folder = await mkdtemp(join(tmpdir(), 'atelier-record-'));
  // The same provider code as in the worker, with a folder of its own and no addresses for the upstream.
  const opened = account.open({
    catalog,
    clock: systemClock,
    outbound: { ...outbound, onExchange: exchange => void exchanges.push(exchange) },
    linkTo: () => null,
    folder,
  });
  try {
    // Media are fetched before the billable call, as in the queue.
    const task = { ...taskOf(recording), ...(await fetchMediaOf(recording, outbound, folder)) };
    const wait = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {});
    const outcome = await driveJob(opened.provider, task, { wait, maxPolls, signal });
    // As after a settled job: what the provider kept for the attempt is dropped.
    await opened.provider.release(task);
    return cassetteSchema.parse({
      provider: account.provider,
      source: { kind: 'recorded', at: new Date().toISOString().slice(0, 10) },
      model: model.id,
      upstreamModel: route.upstreamModel,
      routeOptions: route.options ?? {},
      input: recording.input,
      dedupeKey: task.dedupeKey,
      exchanges: withoutRepeats(exchanges),
      outcome,
    });
  } finally {
    await opened.close();
    await outbound.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Longest medium of an input, in bytes, and the time for it. */
const maxMediumBytes = 64 * 1024 * 1024;
const mediumTimeoutMs = 60 * seconds;

/** The media that an input names by address, as local files with their facts; throws where one cannot be read. */
async function fetchMediaOf(
  { model, input, signal }: Pick<Recording, 'model' | 'input' | 'signal'>,
  outbound: Outbound,
  directory: string,
): Promise<Pick<ProviderTask, 'media' | 'facts'>> {
  const media: Record<string, string> = {};
  const facts: Record<string, MediaFacts> = {};
  const prober = openProber({ workers: 1 });
  try {
    for (const { path, value } of model.media(input)) {
      const limits = { maxBytes: maxMediumBytes, timeoutMs: mediumTimeoutMs, directory, signal };
      const fetched = await fetchMedia(outbound, value, limits);
      if (fetched.kind === 'refused') throw new Error(`${path.join('.')}: ${fetched.reason}`);
      const probe = await prober.probe(fetched.path);
      if (probe.kind === 'unreadable') throw new Error(`${path.join('.')}: ${probe.reason}`);
      media[value] = fetched.path;
      facts[path.join('.')] = probe.facts;
    }
  } finally {
    await prober.close();
  }
  return { media, facts };
}

/** Of equal polls in a row the first alone. */
const withoutRepeats = (exchanges: readonly Exchange[]): readonly Exchange[] =>
  exchanges.filter((exchange, index) => {
    const before = exchanges[index - 1];
    return before === undefined || JSON.stringify(before) !== JSON.stringify(exchange);
  });

/** The task of a job that no queue knows. */
export function taskOf({ model, route, input }: Pick<Recording, 'model' | 'route' | 'input'>): ProviderTask {
  const now = systemClock.now();
  const id = newJobId(now);
  const job: Job = {
    id,
    userId: userIdFromRow('user_recording'),
    keyId: keyIdFromRow('key_recording'),
    modelId: model.id,
    state: 'running',
    priority: 1,
    rank: 0,
    dueAt: now,
    holder: null,
    claim: 1,
    crashes: 0,
    createdAt: now,
    startedAt: now,
    completedAt: null,
    expiresAt: now + 7200 * seconds,
    cancelRequestedAt: null,
    input,
    externalTaskId: null,
    callbackUrl: null,
    progress: null,
    result: null,
    error: null,
    tags: null,
    cost: null,
  };
  return {
    jobId: id,
    modelId: model.id,
    upstreamModel: route.upstreamModel,
    attempt: 1,
    dedupeKey: `${id}-1`,
    job,
    media: {},
    facts: {},
    routeOptions: route.options,
    callbackUrl: null,
    pinned: {},
  };
}
