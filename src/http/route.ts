import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Admission } from '../admission/admit.ts';
import type { Authenticate } from '../admission/authenticate.ts';
import type { LoginThrottle } from '../admission/login-throttle.ts';
import type { Passwords } from '../admission/passwords.ts';
import type { TakeFromRate } from '../admission/rate.ts';
import type { RefusedLogins } from '../admission/refused-logins.ts';
import type { Spool } from '../admission/spool.ts';
import type { StorageQuota } from '../admission/storage-quota.ts';
import type { MemoryBudget } from '../body/memory-budget.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Blobs } from '../domain/blobs.ts';
import type { Clock } from '../domain/clock.ts';
import type { Signer } from '../domain/file-signature.ts';
import type { JobId } from '../domain/ids.ts';
import { hasScope, type Principal, refusalOfScope, type Scope } from '../domain/key.ts';
import type { Prices } from '../domain/prices.ts';
import { type RefusalName, refuse } from '../domain/refusal.ts';
import type { Outbound } from '../media/outbound.ts';
import type { Prober } from '../media/prober.ts';
import type { Ingress } from '../providers/kit/ingress.ts';
import type { IngressRequest } from '../providers/kit/webhook-signature.ts';
import type { AccountStatuses } from '../routing/account-status.ts';
import type { CallbackSecrets } from '../store/callbacks/callback-secrets.ts';
import type { Connection } from '../store/db/connection.ts';
import type { QueuePositions } from '../store/jobs/queue-position.ts';
import type { ConnectionCut, ConnectionLimits } from './connections.ts';
import type { BuiltConsole } from './console/built-console.ts';
import type { JobWatch } from './job-watch.ts';

/** What the routes are given. */
export interface HttpContext {
  readonly db: Connection;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly signer: Signer;
  readonly prober: Prober;
  readonly admission: Admission;
  /** Every model that a job may be of. */
  readonly catalog: Catalog;
  /** The models that clients are told of; the same value until the settings are read again. */
  readonly servedModels: () => Catalog;
  /** What the operator says that things cost; null where he says nothing. */
  readonly prices: () => Prices | null;
  readonly authenticate: Authenticate;
  readonly takeFromRate: TakeFromRate;
  readonly callbackSecrets: CallbackSecrets;
  /** For the admin API. */
  readonly adminToken: string;
  /** What cookies of the console are signed with. */
  readonly sessionKey: string;
  readonly passwords: Passwords;
  readonly loginThrottle: LoginThrottle;
  readonly refusedLogins: RefusedLogins;
  /** Null where it is not built. */
  readonly console: () => Promise<BuiltConsole | null>;
  readonly ingress: Ingress;
  /** Takes one call from the rate of its job. */
  readonly takeFromWebhookRate: TakeFromRate<JobId>;
  /** Whether a call is signed as the upstream of that account signs. */
  readonly isSigned: (account: string, call: IngressRequest) => boolean;
  readonly accounts: AccountStatuses;
  readonly memoryBudget: MemoryBudget;
  readonly positions: QueuePositions;
  readonly jobWatch: JobWatch;
  /** The way out to addresses that clients wrote. */
  readonly outbound: Outbound;
  /** The local folder for bytes on their way in. */
  readonly spool: Spool;
  readonly storage: StorageQuota;
  /** Base of every address in answers; known once the server listens. */
  readonly publicUrl: () => string;
  /** Null when all is ready, else what is not. */
  readonly whyNotReady: () => Promise<string | null>;
  /** Prometheus text. */
  readonly metrics: () => Promise<string>;
  /** What whoever reads them shows as Bearer; null: they are for this machine alone. */
  readonly metricsToken: string | null;
  /** Told of every answer that is a refusal, and of every connection that is not taken. */
  readonly onRefused: (refusal: RefusalName | ConnectionCut) => void;
  readonly connectionLimits: ConnectionLimits;
  readonly log: Logger;
}

/** One endpoint. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | readonly ['GET', 'HEAD'];
  readonly path: string;
  /** Which of the contract's error bodies its unforeseen failures get. */
  readonly errors: 'detail' | 'file';
  /** Named by no `Allow`: it only says what is not there, or nobody is to learn of it. */
  readonly isUnlisted?: true;
  readonly handle: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
}

/**
 * The first gates of every request with a key: who is asking, is it within its rate, and does the key have the scope
 * that the route needs. `any-key`: the route gives nothing that belongs to a user.
 */
export async function identify(
  { authenticate, takeFromRate }: Pick<HttpContext, 'authenticate' | 'takeFromRate'>,
  request: FastifyRequest,
  needed: Scope | 'any-key',
): Promise<Principal> {
  const principal = await authenticate(request.headers.authorization);
  takeFromRate(principal.keyId);
  if (needed !== 'any-key' && !hasScope(principal, needed)) throw refuse(refusalOfScope[needed]);
  return principal;
}

/** One value of a query; undefined when it is absent or given more than once. */
export function queryValue(request: FastifyRequest, name: string): string | undefined {
  const value = queryOf(request)[name];
  return typeof value === 'string' ? value : undefined;
}

export const queryOf = (request: FastifyRequest): Readonly<Record<string, unknown>> =>
  request.query as Readonly<Record<string, unknown>>;

/** A named part of the path. */
export function pathValue(request: FastifyRequest, name: string): string {
  const value = (request.params as Readonly<Record<string, string>>)[name];
  if (value === undefined) throw new Error(`expected the path of this route to have ${name}`);
  return value;
}
