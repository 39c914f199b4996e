import { useInfiniteQuery } from '@tanstack/react-query';
import type { Page } from '../api/shapes.ts';

/** A list that is asked for a page at a time: the next one only when somebody wants it. */
export function usePages<Line>(
  key: readonly unknown[],
  ask: (after: string | null, signal: AbortSignal) => Promise<Page<Line>>,
  { refetchMs }: { readonly refetchMs?: number | false } = {},
) {
  const asked = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => ask(pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: page => (page.has_more ? (page.next_after ?? page.last_id ?? null) : null),
    // More than one page is history: it is not asked for again and again.
    refetchInterval: query => ((query.state.data?.pages.length ?? 0) > 1 ? false : (refetchMs ?? false)),
  });
  return { ...asked, lines: asked.data?.pages.flatMap(page => page.data) };
}
