/** What every process knows of the accounts: load, circuit, the last test and the last error. */
import type { Statements } from '../db/connection.ts';
import { integer, integerOrNull, text, textOrNull } from '../db/rows.ts';

/** Of an account that a job, a test or an operator has used. */
export interface AccountState {
  readonly running: number;
  /** Epoch ms until which its circuit is open. */
  readonly blockedUntil: number;
  readonly why: string | null;
  readonly isPaused: boolean;
  readonly tested: AccountTestRecord | null;
  readonly lastError: { readonly at: number; readonly message: string } | null;
}

/** The result of the last test; `at` in epoch ms. */
export interface AccountTestRecord {
  readonly at: number;
  readonly outcome: string;
  readonly says: string;
}

/** The state of an account without a row. */
export const unusedAccount: AccountState = {
  running: 0,
  blockedUntil: 0,
  why: null,
  isPaused: false,
  tested: null,
  lastError: null,
};

/** By account. */
export async function readAccounts(db: Statements): Promise<ReadonlyMap<string, AccountState>> {
  const running = await db.read(
    `SELECT account, count(*) AS running FROM jobs WHERE state = 'running' AND account IS NOT NULL GROUP BY account`,
  );
  const rows = await db.read(
    `SELECT id, blocked_until, blocked_why, paused_at, tested_at, test_outcome, test_says, last_error_at, last_error
     FROM accounts`,
  );
  const found = new Map(
    rows.map(row => {
      const [testedAt, failedAt] = [integerOrNull(row, 'tested_at'), integerOrNull(row, 'last_error_at')];
      const state: AccountState = {
        running: 0,
        blockedUntil: integer(row, 'blocked_until'),
        why: textOrNull(row, 'blocked_why'),
        isPaused: row.paused_at !== null,
        tested:
          testedAt === null
            ? null
            : { at: testedAt, outcome: text(row, 'test_outcome'), says: text(row, 'test_says') },
        lastError: failedAt === null ? null : { at: failedAt, message: text(row, 'last_error') },
      };
      return [text(row, 'id'), state] as const;
    }),
  );
  for (const row of running) {
    const id = text(row, 'account');
    found.set(id, { ...(found.get(id) ?? unusedAccount), running: integer(row, 'running') });
  }
  return found;
}

/** Remembers a test, for every process. */
export async function recordAccountTest(db: Statements, id: string, test: AccountTestRecord): Promise<void> {
  await db.write(
    `INSERT INTO accounts (id, tested_at, test_outcome, test_says) VALUES ($1, $2, $3, $4)
     ON CONFLICT (id) DO UPDATE SET tested_at = excluded.tested_at, test_outcome = excluded.test_outcome,
       test_says = excluded.test_says`,
    [id, test.at, test.outcome, test.says],
  );
}

/** Longest error that is kept, in characters. */
const maxErrorLength = 500;

/** Remembers an error of an account; `at` in epoch ms. */
export async function recordAccountError(
  db: Statements,
  id: string,
  { at, message }: { readonly at: number; readonly message: string },
): Promise<void> {
  await db.write(
    `INSERT INTO accounts (id, last_error_at, last_error) VALUES ($1, $2, $3)
     ON CONFLICT (id) DO UPDATE SET last_error_at = excluded.last_error_at, last_error = excluded.last_error`,
    [id, at, message.slice(0, maxErrorLength)],
  );
}
