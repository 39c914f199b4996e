/** What is asked of the server, by its effect. */
export type Operation =
  | 'put'
  | 'begin'
  | 'part'
  | 'complete'
  | 'abort'
  | 'get'
  | 'head'
  | 'delete'
  | 'list'
  | 'list-uploads';

/** One call as it came. */
export interface Call {
  readonly operation: Operation;
  /** The object's name; empty where none is meant. */
  readonly name: string;
  /** The header `Range`, where there is one. */
  readonly range: string | undefined;
}

/** What becomes of a call instead of its answer. */
export type Fault =
  /** It is refused, with that code in its body. */
  | { readonly kind: 'refuse'; readonly status: number; readonly code: string }
  /** Another answer than the true one. */
  | { readonly kind: 'answer'; readonly xml: string }
  /** The connection is reset before anything is done. */
  | { readonly kind: 'reset' }
  /** It is done, and the connection is reset in the place of an answer. */
  | { readonly kind: 'lose' }
  /** Nothing comes back. */
  | { readonly kind: 'hang' }
  /** The connection is reset after so many bytes of the answer's body. */
  | { readonly kind: 'cut'; readonly bytes: number }
  /** A byte of what was sent arrives as another. */
  | { readonly kind: 'corrupt' }
  /** The last byte is lost on the server's disk, and nothing is said of it. */
  | { readonly kind: 'shorten' };

/** Called for each call; null lets it pass. */
export type Script = (call: Call) => Fault | null;

export const away: Fault = { kind: 'refuse', status: 503, code: 'ServiceUnavailable' };
/** The SDK waits longer before it tries again. */
export const slowDown: Fault = { kind: 'refuse', status: 503, code: 'SlowDown' };

export function callOf(method: string, url: URL, range: string | undefined): Call {
  const [, name = ''] = /^\/[^/]+\/(.*)$/.exec(url.pathname) ?? [];
  return { operation: operationOf(method, url.searchParams, name), name, range };
}

function operationOf(method: string, query: URLSearchParams, name: string): Operation {
  switch (method) {
    case 'PUT':
      return query.has('uploadId') ? 'part' : 'put';
    case 'POST':
      return query.has('uploadId') ? 'complete' : 'begin';
    case 'DELETE':
      return query.has('uploadId') ? 'abort' : 'delete';
    case 'HEAD':
      return 'head';
    default:
      if (name !== '') return 'get';
      return query.has('uploads') ? 'list-uploads' : 'list';
  }
}
