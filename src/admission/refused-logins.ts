import type { Logger } from 'pino';
import { type Clock, minutes } from '../domain/clock.ts';
import type { PersonId } from '../domain/ids.ts';
import type { Connection } from '../store/db/connection.ts';
import { writeAudit } from '../store/people/audit.ts';

/** A login that was refused. What was typed is not among it: it may be a password. */
export interface RefusedLogin {
  /** Whose account it was tried with: a person, the admin token, the setup, or a name that nobody has. */
  readonly subject: PersonId | 'admin' | 'setup' | 'unknown';
  readonly address: string;
  readonly range: string;
  readonly why: 'wrong' | 'throttled';
}

/** Writes refused logins into the audit: some a minute, and how many were left out. */
export interface RefusedLogins {
  record(refused: RefusedLogin): Promise<void>;
  /** Resolves once what was left out is told. */
  close(): Promise<void>;
}

const windowMs = 1 * minutes;
/** Entries of a process in a minute. */
const perRange = 3;
const inAll = 60;
const maxRanges = 10_000;

interface Window {
  readonly beganAt: number;
  written: number;
  leftOut: number;
}

export function openRefusedLogins(db: Connection, clock: Clock, log: Logger): RefusedLogins {
  const ranges = new Map<string, Window>();
  let all = newWindow(clock.now());
  const closing = new AbortController();
  const telling = tellLeftOut();

  const isOver = ({ beganAt }: Window, now: number): boolean => now >= beganAt + windowMs || now < beganAt;

  /** The window of a range; where too many are remembered, that of all. */
  function windowOf(range: string, now: number): Window {
    if (isOver(all, now)) all = { ...newWindow(now), leftOut: all.leftOut };
    const known = ranges.get(range);
    if (known && !isOver(known, now)) return known;
    if (!known && ranges.size >= maxRanges) return all;
    const fresh = { ...newWindow(now), leftOut: known?.leftOut ?? 0 };
    ranges.set(range, fresh);
    return fresh;
  }

  async function write(subject: string, details: Readonly<Record<string, unknown>>): Promise<void> {
    const entry = { at: clock.now(), actor: 'unknown', action: 'session.refused', subject, details } as const;
    // Whoever is refused is told so, whether or not it can be written down.
    await db
      .transaction(tx => writeAudit(tx, entry))
      .catch(failure => log.warn({ err: failure, ...details }, 'a refused login is not in the audit'));
  }

  /** Each minute one entry says what no other did. */
  async function tellLeftOut(): Promise<void> {
    while (!closing.signal.aborted) {
      await clock.sleep(windowMs, closing.signal);
      const now = clock.now();
      const over = [...ranges].filter(([, window]) => closing.signal.aborted || isOver(window, now));
      for (const [range] of over) ranges.delete(range);
      const leftOut = all.leftOut + over.reduce((sum, [, window]) => sum + window.leftOut, 0);
      all.leftOut = 0;
      if (leftOut > 0) await write('unknown', { left_out: leftOut });
    }
  }

  return {
    async record({ subject, address, range, why }) {
      const window = windowOf(range, clock.now());
      if (window === all || window.written >= perRange || all.written >= inAll) {
        window.leftOut++;
        return;
      }
      const left_out = window.leftOut;
      window.leftOut = 0;
      window.written++;
      all.written++;
      await write(subject, { address, why, ...(left_out > 0 && { left_out }) });
    },
    async close() {
      closing.abort();
      await telling;
    },
  };
}

const newWindow = (beganAt: number): Window => ({ beganAt, written: 0, leftOut: 0 });
