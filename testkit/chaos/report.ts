/** Prints the outcome of a chaos run: its figures, and each violation with the timeline of its job. */
import { figure, printRow } from '../figures.ts';
import type { Entry } from '../upstream/ledger.ts';
import type { Evidence } from './checker.ts';
import type { Call } from './history.ts';
import type { ChaosOptions, Outcome } from './run.ts';
import type { Violation } from './violation.ts';

const nameWidth = 44;
const shownViolations = 10;

/** Prints figures, the seed that repeats the run and, for each violation, the timeline of its job. */
export function printOutcome(options: ChaosOptions, outcome: Outcome): void {
  const { kills, freezes, overtaken, killingMs, drainMs, verdict } = outcome;
  const { dialect, apis, workers, blobs, seed } = options;
  const processes = dialect === 'sqlite' ? 'one process' : `${apis} api and ${workers} worker processes`;
  console.log(
    `\n${dialect}, ${processes}, blobs in ${blobs === 's3' ? 'a bucket' : 'a folder'}, seed ${seed}\n`,
  );
  const row = (name: string, value: number) => printRow(name, [figure(value)], nameWidth);
  row('kills', kills);
  row('kills a minute', kills / (killingMs / 60_000));
  row('freezes', freezes);
  row('frozen past the lease', overtaken);
  for (const [name, value] of Object.entries(verdict.counts)) row(name, value);
  row('drained in, seconds', drainMs / 1000);
  for (const [promise, count] of countByPromise(verdict.violations)) row(`violations of ${promise}`, count);
  console.log(
    verdict.violations.length === 0 ? '\nNo promise was broken.' : `\n${describeViolations(outcome)}`,
  );
}

/** The first ten violations, each with the timeline of its job; empty where there is none. */
export function describeViolations({ verdict, evidence }: Pick<Outcome, 'verdict' | 'evidence'>): string {
  return verdict.violations
    .slice(0, shownViolations)
    .map(violation => describeViolation(violation, evidence))
    .join('\n\n');
}

/** The promises that the checker verifies, with the number of violations of each. */
const countByPromise = (violations: readonly Violation[]): readonly (readonly [string, number])[] =>
  ['I1', 'I2', 'I3', 'I4', 'I5', 'I9', 'I10', 'I11', 'I25', 'I26', 'I27'].map(
    promise => [promise, violations.filter(found => found.promise === promise).length] as const,
  );

function describeViolation({ promise, what, mark }: Violation, evidence: Evidence): string {
  const timeline = mark === null ? [] : timelineOf(mark, evidence).map(line => `  ${line}`);
  return [`${promise}: ${what}${mark === null ? '' : ` (${mark})`}`, ...timeline].join('\n');
}

/** What clients, rows and the upstream each recorded of a job. */
function timelineOf(mark: string, { history, ledger, rows }: Evidence): readonly string[] {
  const jobs = rows.jobs.filter(job => job.mark === mark);
  const ids = new Set(jobs.map(({ id }) => id));
  const calls = history.filter(call => (call.call === 'create' ? call.mark === mark : ids.has(call.id)));
  const numbers = new Set(
    ledger.flatMap(entry => (entry.kind === 'submission' && entry.mark === mark ? entry.number : [])),
  );
  const isOurs = (entry: Entry) =>
    entry.kind === 'submission'
      ? numbers.has(entry.number)
      : entry.kind === 'cancel'
        ? entry.mark === mark
        : numbers.has(entry.submission);
  return [
    ...describeCalls(calls).map(line => `client   ${line}`),
    ...ledger.filter(isOurs).map(entry => `upstream ${JSON.stringify(entry)}`),
    ...jobs.map(job => `job      ${JSON.stringify(job)}`),
    ...rows.attempts
      .filter(({ jobId }) => ids.has(jobId))
      .map(attempt => `attempt  ${JSON.stringify(attempt)}`),
  ];
}

/** Creates without an answer are repeated many times: only their number is shown. */
function describeCalls(calls: readonly Call[]): readonly string[] {
  const isLost = (call: Call) => call.call === 'create' && call.answer.kind === 'maybe';
  const lost = calls.filter(isLost).length;
  const lines = calls.filter(call => !isLost(call)).map(call => JSON.stringify(call));
  return lost === 0 ? lines : [`${lost} creates without an answer`, ...lines];
}
