import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { refuse } from '../domain/refusal.ts';

const signals = new WeakMap<Socket, AbortSignal>();

/** Aborted once the connection of a request is gone: from then on nobody waits for its answer. */
export function disconnectSignal({ socket }: Pick<IncomingMessage, 'socket'>): AbortSignal {
  const known = signals.get(socket);
  if (known) return known;
  // One for all requests of a connection, or each of a pipeline would add a listener to it.
  const gone = new AbortController();
  const leave = () =>
    gone.abort(refuse('request_malformed', { cause: new Error('the client closed the connection') }));
  if (socket.destroyed) leave();
  else socket.once('close', leave);
  signals.set(socket, gone.signal);
  return gone.signal;
}
