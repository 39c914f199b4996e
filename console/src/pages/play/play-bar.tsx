/** The bar below the form of the playground: Run, Check, Reset, Clear, and the refusal or the price. */
import { counted, formatCost } from '../../components/format.ts';
import type { Run, Verdict } from './use-run.ts';

/** The state of the present run, and what the buttons do. */
interface BarProps {
  readonly run: Run;
  /** False for viewers, who may fill in the form and read the request as code. */
  readonly mayRun: boolean;
  readonly start: () => void;
  /** Validates the input and estimates its price without creating a job. */
  readonly check: () => void;
  /** Back to the example of the model. */
  readonly reset: () => void;
  /** Every field is unset. */
  readonly clear: () => void;
}

/** Viewers see the buttons disabled. */
export function PlayBar({ run, mayRun, start, check, reset, clear }: BarProps) {
  const isDisabled = run.isBusy || !mayRun;
  return (
    <div className="play-bar">
      {(run.refusal !== null || run.faults.size > 0) && (
        <p className="notice bad small grow" role="alert">
          {run.refusal ?? [...run.faults].map(([path, reason]) => `${path}: ${reason}`).join(' · ')}
        </p>
      )}
      <div className="row wrap">
        <button type="button" className="button main" disabled={isDisabled} onClick={start}>
          {run.isBusy ? 'One moment …' : 'Run'}
        </button>
        <button type="button" className="button" disabled={isDisabled} onClick={check}>
          Check
        </button>
        <button type="button" className="button quiet" onClick={reset}>
          Reset
        </button>
        <button type="button" className="button quiet" onClick={clear}>
          Clear
        </button>
        <span className="grow" />
        <span className={run.verdict === null && mayRun ? 'small soft bar-words' : 'small soft'}>
          {mayRun ? billing(run.verdict) : 'Your role may look, and not run.'}
        </span>
      </div>
    </div>
  );
}

/** What a run would be billed as, once it was checked. */
function billing(verdict: Verdict | null): string {
  if (verdict === null) return 'Runs under the key of the console';
  const jobs = `Would be billed as ${counted(verdict.billed_jobs, 'job')}`;
  if (verdict.estimate === null) return `${jobs}; no price is set`;
  const estimate = `${jobs}; about ${formatCost(verdict.estimate)}, an estimate`;
  return verdict.quote === null
    ? estimate
    : `${estimate}; at most ${verdict.quote.amount} ${verdict.quote.currency}`;
}
