/** The sender of bytes: whose queue and budget they use, and whether the client is still connected. */
import type { IncomingMessage } from 'node:http';
import type { Principal } from '../domain/key.ts';
import { disconnectSignal } from './disconnect-signal.ts';

export interface Sender {
  readonly principal: Principal;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

export const senderOf = (message: IncomingMessage, principal: Principal): Sender => ({
  principal,
  signal: disconnectSignal(message),
});
