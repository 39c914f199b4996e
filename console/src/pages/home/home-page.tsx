/** The home page: the queue now, what needs attention, and the newest results. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Overview } from '../../api/answers.ts';
import { overviewQuery } from '../../api/queries.ts';
import { counted } from '../../components/format.ts';
import { Loaded, PageHead } from '../../components/page-states.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { FirstSteps } from './first-steps.tsx';
import { LastDay } from './last-day.tsx';
import { NewestResults } from './newest-results.tsx';

/** One request every three seconds, for all of it. */
export function HomePage() {
  // Everything on this page comes from one answer, so that its figures agree.
  const query = useQuery(overviewQuery);
  return (
    <>
      <PageHead title="Home">
        <Link to="/play" className="button main">
          Create
        </Link>
      </PageHead>
      <Loaded query={query} what="the queue">
        {overview => (
          <div className="stack">
            <Attention overview={overview} />
            <Figures overview={overview} />
            <FirstSteps overview={overview} />
            <LastDay day={overview.last_day} />
            <div className="home-columns">
              <NewestResults jobs={overview.results} />
              <div className="stack">
                <Failures overview={overview} />
                <Accounts overview={overview} />
              </div>
            </div>
          </div>
        )}
      </Loaded>
    </>
  );
}

/** What an operator has to act on; nothing where all is well. */
function Attention({ overview }: { readonly overview: Overview }) {
  return (
    <>
      {overview.not_ready !== null && (
        <p className="notice bad" role="alert">
          Not ready: {overview.not_ready}.
        </p>
      )}
      {overview.settings_faults.length > 0 && (
        <div className="notice bad" role="alert">
          <strong>The settings were not reloaded; those of before are in use.</strong>
          <ul>
            {overview.settings_faults.map(fault => (
              <li key={fault} className="small anywhere">
                {fault}
              </li>
            ))}
          </ul>
        </div>
      )}
      {overview.accounts
        .filter(({ blocked_until }) => blocked_until !== null)
        .map(({ account, blocked_why }) => (
          <p key={account} className="notice wait">
            Provider {account} is unavailable{blocked_why !== null && `: ${blocked_why}`}. Its jobs wait or go
            to another route. <Link to="/providers">Show it</Link>
          </p>
        ))}
      {overview.last_day.refused.is_spike && (
        <p className="notice wait">
          {counted(overview.last_day.refused.last_hour, 'request')} refused in the last hour, far more than
          usual.{' '}
          <Link to="/refusals" search={{ hours: '1' }}>
            Show the request log
          </Link>
        </p>
      )}
      {overview.open_doubts > 0 && (
        <p className="notice wait">
          {counted(overview.open_doubts, 'uncertain submission')}: the outcome of a paid call is unknown, so
          it may have been charged. List and resolve them with <code>atelier uncertain</code>.
        </p>
      )}
      {overview.failed_deliveries > 0 && (
        <p className="notice wait">
          {counted(overview.failed_deliveries, 'callback')} failed within a day.{' '}
          <Link to="/callbacks" search={{ state: 'failed' }}>
            Show them
          </Link>
        </p>
      )}
    </>
  );
}

/** Four figures, each a link to the jobs that it counts. */
function Figures({ overview }: { readonly overview: Overview }) {
  // Failures come in groups; their sum is of the same hour.
  const failed = overview.failures.reduce((sum, { jobs }) => sum + jobs, 0);
  return (
    <div className="figures">
      <Figure
        words="Queued"
        search={{ state: 'available' }}
        more={
          overview.waiting_since === null ? (
            'queue is empty'
          ) : (
            <>
              since <RelativeTime at={overview.waiting_since} />
            </>
          )
        }
      >
        {overview.waiting.toLocaleString()}
        {overview.waiting_is_more && '+'}
      </Figure>
      <Figure
        words="Running"
        search={{ state: 'running' }}
        more={`in ${counted(
          overview.accounts.reduce((sum, { slots }) => sum + slots, 0),
          'slot',
        )}`}
      >
        {overview.running.toLocaleString()}
      </Figure>
      <Figure words="Completed" search={{ state: 'completed' }} more="within the last hour">
        {overview.completed_in_hour.toLocaleString()}
      </Figure>
      <Figure words="Failed" search={{ state: 'failed' }} more="within the last hour" isBad={failed > 0}>
        {failed.toLocaleString()}
      </Figure>
    </div>
  );
}

/** A figure with its unit above and its range below. */
function Figure({
  words,
  more,
  search,
  isBad = false,
  children,
}: {
  readonly words: string;
  readonly more: ReactNode;
  /** The filter of the list of jobs that the figure counts. */
  readonly search: { readonly state: string };
  /** In red, where the figure is a trouble. */
  readonly isBad?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <Link to="/jobs" search={search} className="card figure">
      <span className="soft">{words}</span>
      <strong className={isBad ? 'number fault' : 'number'}>{children}</strong>
      <span className="small soft">{more}</span>
    </Link>
  );
}

/** Grouped by model and message, with a link to the newest job of each group. */
function Failures({ overview }: { readonly overview: Overview }) {
  return (
    <section className="card">
      <h2>Failures of the last hour</h2>
      {overview.failures.length === 0 && <p className="soft">None.</p>}
      <ul className="stack tight">
        {overview.failures.map(({ model, code, message, jobs, request_id }) => (
          <li key={`${model} ${message}`} className="stack tight failure">
            <div className="row">
              <span className="badge bad number">{jobs}</span>
              <code className="grow cut">{code}</code>
              <Link to="/jobs/$jobId" params={{ jobId: request_id }} className="small">
                newest job
              </Link>
            </div>
            <p className="small anywhere">
              {model}: {message.replace(/^Runtime execution failed: /, '')}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Slots in use, of the first eight accounts. */
function Accounts({ overview }: { readonly overview: Overview }) {
  return (
    <section className="card">
      <div className="card-head">
        <h2>Providers</h2>
        <Link to="/providers" className="small">
          all accounts
        </Link>
      </div>
      <ul className="stack tight">
        {overview.accounts.slice(0, 8).map(({ account, running, slots, blocked_until }) => (
          <li key={account} className="row">
            <span className="grow cut">{account}</span>
            {blocked_until !== null && <span className="badge bad">circuit open</span>}
            <meter
              className="slots"
              min={0}
              max={slots}
              value={Math.min(running, slots)}
              aria-label={`Slots of ${account} in use`}
            />
            <span className="small soft number">
              {running}/{slots}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
