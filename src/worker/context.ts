import type { Logger } from 'pino';
import type { Catalog } from '../catalog/catalog.ts';
import type { Blobs } from '../domain/blobs.ts';
import type { Clock } from '../domain/clock.ts';
import type { Outcome } from '../domain/job.ts';
import type { ProbeVideo } from '../domain/media.ts';
import type { Tracing } from '../domain/tracing.ts';
import type { Outbound } from '../media/outbound.ts';
import type { Prober } from '../media/prober.ts';
import type { IngressTarget } from '../providers/kit/ingress.ts';
import type { Routing } from '../routing/routes.ts';
import type { Connection } from '../store/db/connection.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';

/** What the worker is given. */
export interface WorkerContext {
  readonly catalog: Catalog;
  readonly db: Connection;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly prober: Prober;
  /** By the engine of this machine, for containers that the prober does not know. */
  readonly probeVideo: ProbeVideo;
  /** For media that a request names by address. */
  readonly outbound: Outbound;
  /** Which account takes the jobs of which model. */
  readonly routing: Routing;
  /** Jobs that a key may have running, over all processes; null: any number. */
  readonly runningPerKey: () => number | null;
  readonly breaker: CircuitBreaker;
  /** Where the upstream of an attempt may call; null where this gateway has no address for that. */
  readonly callbackUrlFor: (calledFor: IngressTarget) => string | null;
  /** A local folder for inputs on their way to the provider. */
  readonly workDir: string;
  readonly tracing: Tracing;
  readonly log: Logger;
  /** Told of every settled job, with the seconds since its claim. */
  readonly onSettled: (modelId: string, outcome: Outcome['kind'], seconds: number) => void;
}
