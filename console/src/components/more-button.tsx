/** The button that loads the next page of a list. */

/** Nothing where the list has no further page. */
export function MoreButton({
  query,
  words,
}: {
  readonly query: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    fetchNextPage(): unknown;
  };
  /** The label, as "Older jobs". */
  readonly words: string;
}) {
  if (!query.hasNextPage) return null;
  return (
    <p className="more">
      <button
        type="button"
        className="button"
        disabled={query.isFetchingNextPage}
        onClick={() => void query.fetchNextPage()}
      >
        {query.isFetchingNextPage ? 'Loading …' : words}
      </button>
    </p>
  );
}
