/** The address of a client, behind trusted proxies too. */

import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** Who asks: the other end of the connection, or the client that a trusted proxy names. For limits and logs. */
export function clientAddress({ ip, raw }: FastifyRequest): string {
  // Some proxies write the port behind it. What a proxy passed on may be no address at all.
  const [, bracketed, plain] = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/.exec(ip) ?? [];
  const address = [ip, bracketed, plain].find(text => text !== undefined && isIP(text) !== 0);
  return address ?? raw.socket.remoteAddress ?? 'unknown';
}
