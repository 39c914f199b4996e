/** The sums of a usage report: by day, by unit, by model, key or user; and its CSV. */
import type { Cost, UsageReport } from '../../api/answers.ts';

/** Days of reports are days of UTC, which all have the same length. */
const daySeconds = 86_400;

/** The jobs that ended on one day of UTC. */
export interface Day {
  /** Unix seconds of its beginning. */
  readonly at: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
}

/** Every day of the report, including days without a job. */
export function daysOf({ from, to, jobs }: UsageReport): readonly Day[] {
  const first = Math.floor(from / daySeconds) * daySeconds;
  const count = Math.ceil((to - first) / daySeconds);
  return Array.from({ length: count }, (_, index) => {
    const at = first + index * daySeconds;
    // One line for each name.
    const own = jobs.filter(({ day }) => day === at);
    const sum = (of: 'completed' | 'failed' | 'cancelled') => own.reduce((all, line) => all + line[of], 0);
    return { at, completed: sum('completed'), failed: sum('failed'), cancelled: sum('cancelled') };
  });
}

/** Units whose names are no words. */
const wordsOfUnit: Readonly<Record<string, string>> = { gpu_second: 'GPU seconds' };
/** `second` → "seconds", `gpu_second` → "GPU seconds". */
export const unitInWords = (unit: string): string => wordsOfUnit[unit] ?? `${unit}s`;

/** For titles of columns and figures. */
export const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Reported and computed usage describe the same work; only computed usage is summed, since every job has it. */
const computed = ({ used }: UsageReport) => used.filter(({ basis }) => basis === 'computed');

/** The totals of a report. `successPercent` leaves out cancelled jobs. */
export function totalsOf(report: UsageReport) {
  const days = daysOf(report);
  const sum = (of: 'completed' | 'failed' | 'cancelled') => days.reduce((all, day) => all + day[of], 0);
  const [completed, failed] = [sum('completed'), sum('failed')];
  const byUnit = Map.groupBy(computed(report), ({ unit }) => unit);
  return {
    cost: sumOf(report.costs),
    jobs: completed + failed + sum('cancelled'),
    successPercent: completed + failed === 0 ? '–' : ((100 * completed) / (completed + failed)).toFixed(1),
    used: [...byUnit].map(([unit, lines]) => ({
      unit: unitInWords(unit),
      quantity: lines.reduce((all, { quantity }) => all + quantity, 0),
    })),
  };
}

/** Null where no model has a price. The settings have one currency. */
const sumOf = (costs: readonly Cost[]): Cost | null =>
  costs[0]
    ? { amount: costs.reduce((all, { amount }) => all + amount, 0), currency: costs[0].currency }
    : null;

/** One line for each model, key or user, the busiest first. */
export function sumByName(report: UsageReport) {
  const byName = Map.groupBy(report.jobs, ({ name }) => name);
  const lines = [...byName].map(([name, own]) => {
    const sum = (of: 'completed' | 'failed' | 'cancelled') => own.reduce((all, line) => all + line[of], 0);
    const units = Map.groupBy(
      computed(report).filter(line => line.name === name),
      ({ unit }) => unit,
    );
    const used = [...units].map(([unit, parts]) => {
      const quantity = parts.reduce((all, part) => all + part.quantity, 0);
      const words = quantity === 1 ? unit.replace('_', ' ') : unitInWords(unit);
      return `${Number(quantity.toFixed(1)).toLocaleString()} ${words}`;
    });
    return {
      name,
      label: own[0]?.label ?? name,
      completed: sum('completed'),
      failed: sum('failed'),
      cancelled: sum('cancelled'),
      used: used.join(', '),
      cost: sumOf(report.costs.filter(line => line.name === name)),
      speed: report.speed.find(speed => speed.name === name),
    };
  });
  return lines.toSorted((a, b) => b.completed + b.failed - a.completed - a.failed);
}

/** Saves the report as CSV, one line for each day and name. */
export function downloadCsv({ by, jobs, used, costs }: UsageReport): void {
  const units = [...new Set(used.map(({ unit, basis }) => `${unit} ${basis}`))].toSorted();
  const priced = costs[0] ? [`cost_${costs[0].currency}`] : [];
  const head = [
    'day',
    by,
    'completed',
    'failed',
    'cancelled',
    ...units.map(unit => unit.replace(' ', '_')),
    ...priced,
  ];
  const rows = jobs.map(({ day, name, label, completed, failed, cancelled }) => [
    new Date(day * 1_000).toISOString().slice(0, 10),
    label,
    completed,
    failed,
    cancelled,
    ...units.map(
      wanted =>
        used.find(line => line.day === day && line.name === name && `${line.unit} ${line.basis}` === wanted)
          ?.quantity ?? 0,
    ),
    ...priced.map(() => costs.find(line => line.day === day && line.name === name)?.amount ?? 0),
  ]);
  const text = [head, ...rows].map(row => row.map(cellOf).join(',')).join('\r\n');
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = `atelier-usage-by-${by}.csv`;
  link.click();
  URL.revokeObjectURL(address);
}

/** Quoted by RFC 4180. A text that begins like a formula gets an apostrophe, so that no spreadsheet executes it. */
function cellOf(value: string | number): string {
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
