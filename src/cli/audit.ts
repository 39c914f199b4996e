import { listAudit, verifyAudit } from '../store/people/audit.ts';
import { CommandError } from './command-error.ts';
import { print } from './print.ts';
import { withStore } from './with-store.ts';

interface ListOptions {
  readonly limit: string;
  readonly json?: true;
}

export async function listAuditCommand({ limit, json }: ListOptions): Promise<void> {
  const rows = await withStore(db => listAudit(db, readLimit(limit)));
  const shown = rows.map(({ at, ...row }) => ({ ...row, at: new Date(at).toISOString() }));
  if (json) return print(JSON.stringify(shown));
  if (shown.length === 0) return print('Nothing was done yet.');
  for (const { number, at, actor, action, subject, details } of shown) {
    print([number, at, actor, action, subject, JSON.stringify(details)].join('  '));
  }
}

export async function verifyAuditCommand(): Promise<void> {
  const verdict = await withStore(verifyAudit);
  if (verdict.kind === 'whole') return print(`The audit is whole: ${verdict.rows} rows.`);
  throw new CommandError(
    `The audit is broken at row ${verdict.number}: it was changed, removed or put in by someone else.`,
  );
}

function readLimit(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new CommandError('--limit must be a whole number from 1 to 999999');
}
