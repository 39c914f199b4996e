/** What a request of a client of fal asks for: by its own path, or by the address that it names to a proxy. */

import type { FastifyRequest } from 'fastify';
import { refuse } from '../../../domain/refusal.ts';
import { pathValue, queryOf } from '../../request-values.ts';

/** One call of the queue protocol; `app` is an endpoint's name, of several parts. */
export type FalCall =
  | { readonly kind: 'submit' | 'run'; readonly app: string; readonly query: Query }
  | {
      readonly kind: 'status' | 'result' | 'cancel' | 'stream';
      readonly app: string;
      readonly jobId: string;
      readonly query: Query;
    }
  | { readonly kind: 'upload' | 'multipart' };

/** The parameters of a query; one that is given twice is absent. */
export type Query = Readonly<Record<string, string | undefined>>;

/** `@fal-ai/client` with a `proxyUrl` sends every request to one path, and the real address in this header. */
const proxyPath = 'proxy';
const targetHeader = 'x-fal-target-url';
/** The service's hosts and where they stand here; older packages name `rest.alpha`. */
const hosts: Readonly<Record<string, string>> = {
  'queue.fal.run': '',
  'fal.run': 'run/',
  'rest.fal.ai': '',
  'rest.alpha.fal.ai': '',
};

/** The first call of an upload. */
const initiatePath = 'storage/upload/initiate';
/** A job behind the name of an endpoint, which has slashes itself. */
const ofRequest = /^(.+)\/requests\/([^/]+)(\/status|\/status\/stream|\/cancel)?$/;

/** Throws the 404 of a path that is none of the protocol's. */
export function readCall(request: FastifyRequest): FalCall {
  const { path, query } = addressOf(request);
  const isPost = request.method === 'POST';
  if (isPost && path === initiatePath) return { kind: 'upload' };
  if (isPost && path === `${initiatePath}-multipart`) return { kind: 'multipart' };
  const [, app = '', jobId = '', rest = ''] = ofRequest.exec(path) ?? [];
  if (jobId === '') {
    const run = /^run\/(.+)$/.exec(path);
    if (isPost && run) return { kind: 'run', app: run[1]!, query };
    if (isPost && path !== '') return { kind: 'submit', app: path, query };
    throw refuse('path_unknown');
  }
  const kind = kindOf(request.method, rest);
  if (kind === null) throw refuse('path_unknown');
  return { kind, app, jobId, query };
}

/** What is done to a job; null for a method or an end that the protocol lacks. */
function kindOf(method: string, rest: string) {
  if (method === 'PUT') return rest === '/cancel' ? 'cancel' : null;
  if (method !== 'GET') return null;
  return ({ '': 'result', '/status': 'status', '/status/stream': 'stream' } as const)[rest] ?? null;
}

/** The path below the mount and the query, of the request or of the address that it names. */
function addressOf(request: FastifyRequest): { readonly path: string; readonly query: Query } {
  const path = pathValue(request, '*').replace(/\/$/, '');
  if (path !== proxyPath) return { path, query: onceEach(queryOf(request)) };
  const target = URL.parse([request.headers[targetHeader]].flat()[0] ?? '');
  const below = target && Object.hasOwn(hosts, target.host) ? hosts[target.host] : undefined;
  if (!target || below === undefined) {
    throw refuse('input_invalid', {
      subject: `${targetHeader}: must be an address of ${Object.keys(hosts).join(', ')}`,
      fields: [targetHeader],
    });
  }
  const pathname = decode(target.pathname).replace(/^\/|\/$/g, '');
  return { path: below + pathname, query: onceEach(Object.fromEntries(target.searchParams)) };
}

/** Throws the 404 of a path that cannot be decoded. */
function decode(pathname: string): string {
  try {
    return decodeURIComponent(pathname);
  } catch (cause) {
    throw refuse('path_unknown', { cause });
  }
}

/** Parameters that are given once; the others are absent. */
const onceEach = (query: Readonly<Record<string, unknown>>): Query =>
  Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
