/** The list of first steps on the home page of a new installation. */
import { Link } from '@tanstack/react-router';
import type { Overview } from '../../api/answers.ts';
import { Icon } from '../../components/icon.tsx';

/** Hidden once a job was run and a second key exists. The account at a provider is optional. */
export function FirstSteps({ overview }: { readonly overview: Overview }) {
  const steps = [
    {
      isDone: overview.results.length > 0,
      words: 'Create the first picture, video or sound',
      to: '/play',
      link: 'Playground',
    },
    {
      // The first start makes one key for the command line.
      isDone: overview.keys > 1,
      words: 'Create a key for an application',
      to: '/keys',
      link: 'Keys',
    },
    {
      // One of them is the local engine.
      isDone: overview.accounts.length > 1,
      words: 'Add a provider: atelier providers add NAME. Until then everything is drawn on this machine',
      to: '/providers',
      link: 'Providers',
    },
  ] as const;
  // The third step is never demanded: the local engine needs no account.
  if (steps.slice(0, 2).every(({ isDone }) => isDone)) return null;
  return (
    <section className="card">
      <div className="card-head">
        <h2>First steps</h2>
        <Link to="/setup" className="small">
          all of them, with checks
        </Link>
      </div>
      <ol className="stack tight">
        {steps.map(({ isDone, words, to, link }) => (
          <li key={to} className="row wrap">
            <span className={isDone ? 'step done' : 'step'}>{isDone && <Icon name="check" />}</span>
            <span className={isDone ? 'grow soft' : 'grow'}>
              {words}
              {isDone && <span className="visually-hidden"> (done)</span>}
            </span>
            {!isDone && (
              <Link to={to} className="button slim">
                {link}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
