/** One run while it is queued, while it runs, and when it has ended. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { Account, JobDetail } from '../../api/answers.ts';
import { jobQuery, providersQuery } from '../../api/queries.ts';
import { formatClock, formatDuration } from '../../components/format.ts';
import { Outputs } from '../../components/outputs.tsx';
import { Empty, Loaded } from '../../components/page-states.tsx';
import { useNow } from '../../components/relative-time.tsx';
import { StateBadge } from '../../components/state-badge.tsx';
import { CancelButton, FinalButton } from '../job/job-buttons.tsx';

/** `jobId` is null before the first run. */
export function RunView({ jobId }: { readonly jobId: string | null }) {
  if (jobId === null)
    return (
      <Empty title="Nothing run yet">
        <p>Fill in the form and press Run. Greyed values are defaults and are not sent.</p>
      </Empty>
    );
  return <Shown jobId={jobId} />;
}

/** Refreshed until the job has ended; the query knows when. */
function Shown({ jobId }: { readonly jobId: string }) {
  const query = useQuery(jobQuery(jobId));
  return (
    <Loaded query={query} what="the job">
      {job => <RunStatus job={job} />}
    </Loaded>
  );
}

/** State, progress, failure and outputs; changes are announced to screen readers. */
function RunStatus({ job }: { readonly job: JobDetail }) {
  useTitle(job);
  return (
    <div className="stack" aria-live="polite">
      <div className="row wrap">
        <StateBadge state={job.state} cancel_requested={job.cancel_requested} />
        <Clock job={job} />
        <span className="grow" />
        <CancelButton job={job} />
        <FinalButton job={job} />
        <Link to="/jobs/$jobId" params={{ jobId: job.request_id }} className="button slim">
          Open the job
        </Link>
      </div>
      {job.progress !== null && job.completed_at === null && (
        <progress className="progress" value={job.progress} max={1} aria-label="Progress" />
      )}
      {job.state === 'available' && <UnavailableProviders model={job.model} />}
      {job.error && <JobFailure error={job.error} />}
      <Outputs job={job} />
    </div>
  );
}

/** Why a queued job does not start: no account of its model takes jobs now. Nothing where one does. */
function UnavailableProviders({ model }: { readonly model: string }) {
  const { data } = useQuery(providersQuery);
  const accounts = (data?.data ?? []).filter(({ models }) => models.includes(model));
  const isClosed = ({ paused, blocked_until }: Account) => paused || blocked_until !== null;
  if (accounts.length === 0 || !accounts.every(isClosed)) return null;
  return (
    <div className="notice wait">
      <strong>It waits for a provider.</strong>
      <ul>
        {accounts.map(({ account, paused, blocked_why }) => (
          <li key={account} className="small">
            {account}: {paused ? 'paused' : (blocked_why ?? 'unavailable')}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** What to do about a failed job, by its code. */
const adviceOf: Readonly<Record<string, string>> = {
  runtime_error: 'Retry it once. If it fails again, change the input.',
  invalid_input: 'Change the input: the upstream refused it after it was accepted here.',
  file_download_error:
    'Check that the addresses in the input can be opened without a login, or upload the files.',
  file_invalid: 'Use another file: this one could not be read.',
  content_policy_violation:
    'Change the prompt or the media: the moderation refused them. Retrying does not help.',
  provider_unavailable: 'Retry it later, and look at the account under Providers.',
  submission_uncertain:
    'It may have been charged. Look it up at the upstream, then resolve it: atelier uncertain list',
  expired:
    'Retry it with a later deadline, or look at the queue: it ended before a provider took it or was done.',
  response_too_large: 'Ask for the sound as a URL instead of text.',
  internal_error: 'This is a fault of the gateway: its log has the cause under this request_id.',
};

/** Why a job failed: the sentence, the code, and what the upstream answered. */
export function JobFailure({ error }: { readonly error: NonNullable<JobDetail['error']> }) {
  return (
    <div className={error.code === 'cancelled' ? 'notice wait' : 'notice bad'} role="alert">
      <strong>{error.message.replace(/^Runtime execution failed: /, '')}</strong>
      <p className="small">
        <code>{error.code}</code>
        {error.retryable && ' · retryable'}
        {error.provider && ` · upstream: ${error.provider.code} ${error.provider.message}`}
      </p>
      {adviceOf[error.code] !== undefined && <p className="small">{adviceOf[error.code]}</p>}
    </div>
  );
}

/** The time in the queue or of the run so far; the total once it has ended. */
function Clock({ job }: { readonly job: JobDetail }) {
  // Twice a second, so that no second is skipped.
  const now = useNow(500);
  const { state, created_at, started_at, completed_at, queue_position } = job;
  if (state === 'available') {
    const place =
      queue_position === null
        ? ''
        : queue_position === 0
          ? 'next in queue · '
          : `${queue_position} ahead of it · `;
    return <span className="soft number">{`${place}${formatClock(now - created_at * 1_000)}`}</span>;
  }
  if (completed_at === null)
    return <span className="soft number">{formatClock(now - (started_at ?? created_at) * 1_000)}</span>;
  return (
    <span className="soft number">{formatDuration((completed_at - (started_at ?? created_at)) * 1_000)}</span>
  );
}

/** The title of the tab shows the state, for a tab in the background. */
function useTitle({ state, model }: JobDetail): void {
  useEffect(() => {
    const words = {
      available: 'Queued',
      running: 'Running',
      completed: 'Done',
      failed: 'Failed',
      cancelled: 'Cancelled',
    };
    document.title = `${words[state]} · ${model} · Atelier`;
    return () => {
      document.title = 'Atelier';
    };
  }, [state, model]);
}
