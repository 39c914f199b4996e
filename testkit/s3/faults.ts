/** The calls of the S3 protocol that tests distinguish, and the faults that can meet them. */

/** A call by its effect. */
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

/** One call as it was received. */
export interface Call {
  readonly operation: Operation;
  /** The object's name; empty for calls about the bucket. */
  readonly name: string;
  /** The header `Range`, where there is one. */
  readonly range: string | undefined;
}

/** What happens to a call. */
export type Fault =
  /** It is refused, with this code in the body. */
  | { readonly kind: 'refuse'; readonly status: number; readonly code: string }
  /** Status 200 with this body in place of the true answer. */
  | { readonly kind: 'answer'; readonly xml: string }
  /** The connection is reset before anything is done. */
  | { readonly kind: 'reset' }
  /** It is carried out, and the connection is reset before the answer. */
  | { readonly kind: 'lose' }
  /** No answer, on an open connection. */
  | { readonly kind: 'hang' }
  /** The connection is reset after so many bytes of the answer's body. */
  | { readonly kind: 'cut'; readonly bytes: number }
  /** One byte of the request's body is changed. */
  | { readonly kind: 'corrupt' }
  /** The last byte is lost on the server's disk, and the answer is a success. */
  | { readonly kind: 'shorten' };

/** Called for each call; null lets it pass. */
export type Script = (call: Call) => Fault | null;

export const serviceUnavailable: Fault = { kind: 'refuse', status: 503, code: 'ServiceUnavailable' };
/** The SDK waits longer before it retries. */
export const slowDown: Fault = { kind: 'refuse', status: 503, code: 'SlowDown' };

/** The call of a request in path style, `/bucket/name`. */
export function callOf(method: string, url: URL, range: string | undefined): Call {
  const [, name = ''] = /^\/[^/]+\/(.*)$/.exec(url.pathname) ?? [];
  return { operation: operationOf(method, url.searchParams, name), name, range };
}

/** S3 distinguishes calls by method and by the presence of `uploadId` and `uploads` in the query. */
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
