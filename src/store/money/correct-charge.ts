/** A late charge or credit of an upstream: what a job was charged is corrected by entries of their own. */
import type { JobId } from '../../domain/ids.ts';
import type { Micros } from '../../domain/money.ts';
import type { Connection, Statements } from '../db/connection.ts';
import { integerOrNull, text } from '../db/rows.ts';
import { writeAudit } from '../people/audit.ts';
import { lockAccount, type MoneyAccount } from './accounts.ts';
import { appendEntry, isEntryKnown } from './entries.ts';
import { accountsOfPath } from './holds.ts';
import type { ManualEntry, MoneyChange } from './projects.ts';

/**
 * `charged` is what the job costs now. `unknown`: the job had no hold. `open`: its hold has not ended. `too_much`: a
 * credit of more than what was charged, so that no refund is made twice.
 */
export type Corrected =
  | { readonly kind: 'posted' | 'repeated'; readonly charged: Micros; readonly currency: string }
  | { readonly kind: 'too_much'; readonly charged: Micros; readonly currency: string }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'open' };

/** Posts the amount in every account that paid for the job; a negative amount is a credit. */
export function correctCharge(
  db: Connection,
  jobId: JobId,
  { amount, reason, idempotencyKey }: Omit<ManualEntry, 'kind'>,
  { actor, now }: MoneyChange,
): Promise<Corrected> {
  return db.transaction(async tx => {
    const hold = await lockEndedHold(tx, jobId);
    if (!hold) return { kind: 'unknown' };
    if (hold.kind === 'open') return { kind: 'open' };
    const { accounts, charged, currency } = hold;
    for (const account of accounts)
      if (await isEntryKnown(tx, account, idempotencyKey)) return { kind: 'repeated', charged, currency };
    if (charged + amount < 0) return { kind: 'too_much', charged, currency };
    for (const { id } of accounts)
      await appendEntry(tx, id, {
        kind: 'adjustment',
        at: now,
        amount,
        reason,
        idempotencyKey,
        jobId,
        actor,
      });
    await tx.write('UPDATE money_holds SET charged = charged + $2 WHERE job_id = $1', [jobId, amount]);
    const details = { amount, reason };
    await writeAudit(tx, { at: now, actor, action: 'money.adjustment', subject: jobId, details });
    return { kind: 'posted', charged: charged + amount, currency };
  });
}

/** Locks the accounts that paid for it, so that one correction waits for another. Null: the job had no hold. */
async function lockEndedHold(tx: Statements, jobId: JobId) {
  const read = () => tx.read('SELECT path, charged, currency FROM money_holds WHERE job_id = $1', [jobId]);
  const [row] = await read();
  if (!row) return null;
  const accounts: MoneyAccount[] = [];
  for (const id of accountsOfPath(text(row, 'path'))) {
    const account = await lockAccount(tx, id);
    if (account) accounts.push(account);
  }
  // A correction before this one may have changed it until now.
  const charged = integerOrNull((await read())[0] ?? row, 'charged');
  if (charged === null) return { kind: 'open' } as const;
  return { kind: 'ended', accounts, charged, currency: text(row, 'currency') } as const;
}
