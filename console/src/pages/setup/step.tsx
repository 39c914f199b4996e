/** One step of the setup. */
import type { ReactNode } from 'react';
import { Icon } from '../../components/icon.tsx';

/** `bad` is a step that was checked and failed; an operator has to act. */
export type StepState = 'open' | 'done' | 'bad';

/** A numbered card with a tick, a cross, or neither while the step is open. */
export function Step({
  title,
  state,
  children,
}: {
  readonly title: string;
  readonly state: StepState;
  readonly children: ReactNode;
}) {
  return (
    <li className="card setup-step">
      <span className={`step ${state}`} aria-hidden="true">
        {state !== 'open' && <Icon name={state === 'done' ? 'check' : 'cross'} />}
      </span>
      <div className="stack tight">
        <h2>
          {title}
          {state === 'done' && <span className="visually-hidden"> (done)</span>}
        </h2>
        {children}
      </div>
    </li>
  );
}
