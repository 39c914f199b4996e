import { isIPv4, isIPv6 } from 'node:net';

/**
 * The network that a client's address is from, as far as one sender has it to himself: /24 of IPv4, /64 of IPv6.
 * What is no address is its own range.
 */
export function addressRange(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (isIPv4(plain)) return `${plain.split('.').slice(0, 3).join('.')}.0/24`;
  const [unzoned = ''] = plain.split('%');
  if (!isIPv6(unzoned)) return plain;
  const [head = '', tail] = unzoned.split('::');
  const before = groupsOf(head);
  const after = groupsOf(tail ?? '');
  const zeros =
    tail === undefined ? [] : Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0');
  const groups = [...before, ...zeros, ...after].slice(0, 4);
  return `${groups.map(group => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

/** A trailing IPv4 address fills two groups; none of the first four is ever told by it but ours are. */
const groupsOf = (text: string): readonly string[] =>
  text === '' ? [] : text.split(':').flatMap(group => (group.includes('.') ? ['0', '0'] : [group]));
