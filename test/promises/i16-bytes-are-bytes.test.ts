/** Promise I16: uploads are stored byte for byte, or not at all. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { formHeaders, openUpload, partHead, traceOf, uploadForm } from '../../testkit/clients/uploads.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { picture } from '../../testkit/media/media-maker.ts';

const aborts = 500;
const atOnce = 20;

describe('I16 bytes are bytes', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({ role: 'api' });
  });
  after(() => gateway.close());

  /** The open files of this process; empty where the system does not list them. */
  const descriptors = async (): Promise<number> =>
    (await readdir('/proc/self/fd').catch(() => [] as string[])).length;

  test(`I16 ${aborts} uploads that break off anywhere leave no row, no file, no blob and no descriptor`, async () => {
    const key = await gateway.key();
    const random = fc.sample(
      fc.record({ bytes: fc.nat({ max: 200_000 }), pieces: fc.integer({ min: 1, max: 4 }) }),
      {
        numRuns: aborts,
        seed: 16,
      },
    );
    const jsonHeaders = { 'content-type': 'application/json', 'content-length': 1_000_000 };
    const breakOff = async ({ bytes, pieces }: (typeof random)[number], isForm: boolean) => {
      const sending = openUpload(gateway, key, isForm ? formHeaders : jsonHeaders);
      const head = isForm
        ? partHead({ type: 'text/plain' })
        : Buffer.from('{"mime_type":"text/plain","filename":"a.txt","data":"');
      const content = Buffer.concat([head, Buffer.alloc(bytes, 'a')]);
      const step = Math.ceil(content.length / pieces);
      // A cut at byte 0 is one, too: the head of the request came and nothing after it.
      for (let at = 0; bytes > 0 && at < content.length; at += step)
        await sending.write(content.subarray(at, at + step));
      sending.abort();
    };
    // The first ones make what stays open for all: connections to the database, threads.
    for (const cut of random.slice(0, 4)) await breakOff(cut, true);
    await until(async () => (await traceOf(gateway)).kept.length === 0, 'the first to be forgotten');
    const before = await traceOf(gateway);
    const opened = await descriptors();
    for (let at = 0; at < random.length; at += atOnce) {
      await Promise.all(random.slice(at, at + atOnce).map((cut, index) => breakOff(cut, index % 2 === 0)));
    }
    await until(async () => {
      const { rows, kept } = await traceOf(gateway);
      return rows === before.rows && kept.length === before.kept.length && (await descriptors()) <= opened;
    }, 'everything to be let go');
    assert.deepEqual(await traceOf(gateway), before);
    // And the rate of the user is as if nothing had been sent.
    const { status } = await uploadForm(gateway, key, { type: 'text/plain' });
    assert.equal(status, 200);
  });
});

for (const dialect of dialects) {
  describe(`I16 bytes are bytes (${dialect})`, () => {
    let gateway: TestGateway;
    before(async () => {
      gateway = await startGateway({ dialect, role: 'api' });
    });
    after(() => gateway.close());

    test('I16 any bytes behind a picture, uploaded in either form, come back with the same hash', async () => {
      const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
      const head = await picture('png', 8, 8);
      const tails = fc.uint8Array({ maxLength: 100_000, size: 'max' });
      await fc.assert(
        fc.asyncProperty(tails, fc.boolean(), async (tail, asForm) => {
          const content = Buffer.concat([head, tail]);
          const key = await gateway.key();
          const given = { data: content.toString('base64'), mime_type: 'image/png' };
          const { status, body } = asForm
            ? await uploadForm(gateway, key, { type: 'image/png', content })
            : await gateway.ask('POST', '/v1/files', { key, body: given });
          assert.equal(status, 200, JSON.stringify(body));
          const back = Buffer.from(await (await fetch(body.url)).arrayBuffer());
          assert.deepEqual([body.bytes, hashOf(back)], [content.length, hashOf(content)]);
        }),
        { numRuns: 30, endOnFailure: true },
      );
    });
  });
}
