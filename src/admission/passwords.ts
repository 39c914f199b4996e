/** Hashes and verifies passwords in a fair, bounded queue. */
import { randomBytes } from 'node:crypto';
import { constantTimeEqual } from '../domain/constant-time-equal.ts';
import { openFairQueue, QueueClosed, QueueFull } from '../domain/fair-queue.ts';
import {
  formatPasswordHash,
  isSameCost,
  keyBytes,
  newDummyHash,
  type PasswordCost,
  type PasswordHash,
  parsePasswordHash,
  passwordCost,
  saltBytes,
} from '../domain/password-hash.ts';
import { refuse } from '../domain/refusal.ts';
import { maxDerivations, openDeriver } from './deriver.ts';

/** The client for whom a key is derived. */
export interface Requester {
  /** The range of the client's address; the queue is fair between ranges. */
  readonly share: string;
  /** Whether the browser logged in before; some places of the queue are reserved for those. */
  readonly isKnown: boolean;
  /** Aborted when the client disconnects; a derivation that waits is then not started. */
  readonly signal: AbortSignal;
}

export interface PasswordVerdict {
  readonly isValid: boolean;
  /** A new hash where a right password was stored with other parameters than today's; else null. */
  readonly upgradedHash: string | null;
}

/** At most two derivations at once; each call rejects with a 429 when too many wait. */
export interface Passwords {
  /** The hash to store: parameters, salt and key in one text. */
  hash(password: string, requester: Requester): Promise<string>;
  /** Null as hash: no account has that name. It takes as long as a wrong password. */
  verify(password: string, hash: string | null, requester: Requester): Promise<PasswordVerdict>;
  close(): Promise<void>;
}

export interface PasswordsOptions {
  /** Of new hashes. Default: the OWASP minimum. */
  readonly cost?: PasswordCost;
  /** Called for every derivation that starts. */
  readonly onDerive?: () => void;
}

const waiting = 20;
/** Additional places that only browsers use that logged in before: a flood of unknown clients cannot occupy them. */
const waitingForKnown = 4;
const retryAfterSeconds = 5;

export function openPasswords({ cost = passwordCost, onDerive }: PasswordsOptions = {}): Passwords {
  const deriver = openDeriver();
  const dummy = newDummyHash(cost);
  const queue = openFairQueue<string>({
    running: maxDerivations,
    runningPerShare: maxDerivations,
    waiting: waiting + waitingForKnown,
    waitingPerShare: waiting,
  });

  const derive = (password: string, { N, r, p, salt }: Omit<PasswordHash, 'key'>): Promise<Buffer> => {
    onDerive?.();
    return deriver.derive({ password, salt, keyBytes, N, r, p }).catch((cause: unknown) => {
      throw refuse('unavailable', { cause, retryAfterSeconds });
    });
  };

  async function hashNow(password: string): Promise<string> {
    const salt = randomBytes(saltBytes);
    return formatPasswordHash({ ...cost, salt, key: await derive(password, { ...cost, salt }) });
  }

  async function verifyNow(password: string, stored: PasswordHash): Promise<PasswordVerdict> {
    const isValid = constantTimeEqual(await derive(password, stored), stored.key) && stored !== dummy;
    const isCurrent = isSameCost(stored, cost);
    if (isValid) return { isValid, upgradedHash: isCurrent ? null : await hashNow(password) };
    // With the former parameters alone a wrong password would be refused faster, which reveals that the name exists.
    if (!isCurrent) await derive(password, dummy);
    return { isValid, upgradedHash: null };
  }

  async function enqueue<T>({ share, isKnown, signal }: Requester, work: () => Promise<T>): Promise<T> {
    if (!isKnown && queue.size().waiting >= waiting) throw refuse('logins_full', { retryAfterSeconds });
    try {
      return await queue.run(share, work, signal);
    } catch (failure) {
      if (failure instanceof QueueFull) throw refuse('logins_full', { retryAfterSeconds });
      if (failure instanceof QueueClosed) throw refuse('unavailable', { cause: failure });
      throw failure;
    }
  }

  return {
    hash: (password, requester) => enqueue(requester, () => hashNow(password)),
    verify: (password, hash, requester) =>
      enqueue(requester, () => verifyNow(password, hash === null ? dummy : parsePasswordHash(hash))),
    async close() {
      queue.close();
      await deriver.close();
    },
  };
}
