/** The table of jobs. */
import { Link } from '@tanstack/react-router';
import type { JobLine } from '../../api/answers.ts';
import { formatDuration, shortId } from '../../components/format.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { StateBadge } from '../../components/state-badge.tsx';
import { TableWrap } from '../../components/table-wrap.tsx';
import { Thumbnail } from '../../components/thumbnail.tsx';
import { lineId, type Peek } from './use-peek.ts';

/** Controlled: the selection belongs to the page. */
interface TableProps {
  readonly jobs: readonly JobLine[];
  readonly chosen: ReadonlySet<string>;
  readonly choose: (chosen: ReadonlySet<string>) => void;
  readonly peek: Peek;
}

/** One line a job; `chosen` are request ids. */
export function JobsTable({ jobs, chosen, choose, peek }: TableProps) {
  const isCharged = jobs.some(({ charged }) => charged !== null);
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
            {isCharged && <th className="wide-only right">Charged</th>}
            <th className="right">Age</th>
            <th>
              <span className="visually-hidden">Peek</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {jobs.map(job => (
            <Line
              key={job.request_id}
              job={job}
              isChosen={chosen.has(job.request_id)}
              toggle={() => choose(toggled(chosen, job.request_id))}
              isCharged={isCharged}
              peek={peek}
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
 * The link is the prompt and leads to the job's page; the button at the end shows the job beside the list.
 */
function Line({
  job,
  isChosen,
  toggle,
  isCharged,
  peek,
}: {
  readonly job: JobLine;
  readonly isChosen: boolean;
  readonly toggle: () => void;
  /** Whether the table has a column of amounts. */
  readonly isCharged: boolean;
  readonly peek: Peek;
}) {
  const isShown = peek.id === job.request_id;
  return (
    <tr id={lineId(job.request_id)} className={isShown ? 'shown' : undefined}>
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
      {isCharged && (
        <td className="wide-only right number small nowrap">
          {job.charged === null ? '–' : `${job.charged.amount} ${job.charged.currency}`}
        </td>
      )}
      <td className="right small soft nowrap push">
        <RelativeTime at={job.created_at} />
      </td>
      <td>
        <button
          type="button"
          className="button slim quiet peek-button"
          aria-label={`Peek at job ${job.request_id}`}
          title="Show beside the list (j, k)"
          aria-expanded={isShown}
          onClick={() => (isShown ? peek.close() : peek.open(job.request_id))}
        >
          ›
        </button>
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
