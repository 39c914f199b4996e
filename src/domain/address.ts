import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Whom an address is counted as: an IPv4 address is one client, of IPv6 a network of 64 bits is, because one
 * machine has all of it. What is no address is counted as it stands.
 */
export function addressShare(address: string): string {
  if (isIP(address) === 0) return address;
  // An IPv4 address that came over a socket of IPv6 is written ::ffff:a.b.c.d.
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return `${parsed.parts
    .slice(0, 4)
    .map(part => part.toString(16))
    .join(':')}::/64`;
}

export const isLoopback = (address: string): boolean =>
  isIP(address) !== 0 && ipaddr.process(address).range() === 'loopback';
