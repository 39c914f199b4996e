import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Admission } from '../admission/admit.ts';
import type { Authenticate } from '../admission/authenticate.ts';
import type { Bodies } from '../admission/bodies.ts';
import type { TakeFromRate } from '../admission/rate.ts';
import type { Signer } from '../blobs/signature.ts';
import type { Model } from '../catalog/model.ts';
import type { Blobs } from '../domain/blobs.ts';
import type { Clock } from '../domain/clock.ts';
import type { Principal } from '../domain/key.ts';
import type { RefusalName } from '../domain/refusal.ts';
import type { Prober } from '../media/prober.ts';
import type { Connection } from '../store/connection.ts';
import type { Positions } from '../store/positions.ts';
import type { JobWatch } from './job-watch.ts';

/** What the routes are given. */
export interface HttpParts {
  readonly db: Connection;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly signer: Signer;
  readonly prober: Prober;
  readonly admission: Admission;
  /** Those that clients are told of. */
  readonly models: () => readonly Model[];
  readonly authenticate: Authenticate;
  readonly takeFromRate: TakeFromRate;
  /** For the admin API. */
  readonly adminToken: string;
  readonly bodies: Bodies;
  readonly positions: Positions;
  readonly watch: JobWatch;
  /** A local folder for bytes on their way. */
  readonly spool: string;
  /** Base of every address in answers; known once the server listens. */
  readonly publicUrl: () => string;
  /** Null when all is ready, else what is not. */
  readonly whyNotReady: () => Promise<string | null>;
  /** Prometheus text. */
  readonly metrics: () => Promise<string>;
  /** Told of every answer that is a refusal, and of every connection that is not taken. */
  readonly onRefused: (refusal: RefusalName | 'connections_full') => void;
  /** How many connections are open at one moment; more are closed at once. */
  readonly maxConnections: number;
  readonly log: Logger;
}

/** One endpoint. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | readonly ['GET', 'HEAD'];
  readonly path: string;
  /** Which of the contract's error bodies its unforeseen failures get. */
  readonly errors: 'detail' | 'file';
  readonly handle: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
}

/** The first two gates of every request with a key: who is asking, and is it within its rate. */
export async function identify(
  { authenticate, takeFromRate }: Pick<HttpParts, 'authenticate' | 'takeFromRate'>,
  request: FastifyRequest,
): Promise<Principal> {
  const principal = await authenticate(request.headers.authorization);
  takeFromRate(principal.keyId);
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
