/** The submissions of a job to its upstreams, each with its request and answer. */
import type { JobDetail } from '../../api/answers.ts';
import { Code } from '../../components/code.tsx';
import { exactTime } from '../../components/format.ts';

/** Nothing where no call by HTTP is recorded, as for a job of the local engine. */
export function Attempts({ attempts }: Pick<JobDetail, 'attempts'>) {
  const called = attempts.filter(({ exchange }) => exchange !== null);
  if (called.length === 0) return null;
  return (
    <section className="card">
      <div className="card-head">
        <h2>Attempts</h2>
        <span className="small soft">without secrets, cut after 4,096 characters</span>
      </div>
      {called.map(attempt => (
        <Attempt key={attempt.number} attempt={attempt} />
      ))}
    </section>
  );
}

/** Folded: it is looked at when an attempt failed. */
function Attempt({ attempt }: { readonly attempt: JobDetail['attempts'][number] }) {
  const { number, account, started_at, answer, exchange } = attempt;
  if (exchange === null) return null;
  const isRight = answer === 'accepted' || answer === 'done';
  return (
    <details className="fold">
      <summary>
        Attempt {number} at {account}{' '}
        <span className={`badge ${isRight ? 'ok' : 'bad'}`}>{exchange.status ?? 'no answer'}</span>{' '}
        <span className="small soft">{exactTime(started_at)}</span>
      </summary>
      <div className="stack tight">
        <Code
          text={[
            `${exchange.method} ${exchange.path}`,
            ...(exchange.request ? ['', exchange.request] : []),
          ].join('\n')}
          label={`Request of attempt ${number}`}
        />
        <Code text={exchange.answer} label={`Answer to attempt ${number}`} />
      </div>
    </details>
  );
}
