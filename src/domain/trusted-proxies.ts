/** The proxies whose forwarded headers are trusted, by address or network. */
import { BlockList, isIP } from 'node:net';

/** Whether an address belongs to a proxy that the operator configured. */
export type IsTrustedProxy = (address: string | undefined) => boolean;

/** Whether a text is an address, or a network such as `10.0.0.0/8`. */
export const isNetwork = (text: string): boolean => parseNetwork(text) !== null;

/** `networks`: addresses and networks, each valid by `isNetwork`. */
export function openTrustedProxies(networks: readonly string[]): IsTrustedProxy {
  const list = new BlockList();
  for (const network of networks) {
    const parts = parseNetwork(network);
    if (!parts) throw new Error(`expected an address or a network, got ${network}`);
    list.addSubnet(parts.address, parts.bits, parts.family);
  }
  return address => {
    const version = isIP(address ?? '');
    return version !== 0 && list.check(address!, version === 4 ? 'ipv4' : 'ipv6');
  };
}

function parseNetwork(text: string) {
  const [, address = '', bits] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  if (version === 0) return null;
  const maxBits = version === 4 ? 32 : 128;
  const prefix = bits === undefined ? maxBits : Number(bits);
  if (prefix > maxBits) return null;
  return { address, bits: prefix, family: version === 4 ? ('ipv4' as const) : ('ipv6' as const) };
}
