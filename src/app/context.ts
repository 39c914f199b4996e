import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { ReloadableSettings } from '../config/reload.ts';
import type { Blobs } from '../domain/blobs.ts';
import type { Clock } from '../domain/clock.ts';
import type { Signer } from '../domain/file-signature.ts';
import type { Tracing } from '../domain/tracing.ts';
import type { NameResolver } from '../media/name-resolver.ts';
import type { Prober } from '../media/prober.ts';
import type { Ingress } from '../providers/kit/ingress.ts';
import type { CallbackSecrets } from '../store/callbacks/callback-secrets.ts';
import type { Connection } from '../store/db/connection.ts';
import type { QueuePositions } from '../store/jobs/queue-position.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { DiskReserve } from './disk-reserve.ts';
import type { ScratchDir } from './scratch-dir.ts';

/** What every role is made of. */
export interface AppContext {
  readonly config: Config;
  /** Of that, what may change. */
  readonly settings: ReloadableSettings;
  readonly db: Connection;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly prober: Prober;
  /** Of names that users and upstreams wrote, for all of this process. */
  readonly nameResolver: NameResolver;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  readonly scratchDir: ScratchDir;
  readonly signer: Signer;
  readonly ingress: Ingress;
  readonly positions: QueuePositions;
  readonly callbackSecrets: CallbackSecrets;
  readonly adminToken: string;
  /** Signs the cookies of the console. */
  readonly sessionKey: string;
  readonly diskReserve: DiskReserve;
  /** Base of every address in answers; known once the server listens. */
  readonly publicUrl: () => string;
  readonly log: Logger;
}
