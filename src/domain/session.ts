import { hours, minutes } from './clock.ts';
import type { PersonId, SessionId } from './ids.ts';
import type { Role } from './person.ts';

/** A login of the console, as its row tells it. */
export interface Session {
  readonly id: SessionId;
  /** Null: it began with the admin token. */
  readonly person: PersonId | null;
  readonly name: string;
  /** What the person is now, which is what he was when it began. */
  readonly role: Role;
  /** Epoch ms, like all times here. */
  readonly beganAt: number;
  /** Of the last request, to the minute. */
  readonly seenAt: number;
  readonly endsAt: number;
  /** Of the client that began it. */
  readonly address: string;
  readonly userAgent: string;
}

/** However much it is used, a session ends after this. */
export const sessionLifeMs = 12 * hours;
/** A session that makes no request for this long has ended. */
export const sessionIdleMs = 45 * minutes;
/** Of one person, and of the admin token; one more ends the oldest. */
export const maxSessionsPerOwner = 50;
