/** Alerts of budgets: an account that reaches 50, 80 or 100 % of its limit, once for each step. */
import { type AlertReceiver, type BudgetAlert, budgetAlertBody } from '../../domain/budget-alert.ts';
import { enqueueAlert } from '../callbacks/deliveries.ts';
import { type Connection, deliveryTopic, type Row, type Statements } from '../db/connection.ts';
import { integer, integerOrNull, text, textOrNull } from '../db/rows.ts';
import { nameFromRow } from './owners.ts';

/** Percent of the limit, spent and held together. */
const steps = [100, 80, 50] as const;

/** For `RETURNING`: the columns that `raiseAlert` reads. */
export const alertColumns = 'id, limit_micros, posted, held, uncertain, alerted';

/** Call it with the row of a statement that has just locked and changed the account. Rarely a statement. */
export async function raiseAlert(tx: Statements, row: Row): Promise<void> {
  const step = stepOf(row);
  if (step > integer(row, 'alerted'))
    await tx.write('UPDATE money_accounts SET alerted = $2 WHERE id = $1', [text(row, 'id'), step]);
}

/** After a higher limit: a step that it does not reach any more can be alerted again. */
export async function lowerAlert(tx: Statements, row: Row): Promise<void> {
  const step = stepOf(row);
  if (step < integer(row, 'alerted'))
    await tx.write(
      `UPDATE money_accounts SET alerted = $2, notified = CASE WHEN notified > $2 THEN $2 ELSE notified END
       WHERE id = $1`,
      [text(row, 'id'), step],
    );
}

/** 0 below the first step, and without a limit. */
function stepOf(row: Row): number {
  const limit = integerOrNull(row, 'limit_micros');
  const used = integer(row, 'posted') + integer(row, 'held') + integer(row, 'uncertain');
  if (limit === null || used <= 0) return 0;
  return steps.find(step => used >= (limit / 100) * step) ?? 0;
}

const maxAlerts = 100;

/**
 * Takes alerts that no process has notified of yet; each is given to one process, once. With a receiver, its delivery
 * is enqueued in the same transaction. `now` is epoch ms.
 */
export async function takeAlerts(
  db: Connection,
  receiver: AlertReceiver | null,
  now: number,
): Promise<readonly BudgetAlert[]> {
  const waiting = await db.read(
    `SELECT id FROM money_accounts WHERE alerted > notified ORDER BY id LIMIT ${maxAlerts}`,
  );
  const alerts: BudgetAlert[] = [];
  for (const row of waiting) {
    const alert = await db.transaction(tx => takeAlert(tx, text(row, 'id'), receiver, now));
    if (alert) alerts.push(alert);
  }
  if (receiver && alerts.length > 0) db.announce(deliveryTopic);
  return alerts;
}

/** Null where another process took it. */
async function takeAlert(
  tx: Statements,
  account: string,
  receiver: AlertReceiver | null,
  now: number,
): Promise<BudgetAlert | null> {
  const [row] = await tx.write(
    `UPDATE money_accounts SET notified = alerted WHERE id = $1 AND alerted > notified
     RETURNING id, kind, period, alerted, limit_micros, posted + held + uncertain AS used,
       COALESCE((SELECT name FROM projects WHERE projects.id = owner), (SELECT name FROM keys WHERE keys.id = owner),
         owner) AS name`,
    [account],
  );
  if (!row) return null;
  const alert = alertFromRow(row);
  if (receiver) await enqueueAlert(tx, receiver.url, budgetAlertBody(alert, receiver, now), now);
  return alert;
}

const alertFromRow = (row: Row): BudgetAlert => ({
  account: text(row, 'id'),
  name: nameFromRow(row),
  period: textOrNull(row, 'period'),
  percent: integer(row, 'alerted'),
  limit: integerOrNull(row, 'limit_micros') ?? 0,
  used: integer(row, 'used'),
});

/** Accounts by the step that they reached; of monthly limits those of the month `period`. */
export async function countAlerts(
  db: Statements,
  period: string,
): Promise<readonly { readonly percent: number; readonly accounts: number }[]> {
  const rows = await db.read(
    `SELECT alerted, count(*) AS accounts FROM money_accounts
     WHERE alerted > 0 AND (period IS NULL OR period = $1) GROUP BY alerted`,
    [period],
  );
  return rows.map(row => ({ percent: integer(row, 'alerted'), accounts: integer(row, 'accounts') }));
}
