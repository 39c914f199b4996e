import { useLayoutEffect, useRef, useState } from 'react';
import { TableWrap } from '../../parts/table-wrap.tsx';
import type { Day } from './sums.ts';

const height = 180;
const foot = 22;

/** Bars a day, failed ones on top; each can be reached by the keyboard, and a table says the same. */
export function DayBars({ days }: { readonly days: readonly Day[] }) {
  const [told, setTold] = useState<Day | null>(null);
  const { place, width } = useWidth();
  const most = Math.max(1, ...days.map(({ completed, failed, cancelled }) => completed + failed + cancelled));
  const step = width / days.length;
  const bar = Math.max(2, Math.min(46, step * 0.68));
  const tall = (count: number) => ((height - foot - 8) * count) / most;
  const every = Math.ceil(days.length / Math.max(2, Math.floor(width / 90)));
  return (
    <figure className="bars" ref={place}>
      <figcaption className="small soft" aria-live="polite">
        {told ? inWords(told) : <Legend />}
      </figcaption>
      {/* biome-ignore lint/a11y/useSemanticElements: a chart is no set of fields. */}
      <svg viewBox={`0 0 ${width} ${height}`} role="group" aria-label={`Jobs a day, at most ${most}`}>
        {days.map((day, index) => {
          const x = index * step + (step - bar) / 2;
          const parts = [
            { name: 'completed', count: day.completed },
            { name: 'cancelled', count: day.cancelled },
            { name: 'failed', count: day.failed },
          ];
          let y = height - foot;
          return (
            // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: a bar tells its figures when it is reached.
            <g
              key={day.at}
              role="img"
              tabIndex={0}
              aria-label={inWords(day)}
              onFocus={() => setTold(day)}
              onBlur={() => setTold(null)}
              onPointerEnter={() => setTold(day)}
              onPointerLeave={() => setTold(null)}
            >
              <rect x={index * step} y="0" width={step} height={height - foot} fill="transparent" />
              {parts.map(({ name, count }) => {
                y -= tall(count);
                return (
                  count > 0 && (
                    <rect
                      key={name}
                      className={`bar-${name}`}
                      x={x}
                      y={y}
                      width={bar}
                      height={tall(count)}
                      rx="2"
                    />
                  )
                );
              })}
              <line
                x1={index * step + 2}
                x2={(index + 1) * step - 2}
                y1={height - foot + 1}
                y2={height - foot + 1}
                className="bar-ground"
              />
              {index % every === 0 && (
                <text x={x + bar / 2} y={height - 5} textAnchor="middle">
                  {dateOf(day)}
                </text>
              )}
            </g>
          );
        })}
      </svg>
      <details>
        <summary className="small">As a table</summary>
        <TableWrap label="Jobs a day">
          <table>
            <thead>
              <tr>
                <th>Day</th>
                <th className="right">Completed</th>
                <th className="right">Failed</th>
                <th className="right">Cancelled</th>
              </tr>
            </thead>
            <tbody>
              {days.map(day => (
                <tr key={day.at}>
                  <td>{dateOf(day)}</td>
                  <td className="right number">{day.completed}</td>
                  <td className="right number">{day.failed}</td>
                  <td className="right number">{day.cancelled}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableWrap>
      </details>
    </figure>
  );
}

/** As wide as there is room, so that letters stay as large as they are. */
function useWidth() {
  const place = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(900);
  useLayoutEffect(() => {
    const shown = place.current;
    if (!shown) return;
    const watch = new ResizeObserver(() => setWidth(Math.max(200, shown.clientWidth)));
    watch.observe(shown);
    return () => watch.disconnect();
  }, []);
  return { place, width };
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

const dateOf = ({ at }: Day): string =>
  new Date(at * 1_000).toLocaleDateString(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' });

const inWords = (day: Day): string =>
  `${dateOf(day)}: ${day.completed} completed, ${day.failed} failed, ${day.cancelled} cancelled`;
