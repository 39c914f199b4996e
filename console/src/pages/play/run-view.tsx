/** One run while it is queued, while it runs, and when it has ended. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import type { Account, JobDetail } from '../../api/answers.ts';
import { jobQuery, modelsQuery, providersQuery } from '../../api/queries.ts';
import { formatClock, formatDuration } from '../../components/format.ts';
import { Outputs } from '../../components/outputs.tsx';
import { Loaded } from '../../components/page-states.tsx';
import { useNow } from '../../components/relative-time.tsx';
import { StateBadge } from '../../components/state-badge.tsx';
import { roughDuration } from '../../components/usual.ts';
import { CancelButton, FinalButton } from '../job/job-buttons.tsx';
import { NoticeButton } from './notice-button.tsx';

/** Refreshed until the job has ended; the query knows when. `actions` is what can be done with the run that is shown. */
export function RunView({
  jobId,
  actions,
}: {
  readonly jobId: string;
  readonly actions?: (job: JobDetail) => ReactNode;
}) {
  // Also while the tab is hidden: its title and its notice say when the run ends.
  const query = useQuery({ ...jobQuery(jobId), refetchIntervalInBackground: true });
  return (
    <Loaded query={query} what="the job">
      {job => <RunStatus job={job}>{actions?.(job)}</RunStatus>}
    </Loaded>
  );
}

/** State, progress, failure and outputs; changes are announced to screen readers. */
function RunStatus({ job, children }: { readonly job: JobDetail; readonly children: ReactNode }) {
  useTitle(job);
  useFirstMedian(job);
  return (
    <div className="stack" aria-live="polite">
      <div className="row wrap">
        <StateBadge state={job.state} cancel_requested={job.cancel_requested} />
        <Clock job={job} />
        {isDrawnLocally(job) && (
          <span className="badge" title="Procedural, not an AI model: see docs/local-engine.md">
            drawn by the local engine
          </span>
        )}
        <span className="grow" />
        <NoticeButton job={job} />
        <CancelButton job={job} />
        <FinalButton job={job} />
        <Link to="/jobs/$jobId" params={{ jobId: job.request_id }} className="button slim">
          Open the job
        </Link>
      </div>
      {job.completed_at === null && <Progress job={job} />}
      {job.state === 'available' && <UnavailableProviders model={job.model} />}
      {job.error && <JobFailure error={job.error} attempts={job.attempts} />}
      <Outputs job={job} isStage />
      {children}
    </div>
  );
}

/** After the first run of a model there is a median: the list of models is loaded again for it, once. */
function useFirstMedian({ model, state }: JobDetail): void {
  const queries = useQueryClient();
  useEffect(() => {
    const models = queries.getQueryData(modelsQuery.queryKey)?.data;
    if (state !== 'completed' || models?.find(({ id }) => id === model)?.run_ms !== null) return;
    void queries.invalidateQueries({ queryKey: modelsQuery.queryKey, exact: true });
  }, [model, queries, state]);
}

/** The name of the provider that renders on this machine. */
const localProvider = 'local';

/** Whether the result is of the local engine, as its attempts say. */
const isDrawnLocally = ({ state, attempts }: JobDetail): boolean =>
  state === 'completed' && attempts.at(-1)?.provider === localProvider;

/** A bar never looks full before the end. */
const mostExpected = 0.95;

/** The progress that the provider reports, else the time so far as a part of what the model usually takes. */
function Progress({ job: { model, progress, started_at, state } }: { readonly job: JobDetail }) {
  const now = useNow(500);
  const usual = useQuery(modelsQuery).data?.data.find(({ id }) => id === model)?.run_ms?.p50;
  const ranMs = started_at === null ? 0 : now - started_at * 1_000;
  const expected = usual === undefined ? null : Math.min(mostExpected, ranMs / usual);
  const value = progress ?? (state === 'running' ? expected : null);
  return (
    <div className="stack tight">
      <progress className="progress" value={value ?? undefined} max={1} aria-label="Progress" />
      <p className="small soft number">
        {progress !== null && `${Math.round(progress * 100)} %`}
        {progress !== null && usual !== undefined && ' · '}
        {usual !== undefined && `usually ${roughDuration(usual)}`}
        {usual !== undefined && ranMs > 2 * usual && ', longer than usual'}
      </p>
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

/** Why a job failed: the sentence, the code, what the upstream answered, and what to do about it. */
export function JobFailure({
  error,
  attempts,
}: Pick<JobDetail, 'attempts'> & { readonly error: NonNullable<JobDetail['error']> }) {
  const last = attempts.at(-1)?.error;
  // The settings are the cause: neither another try nor another input helps.
  const advice = last?.code === 'result_address_refused' ? last.message : adviceOf[error.code];
  return (
    <div className={error.code === 'cancelled' ? 'notice wait' : 'notice bad'} role="alert">
      <strong>{error.message.replace(/^Runtime execution failed: /, '')}</strong>
      <p className="small">
        <code>{error.code}</code>
        {error.retryable && ' · retryable'}
        {error.provider && ` · upstream: ${error.provider.code} ${error.provider.message}`}
      </p>
      {advice !== undefined && <p className="small">{advice}</p>}
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
