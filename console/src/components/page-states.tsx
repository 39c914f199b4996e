/** What pages share: their heading, and the states loading, failed and empty. */
import type { ReactNode } from 'react';
import { ApiError } from '../api/call-api.ts';

/** An empty list: why it is empty, and what to do. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** `what` completes "Loading … …"; announced by screen readers. */
export function Loading({ what }: { readonly what: string }) {
  return (
    <p className="empty" role="status">
      <span className="spin" aria-hidden="true" /> Loading {what} …
    </p>
  );
}

/** An error of a request, with a button that repeats it; a missing permission has no such button. */
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

/** The part of a query of TanStack Query that `Loaded` shows. */
interface QueryState<Data> {
  readonly data: Data | undefined;
  readonly error: unknown;
  readonly refetch: () => unknown;
}

/** The data of a query, else its error, else that it is loading. Earlier data stay visible during a refresh. */
export function Loaded<Data>({
  query,
  what,
  children,
}: {
  readonly query: QueryState<Data>;
  /** Names the data while they load, as "the job". */
  readonly what: string;
  /** Draws the data. */
  readonly children: (data: Data) => ReactNode;
}) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <Failure failure={query.error} retry={() => void query.refetch()} />;
  return <Loading what={what} />;
}

/** The heading of a page, with its buttons and filters as children. */
export function PageHead({
  title,
  says,
  children,
}: {
  readonly title: string;
  /** A sentence below the title. */
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
