/** `atelier audit`: lists the audit log and verifies its hash chain. */
import { listAudit, verifyAudit } from '../store/people/audit.ts';
import { CommandError } from './command-error.ts';
import { print } from './print.ts';
import { withStore } from './with-store.ts';

/** Options of `audit list`. */
interface ListOptions {
  /** Maximum number of entries, 1 to 999999. */
  readonly limit: string;
  /** One JSON array instead of lines. */
  readonly json?: true;
}

/** Prints the newest entries, one a line or as one JSON array. */
export async function listAuditCommand({ limit, json }: ListOptions): Promise<void> {
  const rows = await withStore(db => listAudit(db, readLimit(limit)));
  const shown = rows.map(({ at, ...row }) => ({ ...row, at: new Date(at).toISOString() }));
  if (json) return print(JSON.stringify(shown));
  if (shown.length === 0) return print('The audit log is empty.');
  for (const { number, at, actor, action, subject, details } of shown) {
    print([number, at, actor, action, subject, JSON.stringify(details)].join('  '));
  }
}

/** Every entry carries the hash of the one before it, so a change shows at the first entry that does not fit. */
export async function verifyAuditCommand(): Promise<void> {
  const verdict = await withStore(verifyAudit);
  if (verdict.kind === 'whole') return print(`Audit log verified: ${verdict.rows} entries.`);
  throw new CommandError(
    `Audit log broken at entry ${verdict.number}: it was changed, removed or inserted from outside.`,
  );
}

/** Throws with the range. */
function readLimit(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new CommandError('--limit must be a whole number from 1 to 999999');
}
