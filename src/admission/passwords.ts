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

/** Who asks for a derivation. */
export interface Requester {
  /** The range of the client's address: the queue is fair between these. */
  readonly share: string;
  /** Whether the browser logged in before: some places to wait are kept for those. */
  readonly isKnown: boolean;
  /** Aborted when the request ended: its derivation is then not begun. */
  readonly signal: AbortSignal;
}

export interface PasswordVerdict {
  readonly isValid: boolean;
  /** Today's hash of a right password that was kept by other parameters; null where the kept one is of today. */
  readonly upgradedHash: string | null;
}

/** Hashes of passwords, a few at a time. All reject with a 429 when too many wait. */
export interface Passwords {
  hash(password: string, asker: Requester): Promise<string>;
  /** Null as hash: nobody has that name. It costs one derivation like a wrong password. */
  verify(password: string, hash: string | null, asker: Requester): Promise<PasswordVerdict>;
  close(): Promise<void>;
}

export interface PasswordsOptions {
  /** Of new hashes. Default: what OWASP recommends at least. */
  readonly cost?: PasswordCost;
  /** Told of every derivation that begins. */
  readonly onDerive?: () => void;
}

const waiting = 20;
/** Beside those: a flood of strangers leaves room for browsers that logged in before. */
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

  async function verifyNow(password: string, kept: PasswordHash): Promise<PasswordVerdict> {
    const isValid = constantTimeEqual(await derive(password, kept), kept.key) && kept !== dummy;
    const isOfToday = isSameCost(kept, cost);
    if (isValid) return { isValid, upgradedHash: isOfToday ? null : await hashNow(password) };
    // A hash of former parameters is quicker to refuse: its name would be told by that.
    if (!isOfToday) await derive(password, dummy);
    return { isValid, upgradedHash: null };
  }

  async function inTurn<T>({ share, isKnown, signal }: Requester, work: () => Promise<T>): Promise<T> {
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
    hash: (password, asker) => inTurn(asker, () => hashNow(password)),
    verify: (password, hash, asker) =>
      inTurn(asker, () => verifyNow(password, hash === null ? dummy : parsePasswordHash(hash))),
    async close() {
      queue.close();
      await deriver.close();
    },
  };
}
