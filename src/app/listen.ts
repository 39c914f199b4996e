import { createServer, isIP, isIPv6, type Server } from 'node:net';
import type { FastifyInstance } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { Config } from '../config/config.ts';
import { StartError } from './start-error.ts';

type Address = Pick<Config, 'host' | 'port'>;

export interface ListenOptions {
  /** Other processes listen at the same port. */
  readonly isShared: boolean;
}

/** Returns where it listens. */
export async function listen(
  app: FastifyInstance,
  address: Address,
  { isShared }: ListenOptions,
): Promise<string> {
  const { host, port } = address;
  // The system shares connections out. Where it cannot, the process that started this one does.
  const where = { host, port, reusePort: isShared && process.platform === 'linux' };
  await app.listen(where).catch(failure => throwPortInUse(failure, address));
  return addressOf(host, portOf(app.server));
}

/** The address by which this machine reaches what listens there. */
export function addressOf(host: string, port: number): string {
  const name = isUnspecified(host) ? '127.0.0.1' : host;
  return `http://${isIPv6(name) ? `[${name}]` : name}:${port}`;
}

/** What a server says of the addresses in its answers that others cannot follow; null where nobody has to be told. */
export const localOnlyWarning = ({ host, publicUrl }: Pick<Config, 'host' | 'publicUrl'>): string | null =>
  publicUrl === null && isUnspecified(host)
    ? `It listens on ${host}, but its addresses can be followed from this machine only: set ATELIER_PUBLIC_URL to the address that others reach it by.`
    : null;

/** `0.0.0.0` and `::` in every spelling: every address of the machine, and the name of none. */
const isUnspecified = (host: string): boolean =>
  isIP(host) !== 0 && !host.includes('%') && ipaddr.parse(host).range() === 'unspecified';

/**
 * The port that several processes are to share, the one to be found where it is 0. Of another gateway's they
 * would not hear that it is in use, so it is listened at once alone.
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

function portOf(server: Server | FastifyInstance['server']): number {
  const address = server.address();
  if (typeof address === 'object' && address) return address.port;
  throw new Error('expected a server that listens at a port');
}

function throwPortInUse(failure: unknown, { host, port }: Address): never {
  const isUsed = failure instanceof Error && 'code' in failure && failure.code === 'EADDRINUSE';
  if (!isUsed) throw failure;
  throw new StartError(
    `Port ${port} on ${host} is in use. Set ATELIER_PORT to another one (0 = any free one).`,
  );
}
