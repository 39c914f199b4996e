/** The events of a job in order: its milestones, notes, failed attempts and audited acts. */
import { useState } from 'react';
import type { JobDetail } from '../../api/answers.ts';
import { exactTime } from '../../components/format.ts';
import { TableWrap } from '../../components/table-wrap.tsx';
import { usePersonNames } from '../../components/use-person-names.ts';

/** One line of the table; `at` in Unix seconds. */
interface Event {
  readonly at: number;
  readonly what: string;
  readonly says: string;
  readonly isProblem: boolean;
}

/** Everything that is recorded of a job, the oldest first. */
function eventsOf(job: JobDetail, nameOf: (id: string) => string): readonly Event[] {
  // Moments of the row itself; the rest is recorded as it happens.
  const milestones: Event[] = [
    { at: job.created_at, what: 'Accepted', says: `for ${job.user}`, isProblem: false },
  ];
  if (job.started_at !== null)
    milestones.push({ at: job.started_at, what: 'Started', says: '', isProblem: false });
  if (job.completed_at !== null) {
    const says = job.error?.message ?? '';
    milestones.push({
      at: job.completed_at,
      what: job.state === 'completed' ? 'Completed' : 'Ended',
      says,
      isProblem: job.error !== null,
    });
  }
  return [
    ...milestones,
    ...job.events.map(({ at, level, message }) => ({
      at,
      what: level === 'INFO' ? 'Note' : level,
      says: message,
      isProblem: level !== 'INFO',
    })),
    ...job.attempts
      .filter(({ error }) => error !== null)
      .map(({ answered_at, started_at, number, error }) => ({
        at: answered_at ?? started_at,
        what: `Attempt ${number}`,
        says: error?.message ?? error?.code ?? '',
        isProblem: true,
      })),
    ...job.audit.map(({ at, action, actor, details }) => ({
      at,
      what: action,
      // Runs have the name of the person; it is not shown to viewers.
      says: `by ${typeof details.name === 'string' ? details.name : nameOf(actor)}`,
      isProblem: false,
    })),
    // The sort is stable: events of one moment keep the order of their kinds.
  ].toSorted((a, b) => a.at - b.at);
}

/** The table of events, optionally problems only. */
export function Events({ job }: { readonly job: JobDetail }) {
  const [onlyProblems, setOnlyProblems] = useState(false);
  const nameOf = usePersonNames(job.audit.map(({ actor }) => actor));
  const all = eventsOf(job, nameOf);
  const shown = onlyProblems ? all.filter(({ isProblem }) => isProblem) : all;
  return (
    <section className="card">
      <div className="card-head">
        <h2>Events</h2>
        <label className="switch-label small">
          <input
            type="checkbox"
            checked={onlyProblems}
            onChange={event => setOnlyProblems(event.target.checked)}
          />
          Problems only
        </label>
      </div>
      {shown.length === 0 ? (
        <p className="soft">No problems.</p>
      ) : (
        <TableWrap label="Events">
          <table>
            <thead>
              <tr>
                <th>Time</th>
                <th>Event</th>
                <th>Detail</th>
              </tr>
            </thead>
            <tbody>
              {shown.map(({ at, what, says, isProblem }, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: two events of one moment may read alike.
                <tr key={index}>
                  <td className="number mono nowrap" title={exactTime(at)}>
                    {timeOf(at)}
                  </td>
                  <td className="nowrap">{isProblem ? <span className="badge bad">{what}</span> : what}</td>
                  <td className="anywhere">{says}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableWrap>
      )}
    </section>
  );
}

/** With milliseconds: events of one job are close together. */
function timeOf(seconds: number): string {
  const date = new Date(seconds * 1_000);
  return `${date.toLocaleTimeString(undefined, { hour12: false })}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}
