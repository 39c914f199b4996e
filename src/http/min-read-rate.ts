/** Minimum rate at which clients read their answers. */

import type { Socket } from 'node:net';
import { type Clock, seconds } from '../domain/clock.ts';
import { openWatchList, type Watched } from './watch-list.ts';

/** An answer may lie unread for this long, and so much longer for every byte of it that was written. */
const graceMs = 30 * seconds;
/** As slow as bodies may be sent: a video of 100 MB takes 13 minutes at it. */
const bytesPerSecond = 128 * 1024;
/** One timer for all answers: a slow one is cut up to so much later. */
const checkEveryMs = 1 * seconds;

/** Watches how fast clients read their answers: one that is never read keeps a connection and a file open. */
export interface MinReadRate {
  /** Of an answer that is sent on this connection from now on. */
  watch(socket: Socket): WatchedAnswer;
  /** For an answer that was sent or cut. */
  forget(answer: WatchedAnswer): void;
  close(): void;
}

/** What `watch` returned. */
export type WatchedAnswer = Watched<Answer>;

/** An answer that is being sent. */
interface Answer {
  readonly socket: Socket;
  readonly bytesBefore: number;
  checkedAt: number;
  /** Time in which bytes of it waited for the other side to read. */
  blockedMs: number;
}

/** Closes connections that read too slowly, and reports each. */
export function openMinReadRate(clock: Clock, onCut: () => void): MinReadRate {
  /** True: it was cut. */
  function look(answer: Answer): boolean {
    const { socket, bytesBefore } = answer;
    const now = clock.now();
    // Where nothing lies here unsent, the answer is still being made: our own slowness.
    if (socket.writableLength > 0) answer.blockedMs += now - answer.checkedAt;
    answer.checkedAt = now;
    const bytes = socket.bytesWritten - bytesBefore;
    if (answer.blockedMs <= graceMs + (bytes / bytesPerSecond) * seconds) return false;
    socket.destroy();
    onCut();
    return true;
  }

  const watched = openWatchList(checkEveryMs, look);
  return {
    watch: socket =>
      watched.add({ socket, bytesBefore: socket.bytesWritten, checkedAt: clock.now(), blockedMs: 0 }),
    forget: watched.remove,
    close: watched.close,
  };
}
