import { useInfiniteQuery } from '@tanstack/react-query';
import type { Page } from '../api/answers.ts';

/** A list that is query for a page at a time: the next one only when somebody wants it. */
export function usePages<Line>(
  key: readonly unknown[],
  loadPage: (after: string | null, signal: AbortSignal) => Promise<Page<Line>>,
  { refetchMs }: { readonly refetchMs?: number | false } = {},
) {
  const pages = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => loadPage(pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: page => (page.has_more ? (page.next_after ?? page.last_id ?? null) : null),
    // More than one page is history: it is not query for again and again.
    refetchInterval: query => ((query.state.data?.pages.length ?? 0) > 1 ? false : (refetchMs ?? false)),
  });
  return { ...pages, lines: pages.data?.pages.flatMap(page => page.data) };
}
