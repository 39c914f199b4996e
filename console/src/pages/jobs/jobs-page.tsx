/** The page of jobs: a filtered list that refreshes itself. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { jobsPage, modelsQuery } from '../../api/queries.ts';
import { exactTime } from '../../components/format.ts';
import { MoreButton } from '../../components/more-button.tsx';
import { Empty, Failure, Loading, PageHead } from '../../components/page-states.tsx';
import { usePages } from '../../components/use-pages.ts';
import { CancelMany } from './cancel-many.tsx';
import { JobsTable } from './jobs-table.tsx';
import { SelectionBar } from './selection-bar.tsx';

/** State, model, key and search are in the address, so that a list can be shared. */
const route = getRouteApi('/jobs');
/** How often the list is read again while its page is visible. */
const liveMs = 3_000;

/**
 * Values of the filter and their words. `unfinished` and `problem` stand for two states each; empty is no filter.
 */
const stateWords = [
  ['', 'Every state'],
  ['unfinished', 'Queued or running'],
  ['available', 'Queued'],
  ['running', 'Running'],
  ['completed', 'Completed'],
  ['problem', 'Failed or cancelled'],
  ['failed', 'Failed'],
  ['cancelled', 'Cancelled'],
] as const;

/** Jobs of every user. The filter is in the address, and the list stands still under the pointer. */
export function JobsPage() {
  const filter = route.useSearch();
  const [isPaused, setPaused] = useState(false);
  // Ids and not lines: a line is replaced at each refresh.
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const query = usePages(['jobs', filter], (after, signal) => jobsPage(filter, after, signal), {
    // A line must not move from under the pointer.
    refetchMs: isPaused ? false : liveMs,
  });
  // Undefined until the first page is there.
  const { lines } = query;
  return (
    <>
      <PageHead title="Jobs" says={<AsOf at={query.dataUpdatedAt} isPaused={isPaused} />}>
        <CancelMany filter={filter} />
      </PageHead>
      <Filters />
      <SelectionBar
        jobs={(lines ?? []).filter(({ request_id }) => chosen.has(request_id))}
        clear={() => setChosen(new Set())}
      />
      {query.error && !lines && <Failure failure={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <Loading what="jobs" />}
      {lines && lines.length === 0 && <NoJobs isNarrowed={Object.keys(filter).length > 0} />}
      {lines && lines.length > 0 && (
        <div onPointerEnter={() => setPaused(true)} onPointerLeave={() => setPaused(false)}>
          <JobsTable jobs={lines} chosen={chosen} choose={setChosen} />
        </div>
      )}
      <MoreButton query={query} words={lines?.length === 0 ? 'Search further back' : 'Older jobs'} />
    </>
  );
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

/** A filter covers the newest jobs only, so an empty result may have more behind it. */
const NoJobs = ({ isNarrowed }: { readonly isNarrowed: boolean }) =>
  isNarrowed ? (
    <Empty title="No job fits">
      <p>None of the newest jobs matches. Remove a filter, or search further back.</p>
    </Empty>
  ) : (
    <Empty title="No jobs yet">
      <p>Run a model in the playground, or create a job with a key.</p>
    </Empty>
  );

/** Changes the address, from which the page reads its filter. */
function Filters() {
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  const models = useQuery(modelsQuery).data?.data ?? [];
  // Sent with Enter and not at each letter, because a search by id reads several indexes.
  const [words, setWords] = useState(filter.q ?? '');
  const narrow = (change: Partial<Record<'state' | 'model' | 'key' | 'q', string>>) =>
    void navigate({
      search: before =>
        Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, value]) => value !== '')),
      replace: true,
    });
  return (
    <form
      className="filters"
      onSubmit={event => {
        event.preventDefault();
        narrow({ q: words.trim() });
      }}
    >
      <input
        className="input grow wide-find"
        type="search"
        aria-label="Any id: request_id, external_task_id, file, key"
        placeholder="Any id: request_id, external_task_id, file_…, a key"
        value={words}
        onChange={event => {
          setWords(event.target.value);
          if (event.target.value === '') narrow({ q: '' });
        }}
      />
      <select
        className="input"
        aria-label="State"
        value={filter.state ?? ''}
        onChange={event => narrow({ state: event.target.value })}
      >
        {stateWords.map(([state, says]) => (
          <option key={state} value={state}>
            {says}
          </option>
        ))}
      </select>
      <select
        className="input"
        aria-label="Model"
        value={filter.model ?? ''}
        onChange={event => narrow({ model: event.target.value })}
      >
        <option value="">Every model</option>
        {models.map(({ id }) => (
          <option key={id}>{id}</option>
        ))}
      </select>
      {filter.key !== undefined && (
        <button type="button" className="chip" aria-pressed="true" onClick={() => narrow({ key: '' })}>
          Key {filter.key} ×
        </button>
      )}
    </form>
  );
}
