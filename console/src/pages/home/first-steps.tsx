import { Link } from '@tanstack/react-router';
import type { Overview } from '../../api/answers.ts';
import { Icon } from '../../components/icon.tsx';

/** What a new installation still wants; gone once all of it is done. */
export function FirstSteps({ overview }: { readonly overview: Overview }) {
  const steps = [
    {
      isDone: overview.results.length > 0,
      words: 'Make the first picture, video or sound',
      to: '/play',
      link: 'To the playground',
    },
    {
      isDone: overview.keys > 1,
      words: 'Give an application a key of its own',
      to: '/keys',
      link: 'To the keys',
    },
    {
      isDone: overview.accounts.length > 1,
      words: 'Name an account at a provider in atelier.yaml; until then everything is drawn on this machine',
      to: '/providers',
      link: 'To the providers',
    },
  ] as const;
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
