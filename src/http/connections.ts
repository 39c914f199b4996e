/** Limits of open connections: in all, for each address, and how long they may idle. */

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { addressShare } from '../domain/address.ts';
import { type Clock, seconds } from '../domain/clock.ts';
import type { IsTrustedProxy } from '../domain/trusted-proxies.ts';
import { openMinReadRate } from './min-read-rate.ts';
import { openPipelines } from './pipelines.ts';

/** Why a connection was not taken, or was cut without an answer. */
export type ConnectionCut =
  | 'connections_full'
  | 'connections_of_address_full'
  | 'unanswered_full'
  | 'answer_unread';

/** Limits of open connections. */
export interface ConnectionLimits {
  /** How many connections are open at one moment; more are closed at once. */
  readonly maxConnections: number;
  /** The same of one client address. */
  readonly connectionsPerAddress: number;
  /** Its connections carry many clients, so they are not counted, and idle as long as any other. */
  readonly isTrustedProxy: IsTrustedProxy;
}

/** How long a connection may be silent between two requests. */
export const keepAliveMs = 72 * seconds;
/** The same until a request of it showed a valid key or session. */
const unauthenticatedKeepAliveMs = 10 * seconds;

/** The connections of one server, and what bounds them. */
export interface Connections {
  /** To be called before the server listens. */
  guard(server: Server): void;
  /** Calls `begin` once every earlier request of the connection is answered, and `end` after its own answer. */
  enter(request: IncomingMessage, response: ServerResponse, begin: () => void, end?: () => void): void;
  /** A request of that connection showed a valid key or session. */
  trust(socket: Socket): void;
  isTrusted(socket: Socket): boolean;
  /** The `Keep-Alive` header with the idle timeout; null where node:http sends it. */
  keepAliveHeader(response: ServerResponse): string | null;
  close(): void;
}

/** Counts connections and closes those over a limit. */
export function openConnections(
  { maxConnections, connectionsPerAddress, isTrustedProxy }: ConnectionLimits,
  clock: Clock,
  onCut: (why: ConnectionCut) => void,
): Connections {
  const counted = new Map<string, number>();
  const trusted = new WeakSet<Socket>();
  let idleMs = () => unauthenticatedKeepAliveMs;
  const pace = openMinReadRate(clock, () => onCut('answer_unread'));
  const pipelines = openPipelines({
    onFlood: () => onCut('unanswered_full'),
    onBegun: pace.watch,
    onAnswered: pace.forget,
    onIdle: socket => void (trusted.has(socket) || socket.setTimeout(idleMs())),
  });

  function count(socket: Socket): void {
    const { remoteAddress } = socket;
    if (isTrustedProxy(remoteAddress)) trusted.add(socket);
    // Undefined: it is gone already.
    if (trusted.has(socket) || remoteAddress === undefined) return;
    const share = addressShare(remoteAddress);
    const open = counted.get(share) ?? 0;
    if (open >= connectionsPerAddress) {
      socket.destroy();
      onCut('connections_of_address_full');
      return;
    }
    counted.set(share, open + 1);
    socket.once('close', () => {
      const left = (counted.get(share) ?? 1) - 1;
      if (left > 0) counted.set(share, left);
      else counted.delete(share);
    });
  }

  return {
    guard(server) {
      server.maxConnections = maxConnections;
      server.on('drop', () => onCut('connections_full'));
      server.on('connection', count);
      // Like node:http: a little longer than announced. A stop shortens it for all.
      idleMs = () =>
        Math.min(unauthenticatedKeepAliveMs, server.keepAliveTimeout) + server.keepAliveTimeoutBuffer;
    },
    enter: pipelines.enter,
    trust: socket => void trusted.add(socket),
    isTrusted: socket => trusted.has(socket),
    keepAliveHeader: ({ socket, shouldKeepAlive }) =>
      !shouldKeepAlive || !socket || trusted.has(socket)
        ? null
        : `timeout=${unauthenticatedKeepAliveMs / seconds}`,
    close: pace.close,
  };
}
