/** What every role of a process is built from: database, blobs, secrets, clock, log and the like. */
import { join } from 'node:path';
import type { Logger } from 'pino';
import { openBlobs } from '../blobs/open-blobs.ts';
import type { Config } from '../config/config.ts';
import { openReloadableSettings, type ReloadableSettings } from '../config/reload.ts';
import type { Secrets } from '../config/secrets.ts';
import type { Blobs } from '../domain/blobs.ts';
import type { Clock } from '../domain/clock.ts';
import { openSigner, type Signer } from '../domain/file-signature.ts';
import { openQuoteSigner, type QuoteSigner } from '../domain/quote-signature.ts';
import type { Tracing } from '../domain/tracing.ts';
import { type Ingress, openIngress } from '../domain/upstream-webhook-address.ts';
import { type NameResolver, openNameResolver } from '../media/name-resolver.ts';
import { openProber, type Prober } from '../media/prober.ts';
import type { CallbackSecrets } from '../store/callbacks/callback-secrets.ts';
import type { Connection } from '../store/db/connection.ts';
import { openQueuePositions, type QueuePositions } from '../store/jobs/queue-position.ts';
import { type Metrics, openMetrics, type SiblingProcesses } from '../telemetry/metrics.ts';
import { openTracing } from '../telemetry/tracing.ts';
import { type DiskReserve, rejectBlobsWhenFull } from './disk-reserve.ts';
import { openScratchDir, type ScratchDir } from './scratch-dir.ts';

export interface AppContext {
  readonly config: Config;
  /** The part of the configuration that a reload replaces. */
  readonly settings: ReloadableSettings;
  readonly db: Connection;
  /** Rejects new blobs while the disk is full. */
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly prober: Prober;
  /** Resolves host names that users and upstreams wrote; one cache for the process. */
  readonly nameResolver: NameResolver;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  readonly scratchDir: ScratchDir;
  readonly signer: Signer;
  readonly quoteSigner: QuoteSigner;
  readonly ingress: Ingress;
  readonly positions: QueuePositions;
  readonly callbackSecrets: CallbackSecrets;
  readonly adminToken: string;
  /** Signs the cookies of the console. */
  readonly sessionKey: string;
  readonly diskReserve: DiskReserve;
  /** Base of every URL in responses; known once the server listens. */
  readonly publicUrl: () => string;
  readonly log: Logger;
}

/** What is open before the context: the database and what the start checks needed. */
export interface ContextSources
  extends Pick<
    AppContext,
    'config' | 'db' | 'clock' | 'diskReserve' | 'callbackSecrets' | 'publicUrl' | 'log'
  > {
  readonly secrets: Secrets;
  /** The processes that share the port; absent for a single process. */
  readonly siblings: SiblingProcesses | undefined;
}

/** Opens the rest; `resources` closes it. */
export async function openContext(
  { secrets, siblings, ...sources }: ContextSources,
  resources: AsyncDisposableStack,
): Promise<AppContext> {
  const { config, db, clock, diskReserve, log } = sources;
  const { secret, ...keys } = secrets;
  const location = { folder: join(config.dataDir, 'blobs'), s3: config.s3 };
  const storage = resources.adopt(await openBlobs(location, secret), opened => opened.close());
  const scratchDir = resources.adopt(await openScratchDir(join(config.dataDir, 'run')), dir => dir.remove());
  const prober = resources.adopt(openProber(), opened => opened.close());
  const { dnsServers: servers, allowPrivateNetwork: allowPrivate } = config;
  const nameResolver = resources.adopt(openNameResolver({ servers, allowPrivate }), opened => opened.close());
  const metrics = openMetrics(db, clock, siblings);
  metrics.watchProber(prober.size);
  const tracing = resources.adopt(await openTracing(config, log), opened => opened.close());
  return {
    ...sources,
    ...keys,
    settings: openReloadableSettings(config),
    blobs: rejectBlobsWhenFull(storage.blobs, diskReserve),
    prober,
    nameResolver,
    metrics,
    tracing,
    scratchDir,
    signer: openSigner(secret),
    quoteSigner: openQuoteSigner(secret),
    ingress: openIngress(secret),
    positions: openQueuePositions(db, clock),
  };
}
