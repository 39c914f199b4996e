import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Whom an address is counted as: an IPv4 address is one client, of IPv6 a network of 64 bits is, because one
 * machine has all of it. What is no address is counted as it stands.
 */
export const addressShare = (address: string): string => networkOf(address, ipv4 => ipv4.toString());

/** The network that one sender may have to himself: /24 of IPv4, /64 of IPv6. What is no address is its own range. */
export const addressRange = (address: string): string =>
  networkOf(address, ({ octets }) => `${octets.slice(0, 3).join('.')}.0/24`);

function networkOf(address: string, ofIpv4: (parsed: ipaddr.IPv4) => string): string {
  if (isIP(address) === 0) return address;
  // An IPv4 address that came over a socket of IPv6 is written ::ffff:a.b.c.d.
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return ofIpv4(parsed);
  return `${parsed.parts
    .slice(0, 4)
    .map(part => part.toString(16))
    .join(':')}::/64`;
}

export const isLoopback = (address: string): boolean =>
  isIP(address) !== 0 && ipaddr.process(address).range() === 'loopback';
