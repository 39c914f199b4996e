/** Listens at a port, alone or shared with sibling processes. */
import { createServer, isIP, isIPv6, type Server } from 'node:net';
import type { FastifyInstance } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { Config } from '../config/config.ts';
import { StartError } from './start-error.ts';

type Address = Pick<Config, 'host' | 'port'>;

export interface ListenOptions {
  /** Whether sibling processes listen at the same port. */
  readonly isShared: boolean;
}

/** Returns the URL at which this machine reaches it; throws StartError where the port is in use. */
export async function listen(
  app: FastifyInstance,
  address: Address,
  { isShared }: ListenOptions,
): Promise<string> {
  const { host, port } = address;
  // Linux distributes the connections itself. Elsewhere the parent process distributes them.
  const options = { host, port, reusePort: isShared && process.platform === 'linux' };
  await app.listen(options).catch(failure => throwPortInUse(failure, address));
  return addressOf(host, portOf(app.server));
}

/** The URL at which this machine reaches a server that listens there. */
export function addressOf(host: string, port: number): string {
  const name = isUnspecified(host) ? '127.0.0.1' : host;
  return `http://${isIPv6(name) ? `[${name}]` : name}:${port}`;
}

/** The warning that the URLs in responses work on this machine only; null where they work for others. */
export const localOnlyWarning = ({ host, publicUrl }: Pick<Config, 'host' | 'publicUrl'>): string | null =>
  publicUrl === null && isUnspecified(host)
    ? `Listening on ${host}, but URLs in responses work on this machine only: set ATELIER_PUBLIC_URL to the address that clients use.`
    : null;

/** `0.0.0.0` and `::` in every spelling: all addresses of the machine, but not one that a client can use. */
const isUnspecified = (host: string): boolean =>
  isIP(host) !== 0 && !host.includes('%') && ipaddr.parse(host).range() === 'unspecified';

/**
 * The port that several processes will share; a free one where it is 0. Sharing processes get no error for a port that
 * another gateway uses, so it is opened once without sharing.
 */
export async function findSharedPort(address: Address): Promise<number> {
  const { host, port } = address;
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen({ host, port }, resolve);
  }).catch(failure => throwPortInUse(failure, address));
  const found = portOf(server);
  await new Promise(resolve => server.close(resolve));
  return found;
}

/** Throws StartError where the port is in use. Nothing is opened for port 0, which is any free one. */
export async function checkPortFree(address: Address): Promise<void> {
  if (address.port !== 0) await findSharedPort(address);
}

function portOf(server: Server | FastifyInstance['server']): number {
  const address = server.address();
  if (typeof address === 'object' && address) return address.port;
  throw new Error('expected a server that listens at a port');
}

/** Turns the system error into one that says what to do. */
function throwPortInUse(failure: unknown, { host, port }: Address): never {
  const isUsed = failure instanceof Error && 'code' in failure && failure.code === 'EADDRINUSE';
  if (!isUsed) throw failure;
  throw new StartError(
    `Port ${port} on ${host} is in use. Set ATELIER_PORT to another one (0 = any free one).`,
  );
}
