/** Client addresses: which ones count as one client, and loopback. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressRange, addressShare, isLoopback } from '../../src/domain/address.ts';

test('an IPv4 address is one client, however it is written', () => {
  assert.equal(addressShare('203.0.113.7'), '203.0.113.7');
  assert.equal(addressShare('::ffff:203.0.113.7'), '203.0.113.7');
});

test('of IPv6 a network of 64 bits is one client', () => {
  const share = addressShare('2001:db8:1:2::7');
  assert.equal(addressShare('2001:db8:1:2:ffff:ffff:ffff:ffff'), share);
  assert.notEqual(addressShare('2001:db8:1:3::7'), share);
});

test('what is no address is counted as it stands', () => assert.equal(addressShare('unknown'), 'unknown'));

test('a loopback address is distinguished from every other text', () => {
  const here = ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'];
  const elsewhere = ['10.0.0.1', '0.0.0.0', '::', '2001:db8::1', 'localhost', 'for=127.0.0.1', ''];
  assert.deepEqual([...here, ...elsewhere].filter(isLoopback), here);
});

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
