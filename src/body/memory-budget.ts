/**
 * The memory budget of request bodies, per key and for the process: bytes and number of bodies are reserved before a
 * body is read, and free again when its request ends.
 */
import type { KeyId } from '../domain/ids.ts';
import type { BodyLimits } from '../domain/limits.ts';
import { refuse } from '../domain/refusal.ts';
import { openFairTurns, type TurnSize } from './fair-turns.ts';
import { jitteredRetryAfter } from './retry-after.ts';
import { openHeapTrimmer } from './trim-heap.ts';

/** The memory of one body. */
export interface BodyReservation {
  /** Reserves so many bytes, instead of what was reserved before; throws the 429 or 503 where they exceed the budget. */
  reserve(bytes: number): void;
  /** Awaited before the body is read; null where it may be read at once. */
  waitToStart(): Promise<void> | null;
  /** Awaited before each piece but the first; null where it may be read at once. */
  waitForTurn(): Promise<void> | null;
}

export interface MemoryBudget {
  /** An empty reservation; its bytes are free again when it is disposed. */
  openReservation(keyId: KeyId): BodyReservation & Disposable;
  /** The same around `work`: disposed when it ends, however it ends. */
  withReservation<T>(keyId: KeyId, work: (reservation: BodyReservation) => Promise<T>): Promise<T>;
  bytesInFlight(): number;
  close(): void;
}

/** What is handled in one turn of the event loop before other requests: a few milliseconds of each kind. */
const bodiesPerTurn: TurnSize = { pieces: 64, max: 256 };
const piecesPerTurn: TurnSize = { pieces: 2, max: 2 };

/** What one reservation, one key or all keys have reserved. */
interface Reserved {
  readonly bytes: number;
  readonly bodies: number;
}
const nothingReserved: Reserved = { bytes: 0, bodies: 0 };

export function openMemoryBudget(limits: BodyLimits): MemoryBudget {
  const byKey = new Map<KeyId, Reserved>();
  const waitToStart = openFairTurns(bodiesPerTurn);
  const waitForTurn = openFairTurns(piecesPerTurn);
  let all = nothingReserved;
  const heapTrimmer = openHeapTrimmer(() => all.bytes > 0);

  function change(keyId: KeyId, by: Reserved): void {
    all = sum(all, by);
    const ofKey = sum(byKey.get(keyId) ?? nothingReserved, by);
    if (ofKey.bodies > 0) byKey.set(keyId, ofKey);
    else byKey.delete(keyId);
  }

  function refuseOverBudget(keyId: KeyId, more: Reserved): void {
    const ofKey = sum(byKey.get(keyId) ?? nothingReserved, more);
    const ofAll = sum(all, more);
    if (ofKey.bytes > limits.bytesPerKey || ofKey.bodies > limits.perKey)
      throw refuse('bodies_of_key_full', jitteredRetryAfter());
    if (ofAll.bytes > limits.bytesInAll || ofAll.bodies > limits.inAll)
      throw refuse('bodies_full', jitteredRetryAfter());
  }

  function openReservation(keyId: KeyId): BodyReservation & Disposable {
    let reserved = nothingReserved;
    return {
      reserve(bytes) {
        const by = { bytes: bytes - reserved.bytes, bodies: 1 - reserved.bodies };
        if (by.bytes === 0 && by.bodies === 0) return;
        if (by.bytes > 0 || by.bodies > 0) refuseOverBudget(keyId, by);
        change(keyId, by);
        reserved = sum(reserved, by);
      },
      waitToStart,
      waitForTurn,
      [Symbol.dispose]() {
        change(keyId, { bytes: -reserved.bytes, bodies: -reserved.bodies });
        heapTrimmer.bodyEnded(reserved.bytes);
        reserved = nothingReserved;
      },
    };
  }

  return {
    openReservation,
    async withReservation(keyId, work) {
      using reservation = openReservation(keyId);
      return await work(reservation);
    },
    bytesInFlight: () => all.bytes,
    close: heapTrimmer.close,
  };
}

const sum = (a: Reserved, b: Reserved): Reserved => ({
  bytes: a.bytes + b.bytes,
  bodies: a.bodies + b.bodies,
});
