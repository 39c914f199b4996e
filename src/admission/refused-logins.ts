/** Writes refused logins to the audit log, a bounded number a minute. */
import type { Logger } from 'pino';
import { type Clock, minutes } from '../domain/clock.ts';
import type { PersonId } from '../domain/ids.ts';
import type { Connection } from '../store/db/connection.ts';
import { writeAudit } from '../store/people/audit.ts';

/** A login that was refused. The name as it was typed is not recorded: it may be a password. */
export interface RefusedLogin {
  /** The account of the attempt: a person, the admin token, the setup, or `unknown` for a name without account. */
  readonly subject: PersonId | 'admin' | 'setup' | 'unknown';
  readonly address: string;
  readonly range: string;
  readonly why: 'wrong' | 'throttled' | 'no_role';
  /** Who it was, where an identity provider confirmed that. */
  readonly name?: string;
}

export interface RefusedLogins {
  /** Resolves also where the entry was only counted, or could not be written. */
  record(refused: RefusedLogin): Promise<void>;
  /** Resolves once the number of omitted entries is written. */
  close(): Promise<void>;
}

const windowMs = 1 * minutes;
/** Entries of a process in a minute: of each address range, and of all. */
const perRange = 3;
const inAll = 60;
const maxRanges = 10_000;

/** One minute of one address range. */
interface Window {
  readonly startedAt: number;
  written: number;
  omitted: number;
}

export function openRefusedLogins(db: Connection, clock: Clock, log: Logger): RefusedLogins {
  const ranges = new Map<string, Window>();
  let all = newWindow(clock.now());
  const closing = new AbortController();
  const reporting = reportOmitted();

  const isOver = ({ startedAt }: Window, now: number): boolean =>
    now >= startedAt + windowMs || now < startedAt;

  /** The window of a range; the one of all ranges where too many are remembered. */
  function windowOf(range: string, now: number): Window {
    if (isOver(all, now)) all = { ...newWindow(now), omitted: all.omitted };
    const known = ranges.get(range);
    if (known && !isOver(known, now)) return known;
    if (!known && ranges.size >= maxRanges) return all;
    const fresh = { ...newWindow(now), omitted: known?.omitted ?? 0 };
    ranges.set(range, fresh);
    return fresh;
  }

  async function write(subject: string, details: Readonly<Record<string, unknown>>): Promise<void> {
    const entry = { at: clock.now(), actor: 'unknown', action: 'session.refused', subject, details } as const;
    // The client is refused whether or not the entry can be written.
    await db
      .transaction(tx => writeAudit(tx, entry))
      .catch(failure =>
        log.warn({ err: failure, ...details }, 'audit write failed: refused login not recorded'),
      );
  }

  /** Each minute one entry counts the logins without an entry. */
  async function reportOmitted(): Promise<void> {
    while (!closing.signal.aborted) {
      await clock.sleep(windowMs, closing.signal);
      const now = clock.now();
      const over = [...ranges].filter(([, window]) => closing.signal.aborted || isOver(window, now));
      for (const [range] of over) ranges.delete(range);
      const omitted = all.omitted + over.reduce((sum, [, window]) => sum + window.omitted, 0);
      all.omitted = 0;
      if (omitted > 0) await write('unknown', { left_out: omitted });
    }
  }

  return {
    async record({ subject, address, range, why, name }) {
      const window = windowOf(range, clock.now());
      if (window === all || window.written >= perRange || all.written >= inAll) {
        window.omitted++;
        return;
      }
      const left_out = window.omitted;
      window.omitted = 0;
      window.written++;
      all.written++;
      await write(subject, {
        address,
        why,
        ...(name !== undefined && { name }),
        ...(left_out > 0 && { left_out }),
      });
    },
    async close() {
      closing.abort();
      await reporting;
    },
  };
}

const newWindow = (startedAt: number): Window => ({ startedAt, written: 0, omitted: 0 });
