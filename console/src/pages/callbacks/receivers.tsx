/** How the receivers of the newest callbacks are doing. */
import { useQuery } from '@tanstack/react-query';
import type { Endpoint } from '../../api/answers.ts';
import { endpointsQuery } from '../../api/queries.ts';
import { RelativeTime } from '../../components/relative-time.tsx';

/** Nothing before the first callback: the list below says how there will be one. */
export function Receivers() {
  const { data } = useQuery(endpointsQuery);
  if (!data || data.data.length === 0) return null;
  return (
    <section className="card receivers">
      <div className="card-head">
        <h2>Receivers</h2>
      </div>
      <p className="small soft">
        Of the newest 1,000 callbacks of all users. A receiver that got none of them is not listed: its
        callbacks are in the list below.
      </p>
      <ul className="stack tight" aria-label="Receivers">
        {data.data.map(endpoint => (
          <Line key={`${endpoint.user} ${endpoint.host}`} endpoint={endpoint} />
        ))}
      </ul>
    </section>
  );
}

/** The share is of callbacks that have ended. */
function Line({ endpoint }: { readonly endpoint: Endpoint }) {
  const { user, host, delivered, failed, pending, next_attempt_at, last_failure } = endpoint;
  const ended = delivered + failed;
  return (
    <li>
      <div className="row wrap">
        <strong className="cut">{host}</strong>
        <span className="grow small soft cut">{user}</span>
        {ended > 0 && (
          <span className={`badge ${failed === 0 ? 'ok' : 'bad'}`}>
            {Math.floor((delivered / ended) * 100)} % delivered
          </span>
        )}
        <span className="small soft number">
          {delivered} of {ended}
          {pending > 0 && `, ${pending} pending`}
        </span>
      </div>
      {(next_attempt_at !== null || last_failure !== null) && (
        <p className="small soft">
          {next_attempt_at !== null && (
            <>
              Next attempt <RelativeTime at={next_attempt_at} />.{' '}
            </>
          )}
          {last_failure !== null && (
            <>
              Last failure <RelativeTime at={last_failure.at} />:{' '}
              <span className="fault">{last_failure.code ?? 'no answer'}</span> {last_failure.answer}
            </>
          )}
        </p>
      )}
    </li>
  );
}
