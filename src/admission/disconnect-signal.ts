/** An abort signal for work whose client has disconnected. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { refuse } from '../domain/refusal.ts';

const signals = new WeakMap<Socket, AbortSignal>();

/** Aborted once the connection of a request is closed: its response can no longer be delivered. */
export function disconnectSignal({ socket }: Pick<IncomingMessage, 'socket'>): AbortSignal {
  const known = signals.get(socket);
  if (known) return known;
  // One for all requests of a connection: each request of a pipeline would add a listener to it.
  const gone = new AbortController();
  const leave = () =>
    gone.abort(refuse('request_malformed', { cause: new Error('the client closed the connection') }));
  if (socket.destroyed) leave();
  else socket.once('close', leave);
  signals.set(socket, gone.signal);
  return gone.signal;
}
