/** Which addresses of media are refused as private, by their text. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkUrl, isPublicAddress } from '../../src/media/address-guard.ts';

const plain = 'The address must be a plain http:// or https:// address.';
const notPublic = 'The address is not a public one.';
const port = 'The port of the address is not accepted.';
const userinfo = 'The address may not contain a user name or password.';
const tooLong = 'The address is longer than 2048 characters.';

const hostile: readonly (readonly [text: string, reason: string])[] = [
  ['http://127.0.0.1/', notPublic],
  ['http://127.1/', notPublic],
  ['http://127.0.1/', notPublic],
  ['http://2130706433/', notPublic],
  ['http://0x7f000001/', notPublic],
  ['http://0x7f.0.0.1/', notPublic],
  ['http://0177.0.0.1/', notPublic],
  ['http://017700000001/', notPublic],
  ['http://0/', notPublic],
  ['http://0.0.0.0/', notPublic],
  ['http://127.0.0.1./', notPublic],
  ['http://127.127.127.127/', notPublic],
  ['http://127%2e0%2e0%2e1/', notPublic],
  ['http://１２７.０.０.１/', notPublic],
  ['http://127。0。0。1/', notPublic],
  ['http://①②⑦.⓪.⓪.①/', notPublic],
  ['http://10.0.0.1/', notPublic],
  ['http://10.255.255.255/', notPublic],
  ['http://172.16.0.1/', notPublic],
  ['http://172.31.255.255/', notPublic],
  ['http://192.168.1.1/', notPublic],
  ['http://3232235777/', notPublic],
  ['http://169.254.169.254/latest/meta-data/', notPublic],
  ['http://0xa9fea9fe/', notPublic],
  ['http://0251.0376.0251.0376/', notPublic],
  ['http://169.254.43518/', notPublic],
  ['http://168.63.129.16/', notPublic],
  ['http://100.64.0.1/', notPublic],
  ['http://100.100.100.200/', notPublic],
  ['http://192.0.0.192/', notPublic],
  ['http://192.0.2.1/', notPublic],
  ['http://198.18.0.1/', notPublic],
  ['http://198.51.100.7/', notPublic],
  ['http://203.0.113.7/', notPublic],
  ['http://192.88.99.1/', notPublic],
  ['http://224.0.0.1/', notPublic],
  ['http://239.255.255.250/', notPublic],
  ['http://240.0.0.1/', notPublic],
  ['http://255.255.255.255/', notPublic],
  ['http://[::]/', notPublic],
  ['http://[::1]/', notPublic],
  ['http://[0:0:0:0:0:0:0:1]/', notPublic],
  ['http://[::ffff:127.0.0.1]/', notPublic],
  ['http://[::ffff:7f00:1]/', notPublic],
  ['http://[::ffff:a9fe:a9fe]/', notPublic],
  ['http://[::ffff:0:7f00:1]/', notPublic],
  ['http://[::7f00:1]/', notPublic],
  ['http://[::127.0.0.1]/', notPublic],
  ['http://[::8.8.8.8]/', notPublic],
  ['http://[64:ff9b::7f00:1]/', notPublic],
  ['http://[64:ff9b::a9fe:a9fe]/', notPublic],
  ['http://[64:ff9b::808:808]/', notPublic],
  ['http://[64:ff9b:1::a00:1]/', notPublic],
  ['http://[2002:7f00:1::]/', notPublic],
  ['http://[2002:808:808::1]/', notPublic],
  ['http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/', notPublic],
  ['http://[2001:db8::1]/', notPublic],
  ['http://[3fff::1]/', notPublic],
  ['http://[100::1]/', notPublic],
  ['http://[fc00::1]/', notPublic],
  ['http://[fd00:ec2::254]/', notPublic],
  ['http://[fe80::1]/', notPublic],
  ['http://[fec0::1]/', notPublic],
  ['http://[ff02::1]/', notPublic],
  ['http://[5f00::1]/', notPublic],
  ['http://[4000::1]/', notPublic],
  ['http://localhost/', notPublic],
  ['http://LOCALHOST/', notPublic],
  ['http://localhost./', notPublic],
  ['http://ｌｏｃａｌｈｏｓｔ/', notPublic],
  ['http://a.localhost/', notPublic],
  ['http://printer.local/', notPublic],
  ['http://metadata.google.internal/', notPublic],
  ['http://router.home.arpa/', notPublic],
  ['http://metadata/', notPublic],
  ['http://intranet./', notPublic],
  ['http://example.com:22/', port],
  ['http://example.com:25/', port],
  ['http://example.com:0/', port],
  ['http://example.com:3306/', port],
  ['http://example.com:6379/', port],
  ['http://example.com:9200/', port],
  ['http://example.com:11211/', port],
  ['http://example.com:27017/', port],
  ['https://example.com:8081/', port],
  ['http://user@example.com/', userinfo],
  ['http://user:secret@example.com/', userinfo],
  ['http://:secret@example.com/', userinfo],
  ['http://@example.com/', userinfo],
  ['http://example.com@127.0.0.1/', userinfo],
  ['http://127.0.0.1%2f@example.com/', userinfo],
  ['http:example.com', plain],
  ['http:/example.com', plain],
  ['http:/\\example.com', plain],
  ['http:\\\\example.com', plain],
  ['http://example.com\\@127.0.0.1/', plain],
  ['http:///127.0.0.1/x y', plain],
  ['//example.com/', plain],
  ['example.com', plain],
  ['', plain],
  ['file:///etc/passwd', plain],
  ['gopher://example.com/_x', plain],
  ['ftp://example.com/a.png', plain],
  ['data:image/png;base64,AAAA', plain],
  ['blob:http://example.com/1', plain],
  ['javascript:alert(1)', plain],
  ['ws://example.com/', plain],
  ['unix:/var/run/docker.sock', plain],
  ['view-source:http://example.com/', plain],
  [' http://example.com/', plain],
  ['http://example.com/\n', plain],
  ['ht\ttp://example.com/', plain],
  ['http://exam\tple.com/', plain],
  ['http://example.com/\u0000', plain],
  ['http://', plain],
  ['http://?', plain],
  ['http://[fe80::1%25eth0]/', plain],
  ['http://[::1', plain],
  ['http://256.256.256.256/', plain],
  ['http://1.2.3.4.5/', plain],
  ['http://example.com:99999/', plain],
  ['http://exa mple.com/', plain],
  [`http://example.com/${'a'.repeat(2030)}`, tooLong],
];

describe('a hostile address is refused by its text', () => {
  for (const [text, reason] of hostile) {
    test(`${JSON.stringify(text.slice(0, 60))}`, () => {
      assert.deepEqual(checkUrl(text, { allowPrivate: false }), { ok: false, reason });
    });
  }
});

describe('a public address is taken', () => {
  for (const text of [
    'http://example.com/a.png',
    'https://example.com/a.png?x=1#part',
    'HTTPS://EXAMPLE.COM/',
    'https://example.com./',
    'https://example.com:443/',
    'http://example.com:80/',
    'http://example.com:8080/',
    'https://example.com:8443/',
    'http://example.com:50000/',
    'http://8.8.8.8/',
    'http://[2606:4700:4700::1111]/',
    'http://[::ffff:8.8.8.8]/',
    'https://bücher.example/é.png',
    'https://localhost.example.com/',
    'https://example.com/@user',
    'https://example.com/?mail=a@b.example',
    `http://example.com/${'a'.repeat(2029)}`,
  ]) {
    test(text.slice(0, 60), () => {
      assert.deepEqual(checkUrl(text, { allowPrivate: false }), { ok: true, url: new URL(text) });
    });
  }
});

describe('where private addresses are allowed', () => {
  for (const text of [
    'http://127.0.0.1:3000/',
    'http://localhost:22/',
    'http://minio:9000/b/k',
    'http://[::1]/',
  ]) {
    test(`${text} is taken`, () => {
      assert.deepEqual(checkUrl(text, { allowPrivate: true }), { ok: true, url: new URL(text) });
    });
  }
  test('schemes, user names and length are checked all the same', () => {
    const check = (text: string) => checkUrl(text, { allowPrivate: true });
    assert.deepEqual(check('file:///etc/passwd'), { ok: false, reason: plain });
    assert.deepEqual(check('http://a:b@127.0.0.1/'), { ok: false, reason: userinfo });
    assert.deepEqual(check(`http://127.0.0.1/${'a'.repeat(2048)}`), { ok: false, reason: tooLong });
  });
});

describe('only the canonical spelling is an address', () => {
  const judgements: readonly (readonly [address: string, isPublic: boolean])[] = [
    ['8.8.8.8', true],
    ['172.32.0.1', true],
    ['100.128.0.1', true],
    ['168.63.129.17', true],
    ['2a00:1450:4001:80b::200e', true],
    ['::ffff:8.8.8.8', true],
    ['::ffff:10.0.0.1', false],
    ['127.1', false],
    ['0x8.8.8.8', false],
    ['134744072', false],
    ['fe80::1%eth0', false],
    ['2606:4700::1%1', false],
    ['example.com', false],
    ['', false],
  ];
  for (const [address, isPublic] of judgements) {
    test(`${address || 'nothing'} is ${isPublic ? '' : 'not '}public`, () => {
      assert.equal(isPublicAddress(address), isPublic);
    });
  }
});
