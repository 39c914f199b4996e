/** Signed addresses of files: form, expiry and refusal of any change. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSigner, type SignatureVerdict } from '../../src/domain/file-signature.ts';

const signer = openSigner('a master secret');
const id = `file_${'a1B2'.repeat(6)}`;
const expiresAt = 1_800_000_000_000;
const invalid: SignatureVerdict = { kind: 'invalid' };
const valid: SignatureVerdict = { kind: 'valid', fileId: id };
const address = signer.sign({ id, fileName: 'a b.png' }, expiresAt);

test('an address contains the id, the encoded name, the second of its end and 43 characters of signature', () => {
  assert.match(address, new RegExp(`^/v1/f/${id}/a%20b\\.png\\?exp=1800000000&sig=[A-Za-z0-9_-]{43}$`));
});

test('the same file and end give the same address, another end or name another signature', () => {
  const sigOf = (fileName: string, end: number) => signer.sign({ id, fileName }, end).slice(-43);
  assert.equal(sigOf('a b.png', expiresAt), address.slice(-43));
  assert.notEqual(sigOf('a b.png', expiresAt + 1000), address.slice(-43));
  assert.notEqual(sigOf('a c.png', expiresAt), address.slice(-43));
});

test('an address is valid until the millisecond of its end', () => {
  assert.deepEqual(signer.verify(address, 0), valid);
  assert.deepEqual(signer.verify(address, expiresAt - 1), valid);
  assert.deepEqual(signer.verify(address, expiresAt), { kind: 'expired' });
});

test('an end within a second is cut to the second, never past it', () => {
  const cut = signer.sign({ id, fileName: 'a' }, expiresAt + 999);
  assert.deepEqual(signer.verify(cut, expiresAt - 1), valid);
  assert.deepEqual(signer.verify(cut, expiresAt), { kind: 'expired' });
});

for (const fileName of ['写真 🦊', 'a?b#c&d=e', '100%', "it's", '\ud800', '%2e%2e', '..a', 'x'.repeat(255)]) {
  test(`the address of a file named ${JSON.stringify(fileName.slice(0, 12))} is valid as it was made`, () => {
    assert.deepEqual(signer.verify(signer.sign({ id, fileName }, expiresAt), 0), valid);
  });
}

test('any single byte changed, left out or put in makes an address invalid', () => {
  for (let at = 0; at < address.length; at++) {
    for (const sign of ['A', '0', '-', '/', '%', '&', '?', ' ', '\0', 'é']) {
      const changed = address.slice(0, at) + sign + address.slice(at + 1);
      if (changed !== address) assert.deepEqual(signer.verify(changed, 0), invalid, changed);
      const longer = address.slice(0, at) + sign + address.slice(at);
      assert.deepEqual(signer.verify(longer, 0), invalid, longer);
    }
    const shorter = address.slice(0, at) + address.slice(at + 1);
    assert.deepEqual(signer.verify(shorter, 0), invalid, shorter);
  }
});

test('the four spellings of the last sign are one address of ours and three that are not', () => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const spellings = [...alphabet].map(sign => signer.verify(address.slice(0, -1) + sign, 0));
  assert.equal(spellings.filter(({ kind }) => kind === 'valid').length, 1);
  assert.equal(spellings.filter(({ kind }) => kind === 'invalid').length, 63);
});

test('parameters more, twice or in another order make an address invalid', () => {
  const [path, exp, sig] = address.split(/[?&]/);
  for (const query of [
    `${exp}&${sig}&x=1`,
    `x=1&${exp}&${sig}`,
    `${exp}&${exp}&${sig}`,
    `${exp}&${sig}&${sig}`,
    `${sig}&${exp}`,
  ]) {
    assert.deepEqual(signer.verify(`${path}?${query}`, 0), invalid, query);
  }
});

test('a changed end is invalid, not expired: a guess reveals nothing', () => {
  assert.deepEqual(signer.verify(address.replace('exp=1800000000', 'exp=1'), expiresAt), invalid);
});

test('another secret makes other signatures, and the same secret the same on every node', () => {
  assert.deepEqual(openSigner('another secret').verify(address, 0), invalid);
  assert.deepEqual(openSigner('a master secret').verify(address, 0), valid);
});
