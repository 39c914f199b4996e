/** The last 24 hours on the home page: a bar an hour, failures, p95 of the run time, and cost. */
import type { ReactNode } from 'react';
import type { Overview } from '../../api/answers.ts';
import { counted, formatCost, formatDuration } from '../../components/format.ts';

type Hour = Overview['last_day']['hours'][number];

/** Units of the drawing, which is stretched to the width of the card. */
const height = 60;
const step = 10;
const barWidth = 7;

/** Nothing before the first job has ended. */
export function LastDay({ day }: { readonly day: Overview['last_day'] }) {
  const sum = (state: 'completed' | 'failed' | 'cancelled') =>
    day.hours.reduce((all, hour) => all + hour[state], 0);
  const [completed, failed, cancelled] = [sum('completed'), sum('failed'), sum('cancelled')];
  const ended = completed + failed + cancelled;
  if (ended === 0) return null;
  const share = (failed / ended) * 100;
  return (
    <section className="card">
      <div className="card-head">
        <h2>Last 24 hours</h2>
      </div>
      <div className="day-facts">
        <Fact words="Jobs">{ended.toLocaleString()}</Fact>
        <Fact words="Failed" isBad={failed > 0}>
          {failed.toLocaleString()}
          {failed > 0 && <span className="small soft"> · {share.toFixed(share < 10 ? 1 : 0)} %</span>}
        </Fact>
        <Fact words="Run time, p95">{day.run_p95_ms === null ? '–' : formatDuration(day.run_p95_ms)}</Fact>
        <Fact words="Cost, by your prices">{day.cost === null ? 'no prices' : formatCost(day.cost)}</Fact>
      </div>
      <svg
        className="day-bars"
        viewBox={`0 0 ${day.hours.length * step} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${counted(ended, 'job')} in 24 hours, by hour; ${failed.toLocaleString()} failed`}
      >
        <Bars hours={day.hours} />
      </svg>
      <div className="timeline-axis whole small soft number" aria-hidden="true">
        <span>{clockOf(day.hours[0])}</span>
        <span>now</span>
      </div>
    </section>
  );
}

/** Stacked from below: completed, cancelled, failed. */
function Bars({ hours }: { readonly hours: readonly Hour[] }) {
  const most = Math.max(...hours.map(({ completed, failed, cancelled }) => completed + failed + cancelled));
  const heightOf = (count: number) => (count / most) * height;
  return hours.map(({ at, completed, cancelled, failed }, index) => {
    const tops = [completed, completed + cancelled, completed + cancelled + failed];
    const parts = [
      ['bar-completed', completed],
      ['bar-cancelled', cancelled],
      ['bar-failed', failed],
    ] as const;
    return (
      <g key={at}>
        <title>{`${clockOf({ at })}: ${completed} completed, ${failed} failed, ${cancelled} cancelled`}</title>
        {parts.map(([name, count], part) => (
          <rect
            key={name}
            className={name}
            x={index * step}
            width={barWidth}
            y={height - heightOf(tops[part] ?? 0)}
            height={heightOf(count)}
          />
        ))}
      </g>
    );
  });
}

function Fact({
  words,
  isBad = false,
  children,
}: {
  readonly words: string;
  readonly isBad?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <div>
      <div className="small soft">{words}</div>
      <strong className={isBad ? 'number fault' : 'number'}>{children}</strong>
    </div>
  );
}

/** Hours and minutes of the reader's clock. */
const clockOf = (hour: Pick<Hour, 'at'> | undefined): string =>
  hour === undefined
    ? ''
    : new Date(hour.at * 1_000).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' });
