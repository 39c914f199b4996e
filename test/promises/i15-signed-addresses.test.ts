/** Promise I15: a signed address that was changed is refused. */
import assert from 'node:assert/strict';
import { rename, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openSigner } from '../../src/domain/file-signature.ts';
import { fileError, unavailable, uploadText } from '../../testkit/clients/uploads.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

const invalid = fileError('invalid_signature', 'The signature of this address is not valid', null);

describe('I15 signed addresses', () => {
  let gateway: TestGateway;
  let path: string;
  before(async () => {
    gateway = await startGateway({ role: 'api' });
    const { url } = await uploadText(gateway, await gateway.key(), 'x', 'a photo.txt');
    path = url.slice(gateway.url.length);
  });
  after(() => gateway.close());

  /** Status and body of the answer to that very path, bytes of every kind in it. */
  async function askFor(raw: Buffer): Promise<readonly [status: number, body: string]> {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    const head = Buffer.from('GET ');
    socket.write(
      Buffer.concat([head, raw, Buffer.from(' HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')]),
    );
    const text = Buffer.concat(await socket.toArray()).toString();
    const [said = '', body = ''] = text.split('\r\n\r\n');
    return [Number(said.split(' ')[1]), body];
  }

  test('I15 every other value of every byte of twenty addresses is refused by the signature', () => {
    const signer = openSigner('a master secret');
    const now = 1_700_000_000_000;
    for (let count = 0; count < 20; count++) {
      const id = `file_${String(count).padStart(24, 'aZ09')}`;
      const address = signer.sign({ id, fileName: `picture ${count}.png` }, now + 1_000 * (count + 1));
      assert.equal(signer.verify(address, now).kind, 'valid');
      const bytes = Buffer.from(address, 'latin1');
      for (let at = 0; at < bytes.length; at++) {
        // All 255 others for the first address, one at random for the rest.
        const values =
          count === 0 ? Array.from({ length: 256 }, (_, value) => value) : [(at * 31 + count) % 256];
        for (const value of values) {
          if (bytes[at] === value) continue;
          const changed = Buffer.from(bytes);
          changed[at] = value;
          const { kind } = signer.verify(changed.toString('latin1'), now);
          assert.equal(kind, 'invalid', `byte ${at} as ${value} of ${address}`);
        }
      }
    }
  });

  test('I15 a changed byte anywhere is refused without a look at the bytes of the file', async () => {
    const folder = join(gateway.folder, 'blobs');
    await rename(folder, `${folder}-away`);
    await writeFile(folder, 'no folder');
    try {
      // A check of the bytes from now on must fail.
      assert.deepEqual(await askFor(Buffer.from(path)), [500, JSON.stringify(unavailable)]);
      const bytes = Buffer.from(path);
      const sealed = '/v1/f/'.length;
      for (let at = sealed; at < bytes.length; at++) {
        for (const value of [bytes[at]! ^ 1, 0xff]) {
          // A blank or a # ends the request target.
          if (value <= 0x20 || value === 0x23 || value === 0x7f) continue;
          const changed = Buffer.from(bytes);
          changed[at] = value;
          const [status, body] = await askFor(changed);
          // What is no HTTP is refused before there is an address.
          const expected =
            value === 0xff ? [400, '{"detail":"Bad Request"}'] : [403, JSON.stringify(invalid)];
          assert.deepEqual([status, body], expected, changed.toString('latin1'));
        }
      }
    } finally {
      await rm(folder);
      await rename(`${folder}-away`, folder);
    }
    assert.deepEqual(await askFor(Buffer.from(path)), [200, 'x']);
  });

  test('I15 an address with more, fewer or repeated parameters is refused', async () => {
    const [, exp = '', sig = ''] = /\?(exp=\d+)&(sig=.*)$/.exec(path) ?? [];
    const start = path.slice(0, path.indexOf('?'));
    const queries = [
      '',
      '?',
      `?${exp}`,
      `?${sig}`,
      `?${sig}&${exp}`,
      `?${exp}&${exp}&${sig}`,
      `?${exp}&${sig}&${sig}`,
      `?${exp}&${sig}&`,
      `?${exp}&${sig}&download=1`,
      `?a&${exp}&${sig}`,
      `?${exp}&&${sig}`,
      `?${exp};${sig}`,
      `?${exp}%26${sig}`,
      `?${exp.toUpperCase()}&${sig}`,
      `?${exp}&${sig}=`,
      `?${exp}&${sig}%00`,
      `?exp=0${exp.slice(4)}&${sig}`,
      `?exp=+${exp.slice(4)}&${sig}`,
      `?exp=${exp.slice(4)}.0&${sig}`,
      `?exp=${'9'.repeat(400)}&${sig}`,
      `?${exp}&sig=${'A'.repeat(8_000)}`,
    ];
    for (const query of queries) {
      const answer = await askFor(Buffer.from(start + query));
      assert.deepEqual([query.slice(0, 40), ...answer], [query.slice(0, 40), 403, JSON.stringify(invalid)]);
    }
  });
});
