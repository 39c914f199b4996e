import type { KeyId } from '../domain/ids.ts';
import { refuse } from '../domain/refusal.ts';
import { openGiveBackMemory } from './give-back-memory.ts';
import { laterSeconds } from './later.ts';
import { openTurns, type TurnSize } from './turns.ts';

export interface BodyLimits {
  /** Bytes of memory for the bodies that are read and judged at one moment. */
  readonly bytesInAll: number;
  readonly bytesPerKey: number;
  /** How many of them there may be at one moment. */
  readonly inAll: number;
  readonly perKey: number;
}

/** The place of one body. */
export interface Room {
  /** For so many bytes, instead of what was taken before; throws when there is no place for them. */
  take(bytes: number): void;
  /** To be waited for before it is begun. */
  enter(): Promise<void>;
  /** To be waited for before each piece but the first. */
  turn(): Promise<void>;
}

/** The memory that bodies on their way may take, of this process. */
export interface Bodies {
  /** What `work` takes for its one body is given back when it ends, however it ends. */
  hold<T>(keyId: KeyId, work: (room: Room) => Promise<T>): Promise<T>;
  bytesInFlight(): number;
  close(): void;
}

/** What is handled before whoever else waits has his turn: a few milliseconds of each kind. */
const bodiesInTurn: TurnSize = { pieces: 64, most: 256 };
const piecesInTurn: TurnSize = { pieces: 2, most: 2 };

interface Held {
  readonly bytes: number;
  readonly bodies: number;
}
const nothing: Held = { bytes: 0, bodies: 0 };

export function openBodies(limits: BodyLimits): Bodies {
  const byKey = new Map<KeyId, Held>();
  const enter = openTurns(bodiesInTurn);
  const turn = openTurns(piecesInTurn);
  let all = nothing;
  const memory = openGiveBackMemory(() => all.bytes > 0);

  function change(keyId: KeyId, by: Held): void {
    all = sum(all, by);
    const ofKey = sum(byKey.get(keyId) ?? nothing, by);
    if (ofKey.bodies > 0) byKey.set(keyId, ofKey);
    else byKey.delete(keyId);
  }

  return {
    async hold(keyId, work) {
      let held = nothing;
      function take(bytes: number): void {
        const by = { bytes: bytes - held.bytes, bodies: 1 - held.bodies };
        const [ofKey, ofAll] = [sum(byKey.get(keyId) ?? nothing, by), sum(all, by)];
        const isMore = by.bytes > 0 || by.bodies > 0;
        if (isMore && (ofKey.bytes > limits.bytesPerKey || ofKey.bodies > limits.perKey))
          throw refuse('bodies_of_key_full', laterSeconds());
        if (isMore && (ofAll.bytes > limits.bytesInAll || ofAll.bodies > limits.inAll))
          throw refuse('bodies_full', laterSeconds());
        change(keyId, by);
        held = sum(held, by);
      }

      try {
        return await work({ take, enter, turn });
      } finally {
        change(keyId, { bytes: -held.bytes, bodies: -held.bodies });
        memory.ended(held.bytes);
      }
    },
    bytesInFlight: () => all.bytes,
    close: memory.close,
  };
}

const sum = (a: Held, b: Held): Held => ({ bytes: a.bytes + b.bytes, bodies: a.bodies + b.bodies });
