/** Password hashes, and the thread that derives them. */
import assert from 'node:assert/strict';
import { scryptSync } from 'node:crypto';
import { after, test } from 'node:test';
import { openDeriver } from '../../src/admission/deriver.ts';
import { openPasswords } from '../../src/admission/passwords.ts';
import { parsePasswordHash } from '../../src/domain/password-hash.ts';

const asker = { share: '127.0.0.0/24', isKnown: false, signal: new AbortController().signal };
const passwords = openPasswords();
after(() => passwords.close());

test('a hash is of scrypt with the least parameters of OWASP, which are written in it', async () => {
  const hash = await passwords.hash('a long password', asker);
  assert.match(hash, /^scrypt\$131072\$8\$1\$[\w-]{22}\$[\w-]{43}$/);
  const { N, r, p, salt, key } = parsePasswordHash(hash);
  const derived = scryptSync('a long password', salt, 32, { N, r, p, maxmem: 2 ** 28 });
  assert.equal(derived.equals(key), true);
  assert.deepEqual(await passwords.verify('a long password', hash, asker), {
    isValid: true,
    upgradedHash: null,
  });
  assert.equal((await passwords.verify('a wrong password', hash, asker)).isValid, false);
});

test('a thread that fails is answered, and the next derivation gets another', async () => {
  const deriver = openDeriver();
  const derivation = {
    password: 'a long password',
    salt: Buffer.alloc(16),
    keyBytes: 32,
    N: 1024,
    r: 8,
    p: 1,
  };
  try {
    await assert.rejects(deriver.derive({ ...derivation, N: 1023 }), {
      message: 'a thread for passwords failed',
    });
    assert.equal((await deriver.derive(derivation)).length, 32);
    const running = deriver.derive({ ...derivation, p: 1000 });
    const closed = assert.rejects(running, { message: 'the threads for passwords are closed' });
    await deriver.close();
    await closed;
    await assert.rejects(deriver.derive(derivation), { message: 'the threads for passwords are closed' });
  } finally {
    await deriver.close();
  }
});

test('what is no hash of scrypt is refused', () => {
  for (const text of ['', 'scrypt', 'scrypt$a$b', 'bcrypt$131072$8$1$AAAA$AAAA', 'scrypt$8$1$AAAA$AAAA'])
    assert.throws(() => parsePasswordHash(text), { message: 'expected a password hash of scrypt' });
});
