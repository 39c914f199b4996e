/** `atelier money adjust`: corrections of what a job, a project or a tag was charged. */
import { jobIdFromRow } from '../domain/ids.ts';
import { formatAmount, type Micros, parseAmount } from '../domain/money.ts';
import type { Connection } from '../store/db/connection.ts';
import { correctCharge } from '../store/money/correct-charge.ts';
import { type ManualEntry, postEntry } from '../store/money/projects.ts';
import { type JsonOption, operator, requireBudget } from './budgets.ts';
import { CommandError } from './command-error.ts';
import { print } from './print.ts';
import { withStore } from './with-store.ts';

/** Options as written. */
interface AdjustOptions extends JsonOption {
  readonly amount: string;
  readonly job?: string;
  readonly project?: string;
  readonly tag?: string;
  readonly reason: string;
  readonly idempotencyKey: string;
}

/** Adds the amount to what was spent; exactly one of job, project and tag says where. */
export async function adjustCommand({ json, ...options }: AdjustOptions): Promise<void> {
  const { job, project, tag, reason, idempotencyKey } = options;
  const amount = readCorrection(options.amount);
  const entry: ManualEntry = { kind: 'adjustment', amount, reason, idempotencyKey };
  if ([job, project, tag].filter(given => given !== undefined).length !== 1)
    throw new CommandError('Give one of --job, --project and --tag');
  const repeated = await withStore(db =>
    job === undefined
      ? adjustBudget(db, project === undefined ? 'tag' : 'project', project ?? tag ?? '', entry)
      : adjustJob(db, job, entry),
  );
  if (json) return print(JSON.stringify({ amount: formatAmount(amount), repeated }));
  print(repeated ? 'Already posted under this idempotency key.' : `Posted ${formatAmount(amount)}.`);
}

/** Whether the idempotency key was used before. */
async function adjustBudget(
  db: Connection,
  kind: 'project' | 'tag',
  name: string,
  entry: ManualEntry,
): Promise<boolean> {
  const posted = await postEntry(db, await requireBudget(db, kind, name), entry, operator());
  if (posted.kind === 'unknown') throw new CommandError(`The ${kind} ${name} has no budget.`);
  return posted.kind === 'repeated';
}

/** The same of a job. */
async function adjustJob(db: Connection, job: string, entry: ManualEntry): Promise<boolean> {
  const corrected = await correctCharge(db, jobIdFromRow(job), entry, operator());
  if (corrected.kind === 'unknown') throw new CommandError(`There is no job ${job} that was held.`);
  if (corrected.kind === 'open')
    throw new CommandError(`Job ${job} is still held: it can be corrected once its hold ended.`);
  if (corrected.kind === 'too_much')
    throw new CommandError(
      `Job ${job} was charged ${formatAmount(corrected.charged)} ${corrected.currency}: a credit cannot be more.`,
    );
  return corrected.kind === 'repeated';
}

/** A decimal other than 0. */
function readCorrection(text: string): Micros {
  const micros = parseAmount(text);
  if (micros === null || micros === 0)
    throw new CommandError(
      '--amount must be an amount other than 0 such as 0.30 or -0.30, with at most six digits behind the point',
    );
  return micros;
}
