/** Verifies the books: every balance is the sum of its entries and open holds, and every chain of entries is whole. */
import type { Statements } from '../db/connection.ts';
import { integer, text } from '../db/rows.ts';
import { accountColumns, accountFromRow, availableOf, type MoneyAccount } from './accounts.ts';
import { findBrokenEntry, kindsOf } from './entries.ts';

/** What was summed, and what does not add up. */
export interface MoneyCheck {
  readonly ok: boolean;
  readonly accounts: number;
  readonly entries: number;
  readonly openHolds: number;
  /** A sentence each, which names the account or job. */
  readonly faults: readonly string[];
}

/** Accounts of one statement, and faults that are listed. */
const pageRows = 500;
const maxFaults = 100;

/** Sums everything anew. Jobs may be created and end meanwhile: an account that changes is read again. */
export async function checkMoney(db: Statements): Promise<MoneyCheck> {
  const faults: string[] = [];
  let [accounts, entries, after] = [0, 0, ''];
  for (;;) {
    const rows = await db.read(
      `SELECT ${accountColumns} FROM money_accounts WHERE id > $1 ORDER BY id LIMIT ${pageRows}`,
      [after],
    );
    for (const row of rows) {
      const account = accountFromRow(row);
      faults.push(...(await faultsOfAccount(db, account.id)));
      accounts++;
      entries += account.entries;
      after = account.id;
    }
    if (rows.length < pageRows) break;
  }
  faults.push(...(await faultsOfHolds(db)));
  const [open] = await db.read('SELECT count(*) AS holds FROM money_holds WHERE ended_at IS NULL');
  return {
    ok: faults.length === 0,
    accounts,
    entries,
    openHolds: integer(open!, 'holds'),
    faults: faults.slice(0, maxFaults),
  };
}

/** The sum of the entries of those kinds: what the column of the account must be. */
const sumOfKinds = (column: 'limit_micros' | 'posted') =>
  `CAST(COALESCE((SELECT SUM(amount) FROM money_entries WHERE account = money_accounts.id
     AND kind IN (${kindsOf(column).map(kind => `'${kind}'`)})), 0) AS BIGINT)`;

/** The sum of the open holds whose path has the account. */
const sumOfHolds = (state: 'open' | 'uncertain') =>
  `CAST(COALESCE((SELECT SUM(amount) FROM money_holds WHERE ended_at IS NULL AND state = '${state}'
     AND replace(' ' || path, ' ' || money_accounts.id || ' ', '') <> ' ' || path), 0) AS BIGINT)`;

/** One statement, so that all sums are of one moment. */
async function faultsOfAccount(db: Statements, id: string): Promise<readonly string[]> {
  const [row] = await db.read(
    `SELECT ${accountColumns}, ${sumOfKinds('limit_micros')} AS limits, ${sumOfKinds('posted')} AS charges,
       ${sumOfHolds('open')} AS open_holds, ${sumOfHolds('uncertain')} AS uncertain_holds,
       (SELECT count(*) FROM money_entries WHERE account = money_accounts.id AND kind IN ('overrun', 'adjustment', 'limit'))
         AS exceptions
     FROM money_accounts WHERE id = $1`,
    [id],
  );
  if (!row) return [];
  const account = accountFromRow(row);
  const broken = await findBrokenEntry(db, id);
  const differs = (name: string, balance: number, sum: number) =>
    balance === sum ? [] : [`${id}: ${name} is ${balance}, its entries and holds say ${sum}`];
  return [
    ...(broken === null ? [] : [`${id}: entry ${broken} is missing or was changed`]),
    ...differs('limit', account.limit ?? 0, integer(row, 'limits')),
    ...differs('posted', account.posted, integer(row, 'charges')),
    ...differs('held', account.held, integer(row, 'open_holds')),
    ...differs('uncertain', account.uncertain, integer(row, 'uncertain_holds')),
    ...(isBelowFloor(account) && integer(row, 'exceptions') === 0 ? [`${id}: below its floor`] : []),
  ];
}

/** Only an overrun, a correction or a lowered limit leads there. */
function isBelowFloor(account: MoneyAccount): boolean {
  const available = availableOf(account);
  return available !== null && available < account.floor;
}

/** A hold ends with its job, and not before. */
async function faultsOfHolds(db: Statements): Promise<readonly string[]> {
  const rows = await db.read(
    `SELECT money_holds.job_id, jobs.state FROM money_holds LEFT JOIN jobs ON jobs.id = money_holds.job_id
     WHERE (money_holds.state = 'open' AND (jobs.id IS NULL OR jobs.completed_at IS NOT NULL))
        OR (money_holds.ended_at IS NOT NULL AND jobs.id IS NOT NULL AND jobs.completed_at IS NULL)
        OR (money_holds.state = 'uncertain' AND NOT EXISTS (SELECT 1 FROM attempts
          WHERE attempts.job_id = money_holds.job_id AND doubted_at IS NOT NULL AND doubt_settled_at IS NULL))
     LIMIT ${maxFaults}`,
  );
  return rows.map(row => `job ${text(row, 'job_id')}: its hold did not end with it`);
}
