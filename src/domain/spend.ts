/** Reports of spent money: what they are broken down by, and how they are shown, as JSON and as CSV. */
import { csvOf } from './csv.ts';
import { formatAmount, formatAmountOrNull, type Micros } from './money.ts';

/** `provider`: by the account of an upstream that ran the job. `tag`: a job with two tags counts for each of them. */
export const spendBreakdowns = ['project', 'key', 'model', 'provider', 'day', 'tag'] as const;
export type SpendBreakdown = (typeof spendBreakdowns)[number];

/** What the jobs of one name were charged. */
export interface SpendLine {
  /** Id of the project or key, of the model, of the account; a day such as `2026-12-31`; `name=value` of a tag. */
  readonly name: string;
  /** What people call it. */
  readonly label: string;
  readonly jobs: number;
  readonly amount: Micros;
  /** What they cost the house, as far as their prices said it; null: of none of them. */
  readonly cost: Micros | null;
  /** What was charged beyond it, of the jobs whose cost is known. */
  readonly margin: Micros | null;
  readonly currency: string;
}

/** Amounts are decimal texts. */
export const spendLineBody = ({ name, label, jobs, amount, cost, margin, currency }: SpendLine) => ({
  name,
  label,
  jobs,
  amount: formatAmount(amount),
  cost: formatAmountOrNull(cost),
  margin: formatAmountOrNull(margin),
  currency,
});

/** The same columns; an unknown cost is empty. */
export const spendCsv = (by: SpendBreakdown, lines: readonly SpendLine[]): string =>
  csvOf([
    [by, 'label', 'jobs', 'amount', 'cost', 'margin', 'currency'],
    ...lines.map(line => Object.values(spendLineBody(line)).map(cell => cell ?? '')),
  ]);
