import type { ReactNode } from 'react';
import { ApiError } from '../api/call-api.ts';

/** What a list says when there is nothing in it: why, and what to do. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function Loading({ what }: { readonly what: string }) {
  return (
    <p className="empty" role="status">
      <span className="spin" aria-hidden="true" /> Loading {what} …
    </p>
  );
}

export function Failure({ failure, retry }: { readonly failure: unknown; readonly retry?: () => void }) {
  const isForbidden = failure instanceof ApiError && failure.status === 403;
  return (
    <div className="empty" role="alert">
      <h2>{isForbidden ? 'Not for your role' : 'This could not be loaded'}</h2>
      <p>{failure instanceof Error ? failure.message : String(failure)}</p>
      {retry && !isForbidden && (
        <button type="button" className="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

interface QueryState<Data> {
  readonly data: Data | undefined;
  readonly error: unknown;
  readonly refetch: () => unknown;
}

/** What was loaded, or the words for that it was not. What was there before stays while it is query again. */
export function Loaded<Data>({
  query,
  what,
  children,
}: {
  readonly query: QueryState<Data>;
  readonly what: string;
  readonly children: (data: Data) => ReactNode;
}) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <Failure failure={query.error} retry={() => void query.refetch()} />;
  return <Loading what={what} />;
}

export function PageHead({
  title,
  says,
  children,
}: {
  readonly title: string;
  readonly says?: ReactNode;
  readonly children?: ReactNode;
}) {
  return (
    <header className="page-head">
      <div>
        <h1>{title}</h1>
        {says && <p className="soft">{says}</p>}
      </div>
      {children}
    </header>
  );
}
