// The dependencies of everything in the worker, given once at its start.
import type { Logger } from 'pino';
import type { Catalog } from '../catalog/catalog.ts';
import type { Blobs } from '../domain/blobs.ts';
import type { Clock } from '../domain/clock.ts';
import type { Outcome } from '../domain/job.ts';
import type { ProbeVideo } from '../domain/media.ts';
import type { Tracing } from '../domain/tracing.ts';
import type { IngressTarget } from '../domain/upstream-webhook-address.ts';
import type { Outbound } from '../media/outbound.ts';
import type { Prober } from '../media/prober.ts';
import type { Routing } from '../routing/routes.ts';
import type { Connection } from '../store/db/connection.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';

/** The dependencies of the worker. */
export interface WorkerContext {
  readonly catalog: Catalog;
  readonly db: Connection;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly prober: Prober;
  /** By the local engine, for containers that the prober does not know. */
  readonly probeVideo: ProbeVideo;
  /** For media that an input names by URL. */
  readonly outbound: Outbound;
  /** Which accounts serve which model. */
  readonly routing: Routing;
  /** Maximum of running jobs of a key, over all processes; null: no limit. */
  readonly runningPerKey: () => number | null;
  readonly breaker: CircuitBreaker;
  /** Of the start before. */
  readonly passedChecks: PassedChecks;
  /** The webhook URL for the upstream of an attempt; null where this gateway has no public address. */
  readonly callbackUrlFor: (target: IngressTarget) => string | null;
  /** A local folder for inputs and outputs in transit. */
  readonly workDir: string;
  readonly tracing: Tracing;
  readonly log: Logger;
  /** Called for every settled job, with the seconds since its claim. */
  readonly onSettled: (modelId: string, outcome: Outcome['kind'], seconds: number) => void;
}

/** Accounts that passed their check when this installation was started before. */
export interface PassedChecks {
  /** Whether it passed then: the process is ready at once, and claims its jobs as soon as it passed again. */
  has(accountId: string): boolean;
  /** Called with the result of every check. */
  record(accountId: string, isOk: boolean): void;
}
