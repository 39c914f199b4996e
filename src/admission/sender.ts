import type { IncomingMessage } from 'node:http';
import type { Principal } from '../domain/key.ts';
import { disconnectSignal } from './disconnect-signal.ts';

/** Whose bytes are taken in, and whether he still waits for the answer. */
export interface Sender {
  readonly principal: Principal;
  readonly signal: AbortSignal;
}

export const senderOf = (message: IncomingMessage, principal: Principal): Sender => ({
  principal,
  signal: disconnectSignal(message),
});
