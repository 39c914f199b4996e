/** The page of one job: timeline, events, callbacks, result, bodies and usage. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { JobDetail } from '../../api/answers.ts';
import { toJson } from '../../api/lossless-json.ts';
import { jobQuery } from '../../api/queries.ts';
import { Code } from '../../components/code.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { formatCost } from '../../components/format.ts';
import { Outputs } from '../../components/outputs.tsx';
import { Loaded } from '../../components/page-states.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { StateBadge } from '../../components/state-badge.tsx';
import { Switcher } from '../../components/switcher.tsx';
import { RequestCode } from '../play/request-code.tsx';
import { JobFailure } from '../play/run-view.tsx';
import { Attempts } from './attempts.tsx';
import { Events } from './events.tsx';
import { AgainButton, CancelButton, FinalButton } from './job-buttons.tsx';
import { JobCallbacks } from './job-callbacks.tsx';
import { Lineage } from './lineage.tsx';
import { Timeline } from './timeline.tsx';

const route = getRouteApi('/jobs/$jobId');

/** Refreshed until the job and its callbacks have ended. */
export function JobPage() {
  const { jobId } = route.useParams();
  const query = useQuery(jobQuery(jobId));
  return (
    <Loaded query={query} what="the job">
      {job => <Job job={job} />}
    </Loaded>
  );
}

/** Two columns on a wide screen: what happened, and what came of it. */
function Job({ job }: { readonly job: JobDetail }) {
  return (
    <div className="stack">
      <Head job={job} />
      {job.error && <JobFailure error={job.error} attempts={job.attempts} />}
      <Lineage jobId={job.request_id} />
      <div className="job-columns">
        <div className="stack">
          <Timeline job={job} />
          <Attempts attempts={job.attempts} />
          <Events job={job} />
          <JobCallbacks job={job} />
        </div>
        <div className="stack">
          {job.outputs.length > 0 && (
            <section className="card">
              <h2>Result</h2>
              <Outputs job={job} />
            </section>
          )}
          <Bodies job={job} />
          <Usage job={job} />
          <Hold job={job} />
        </div>
      </div>
    </div>
  );
}

/** Model, state, buttons and ids. */
function Head({ job }: { readonly job: JobDetail }) {
  return (
    <header className="card stack tight">
      <div className="row wrap">
        <h1 className="anywhere">{job.model}</h1>
        <StateBadge state={job.state} cancel_requested={job.cancel_requested} />
        <span className="grow" />
        <CancelButton job={job} />
        <FinalButton job={job} />
        <Link
          to="/play/$model"
          params={{ model: job.model }}
          search={{ from: job.request_id }}
          className="button"
        >
          Open in playground
        </Link>
        <AgainButton job={job} />
      </div>
      <div className="row wrap small">
        <code>{job.request_id}</code>
        <CopyButton text={job.request_id} what="the request_id" />
        <CopyButton text={toJson(job, 2)} what="everything known of the job" words="Copy as a report" />
      </div>
      <p className="soft">
        key{' '}
        <Link to="/jobs" search={{ key: job.key.id }}>
          {job.key.name ?? job.key.hint}
        </Link>{' '}
        · user {job.user}
        {job.account !== null && ` · account ${job.account}`}
        {job.external_task_id !== null && (
          <>
            {' '}
            · external_task_id <code>{job.external_task_id}</code>
          </>
        )}{' '}
        · created <RelativeTime at={job.created_at} />
        {job.queue_position !== null && ` · ${job.queue_position} ahead of it`}
        {job.completed_at === null && (
          <>
            {' '}
            · expires <RelativeTime at={job.expires_at} />
          </>
        )}
      </p>
    </header>
  );
}

/** The body as it was sent, as it was answered, or as code that sends it again. */
const views = ['Input', 'Result', 'Request'] as const;

/** The input, the result, or the request as code. */
function Bodies({ job }: { readonly job: JobDetail }) {
  const [view, setView] = useState<(typeof views)[number]>('Input');
  // Keeps integers beyond 2^53 as they were sent, which `JSON.stringify` would round.
  const text = toJson(view === 'Result' ? job.result : job.input, 2);
  return (
    <section className="card stack tight" aria-label="Bodies">
      <div className="row wrap">
        <Switcher label="Which body" options={views} value={view} choose={setView} />
        <span className="grow" />
        {view !== 'Request' && <CopyButton text={text} what={`the ${view.toLowerCase()}`} />}
      </div>
      {view === 'Request' ? (
        <RequestCode model={job.model} input={job.input} />
      ) : view === 'Result' && job.result === null ? (
        <p className="soft">
          {job.completed_at === null
            ? 'There is no result before the job ends.'
            : 'The result contains the sound as text; download the file above.'}
        </p>
      ) : (
        <Code text={text} label={view} />
      )}
    </section>
  );
}

/** Units whose names are no words; every other is written with an s. */
const unitWords: Readonly<Record<string, string>> = { gpu_second: 'GPU seconds' };

/** Units of work as the upstream reported them or as they were computed here, and the cost. */
function Usage({ job }: { readonly job: JobDetail }) {
  if (job.usage.length === 0) return null;
  return (
    <section className="card">
      <h2>Used</h2>
      <dl className="facts">
        {job.usage.map(({ unit, quantity, basis }) => (
          <div key={`${unit} ${basis}`} className="facts-line">
            <dt>{unitWords[unit] ?? `${unit}s`}</dt>
            <dd className="number">
              {Number(quantity.toFixed(3))}{' '}
              <span className="soft small">
                {basis === 'reported' ? 'reported by the upstream' : 'computed here'}
              </span>
            </dd>
          </div>
        ))}
        {job.cost && (
          <div className="facts-line">
            <dt>Cost</dt>
            <dd className="number">
              {formatCost(job.cost)} <span className="soft small">by your prices</span>
            </dd>
          </div>
        )}
      </dl>
    </section>
  );
}

/** What each state of a hold means to the account that pays. */
const holdWords = {
  open: 'held until the job ends',
  uncertain: 'held until its submission is resolved',
  settled: 'charged',
  released: 'released, nothing was charged',
} as const;

/** What the job may cost at most, and what it was charged. */
function Hold({ job: { hold } }: { readonly job: JobDetail }) {
  if (hold === null) return null;
  return (
    <section className="card">
      <h2>Budget</h2>
      <dl className="facts">
        <div className="facts-line">
          <dt>Held</dt>
          <dd className="number">
            {hold.amount} {hold.currency} <span className="soft small">at most</span>
          </dd>
        </div>
        <div className="facts-line">
          <dt>Charged</dt>
          <dd className="number">
            {hold.charged ?? '–'} <span className="soft small">{holdWords[hold.state]}</span>
          </dd>
        </div>
        <div className="facts-line">
          <dt>Prices</dt>
          <dd>
            <code>{hold.price_version}</code>
          </dd>
        </div>
      </dl>
    </section>
  );
}
