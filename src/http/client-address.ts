import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** Who asks: the other end of the connection, or the client that a trusted proxy names. For limits and logs. */
export const clientAddress = ({ ip, raw }: FastifyRequest): string =>
  // What a proxy passed on may be no address at all.
  isIP(ip) === 0 ? (raw.socket.remoteAddress ?? 'unknown') : ip;
