/** Groups client addresses for limits: one share per client, one range per network. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The client that an address counts as: an IPv4 address, or a /64 network of IPv6, because one machine has all of it.
 * Text that is not an address is returned unchanged.
 */
export const addressShare = (address: string): string => networkOf(address, ipv4 => ipv4.toString());

/** The network that a single sender may control: /24 of IPv4, /64 of IPv6. Text that is not an address is unchanged. */
export const addressRange = (address: string): string =>
  networkOf(address, ({ octets }) => `${octets.slice(0, 3).join('.')}.0/24`);

function networkOf(address: string, ofIpv4: (parsed: ipaddr.IPv4) => string): string {
  if (isIP(address) === 0) return address;
  // An IPv4 client of an IPv6 socket has the address ::ffff:a.b.c.d.
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return ofIpv4(parsed);
  return `${parsed.parts
    .slice(0, 4)
    .map(part => part.toString(16))
    .join(':')}::/64`;
}

export const isLoopback = (address: string): boolean =>
  isIP(address) !== 0 && ipaddr.process(address).range() === 'loopback';
