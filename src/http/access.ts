import { openRate, type TakeFromRate } from '../admission/rate.ts';
import type { Clock } from '../domain/clock.ts';
import type { RateLimit } from '../domain/limits.ts';
import { beginSession } from './admin/sessions.ts';
import { getSetup, makeFirstPerson } from './admin/setup.ts';
import type { HttpContext, Route } from './route.ts';
import { downloadFile } from './routes/download-file.ts';
import { getConsole, getConsoleRoot } from './routes/get-console.ts';
import { getDocs, getDocsScript, getDocsStart } from './routes/get-docs.ts';
import { getLlmsText } from './routes/get-llms-text.ts';
import { getModelsJson } from './routes/get-models-json.ts';
import { getOpenApi } from './routes/get-openapi.ts';
import { onUpstreamWebhook } from './routes/upstream-webhook.ts';

/** Makes an endpoint of the parts. */
export type RouteFactory = (parts: HttpContext) => Route;

/** Who is let in to a route before it looks at the request. */
export interface Access {
  /** A success there means that the connection showed a valid key or session. */
  readonly needsKey: boolean;
  /** Null where nothing but the route itself bounds a client address. */
  readonly takeFromAddress: TakeFromRate<string> | null;
}

/** Of health and figures. */
export const unlimitedAccess: Access = { needsKey: false, takeFromAddress: null };

/** What anybody may ask for. People never come near this rate of their address. */
const publicRoutes: ReadonlySet<RouteFactory> = new Set<RouteFactory>([
  getOpenApi,
  getModelsJson,
  getLlmsText,
  getDocs,
  getDocsStart,
  getDocsScript,
  getConsoleRoot,
  getConsole,
  getSetup,
]);
const publicRouteRate: RateLimit = { perSecond: 50, burst: 500 };

/** The address of a file is its own key. Programs and upstreams fetch many: as many as a key may ask for. */
const signedRoutes: ReadonlySet<RouteFactory> = new Set<RouteFactory>([downloadFile]);
const signedRouteRate: RateLimit = { perSecond: 200, burst: 2_000 };

/** Refusals of an address that shows no key; beyond it a connection is answered 429 and closed, and no line is logged. */
export const refusalRate: RateLimit = { perSecond: 100, burst: 2_000 };

/** These need no key and bound their callers themselves. */
const selfGuardedRoutes: ReadonlySet<RouteFactory> = new Set<RouteFactory>([
  onUpstreamWebhook,
  beginSession,
  makeFirstPerson,
]);

/** Tells the access to each route; rates are counted in this process. */
export function openRouteAccess(clock: Clock): (route: RouteFactory) => Access {
  const open: Access = { needsKey: false, takeFromAddress: openRate<string>(publicRouteRate, clock) };
  const signed: Access = { needsKey: false, takeFromAddress: openRate<string>(signedRouteRate, clock) };
  const keyed: Access = { needsKey: true, takeFromAddress: null };
  return route => {
    if (publicRoutes.has(route)) return open;
    if (signedRoutes.has(route)) return signed;
    return selfGuardedRoutes.has(route) ? unlimitedAccess : keyed;
  };
}
