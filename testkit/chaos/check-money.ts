/** Checks the promises of money against the rows of a chaos run: every job had a hold, and the books add up. */
import type { Snapshot } from './snapshot.ts';
import type { Violation } from './violation.ts';

/** I25 and I27: the books add up. I26: every job has one hold, and what became of it fits how the job ended. */
export function checkMoney(rows: Snapshot): readonly Violation[] {
  const found = rows.moneyFaults.map((what): Violation => {
    const promise = what.includes('below its floor') ? 'I27' : what.includes('its hold') ? 'I26' : 'I25';
    return { promise, what, mark: null };
  });
  const holds = new Map(rows.holds.map(hold => [hold.jobId, hold]));
  const uncertain = new Set(rows.uncertainJobIds);
  for (const { id, state, mark } of rows.jobs) {
    const hold = holds.get(id);
    const wanted = uncertain.has(id) ? 'uncertain' : state === 'completed' ? 'settled' : 'released';
    if (hold?.state !== wanted || (wanted === 'settled' && hold.charged === 0))
      found.push({
        promise: 'I26',
        what: `${state}, its hold is ${hold?.state}, charged ${hold?.charged}`,
        mark,
      });
  }
  return found;
}
