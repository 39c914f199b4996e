/** A clock that a test puts forward, in one process or in several. */
import { closeSync, openSync, readSync, watch, writeFileSync, writeSync } from 'node:fs';
import { type Clock, systemClock } from '../src/domain/clock.ts';

/** A clock that a test can put forward: `now` jumps, sleeps take real time until they are woken by the jump. */
export interface TestClock extends Clock {
  advance(ms: number): void;
}

/** By how many milliseconds a clock goes before that of the machine. */
export interface Lead {
  read(): number;
  add(ms: number): void;
  onAdded(listener: () => void): void;
}

/** A clock that only a test moves, for what is counted by time: on a busy machine seconds pass between two requests. */
export function openStandingClock(): TestClock {
  const openedAt = systemClock.now();
  return openTestClock(openLead(), () => openedAt);
}

/** Of the platform; a longer sleep looks again then. */
const longestTimerMs = 2 ** 31 - 1;

export function openTestClock(lead: Lead = openLead(), base = systemClock.now): TestClock {
  const sleepers = new Set<() => void>();
  lead.onAdded(() => {
    for (const look of [...sleepers]) look();
  });
  const now = () => base() + lead.read();
  return {
    now,
    sleep: (ms, signal) =>
      new Promise(resolve => {
        const endsAt = now() + ms;
        let timer: NodeJS.Timeout | undefined;
        const end = () => {
          clearTimeout(timer);
          sleepers.delete(look);
          signal?.removeEventListener('abort', end);
          resolve();
        };
        const look = () => {
          clearTimeout(timer);
          const rest = endsAt - now();
          if (rest <= 0 || signal?.aborted) end();
          else timer = setTimeout(look, Math.min(rest, longestTimerMs));
        };
        sleepers.add(look);
        signal?.addEventListener('abort', end);
        look();
      }),
    advance: lead.add,
  };
}

function openLead(): Lead {
  let ahead = 0;
  let notify = () => {};
  return {
    read: () => ahead,
    add(ms) {
      ahead += ms;
      notify();
    },
    onAdded(listener) {
      notify = listener;
    },
  };
}

/** A lead that several processes have in common, in a file: when `add` returns, all of them read it. */
export interface SharedLead extends Lead {
  close(): void;
}

export function makeLead(path: string): void {
  writeFileSync(path, bytesOf(0));
}

export function openSharedLead(path: string): SharedLead {
  const descriptor = openSync(path, 'r+');
  const buffer = bytesOf(0);
  let notify = () => {};
  const watching = watch(path, { persistent: false }, () => notify());
  const read = () => {
    readSync(descriptor, buffer, 0, buffer.length, 0);
    return buffer.readDoubleLE();
  };
  return {
    read,
    add(ms) {
      writeSync(descriptor, bytesOf(read() + ms), 0, buffer.length, 0);
      notify();
    },
    onAdded(listener) {
      notify = listener;
    },
    close() {
      watching.close();
      closeSync(descriptor);
    },
  };
}

function bytesOf(ms: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(ms);
  return bytes;
}
