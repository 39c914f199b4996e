/** The filter of the list of jobs: it is in the address, so that a list can be shared and saved. */
import { getRouteApi } from '@tanstack/react-router';
import type { JobFilter } from '../../api/queries.ts';

const route = getRouteApi('/jobs');

/** How the list is shown: as lines, or as a gallery. */
export type View = 'Lines' | 'Gallery';

/** A change of the filter: an empty text removes a member. */
export type FilterChange = { readonly [Name in keyof JobFilter]?: string };

/** The filter with what changes it. */
export interface Explorer {
  readonly filter: JobFilter;
  readonly view: View;
  narrow(change: FilterChange): void;
  /** Replaces the filter as a whole. */
  show(filter: JobFilter): void;
  look(view: View): void;
}

/** Reads the address, and changes it without a new entry in the history. */
export function useExplorer(): Explorer {
  const { view, ...filter } = route.useSearch();
  const navigate = route.useNavigate();
  const go = (next: JobFilter, nextView: string | undefined) => {
    const set = Object.entries({ ...next, view: nextView }).filter(
      ([, value]) => value !== undefined && value !== '',
    );
    void navigate({ search: Object.fromEntries(set), replace: true });
  };
  return {
    filter,
    view: view === 'gallery' ? 'Gallery' : 'Lines',
    narrow: change => go({ ...filter, ...change }, view),
    show: next => go(next, view),
    look: next => go(filter, next === 'Gallery' ? 'gallery' : undefined),
  };
}
