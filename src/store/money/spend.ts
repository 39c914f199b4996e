/** Reports of spent money: what ended jobs were charged, from their holds, which outlive the jobs. */
import { days } from '../../domain/clock.ts';
import { fromJson } from '../../domain/json.ts';
import type { Micros } from '../../domain/money.ts';
import type { SpendBreakdown, SpendLine } from '../../domain/spend.ts';
import { readNames } from '../attempts/usage-report.ts';
import type { Row, Statements } from '../db/connection.ts';
import { integer, integerOrNull, text } from '../db/rows.ts';

/** Time range and grouping of a report. */
export interface SpendQuery {
  readonly by: SpendBreakdown;
  /** Epoch ms at which holds ended; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
}

/** A report; `isCut`: there are more lines than it holds. */
export interface SpendReport {
  readonly lines: readonly SpendLine[];
  readonly isCut: boolean;
}

/** Different lines, of tags different sets of them, that one report reads. */
const maxLines = 5_000;

const nameColumns: Readonly<Record<SpendBreakdown, string>> = {
  project: 'project_id',
  key: 'key_id',
  model: 'model_id',
  provider: `COALESCE(account, '')`,
  day: `CAST(ended_at / ${days} AS TEXT)`,
  tag: `COALESCE(tags, '{}')`,
};

/** The dearest first; days in their order. Jobs that cost nothing count as jobs. */
export async function sumSpend(db: Statements, query: SpendQuery): Promise<SpendReport> {
  const rows = await db.read(
    `SELECT ${nameColumns[query.by]} AS name, currency, count(*) AS jobs, CAST(SUM(charged) AS BIGINT) AS amount,
       CAST(SUM(cost) AS BIGINT) AS cost,
       CAST(SUM(CASE WHEN cost IS NOT NULL THEN charged - cost END) AS BIGINT) AS margin
     FROM money_holds WHERE ended_at >= $1 AND ended_at < $2
     GROUP BY ${nameColumns[query.by]}, currency ORDER BY 4 DESC, 1 LIMIT ${maxLines + 1}`,
    [query.from, query.to],
  );
  const isCut = rows.length > maxLines;
  const sums = rows.slice(0, maxLines).map(sumFromRow);
  const lines = query.by === 'tag' ? overTags(sums) : sums.map(sum => ({ ...sum, label: sum.name }));
  return { lines: sortLines(query.by, await labelLines(db, query.by, lines)), isCut };
}

const sumFromRow = (row: Row) => ({
  name: text(row, 'name'),
  jobs: integer(row, 'jobs'),
  amount: integer(row, 'amount'),
  cost: integerOrNull(row, 'cost'),
  margin: integerOrNull(row, 'margin'),
  currency: text(row, 'currency'),
});

/** By each tag of a set; jobs without tags are a line without a name. */
function overTags(sums: readonly Omit<SpendLine, 'label'>[]): readonly SpendLine[] {
  const lines = new Map<string, SpendLine>();
  for (const { name: set, currency, ...own } of sums) {
    // Written by admission, from text to text.
    const tags = Object.entries(fromJson(set) as Readonly<Record<string, string>>);
    const names = tags.length === 0 ? [''] : tags.map(([name, value]) => `${name}=${value}`);
    for (const name of names) {
      const before = lines.get(`${currency} ${name}`);
      lines.set(`${currency} ${name}`, {
        name,
        label: name,
        currency,
        ...(before ? addSums(before, own) : own),
      });
    }
  }
  return [...lines.values()];
}

type Sums = Pick<SpendLine, 'jobs' | 'amount' | 'cost' | 'margin'>;

const addSums = (a: Sums, b: Sums): Sums => ({
  jobs: a.jobs + b.jobs,
  amount: a.amount + b.amount,
  cost: addKnown(a.cost, b.cost),
  margin: addKnown(a.margin, b.margin),
});

/** Null only where both are unknown. */
const addKnown = (a: Micros | null, b: Micros | null): Micros | null => (a === null ? b : a + (b ?? 0));

/** Names of projects and keys; dates of days. */
async function labelLines(
  db: Statements,
  by: SpendBreakdown,
  lines: readonly SpendLine[],
): Promise<readonly SpendLine[]> {
  if (by === 'day')
    return lines.map(line => {
      const date = new Date(Number(line.name) * days).toISOString().slice(0, 10);
      return { ...line, name: date, label: date };
    });
  if (by !== 'project' && by !== 'key') return lines;
  const names = await readNames(db, by);
  return lines.map(line => ({ ...line, label: names.get(line.name) ?? line.name }));
}

const sortLines = (by: SpendBreakdown, lines: readonly SpendLine[]): readonly SpendLine[] =>
  lines.toSorted((a, b) =>
    by === 'day' ? Number(a.name > b.name) - Number(a.name < b.name) : b.amount - a.amount,
  );
