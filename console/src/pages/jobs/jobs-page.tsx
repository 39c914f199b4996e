/** The page of jobs: search, filters, saved views, a table or a gallery, and one job beside the list. */
import { useEffect, useState } from 'react';
import { gatewayRoot } from '../../api/call-api.ts';
import { type JobFilter, jobsCsvPath, jobsPage } from '../../api/queries.ts';
import { exactTime } from '../../components/format.ts';
import { MoreButton } from '../../components/more-button.tsx';
import { Empty, Failure, Loading, PageHead } from '../../components/page-states.tsx';
import { Switcher } from '../../components/switcher.tsx';
import { usePages } from '../../components/use-pages.ts';
import { CancelMany } from './cancel-many.tsx';
import { JobDrawer } from './job-drawer.tsx';
import { JobFilters } from './job-filters.tsx';
import { JobsGallery } from './jobs-gallery.tsx';
import { JobsTable } from './jobs-table.tsx';
import { SavedViews } from './saved-views.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { useExplorer } from './use-explorer.ts';
import { usePeek } from './use-peek.ts';

/** How often the list is read again while its page is visible. */
const liveMs = 3_000;
/** A search that found little goes on by itself, so many pages. */
const fewLines = 10;
const mostPages = 8;

/** Jobs of every user. The filter is in the address, and the list stands still under the pointer. */
export function JobsPage() {
  const explorer = useExplorer();
  const { filter, view } = explorer;
  const [isPaused, setPaused] = useState(false);
  // Ids and not lines: a line is replaced at each refresh.
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const query = useJobs(filter, isPaused);
  // Undefined until the first page is there.
  const { lines } = query;
  const peek = usePeek(lines ?? []);
  return (
    <>
      <PageHead title="Jobs" says={<AsOf at={query.dataUpdatedAt} isPaused={isPaused} />}>
        <Switcher label="Show as" options={['Lines', 'Gallery']} value={view} choose={explorer.look} />
        <a className="button" download href={new URL(`admin/v1/${jobsCsvPath(filter)}`, gatewayRoot).href}>
          CSV
        </a>
        <CancelMany filter={filter} />
      </PageHead>
      <SavedViews explorer={explorer} />
      <JobFilters explorer={explorer} />
      <SelectionBar
        jobs={(lines ?? []).filter(({ request_id }) => chosen.has(request_id))}
        clear={() => setChosen(new Set())}
      />
      {query.isIndexing && filter.q !== undefined && (
        <p className="notice">
          Older jobs are being indexed: a search by words does not find all of them yet.
        </p>
      )}
      {query.error && !lines && <Failure failure={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <Loading what="jobs" />}
      <div className={peek.id === null ? 'explorer' : 'explorer peeking'}>
        <div>
          {lines && lines.length === 0 && (
            <NoJobs isNarrowed={Object.keys(filter).length > 0} hasMore={query.hasNextPage} />
          )}
          {lines && lines.length > 0 && (
            <div onPointerEnter={() => setPaused(true)} onPointerLeave={() => setPaused(false)}>
              {view === 'Gallery' ? (
                <JobsGallery jobs={lines} peek={peek} />
              ) : (
                <JobsTable jobs={lines} chosen={chosen} choose={setChosen} peek={peek} />
              )}
            </div>
          )}
          <MoreButton query={query} words={lines?.length === 0 ? 'Search further back' : 'More jobs'} />
        </div>
        {peek.id !== null && <JobDrawer peek={peek} explorer={explorer} />}
      </div>
    </>
  );
}

/** The pages of the list. A rare match may be far back: the search goes on until there is something to show. */
function useJobs(filter: JobFilter, isPaused: boolean) {
  const query = usePages(['jobs', filter], (after, signal) => jobsPage(filter, after, signal), {
    // A line must not move from under the pointer, and a search by words stays as it is.
    refetchMs: isPaused || filter.q !== undefined ? false : liveMs,
  });
  const { lines, hasNextPage, isFetching, fetchNextPage, data } = query;
  const pages = data?.pages ?? [];
  const goesOn =
    hasNextPage &&
    !isFetching &&
    (lines?.length ?? 0) < fewLines &&
    pages.length > 0 &&
    pages.length < mostPages;
  useEffect(() => {
    if (goesOn) void fetchNextPage();
  }, [goesOn, fetchNextPage]);
  return { ...query, isIndexing: pages[0]?.indexing === true };
}

/** The time of the last refresh, and whether it is paused. */
function AsOf({ at, isPaused }: { readonly at: number; readonly isPaused: boolean }) {
  if (at === 0) return null;
  return (
    <span title={exactTime(at / 1_000)}>
      As of {new Date(at).toLocaleTimeString()}
      {isPaused && ', paused while you point at the list'}
    </span>
  );
}

/** A search is bounded, so an empty result may have more behind it. */
const NoJobs = ({ isNarrowed, hasMore }: { readonly isNarrowed: boolean; readonly hasMore: boolean }) =>
  isNarrowed ? (
    <Empty title="No job fits">
      <p>
        {hasMore
          ? 'None of the jobs searched so far matches. Remove a filter, or search further back.'
          : 'Remove a filter or a word. Words are found by their beginning, from five letters on.'}
      </p>
    </Empty>
  ) : (
    <Empty title="No jobs yet">
      <p>Run a model in the playground, or create a job with a key.</p>
    </Empty>
  );
