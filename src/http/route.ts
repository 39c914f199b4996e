/** What an endpoint declares: path, authentication, refusals, answers and documentation, beside its handler. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Json } from '../answers/json-schema.ts';
import type { Model } from '../catalog/model.ts';
import type { Principal, Scope } from '../domain/key.ts';
import type { MountName } from '../domain/mounts.ts';
import type { Role } from '../domain/person.ts';
import type { RefusalName } from '../domain/refusal.ts';
import type { Operator } from './admin/identify-operator.ts';
import type { HealthContext, HttpContext } from './http-context.ts';

/**
 * One endpoint. `auth` says who may call it; the app checks that before the handler runs and passes the caller in:
 *
 * - `key`: an API key with the scope of the route; the handler gets its principal.
 * - `admin`: the admin token, or a session of the console with at least the role of the route; gets the operator.
 * - `session`: the same with any role, for what concerns the operator's own sessions; gets the operator.
 * - `signed`: a signature that the handler verifies, in the path or over the body.
 * - `metrics`: the metrics token; where none is set, a loopback connection.
 * - `none`: every client.
 */
export type Route = KeyRoute | AdminRoute | SessionRoute | OpenRoute | MetricsRoute;

/**
 * `detail` and `file` are the contract's (7.2, 7.3); `login-page` leads a browser to the login page, which shows the
 * sentence; the others are those of the protocols at the mounts.
 */
export type ErrorShape = 'detail' | 'file' | 'login-page' | MountName;

/** What every route declares. */
interface RouteDeclaration {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | readonly ['GET', 'HEAD'];
  readonly path: string;
  /** The bodies of its failures: two of the contract, or those of the protocol of a mount. */
  readonly errors: ErrorShape;
  /** Left out of the header `Allow`: it only states what does not exist, or must not be discoverable. */
  readonly isUnlisted?: true;
  /** Refusals of the handler. Those of `auth`, and those that any route can give, are added to them. */
  readonly refusals: readonly RefusalName[];
  /** Answers that are not refusals, by status. */
  readonly answers: Readonly<Record<number, Answer>>;
  /** Its entry in `/openapi.json`, or why it has none. */
  readonly docs: Operation | ModelOperation | Undocumented;
}

/** One answer that is not a refusal. */
export interface Answer {
  readonly description: string;
  /** Schema of its JSON body; null: no body, or one that is not JSON. */
  readonly body: z.ZodType | null;
}

/** The documentation of an endpoint. */
export interface Operation {
  readonly tag: 'Create' | 'Jobs' | 'Callbacks' | 'Files' | 'Models' | 'Money';
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  /** Those of query and headers; those of the path follow from the path. */
  readonly parameters?: readonly Json[];
  /** JSON Schema of the request's body by content type. */
  readonly body?: Readonly<Record<string, Json>>;
}

/** An endpoint with one operation for each model, whose id stands in the path. */
export interface ModelOperation {
  readonly ofModel: (model: Model) => Operation;
}

/** An endpoint that is not part of the public protocol. */
export interface Undocumented {
  readonly undocumented: string;
}

/** A route for API keys. */
export interface KeyRoute extends RouteDeclaration {
  readonly auth: 'key';
  /** `any-key`: the route gives nothing that belongs to a user. */
  readonly scope: Scope | 'any-key';
  /** Schemes of `Authorization` that are read like `Bearer`, because clients of another protocol send them. */
  readonly schemes?: readonly string[];
  /** Checked before the key; throws a refusal. */
  readonly precheck?: (request: FastifyRequest, context: HttpContext) => void;
  readonly open: Opener<(principal: Principal, request: FastifyRequest, reply: FastifyReply) => unknown>;
}

/** A route for operators of at least a role. */
export interface AdminRoute extends RouteDeclaration {
  readonly auth: 'admin';
  /** The least role that may call it. */
  readonly role: Role;
  readonly open: Opener<OperatorHandler>;
}

/** A route for an operator's own sessions. */
export interface SessionRoute extends RouteDeclaration {
  readonly auth: 'session';
  readonly open: Opener<OperatorHandler>;
}

/** A route without credentials. */
export interface OpenRoute<Context = HttpContext> extends RouteDeclaration {
  readonly auth: 'none' | 'signed';
  /**
   * The rate of client addresses that the route counts against: `public` is shared by all pages and documents,
   * `files` by all downloads; null where the handler bounds its callers, or where nothing needs to.
   */
  readonly addressRate: 'public' | 'files' | null;
  readonly open: Opener<OpenHandler, Context>;
}

/** A route for the metrics token. */
export interface MetricsRoute extends RouteDeclaration {
  readonly auth: 'metrics';
  readonly open: Opener<OpenHandler, HealthContext>;
}

/** The routes of a process without the API. */
export type HealthRoute = OpenRoute<HealthContext> | MetricsRoute;

/** Makes the handler once for each app; `routes` are all routes of that app. */
export type Opener<Handler, Context = HttpContext> = (context: Context, routes: readonly Route[]) => Handler;

/** Returns the body, or the reply where it sent that itself. */
export type OperatorHandler = (operator: Operator, request: FastifyRequest, reply: FastifyReply) => unknown;
/** Returns the body, or the reply where it sent that itself. */
export type OpenHandler = (request: FastifyRequest, reply: FastifyReply) => unknown;

/** Whether a success of the route shows that the connection has a valid key or session. */
export const needsCredentials = ({ auth }: Route): boolean =>
  auth === 'key' || auth === 'admin' || auth === 'session';

/** The methods of a route as a list. */
export const methodsOf = ({ method }: Pick<Route, 'method'>): readonly string[] => [method].flat();
