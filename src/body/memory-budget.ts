import type { KeyId } from '../domain/ids.ts';
import type { BodyLimits } from '../domain/limits.ts';
import { refuse } from '../domain/refusal.ts';
import { openFairTurns, type TurnSize } from './fair-turns.ts';
import { jitteredRetryAfter } from './retry-after.ts';
import { openHeapTrimmer } from './trim-heap.ts';

/** The place of one body. */
export interface BodyReservation {
  /** For so many bytes, instead of what was taken before; throws when there is no place for them. */
  reserve(bytes: number): void;
  /** To be waited for before it is begun. */
  waitToStart(): Promise<void>;
  /** To be waited for before each piece but the first. */
  waitForTurn(): Promise<void>;
}

/** The memory that bodies on their way may take, of this process. */
export interface MemoryBudget {
  /** What `work` takes for its one body is given back when it ends, however it ends. */
  withReservation<T>(keyId: KeyId, work: (room: BodyReservation) => Promise<T>): Promise<T>;
  bytesInFlight(): number;
  close(): void;
}

/** What is handled before whoever else waits has his turn: a few milliseconds of each kind. */
const bodiesPerTurn: TurnSize = { pieces: 64, max: 256 };
const piecesPerTurn: TurnSize = { pieces: 2, max: 2 };

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
  const memory = openHeapTrimmer(() => all.bytes > 0);

  function change(keyId: KeyId, by: Reserved): void {
    all = sum(all, by);
    const ofKey = sum(byKey.get(keyId) ?? nothingReserved, by);
    if (ofKey.bodies > 0) byKey.set(keyId, ofKey);
    else byKey.delete(keyId);
  }

  return {
    async withReservation(keyId, work) {
      let held = nothingReserved;
      function reserve(bytes: number): void {
        const by = { bytes: bytes - held.bytes, bodies: 1 - held.bodies };
        const [ofKey, ofAll] = [sum(byKey.get(keyId) ?? nothingReserved, by), sum(all, by)];
        const isMore = by.bytes > 0 || by.bodies > 0;
        if (isMore && (ofKey.bytes > limits.bytesPerKey || ofKey.bodies > limits.perKey))
          throw refuse('bodies_of_key_full', jitteredRetryAfter());
        if (isMore && (ofAll.bytes > limits.bytesInAll || ofAll.bodies > limits.inAll))
          throw refuse('bodies_full', jitteredRetryAfter());
        change(keyId, by);
        held = sum(held, by);
      }

      try {
        return await work({ reserve, waitToStart, waitForTurn });
      } finally {
        change(keyId, { bytes: -held.bytes, bodies: -held.bodies });
        memory.bodyEnded(held.bytes);
      }
    },
    bytesInFlight: () => all.bytes,
    close: memory.close,
  };
}

const sum = (a: Reserved, b: Reserved): Reserved => ({
  bytes: a.bytes + b.bytes,
  bodies: a.bodies + b.bodies,
});
