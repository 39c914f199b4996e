import { openRate, type RateLimit, type TakeFromRate } from '../admission/rate.ts';
import type { Clock } from '../domain/clock.ts';
import { beginSession } from './admin/sessions.ts';
import { getSetup, makeFirstPerson } from './admin/setup.ts';
import type { HttpParts, Route } from './parts.ts';
import { downloadFile } from './routes/download-file.ts';
import { getConsole, getConsoleRoot } from './routes/get-console.ts';
import { getDocs, getDocsScript, getDocsStart } from './routes/get-docs.ts';
import { getLlmsText } from './routes/get-llms-text.ts';
import { getModelsJson } from './routes/get-models-json.ts';
import { getOpenApi } from './routes/get-openapi.ts';
import { hearUpstream } from './routes/hear-upstream.ts';

/** Makes an endpoint of the parts. */
export type RouteMaker = (parts: HttpParts) => Route;

/** Who is let in to a route before it looks at the request. */
export interface Access {
  /** A success there means that the connection showed a valid key or session. */
  readonly needsKey: boolean;
  /** Null where nothing but the route itself bounds a client address. */
  readonly takeFromAddress: TakeFromRate<string> | null;
}

/** Of health and figures. */
export const unbounded: Access = { needsKey: false, takeFromAddress: null };

/** What anybody may ask for. People never come near this rate of their address. */
const openRoutes: ReadonlySet<RouteMaker> = new Set<RouteMaker>([
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
const rateOfOpen: RateLimit = { perSecond: 50, burst: 500 };

/** The address of a file is its own key. Programs and upstreams fetch many: as many as a key may ask for. */
const signedRoutes: ReadonlySet<RouteMaker> = new Set<RouteMaker>([downloadFile]);
const rateOfSigned: RateLimit = { perSecond: 200, burst: 2_000 };

/** Refusals of an address that shows no key; beyond it a connection is answered 429 and closed, and no line is logged. */
export const rateOfRefusals: RateLimit = { perSecond: 100, burst: 2_000 };

/** These need no key and bound their callers themselves. */
const selfGuardedRoutes: ReadonlySet<RouteMaker> = new Set<RouteMaker>([
  hearUpstream,
  beginSession,
  makeFirstPerson,
]);

/** Tells the access to each route; rates are counted in this process. */
export function openAccess(clock: Clock): (route: RouteMaker) => Access {
  const open: Access = { needsKey: false, takeFromAddress: openRate<string>(rateOfOpen, clock) };
  const signed: Access = { needsKey: false, takeFromAddress: openRate<string>(rateOfSigned, clock) };
  const keyed: Access = { needsKey: true, takeFromAddress: null };
  return route => {
    if (openRoutes.has(route)) return open;
    if (signedRoutes.has(route)) return signed;
    return selfGuardedRoutes.has(route) ? unbounded : keyed;
  };
}
