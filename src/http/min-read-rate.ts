/** Minimum rate at which clients read their answers. */

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Clock, seconds } from '../domain/clock.ts';

/** An answer may lie unread for this long, and so much longer for every byte of it that was written. */
const graceMs = 30 * seconds;
/** As slow as bodies may be sent: a video of 100 MB takes 13 minutes at it. */
const bytesPerSecond = 128 * 1024;
/** One timer for all answers: a slow one is cut up to so much later. */
const checkEveryMs = 1 * seconds;

/** Watches how fast clients read their answers: one that is never read keeps a connection and a file open. */
export interface MinReadRate {
  watch(response: ServerResponse, socket: Socket): void;
  forget(response: ServerResponse): void;
  close(): void;
}

/** An answer that is being sent. */
interface Watched {
  readonly socket: Socket;
  readonly bytesBefore: number;
  checkedAt: number;
  /** Time in which bytes of it waited for the other side to read. */
  blockedMs: number;
}

/** Closes connections that read too slowly, and reports each. */
export function openMinReadRate(clock: Clock, onCut: () => void): MinReadRate {
  const watched = new Map<ServerResponse, Watched>();

  function look(): void {
    const now = clock.now();
    for (const [response, each] of watched) {
      const { socket, bytesBefore } = each;
      // Where nothing lies here unsent, the answer is still being made: our own slowness.
      if (socket.writableLength > 0) each.blockedMs += now - each.checkedAt;
      each.checkedAt = now;
      const bytes = socket.bytesWritten - bytesBefore;
      if (each.blockedMs <= graceMs + (bytes / bytesPerSecond) * seconds) continue;
      watched.delete(response);
      socket.destroy();
      onCut();
    }
  }

  const looking = setInterval(look, checkEveryMs).unref();
  return {
    watch(response, socket) {
      const bytesBefore = socket.bytesWritten;
      watched.set(response, { socket, bytesBefore, checkedAt: clock.now(), blockedMs: 0 });
    },
    forget: response => void watched.delete(response),
    close: () => clearInterval(looking),
  };
}
