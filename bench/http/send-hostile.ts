/**
 * Sends dry runs at once that each name a picture of 120 million pixels nine times, whenever a line comes in, and
 * says with a line of its own what they were answered. A program of its own, so that whoever measures beside it is
 * not held up by the sending.
 */
import { request } from 'node:http';
import { openVariants, vastPng } from '../../testkit/media/hostile-media.ts';
import { dataUrl } from '../../testkit/media/media-fields.ts';
import { nothingNamed } from './nothing-named.ts';

const [url = '', key = '', count = '300', ownFile = ''] = process.argv.slice(2);
/** Other bytes each time, where no file of one's own is named. */
const variant = openVariants(await vastPng());

process.stdout.write('ready\n');
process.stdin.on('data', async () => {
  const statuses = await Promise.all(Array.from({ length: Number(count) }, () => send(bodyOf())));
  process.stdout.write(`${JSON.stringify(statuses)}\n`);
});

function bodyOf(): Buffer {
  if (ownFile === nothingNamed) return Buffer.from('{"content":[]}');
  const image = ownFile || dataUrl(variant());
  const item = { type: 'image_url', image_url: { url: image }, role: 'reference_image' };
  return Buffer.from(JSON.stringify({ content: Array(9).fill(item) }));
}

function send(body: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': body.length,
    };
    const sending = request(`${url}/v1/models/alpha-2-0-mini/validate`, {
      method: 'POST',
      agent: false,
      headers,
    });
    sending.on('error', reject);
    sending.on('response', response => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    sending.end(body);
  });
}
