/** The last runs of a model as a strip of thumbnails: a press shows one, and runs can be pinned to be compared. */
import { useQuery } from '@tanstack/react-query';
import { consoleKey } from '../../api/console-user.ts';
import { jobsPage } from '../../api/queries.ts';
import { RunThumbnail } from '../../components/run-thumbnail.tsx';

/** How many runs are shown; the list of the history has more. */
const shownRuns = 12;
/** A strip with unfinished runs is refreshed this often. */
const refreshMs = 2_000;

/** Nothing before the first run. */
export function Filmstrip({
  model,
  jobId,
  show,
  pinned,
  pin,
}: {
  readonly model: string;
  /** The run on the stage. */
  readonly jobId: string | null;
  readonly show: (jobId: string) => void;
  readonly pinned: readonly string[];
  /** Pins a run, or takes it off again. */
  readonly pin: (jobId: string) => void;
}) {
  const { data } = useQuery({
    queryKey: ['history', model, 'strip'],
    // Of the key of the console alone: runs of applications are on the page of jobs.
    queryFn: ({ signal }) => jobsPage({ model, key: consoleKey }, null, signal, shownRuns),
    refetchInterval: query =>
      query.state.data?.data.some(({ completed_at }) => completed_at === null) ? refreshMs : false,
  });
  if (!data || data.data.length === 0) return null;
  return (
    <ul className="filmstrip" aria-label="Last runs">
      {data.data.map(job => (
        <li key={job.request_id} className="film" data-shown={job.request_id === jobId}>
          <button
            type="button"
            className="film-view"
            aria-label={`Show the run ${job.prompt_start || job.request_id}`}
            aria-current={job.request_id === jobId}
            onClick={() => show(job.request_id)}
          >
            <RunThumbnail job={job} />
          </button>
          <button
            type="button"
            className="film-pin"
            aria-pressed={pinned.includes(job.request_id)}
            onClick={() => pin(job.request_id)}
          >
            {pinned.includes(job.request_id) ? 'Pinned' : 'Pin'}
            <span className="visually-hidden"> run {job.prompt_start || job.request_id}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
