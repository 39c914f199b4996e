/** Lists that are loaded page by page. */
import { useInfiniteQuery } from '@tanstack/react-query';
import type { Page } from '../api/answers.ts';

/** A list with `fetchNextPage`; `lines` are those of all loaded pages, undefined until the first. */
export function usePages<Whole extends Page<unknown>>(
  key: readonly unknown[],
  loadPage: (after: string | null, signal: AbortSignal) => Promise<Whole>,
  { refetchMs }: { readonly refetchMs?: number | false } = {},
) {
  const pages = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => loadPage(pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: page => (page.has_more ? (page.next_after ?? page.last_id ?? null) : null),
    // Only the first page is refreshed: further pages are history.
    refetchInterval: query => ((query.state.data?.pages.length ?? 0) > 1 ? false : (refetchMs ?? false)),
  });
  return {
    ...pages,
    lines: pages.data?.pages.flatMap((page): readonly Whole['data'][number][] => page.data),
  };
}
