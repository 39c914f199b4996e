/** Minimum rate of incoming request bodies. */

import type { IncomingMessage } from 'node:http';
import { type Clock, seconds } from '../domain/clock.ts';

/** A body may take this long, and so much longer for every byte of it that came. */
const graceMs = 10 * seconds;
/** A megabit a second: 64 MB take nine minutes at it. */
const bytesPerSecond = 128 * 1024;
/** One timer for all bodies: a slow one is cut up to so much later. */
const checkEveryMs = 1 * seconds;

/** Watches bodies on their way. */
export interface MinBodyRate {
  /** Calls `cut` once when the body comes more slowly than it must; never after it is whole. */
  watch(message: IncomingMessage, cut: () => void): void;
  /** For a message of which nothing is to come any more. */
  forget(message: IncomingMessage): void;
  close(): void;
}

/** A body that is being received. */
interface Watched {
  readonly cut: () => void;
  readonly bytesBefore: number;
  checkedAt: number;
  /** Time that its sender took, without what we did not read. */
  tookMs: number;
}

/** Checks all watched bodies by one timer. */
export function openMinBodyRate(clock: Clock): MinBodyRate {
  const watched = new Map<IncomingMessage, Watched>();

  function look(): void {
    const now = clock.now();
    for (const [message, each] of watched) {
      if (message.complete || message.destroyed) {
        watched.delete(message);
        continue;
      }
      // Bytes that lie here unread are our own slowness.
      if (message.readableLength === 0) each.tookMs += now - each.checkedAt;
      each.checkedAt = now;
      const bytes = message.socket.bytesRead - each.bytesBefore;
      if (each.tookMs <= graceMs + (bytes / bytesPerSecond) * seconds) continue;
      watched.delete(message);
      each.cut();
    }
  }

  const looking = setInterval(look, checkEveryMs).unref();
  return {
    watch(message, cut) {
      const bytesBefore = message.socket.bytesRead;
      watched.set(message, { cut, bytesBefore, checkedAt: clock.now(), tookMs: 0 });
    },
    forget: message => void watched.delete(message),
    close: () => clearInterval(looking),
  };
}
