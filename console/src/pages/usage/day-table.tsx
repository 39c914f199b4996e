/** Jobs a day as a table: the figures of the bar chart for screen readers, and to be copied. */
import { TableWrap } from '../../components/table-wrap.tsx';
import type { Day } from './sums.ts';

/** One line a day, the oldest first. */
export function DayTable({ days }: { readonly days: readonly Day[] }) {
  return (
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
  );
}

/** A day is a day of UTC, whatever the time zone of the browser. */
export const dateOf = ({ at }: Day): string =>
  new Date(at * 1_000).toLocaleDateString(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' });
