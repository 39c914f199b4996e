/** Sends callbacks again at an operator's request, and lists the attempts of a delivery. */
import type { DeliveryAttempt } from '../../domain/delivery.ts';
import type { DeliveryId } from '../../domain/ids.ts';
import { type Connection, deliveryTopic, type Statements } from '../db/connection.ts';
import { integer, integerOrNull, text, textOrNull } from '../db/rows.ts';
import { type Actor, writeAudit } from '../people/audit.ts';

/** `in_line`: it is queued. `refused`: its status was superseded by a final one. */
export type Redelivery = 'in_line' | 'refused' | 'unknown';

/** Who redelivers, and when (epoch ms). */
export interface Redeliverer {
  readonly actor: Actor;
  readonly now: number;
}

/** Queues a delivery again, or one that is pending before its time, due at once, with its whole retry schedule and the same id. Announces it. */
export async function redeliver(db: Connection, id: DeliveryId, by: Redeliverer): Promise<Redelivery> {
  const redelivery = await requeueDelivery(db, id, by);
  if (redelivery === 'in_line') db.announce(deliveryTopic);
  return redelivery;
}

function requeueDelivery(db: Connection, id: DeliveryId, { actor, now }: Redeliverer): Promise<Redelivery> {
  return db.transaction(async tx => {
    const [row] = await tx.read('SELECT job_id, status, state FROM deliveries WHERE id = $1', [id]);
    if (!row) return 'unknown';
    if (text(row, 'state') === 'superseded') return 'refused';
    // The no-op update locks the job: a concurrent settlement commits before or after this transaction.
    if (text(row, 'status') === 'IN_PROGRESS') {
      const [unfinished] = await tx.write(
        'UPDATE jobs SET callback_url = callback_url WHERE id = $1 AND completed_at IS NULL RETURNING id',
        [text(row, 'job_id')],
      );
      if (!unfinished) return 'refused';
    }
    // An attempt in flight goes on: a second one beside it could deliver twice.
    await tx.write(`UPDATE deliveries SET ${requeueAssignments} WHERE id = $1 AND sending_until IS NULL`, [
      id,
      now,
    ]);
    await writeAudit(tx, {
      at: now,
      actor,
      action: 'delivery.resend',
      subject: id,
      details: {},
    });
    return 'in_line';
  });
}

/**
 * Queues every delivery of a final status, and every alert, again that failed since that moment (epoch ms); returns how
 * many. Announces them.
 */
export async function redeliverFailed(db: Connection, failedSince: number, by: Redeliverer): Promise<number> {
  const deliveries = await requeueFailed(db, failedSince, by);
  if (deliveries > 0) db.announce(deliveryTopic);
  return deliveries;
}

function requeueFailed(db: Connection, failedSince: number, { actor, now }: Redeliverer): Promise<number> {
  return db.transaction(async tx => {
    const rows = await tx.write(
      `UPDATE deliveries SET ${requeueAssignments}
       WHERE state = 'failed' AND ended_at >= $1 AND status <> 'IN_PROGRESS' RETURNING id`,
      [failedSince, now],
    );
    await writeAudit(tx, {
      at: now,
      actor,
      action: 'delivery.resend',
      subject: 'failed',
      details: { failed_since: failedSince, deliveries: rows.length },
    });
    return rows.length;
  });
}

const requeueAssignments = `state = 'waiting', ended_at = NULL, failures = 0, due_at = $2`;

/** The attempts of a delivery, oldest first. */
export async function listDeliveryAttempts(
  db: Statements,
  id: DeliveryId,
): Promise<readonly DeliveryAttempt[]> {
  const rows = await db.read(
    `SELECT number, at, took_ms, code, answer FROM delivery_tries WHERE delivery_id = $1 ORDER BY number LIMIT 1000`,
    [id],
  );
  return rows.map(row => ({
    number: integer(row, 'number'),
    at: integer(row, 'at'),
    tookMs: integerOrNull(row, 'took_ms'),
    code: integerOrNull(row, 'code'),
    answer: textOrNull(row, 'answer'),
  }));
}
