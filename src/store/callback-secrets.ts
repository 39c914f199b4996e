import { newCallbackSecret, secretOverlapMs } from '../domain/delivery.ts';
import type { UserId } from '../domain/ids.ts';
import { writeAudit } from './audit.ts';
import type { Connection, Statements } from './connection.ts';
import { integerOrNull, text, textOrNull } from './rows.ts';

/** The secrets that sign a user's callbacks now: the present one first, and during a rotation the one before. */
export async function readCallbackSecrets(
  db: Statements,
  userId: UserId,
  now: number,
): Promise<readonly [present: string, ...before: string[]]> {
  const [row] = await db.read(
    `SELECT callback_secret, previous_callback_secret, previous_callback_secret_ends_at FROM users WHERE id = $1`,
    [userId],
  );
  if (!row) throw new Error(`expected user ${userId} to be there`);
  const previous = textOrNull(row, 'previous_callback_secret');
  const isInForce = (integerOrNull(row, 'previous_callback_secret_ends_at') ?? 0) > now;
  return [text(row, 'callback_secret'), ...(previous !== null && isInForce ? [previous] : [])];
}

/** Gives a user a new secret; the old one signs along for a day. Null when there is no such user. */
export function rotateCallbackSecret(
  db: Connection,
  userName: string,
  now: number,
): Promise<{ readonly secret: string; readonly previousEndsAt: number } | null> {
  const secret = newCallbackSecret();
  const previousEndsAt = now + secretOverlapMs;
  return db.transaction(async tx => {
    const [user] = await tx.write(
      `UPDATE users SET previous_callback_secret = callback_secret, previous_callback_secret_ends_at = $3,
         callback_secret = $2 WHERE name = $1 RETURNING id`,
      [userName, secret, previousEndsAt],
    );
    if (!user) return null;
    await writeAudit(tx, {
      at: now,
      actor: 'operator',
      action: 'callback_secret.rotate',
      subject: text(user, 'id'),
      details: { user: userName, previous_ends_at: previousEndsAt },
    });
    return { secret, previousEndsAt };
  });
}
