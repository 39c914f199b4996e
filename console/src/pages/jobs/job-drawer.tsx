/** One job beside the list: its result, why it failed, its facts, and what can be done with it. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { JobDetail } from '../../api/answers.ts';
import { jobQuery } from '../../api/queries.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { formatDuration } from '../../components/format.ts';
import { Icon, type IconName } from '../../components/icon.tsx';
import { Outputs } from '../../components/outputs.tsx';
import { Loaded } from '../../components/page-states.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { StateBadge } from '../../components/state-badge.tsx';
import { isMembers } from '../../form/input-value.ts';
import { CancelButton } from '../job/job-buttons.tsx';
import type { Explorer } from './use-explorer.ts';
import type { Peek } from './use-peek.ts';

/** Stands beside the list on a wide screen and over it on a narrow one. */
export function JobDrawer({ peek, explorer }: { readonly peek: Peek; readonly explorer: Explorer }) {
  const id = peek.id ?? '';
  const query = useQuery(jobQuery(id));
  const drawer = useRef<HTMLElement>(null);
  // Once, when it opens: going on by keys leaves the focus where it is.
  useEffect(() => drawer.current?.focus({ preventScroll: true }), []);
  return (
    <aside ref={drawer} className="drawer card" aria-label="The chosen job" tabIndex={-1}>
      <div className="row drawer-head">
        <StepButton words="Previous job (k)" icon="up" step={peek.step.previous} />
        <StepButton words="Next job (j)" icon="down" step={peek.step.next} />
        <span className="grow" />
        <Link to="/jobs/$jobId" params={{ jobId: id }} className="button slim">
          Open the job
        </Link>
        <button type="button" className="button slim quiet" aria-label="Close (Esc)" onClick={peek.close}>
          ×
        </button>
      </div>
      <Loaded query={query} what="the job">
        {job => <Glance job={job} explorer={explorer} />}
      </Loaded>
    </aside>
  );
}

const StepButton = ({
  words,
  icon,
  step,
}: {
  readonly words: string;
  readonly icon: IconName;
  readonly step: (() => void) | null;
}) => (
  <button
    type="button"
    className="button slim"
    aria-label={words}
    title={words}
    disabled={step === null}
    onClick={() => step?.()}
  >
    <Icon name={icon} />
  </button>
);

function Glance({ job, explorer }: { readonly job: JobDetail; readonly explorer: Explorer }) {
  return (
    <div className="stack drawer-body">
      <div className="row wrap">
        <h2 className="grow anywhere">{job.model}</h2>
        <StateBadge state={job.state} cancel_requested={job.cancel_requested} />
      </div>
      {job.error && (
        <div className={job.error.code === 'cancelled' ? 'notice wait' : 'notice bad'}>
          <strong>{job.error.message.replace(/^Runtime execution failed: /, '')}</strong>{' '}
          <code className="small">{job.error.code}</code>
        </div>
      )}
      {job.outputs.length > 0 && <Outputs key={job.request_id} job={job} />}
      <p className="prompt anywhere">{promptOf(job)}</p>
      <Facts job={job} explorer={explorer} />
      <div className="row wrap">
        <CancelButton job={job} />
        <Link
          to="/play/$model"
          params={{ model: job.model }}
          search={{ from: job.request_id }}
          className="button slim"
        >
          Open in playground
        </Link>
        <CopyButton text={job.request_id} what="the request_id" words="Copy id" />
      </div>
    </div>
  );
}

/** The whole prompt where it stands alone, else its beginning. */
function promptOf({ input, prompt_start }: JobDetail): string {
  const prompt = isMembers(input) ? input.prompt : undefined;
  return typeof prompt === 'string' && prompt.trim() !== '' ? prompt : prompt_start || 'Untitled';
}

/** Each value that a list can be filtered by does so when it is clicked. */
function Facts({ job, explorer: { narrow } }: { readonly job: JobDetail; readonly explorer: Explorer }) {
  const { created_at, started_at, completed_at } = job;
  const filterBy = (words: string, change: Parameters<Explorer['narrow']>[0]) => (
    <button
      type="button"
      className="link-button anywhere"
      title="Filter by it"
      onClick={() => narrow(change)}
    >
      {words}
    </button>
  );
  return (
    <dl className="facts">
      <dt>Created</dt>
      <dd>
        <RelativeTime at={created_at} />
      </dd>
      {started_at !== null && (
        <>
          <dt>Queue · run</dt>
          <dd className="number">
            {formatDuration((started_at - created_at) * 1_000)} ·{' '}
            {completed_at === null ? '…' : formatDuration((completed_at - started_at) * 1_000)}
          </dd>
        </>
      )}
      {job.hold?.charged != null && (
        <>
          <dt>Charged</dt>
          <dd className="number">
            {job.hold.charged} {job.hold.currency}
          </dd>
        </>
      )}
      <dt>User</dt>
      <dd>{filterBy(job.user, { user: job.user })}</dd>
      <dt>Key</dt>
      <dd>{filterBy(job.key.name ?? job.key.hint, { key: job.key.id })}</dd>
      <dt>Project</dt>
      <dd>{filterBy(job.project, { project: job.project })}</dd>
      {job.account !== null && (
        <>
          <dt>Provider</dt>
          <dd>{filterBy(job.account, { account: job.account })}</dd>
        </>
      )}
      {Object.entries(job.tags ?? {}).map(([name, value]) => (
        <Tag key={name}>{filterBy(`${name}=${value}`, { tag: `${name}=${value}` })}</Tag>
      ))}
    </dl>
  );
}

const Tag = ({ children }: { readonly children: React.ReactNode }) => (
  <>
    <dt>Tag</dt>
    <dd>{children}</dd>
  </>
);
