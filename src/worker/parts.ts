import type { Logger } from 'pino';
import type { Blobs } from '../domain/blobs.ts';
import type { Clock } from '../domain/clock.ts';
import type { Outcome } from '../domain/job.ts';
import type { Provider } from '../domain/provider.ts';
import type { Outbound } from '../media/connect.ts';
import type { Prober } from '../media/prober.ts';
import type { Connection } from '../store/connection.ts';

/** What the worker is given. */
export interface WorkerParts {
  readonly db: Connection;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly prober: Prober;
  /** For media that a request names by address. */
  readonly outbound: Outbound;
  /** Takes the jobs of every model. */
  readonly provider: Provider;
  /** A local folder for inputs on their way to the provider. */
  readonly workFolder: string;
  readonly log: Logger;
  /** Told of every settled job, with the seconds since its claim. */
  readonly onSettled: (modelId: string, outcome: Outcome['kind'], seconds: number) => void;
}
