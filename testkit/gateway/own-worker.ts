/** A worker without a gateway, with the provider of a test. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { openDiskBlobs } from '../../src/blobs/disk.ts';
import { contractCatalog } from '../../src/catalog/index.ts';
import type { Clock } from '../../src/domain/clock.ts';
import type { Provider } from '../../src/domain/provider.ts';
import { noTracing } from '../../src/domain/tracing.ts';
import { openOutbound } from '../../src/media/outbound.ts';
import { openProber } from '../../src/media/prober.ts';
import { type Account, openRouting } from '../../src/routing/routes.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import { openCircuitBreaker } from '../../src/worker/circuit-breaker.ts';
import { startWorker } from '../../src/worker/claim-loop.ts';

export interface OwnWorkerOptions {
  readonly db: Connection;
  readonly clock: Clock;
  readonly folder: string;
  /** Takes every job of every model. */
  readonly provider: Provider;
  readonly account?: Partial<Pick<Account, 'id' | 'slots' | 'sharedLimits'>>;
}

let workers = 0;

/** A worker over a database, that hands its jobs to a provider of the test's own; gives what stops it, once. */
export async function startOwnWorker(options: OwnWorkerOptions): Promise<() => Promise<void>> {
  const { db, clock, folder, provider } = options;
  const workFolder = join(folder, `work-${++workers}`);
  await mkdir(workFolder);
  const prober = openProber();
  const outbound = openOutbound({ allowPrivate: true });
  const log = pino({ level: 'silent' });
  const account: Account = {
    ...{ id: 'own', provider, slots: 4, sharedLimits: null, resultsClient: outbound },
    ...options.account,
  };
  const worker = await startWorker({
    catalog: contractCatalog,
    db,
    blobs: await openDiskBlobs(join(folder, 'blobs')),
    clock,
    prober,
    // As where the local engine is not installed.
    probeVideo: async () => null,
    outbound,
    routing: openRouting([account], new Map(), account),
    runningPerKey: () => null,
    breaker: openCircuitBreaker({ db, clock, log }),
    passedChecks: { has: () => false, record: () => {} },
    callbackUrlFor: () => null,
    workDir: workFolder,
    tracing: noTracing,
    log,
    onSettled: () => {},
  });
  const stop = async () => {
    await worker.stop();
    await outbound.close();
    await prober.close();
  };
  let stopped: Promise<void> | null = null;
  return () => (stopped ??= stop());
}
