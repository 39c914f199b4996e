/** The bar chart of jobs a day, and the same figures as a table. */
import { useLayoutEffect, useRef, useState } from 'react';
import { DayTable, dateOf } from './day-table.tsx';
import type { Day } from './sums.ts';

/** Pixels of the whole drawing. */
const height = 180;
/** Below the bars, for the dates. */
const foot = 22;
/** Above the tallest bar. */
const headroom = 8;
/** A date needs so many pixels. */
const dateWidth = 90;

/** Where bars stand, in pixels of the chart. */
interface Scale {
  /** From one bar to the next. */
  readonly step: number;
  readonly barWidth: number;
  readonly heightOf: (count: number) => number;
  /** Every how many bars a date is written, so that dates do not overlap. */
  readonly dateEvery: number;
}

/** `most` is the count of the highest bar. */
function scaleOf(days: readonly Day[], width: number, most: number): Scale {
  const step = width / days.length;
  return {
    step,
    barWidth: Math.max(2, Math.min(46, step * 0.68)),
    heightOf: count => ((height - foot - headroom) * count) / most,
    dateEvery: Math.ceil(days.length / Math.max(2, Math.floor(width / dateWidth))),
  };
}

/** One bar a day, failed jobs on top. Each bar can be focused by the keyboard, and a table has the same figures. */
export function DayBars({ days }: { readonly days: readonly Day[] }) {
  const [focused, setFocused] = useState<Day | null>(null);
  const { frame, width } = useWidth();
  const most = Math.max(1, ...days.map(({ completed, failed, cancelled }) => completed + failed + cancelled));
  const scale = scaleOf(days, width, most);
  return (
    <figure className="bars" ref={frame}>
      <figcaption className="small soft" aria-live="polite">
        {focused ? inWords(focused) : <Legend />}
      </figcaption>
      {/* biome-ignore lint/a11y/useSemanticElements: a chart is no set of fields. */}
      <svg viewBox={`0 0 ${width} ${height}`} role="group" aria-label={`Jobs a day, at most ${most}`}>
        {days.map((day, index) => (
          <DayBar key={day.at} day={day} index={index} scale={scale} focus={setFocused} />
        ))}
      </svg>
      <details>
        <summary className="small">As a table</summary>
        <DayTable days={days} />
      </details>
    </figure>
  );
}

/** The parts of one day on top of each other: completed, cancelled, failed. */
function DayBar({
  day,
  index,
  scale: { step, barWidth, heightOf, dateEvery },
  focus,
}: {
  readonly day: Day;
  readonly index: number;
  readonly scale: Scale;
  readonly focus: (day: Day | null) => void;
}) {
  const x = index * step + (step - barWidth) / 2;
  const ground = height - foot;
  return (
    // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: a focused bar shows its figures.
    <g
      role="img"
      tabIndex={0}
      aria-label={inWords(day)}
      onFocus={() => focus(day)}
      onBlur={() => focus(null)}
      onPointerEnter={() => focus(day)}
      onPointerLeave={() => focus(null)}
    >
      <rect x={index * step} y="0" width={step} height={ground} fill="transparent" />
      {stackOf(day).map(({ name, count, below }) => (
        <rect
          key={name}
          className={`bar-${name}`}
          x={x}
          y={ground - heightOf(below + count)}
          width={barWidth}
          height={heightOf(count)}
          rx="2"
        />
      ))}
      <line
        x1={index * step + 2}
        x2={(index + 1) * step - 2}
        y1={ground + 1}
        y2={ground + 1}
        className="bar-ground"
      />
      {index % dateEvery === 0 && (
        <text x={x + barWidth / 2} y={height - 5} textAnchor="middle">
          {dateOf(day)}
        </text>
      )}
    </g>
  );
}

/** From the bottom up, without empty parts; `below` is how many jobs are under a part. */
const stackOf = ({ completed, cancelled, failed }: Day) =>
  [
    { name: 'completed', count: completed, below: 0 },
    { name: 'cancelled', count: cancelled, below: completed },
    { name: 'failed', count: failed, below: completed + cancelled },
  ].filter(({ count }) => count > 0);

/** The chart is drawn as wide as its frame, not scaled: its letters keep their size. */
function useWidth() {
  const frame = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(900);
  useLayoutEffect(() => {
    const shown = frame.current;
    if (!shown) return;
    const observer = new ResizeObserver(() => setWidth(Math.max(200, shown.clientWidth)));
    observer.observe(shown);
    return () => observer.disconnect();
  }, []);
  return { frame, width };
}

const Legend = () => (
  <span className="row wrap">
    {['completed', 'cancelled', 'failed'].map(name => (
      <span key={name} className="row legend">
        <svg width="10" height="10" aria-hidden="true">
          <rect className={`bar-${name}`} width="10" height="10" rx="2" />
        </svg>
        {name}
      </span>
    ))}
  </span>
);

/** The sentence of a bar, for its caption and for screen readers. */
const inWords = (day: Day): string =>
  `${dateOf(day)}: ${day.completed} completed, ${day.failed} failed, ${day.cancelled} cancelled`;
