/** Records that an operator sends a test event to a receiver. */
import { type UserId, userIdFromRow } from '../../domain/ids.ts';
import type { Connection } from '../db/connection.ts';
import { text } from '../db/rows.ts';
import { writeAudit } from '../people/audit.ts';
import type { Redeliverer } from './redeliver.ts';

/** The user whose secret signs it; null, and nothing recorded, where no user has that name. */
export function recordTest(
  db: Connection,
  { userName, host }: { readonly userName: string; readonly host: string },
  { actor, now }: Redeliverer,
): Promise<UserId | null> {
  return db.transaction(async tx => {
    const [row] = await tx.read('SELECT id FROM users WHERE name = $1', [userName]);
    if (!row) return null;
    const id = text(row, 'id');
    await writeAudit(tx, { at: now, actor, action: 'delivery.test', subject: id, details: { host } });
    return userIdFromRow(id);
  });
}
