import type { Logger } from 'pino';
import type { Ballast } from './ballast.ts';
import type { Signer } from './blobs/signature.ts';
import type { Config } from './config.ts';
import type { Blobs } from './domain/blobs.ts';
import type { Clock } from './domain/clock.ts';
import type { Tracing } from './domain/tracing.ts';
import type { Live } from './live-settings.ts';
import type { LocalFolder } from './local-folder.ts';
import type { Prober } from './media/prober.ts';
import type { Metrics } from './metrics.ts';
import type { Ingress } from './providers/ingress.ts';
import type { Connection } from './store/connection.ts';
import type { Positions } from './store/positions.ts';

/** What every role is made of. */
export interface Foundation {
  readonly config: Config;
  /** Of that, what may change. */
  readonly live: Live;
  readonly db: Connection;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly prober: Prober;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  readonly local: LocalFolder;
  readonly signer: Signer;
  readonly ingress: Ingress;
  readonly positions: Positions;
  readonly adminToken: string;
  /** Signs the cookies of the console. */
  readonly sessionKey: string;
  readonly ballast: Ballast;
  /** Base of every address in answers; known once the server listens. */
  readonly publicUrl: () => string;
  readonly log: Logger;
}
