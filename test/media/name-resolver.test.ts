/** The resolver of host names: caching, limits, private addresses. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ConfigError, readConfig } from '../../src/config/config.ts';
import { LookupFailed, type NameResolver, openNameResolver } from '../../src/media/name-resolver.ts';
import { openOutbound } from '../../src/media/outbound.ts';
import { until } from '../../testkit/gateway/gateway.ts';
import { startDns, type TestDns } from '../../testkit/net/dns-server.ts';

const unknown = new LookupFailed('The name of the address is not known.');
const inTime = new LookupFailed('The name of the address could not be looked up in time.');
const never = new AbortController().signal;

describe('a name that somebody wrote', () => {
  let dns: TestDns;
  let names: NameResolver;
  before(async () => {
    dns = await startDns({
      'both.test': ['192.0.2.1', '192.0.2.2', '192.0.2.3', '2001:db8::1'],
      'four.test': ['192.0.2.9'],
      'alias.test': { alias: 'four.test' },
      'inner.test': ['192.0.2.1', '10.0.0.1'],
    });
    names = openNameResolver({ servers: [dns.address], allowPrivate: false });
  });
  after(() => {
    names.close();
    dns.close();
  });
  const resolve = (name: string, share = 'ann', signal = never) => names.resolve(name, { share, signal });
  const timesAsked = (name: string) => dns.asked.filter(each => each === name).length;

  test('gives the addresses of both families, in turns', async () => {
    assert.deepEqual(await resolve('both.test'), ['192.0.2.1', '2001:db8::1', '192.0.2.2', '192.0.2.3']);
    assert.deepEqual(await resolve('FOUR.test.'), ['192.0.2.9']);
  });

  test('that is another one’s alias gives the addresses of that one', async () => {
    assert.deepEqual(await resolve('alias.test'), ['192.0.2.9']);
  });

  test('that does not exist fails so, and is not queried again soon', async () => {
    for (let times = 0; times < 3; times++) await assert.rejects(resolve('unknown.test'), unknown);
    // Once for each family.
    assert.equal(timesAsked('unknown.test'), 2);
  });

  test('that leads to an inner address is refused, whatever else it leads to', async () => {
    const outbound = openOutbound({ allowPrivate: false, resolve: names.resolve });
    const request = { method: 'GET', timeoutMs: 5000, maxBytes: 1000 } as const;
    assert.deepEqual(await outbound.request('http://inner.test/', request), {
      kind: 'refused_address',
      reason: 'The address is not a public one.',
    });
    await outbound.close();
  });

  test('whose server is silent ends by itself, and is remembered', async () => {
    await assert.rejects(resolve('a.silent.test'), inTime);
    const asked = timesAsked('a.silent.test');
    await assert.rejects(resolve('a.silent.test'), inTime);
    assert.equal(timesAsked('a.silent.test'), asked);
  });

  test('whose asker is gone is let go at once, and not remembered', async () => {
    const gone = new AbortController();
    const waiting = resolve('b.silent.test', 'ann', gone.signal);
    await until(async () => timesAsked('b.silent.test') >= 2, 'the question');
    gone.abort(new Error('gone'));
    await assert.rejects(waiting, new Error('gone'));
    const again = new AbortController();
    const asked = timesAsked('b.silent.test');
    const second = resolve('b.silent.test', 'ann', again.signal);
    await until(async () => timesAsked('b.silent.test') > asked, 'the second question');
    again.abort(new Error('gone'));
    await assert.rejects(second, new Error('gone'));
  });

  test('waits for no silent name of another user', async () => {
    const over = new AbortController();
    let settled = 0;
    const silent = Array.from({ length: 60 }, (_, index) =>
      resolve(`c${index}.silent.test`, `user-${index % 3}`, over.signal).catch(() => settled++),
    );
    await until(async () => dns.asked.some(name => name.startsWith('c0.')), 'the first question');
    assert.deepEqual(await resolve('four.test', 'bob'), ['192.0.2.9']);
    assert.equal(settled, 0);
    // Two look-ups at once of each of the three.
    assert.equal(new Set(dns.asked.filter(name => name.startsWith('c'))).size, 6);
    over.abort(new Error('gone'));
    await Promise.all(silent);
  });
});

describe('a name of this machine', () => {
  let folder: string;
  let dns: TestDns;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-hosts-'));
    dns = await startDns();
    const lines = [
      '127.0.0.1 own.test other.test # not.test',
      '::1\tOwn.test',
      'nonsense own.test',
      '',
      '# 10.0.0.1 a',
    ];
    await writeFile(join(folder, 'hosts'), lines.join('\n'));
  });
  after(async () => {
    dns.close();
    await rm(folder, { recursive: true, force: true });
  });
  const open = (allowPrivate: boolean) =>
    openNameResolver({ servers: [dns.address], allowPrivate, hostsPath: join(folder, 'hosts') });

  test('counts where private addresses are allowed', async () => {
    const names = open(true);
    const resolve = (name: string) => names.resolve(name, { share: '', signal: never });
    assert.deepEqual(await resolve('own.test'), ['127.0.0.1', '::1']);
    assert.deepEqual(await resolve('other.test'), ['127.0.0.1']);
    assert.deepEqual(await resolve('localhost'), ['127.0.0.1', '::1']);
    assert.deepEqual(await resolve('a.localhost'), ['127.0.0.1', '::1']);
    assert.deepEqual(dns.asked, []);
    names.close();
  });

  test('is queried like every other where they are not', async () => {
    const names = open(false);
    const over = new AbortController();
    const waiting = names.resolve('own.test', { share: '', signal: over.signal });
    await until(async () => dns.asked.includes('own.test'), 'the question');
    over.abort(new Error('gone'));
    await assert.rejects(waiting, new Error('gone'));
    names.close();
  });
});

describe('ATELIER_DNS_SERVERS', () => {
  const read = (text: string) => readConfig({ ATELIER_DNS_SERVERS: text }).dnsServers;

  test('takes addresses in numbers, each with its port or without', () => {
    const servers = ['192.0.2.1', '192.0.2.1:5353', '2001:db8::1', '[2001:db8::1]:5353'];
    assert.deepEqual(read(servers.join(', ')), servers);
    assert.equal(read(''), null);
  });

  for (const text of ['dns.example.com', '192.0.2.1:0', '192.0.2.1:65536', '192.0.2.1,', '[192.0.2.1]:53'])
    test(`refuses ${text}`, () =>
      assert.throws(
        () => read(text),
        new ConfigError(
          'ATELIER_DNS_SERVERS: must be IP addresses, each with an optional port, joined by commas',
        ),
      ));
});
