/** Earlier runs of a model in the playground. */
import { useQuery } from '@tanstack/react-query';
import { consoleKey } from '../../api/console-user.ts';
import { jobsPage } from '../../api/queries.ts';
import { Empty, Loaded } from '../../components/page-states.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { StateBadge } from '../../components/state-badge.tsx';

/** How many runs are listed; the page of jobs has all. */
const shown = 20;

/** The newest runs of the console; a click restores input and result. */
export function History({ model, take }: { readonly model: string; readonly take: (jobId: string) => void }) {
  const query = useQuery({
    // Of the key of the console alone: runs of applications are on the page of jobs.
    queryKey: ['history', model],
    queryFn: ({ signal }) => jobsPage({ model, key: consoleKey }, null, signal, shown),
  });
  return (
    <Loaded query={query} what="earlier runs">
      {({ data }) =>
        data.length === 0 ? (
          <Empty title="No runs of this model yet" />
        ) : (
          <ul className="stack tight">
            {data.map(job => (
              <li key={job.request_id}>
                <button type="button" className="history-line" onClick={() => take(job.request_id)}>
                  <StateBadge state={job.state} />
                  <span className="grow cut">{job.prompt_start || job.request_id}</span>
                  <span className="small soft">
                    <RelativeTime at={job.created_at} />
                  </span>
                </button>
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}
