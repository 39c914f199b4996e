/** What the routes are given: every part of the program that an endpoint may use. */

import type { Logger } from 'pino';
import type { Admission } from '../admission/admit.ts';
import type { Authenticate } from '../admission/authenticate.ts';
import type { LoginThrottle } from '../admission/login-throttle.ts';
import type { OidcLogin } from '../admission/oidc-login.ts';
import type { Passwords } from '../admission/passwords.ts';
import type { TakeFromRate } from '../admission/rate-limit.ts';
import type { RefusedLogins } from '../admission/refused-logins.ts';
import type { Spool } from '../admission/spool.ts';
import type { StorageQuota } from '../admission/storage-quota.ts';
import type { MemoryBudget } from '../body/memory-budget.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { AccountStatuses } from '../domain/account-status.ts';
import type { Blobs } from '../domain/blobs.ts';
import type { Clock } from '../domain/clock.ts';
import type { Signer } from '../domain/file-signature.ts';
import type { JobId, UserId } from '../domain/ids.ts';
import type { Mounts } from '../domain/mounts.ts';
import type { Prices } from '../domain/prices.ts';
import type { RefusalName } from '../domain/refusal.ts';
import type { SettingsEditor } from '../domain/settings-editor.ts';
import type { Ingress, IngressRequest } from '../domain/upstream-webhook-address.ts';
import type { Outbound } from '../media/outbound.ts';
import type { Prober } from '../media/prober.ts';
import type { CallbackSecrets } from '../store/callbacks/callback-secrets.ts';
import type { Connection } from '../store/db/connection.ts';
import type { QueuePositions } from '../store/jobs/queue-position.ts';
import type { ConnectionCut, ConnectionLimits } from './connections.ts';
import type { BuiltConsole } from './console/built-console.ts';
import type { JobWatch } from './job-watch.ts';
import type { Packages } from './packages/served-package.ts';
import type { RequestLog } from './request-log.ts';

/** One signed attempt that is stored nowhere. */
export type SendTestEvent = (to: { readonly userId: UserId; readonly url: string }) => Promise<{
  /** Its `webhook-id`. */
  readonly id: string;
  readonly body: string;
  readonly tookMs: number;
  readonly answer:
    | { readonly kind: 'answered'; readonly code: number; readonly answer: string }
    | { readonly kind: 'unanswered'; readonly answer: string };
}>;

/**
 * What routes are given: ports and functions that the composition root opened. None of them knows an adapter.
 */
export interface HttpContext {
  readonly db: Connection;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly signer: Signer;
  readonly prober: Prober;
  readonly admission: Admission;
  /** Every model that a job may have, those that are no longer served included. */
  readonly catalog: Catalog;
  /** The models that clients may use; the same value until the settings are reloaded. */
  readonly servedModels: () => Catalog;
  /** Prices from the settings; null where there are none. */
  readonly prices: () => Prices | null;
  /** Reads a price book that is not in the settings: the prices, or a sentence for each fault. */
  readonly readPriceBook: (
    written: string,
  ) => { readonly prices: Prices } | { readonly faults: readonly string[] };
  /** Other protocols that are spoken, by the present settings. */
  readonly mounts: () => Mounts;
  readonly authenticate: Authenticate;
  readonly takeFromRate: TakeFromRate;
  readonly callbackSecrets: CallbackSecrets;
  /** Sends a test event to a receiver of a user's callbacks; see `src/callbacks/send-test-event.ts`. */
  readonly sendTestEvent: SendTestEvent;
  /** The bearer token of the admin API. */
  readonly adminToken: string;
  /** Signs the cookies of the console. */
  readonly sessionKey: string;
  readonly passwords: Passwords;
  /** Logins by an identity provider. */
  readonly oidc: OidcLogin;
  readonly loginThrottle: LoginThrottle;
  readonly refusedLogins: RefusedLogins;
  /** The files of the console; null where it is not built. */
  readonly console: () => Promise<BuiltConsole | null>;
  /** Clients of this version, ready to be installed. */
  readonly packages: Packages;
  readonly ingress: Ingress;
  /** Takes one webhook call from the rate of its job. */
  readonly takeFromWebhookRate: TakeFromRate<JobId>;
  /** Whether a webhook call carries a valid signature of the upstream of that account. */
  readonly isSigned: (account: string, call: IngressRequest) => boolean;
  readonly accounts: AccountStatuses;
  /** Writes accounts into `atelier.yaml`; null where the gateway was started without a file to read again. */
  readonly settingsEditor: SettingsEditor | null;
  readonly memoryBudget: MemoryBudget;
  readonly positions: QueuePositions;
  readonly jobWatch: JobWatch;
  /** HTTP client for URLs that clients send. */
  readonly outbound: Outbound;
  /** Local directory for incoming files. */
  readonly spool: Spool;
  readonly storage: StorageQuota;
  /** Base of every URL in answers; known once the server listens. */
  readonly publicUrl: () => string;
  /** Null when the process is ready, else the reason why not. */
  readonly whyNotReady: () => Promise<string | null>;
  /** Why the last reload of the settings failed, one sentence a fault; empty where it did not. */
  readonly settingsFaults: () => readonly string[];
  /** The metrics as Prometheus text. */
  readonly metrics: () => Promise<string>;
  /** The bearer token of `/metrics`; null: loopback connections alone may read them. */
  readonly metricsToken: string | null;
  /** Called for every answer that was sent as a whole: its route as it is declared, and the time since its request. */
  readonly onAnswered: (route: string, method: string, status: number, tookSeconds: number) => void;
  /** Called for every answer that is a refusal, and for every rejected connection. */
  readonly onRefused: (refusal: RefusalName | ConnectionCut) => void;
  /** Counts a refusal for the request log. */
  readonly recordRefusal: RequestLog['record'];
  readonly connectionLimits: ConnectionLimits;
  readonly log: Logger;
  /** For tests: a refusal or a body that its route does not declare is answered as an internal error. */
  readonly verifiesDeclarations?: boolean;
}

/** What the routes of health and metrics need; a process without the API has no more. */
export type HealthContext = Pick<HttpContext, 'whyNotReady' | 'settingsFaults' | 'metrics' | 'metricsToken'>;
