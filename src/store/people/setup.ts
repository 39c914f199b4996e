/** The setup of a new installation: a code that creates the first account, once. */
import { createHash } from 'node:crypto';
import type { Connection, Statements } from '../db/connection.ts';
import { textOrNull } from '../db/rows.ts';
import { writeAudit } from './audit.ts';

/** `over`: the setup has ended. */
export type SetupCodeVerdict = 'right' | 'wrong' | 'over';

/** Whether no account was ever created and no login by the admin token happened. */
export async function isSetupOpen(db: Statements): Promise<boolean> {
  return (await db.read('SELECT id FROM setup WHERE ended_at = 0')).length === 1;
}

/** Replaces the code that creates the first account. False when the setup is over. */
export function replaceSetupCode(
  db: Connection,
  { code, endsAt }: { readonly code: string; readonly endsAt: number },
  now: number,
): Promise<boolean> {
  return db.transaction(async tx => {
    const rows = await tx.write(
      'UPDATE setup SET code_hash = $1, code_ends_at = $2 WHERE ended_at = 0 RETURNING id',
      [hashOf(code), endsAt],
    );
    if (rows.length === 0) return false;
    const details = { ends_at: endsAt };
    await writeAudit(tx, { at: now, actor: 'operator', action: 'setup.link', subject: 'setup', details });
    return true;
  });
}

/** Whether that code creates the first account now; an expired code is wrong. */
export async function verifySetupCode(db: Statements, code: string, now: number): Promise<SetupCodeVerdict> {
  const [row] = await db.read(
    'SELECT CASE WHEN code_ends_at > $1 THEN code_hash END AS code_hash FROM setup WHERE ended_at = 0',
    [now],
  );
  if (!row) return 'over';
  return textOrNull(row, 'code_hash') === hashOf(code) ? 'right' : 'wrong';
}

/** False when it had ended before: of two concurrent calls only one returns true. */
export async function endSetup(tx: Statements, now: number): Promise<boolean> {
  const rows = await tx.write(
    'UPDATE setup SET ended_at = $1, code_hash = NULL, code_ends_at = NULL WHERE ended_at = 0 RETURNING id',
    [now],
  );
  return rows.length === 1;
}

/** 144 random bits need no slow hash. */
const hashOf = (code: string): string => createHash('sha256').update(code).digest('hex');
