/** Figures of tests and benchmarks: medians, percentiles, memory, and the machine they are of. */
import { cpus, loadavg } from 'node:os';

/** Where figures come from, with how busy it is already. */
export function machine(): string {
  const [lastMinute = 0] = loadavg();
  const processor = `${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores`;
  return `${processor}, Node ${process.version}, load ${lastMinute.toFixed(1)} at the start`;
}

/** The middle, and how far from it single rounds lie. */
export function spread(values: readonly number[], digits = 0): string {
  const chosen = [percentile(values, 50), Math.min(...values), Math.max(...values)];
  const [middle, least, most] = chosen.map(value => figure(value, digits));
  return `${middle} (${least}–${most})`;
}

export function figure(value: number, digits = 0): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** The smallest of the values that is not below so many percent of them. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN;
}

/** A row of a Markdown table: what is printed can be pasted. */
export function printRow(name: string, cells: readonly string[], nameWidth = 20): void {
  console.log(`| ${[name.padEnd(nameWidth), ...cells.map(cell => cell.padStart(cellWidth))].join(' | ')} |`);
}

/** Its first row. */
export function printTitles(name: string, titles: readonly string[], nameWidth = 20): void {
  printRow(name, titles, nameWidth);
  console.log(`|${'-'.repeat(nameWidth + 2)}|${titles.map(() => `${'-'.repeat(cellWidth + 1)}:|`).join('')}`);
}

const cellWidth = 22;
