/** Minimum rate of incoming request bodies. */

import type { IncomingMessage } from 'node:http';
import { type Clock, seconds } from '../domain/clock.ts';
import { openWatchList, type Watched } from './watch-list.ts';

/** A body may take this long, and so much longer for every byte of it that came. */
const graceMs = 10 * seconds;
/** A megabit a second: 64 MB take nine minutes at it. */
const bytesPerSecond = 128 * 1024;
/** One timer for all bodies: a slow one is cut up to so much later. */
const checkEveryMs = 1 * seconds;

/** Watches bodies on their way. */
export interface MinBodyRate {
  /** Calls `cut` once when the body comes more slowly than it must; never after it is whole. */
  watch(message: IncomingMessage, cut: () => void): WatchedBody;
  /** For a message of which nothing is to come any more. */
  forget(body: WatchedBody): void;
  close(): void;
}

/** What `watch` returned. */
export type WatchedBody = Watched<Body>;

/** A body that is being received. */
interface Body {
  readonly message: IncomingMessage;
  readonly cut: () => void;
  readonly bytesBefore: number;
  checkedAt: number;
  /** Time that its sender took, without what we did not read. */
  tookMs: number;
}

/** Checks all watched bodies by one timer. */
export function openMinBodyRate(clock: Clock): MinBodyRate {
  /** True: it is whole, or it was cut. */
  function look(body: Body): boolean {
    const { message } = body;
    if (message.complete || message.destroyed) return true;
    const now = clock.now();
    // Bytes that lie here unread are our own slowness.
    if (message.readableLength === 0) body.tookMs += now - body.checkedAt;
    body.checkedAt = now;
    const bytes = message.socket.bytesRead - body.bytesBefore;
    if (body.tookMs <= graceMs + (bytes / bytesPerSecond) * seconds) return false;
    body.cut();
    return true;
  }

  const watched = openWatchList(checkEveryMs, look);
  return {
    watch(message, cut) {
      const bytesBefore = message.socket.bytesRead;
      return watched.add({ message, cut, bytesBefore, checkedAt: clock.now(), tookMs: 0 });
    },
    forget: watched.remove,
    close: watched.close,
  };
}
