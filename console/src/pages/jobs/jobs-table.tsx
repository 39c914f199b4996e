/** The table of jobs. */
import { Link } from '@tanstack/react-router';
import type { JobLine } from '../../api/answers.ts';
import { formatDuration, shortId } from '../../components/format.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { StateBadge } from '../../components/state-badge.tsx';
import { TableWrap } from '../../components/table-wrap.tsx';
import { Thumbnail } from '../../components/thumbnail.tsx';

/** Controlled: the selection belongs to the page. */
interface TableProps {
  readonly jobs: readonly JobLine[];
  readonly chosen: ReadonlySet<string>;
  readonly choose: (chosen: ReadonlySet<string>) => void;
}

/** One line a job; `chosen` are request ids. */
export function JobsTable({ jobs, chosen, choose }: TableProps) {
  // Of the lines that are shown; lines of further pages join them once they are loaded.
  const areAll = jobs.every(({ request_id }) => chosen.has(request_id));
  return (
    <TableWrap label="Jobs">
      <table className="lines">
        <thead>
          <tr>
            <th>
              <input
                type="checkbox"
                aria-label="Select all that are shown"
                checked={areAll}
                onChange={() =>
                  choose(areAll ? new Set() : new Set(jobs.map(({ request_id }) => request_id)))
                }
              />
            </th>
            <th>State</th>
            <th>Job</th>
            <th className="wide-only">Key</th>
            <th className="wide-only right">Queue · run</th>
            <th className="right">Age</th>
          </tr>
        </thead>
        <tbody>
          {jobs.map(job => (
            <Line
              key={job.request_id}
              job={job}
              isChosen={chosen.has(job.request_id)}
              toggle={() => choose(toggled(chosen, job.request_id))}
            />
          ))}
        </tbody>
      </table>
    </TableWrap>
  );
}

/** A copy with the id added or removed. */
const toggled = (chosen: ReadonlySet<string>, id: string): ReadonlySet<string> =>
  chosen.has(id) ? new Set([...chosen].filter(other => other !== id)) : new Set([...chosen, id]);

/**
 * The link is the prompt; checkbox and link are the only controls, so that a line is quick to pass by keyboard.
 */
function Line({
  job,
  isChosen,
  toggle,
}: {
  readonly job: JobLine;
  readonly isChosen: boolean;
  readonly toggle: () => void;
}) {
  return (
    <tr>
      <td>
        <input
          type="checkbox"
          aria-label={`Select job ${job.request_id}`}
          checked={isChosen}
          onChange={toggle}
        />
      </td>
      <td>
        <StateBadge state={job.state} cancel_requested={job.cancel_requested} />
      </td>
      <td className="job-cell about">
        <Link to="/jobs/$jobId" params={{ jobId: job.request_id }} className="job-link">
          <Thumbnail job={job} />
          <span className="job-words">
            <span className="cut">{job.prompt_start || 'Untitled'}</span>
            <span className="small soft cut">
              {job.model} · <code>{shortId(job.request_id)}</code>
              {job.external_task_id !== null && (
                <>
                  {' '}
                  · <code>{job.external_task_id}</code>
                </>
              )}
              {job.error && ` · ${job.error.code}`}
            </span>
          </span>
        </Link>
      </td>
      <td className="wide-only">
        <div className="cut key-cell">{job.key.name ?? job.key.hint}</div>
        <div className="small soft cut key-cell">{job.user}</div>
      </td>
      <td className="wide-only right number small nowrap">{timesOf(job)}</td>
      <td className="right small soft nowrap push">
        <RelativeTime at={job.created_at} />
      </td>
    </tr>
  );
}

/** Time in the queue and run time; a dash for a queued job. */
function timesOf({ created_at, started_at, completed_at }: JobLine): string {
  if (started_at === null)
    return completed_at === null ? '–' : formatDuration((completed_at - created_at) * 1_000);
  const queue = formatDuration((started_at - created_at) * 1_000);
  return completed_at === null
    ? `${queue} · …`
    : `${queue} · ${formatDuration((completed_at - started_at) * 1_000)}`;
}
