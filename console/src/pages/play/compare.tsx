/** Two to four runs side by side, with what differs between their inputs. */
import { useQueries } from '@tanstack/react-query';
import type { JobDetail } from '../../api/answers.ts';
import { jobQuery } from '../../api/queries.ts';
import { formatDuration } from '../../components/format.ts';
import { Outputs } from '../../components/outputs.tsx';
import { StateBadge } from '../../components/state-badge.tsx';
import { differencesOf } from './differences.ts';

/** In the order in which the runs were pinned or started. */
export function Compare({
  jobIds,
  show,
  close,
}: {
  readonly jobIds: readonly string[];
  /** Puts one of them on the stage. */
  readonly show: (jobId: string) => void;
  readonly close: () => void;
}) {
  const jobs = useQueries({ queries: jobIds.map(id => jobQuery(id)) }).flatMap(({ data }) => data ?? []);
  const differences = differencesOf(jobs.map(({ input }) => input));
  return (
    <div className="stack">
      <div className="row wrap">
        <h2 className="grow">Compare</h2>
        <button type="button" className="button slim" onClick={close}>
          Back to one
        </button>
      </div>
      {jobs.length === 0 && <p className="soft">Loading the runs …</p>}
      {jobs.length > 1 && differences.length === 0 && (
        <p className="small soft">
          The inputs are the same: without a seed, each job is drawn by its own id.
        </p>
      )}
      <div className="compare">
        {jobs.map((job, place) => (
          <section key={job.request_id} className="compare-run" aria-label={`Run ${place + 1}`}>
            <div className="row wrap">
              <StateBadge state={job.state} cancel_requested={job.cancel_requested} />
              <span className="grow small soft number">{durationOf(job)}</span>
              <button type="button" className="button slim" onClick={() => show(job.request_id)}>
                Show
              </button>
            </div>
            <dl className="differences">
              {differences.map(({ path, values }) => (
                <div key={path} className="small">
                  <dt className="soft">{path}</dt>
                  <dd className="anywhere">{values[place]}</dd>
                </div>
              ))}
            </dl>
            {job.error && <p className="fault small">{job.error.message}</p>}
            <Outputs job={job} isStage />
          </section>
        ))}
      </div>
    </div>
  );
}

/** Of the run alone, without its time in the queue; empty while it runs. */
const durationOf = ({ started_at, completed_at }: JobDetail): string =>
  started_at === null || completed_at === null ? '' : formatDuration((completed_at - started_at) * 1_000);
