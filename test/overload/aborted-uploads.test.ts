/** Uploads that are aborted at any byte leave nothing behind. */
import { existsSync, readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { formHeaders, partHead, traceOf, uploadText } from '../../testkit/clients/uploads.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { openPost, untilHeld } from '../../testkit/gateway/limited.ts';

const aborts = 100;
const atOnce = 10;
const content = Buffer.alloc(512 * 1024, 'QUJD');
const descriptors = '/proc/self/fd';

/** What an upload begins with, by the type of its body. */
const beginnings: readonly (readonly [type: string, begin: Uint8Array])[] = [
  [formHeaders['content-type'], partHead({ type: 'text/plain' })],
  ['application/json', Buffer.from('{"mime_type":"text/plain","data":"')],
];

for (const dialect of dialects) {
  describe(dialect, () => {
    test(`${aborts} uploads that are given up, each at another byte, leave nothing behind`, async () => {
      const gateway = await startGateway({ dialect, role: 'api' });
      try {
        const key = await gateway.key();
        await uploadText(gateway, await gateway.key());
        const before = await traceOf(gateway);
        const giveUpFrom = async (first: number) => {
          await Promise.all(Array.from({ length: atOnce }, (_, at) => giveUp(gateway, key, first + at)));
          await untilHeld(gateway, 0);
        };
        // The connections to the database that these open stay open for a while.
        await giveUpFrom(0);
        const open = openFiles();
        for (let first = 0; first < aborts; first += atOnce) await giveUpFrom(first);
        await until(async () => openFiles() <= open, 'every descriptor to be closed');
        // A file is removed once it is closed.
        await until(
          async () => isDeepStrictEqual(await traceOf(gateway), before),
          'every file to be removed',
        );
        await uploadText(gateway, key);
      } finally {
        await gateway.close();
      }
    });
  });
}

/** Sends so much of an upload as its number says, and goes away. */
async function giveUp(gateway: TestGateway, key: string, number: number): Promise<void> {
  const [type, begin] = beginnings[number % beginnings.length]!;
  const post = openPost(gateway, '/v1/files', {
    authorization: `Bearer ${key}`,
    'content-type': type,
    'content-length': 40 * 1024 * 1024,
  });
  const sent = Buffer.concat([begin, content]).subarray(0, number * 5003);
  await post.write(sent);
  post.abort();
  await post.closed;
}

/** The descriptors of this process; the gateway and its clients have no others. */
const openFiles = (): number => (existsSync(descriptors) ? readdirSync(descriptors).length : 0);
