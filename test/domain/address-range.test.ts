import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressRange } from '../../src/domain/address-range.ts';

const ranges = [
  ['203.0.113.77', '203.0.113.0/24'],
  ['::ffff:203.0.113.77', '203.0.113.0/24'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
  ['2001:db8::6', '2001:db8:0:0::/64'],
  ['2001:db8:1:2::1.2.3.4', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['no address', 'no address'],
] as const;

test('the range of an address is a /24 of IPv4 and a /64 of IPv6', () => {
  for (const [address, range] of ranges) assert.equal(addressRange(address), range, address);
});
