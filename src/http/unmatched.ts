/** The refusal of a request that no route matches. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Catalog } from '../catalog/catalog.ts';
import { refuseModel } from '../catalog/refuse-model.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';
import type { HttpContext } from './http-context.ts';
import { methodsOf, type Route } from './route.ts';
import { identifyKey } from './route-auth.ts';

/** Says why no route takes a request. */
export type RefuseUnmatched = (request: FastifyRequest, reply: FastifyReply) => Promise<Refusal>;

/** Of a path that has routes: it does not take this method. Of any other: it is unknown. */
export function openRefuseUnmatched(routes: readonly Route[]): RefuseUnmatched {
  const patterns = routes
    .filter(route => route.isUnlisted !== true)
    .map(route => ({ pattern: patternOf(route.path), methods: methodsOf(route), errors: route.errors }));
  return async (request, reply) => {
    const path = pathOf(request);
    const matched = patterns.filter(({ pattern }) => pattern.test(path));
    if (matched.length === 0) return refuse('path_unknown');
    reply.header('allow', [...new Set(matched.flatMap(({ methods }) => methods))].join(', '));
    return refuse(matched[0]!.errors === 'file' ? 'file_method_not_allowed' : 'method_not_allowed');
  };
}

/** The same where the queue is served: there an id of any number of segments may stand for a model. */
export function openRefuseUnmatchedInQueue(
  context: Pick<HttpContext, 'authenticate' | 'takeFromRate' | 'catalog' | 'servedModels'>,
  mounts: readonly string[],
  routes: readonly Route[],
): RefuseUnmatched {
  const why = openRefuseUnmatched(routes);
  return async (request, reply) => {
    const refusal = await why(request, reply);
    const path = pathOf(request);
    const mount = mounts.find(each => path.startsWith(`${each}/`));
    if (refusal.refusal !== 'path_unknown' || mount === undefined) return refusal;
    const named = parseModelPath(path.slice(mount.length + 1).replace(/\/$/, ''), context.catalog);
    if (named === null) return refusal;
    await identifyKey(context, request, 'any-key');
    if (named.isStream && request.method === 'GET') return refuse('stream_unsupported');
    return refuseModel(context.servedModels(), named.model);
  };
}

/** Without the query. */
const pathOf = (request: FastifyRequest): string => request.url.split('?', 1)[0]!;

/** A pattern for paths of a route, with or without a slash at the end. */
function patternOf(path: string): RegExp {
  const segments = path.split('/').map(part => {
    if (part.startsWith(':')) return '[^/]+';
    return part === '*' ? '.*' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${segments.join('/')}/?$`);
}

/**
 * The id of a model that a path below a mount names, with or without what follows the id of a job's model. Null where
 * the path lies below a model that is there, and where it ends as every synchronous one does.
 */
function parseModelPath(
  rest: string,
  catalog: Catalog,
): { readonly model: string; readonly isStream: boolean } | null {
  const segments = decode(rest)?.split('/') ?? [''];
  if (segments.some(segment => ['', '.', '..'].includes(segment)) || segments.at(-1) === 'sync') return null;
  const isKnown = segments.some((_, index) => catalog.find(segments.slice(0, index + 1).join('/')) !== null);
  if (isKnown) return null;
  const jobs = segments.indexOf('requests', 1);
  const model = jobs === -1 ? segments : segments.slice(0, jobs);
  return { model: model.join('/'), isStream: /\/requests\/[^/]+\/status\/stream$/.test(rest) };
}

/** Null where it cannot be decoded; a method that no route takes comes here with any path. */
function decode(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}
