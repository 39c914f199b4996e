/** Sessions of the console and their lifetimes. */
import { hours, minutes } from './clock.ts';
import type { PersonId, SessionId } from './ids.ts';
import type { Person, Role } from './person.ts';

/** A login of the console. */
export interface Session {
  readonly id: SessionId;
  /** Null: it began with the admin token. */
  readonly person: PersonId | null;
  readonly name: string;
  /** How its owner logs in. */
  readonly login: 'token' | Person['login'];
  /** The person's role; a change of it ends the session. */
  readonly role: Role;
  /** Epoch ms, like all times here. */
  readonly beganAt: number;
  /** Of the last request, to the minute. */
  readonly seenAt: number;
  readonly endsAt: number;
  /** Address and user agent of the client that logged in. */
  readonly address: string;
  readonly userAgent: string;
}

/** Maximum lifetime of a session, whatever its use. */
export const sessionLifeMs = 12 * hours;
/** A session without a request for this time is over. */
export const sessionIdleMs = 45 * minutes;
/** Of one person, and of the admin token; one more session ends the oldest. */
export const maxSessionsPerOwner = 50;
