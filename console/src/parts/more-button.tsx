/** At the end of a list that goes on. */
export function MoreButton({
  asked,
  words,
}: {
  readonly asked: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    fetchNextPage(): unknown;
  };
  readonly words: string;
}) {
  if (!asked.hasNextPage) return null;
  return (
    <p className="more">
      <button
        type="button"
        className="button"
        disabled={asked.isFetchingNextPage}
        onClick={() => void asked.fetchNextPage()}
      >
        {asked.isFetchingNextPage ? 'Loading …' : words}
      </button>
    </p>
  );
}
