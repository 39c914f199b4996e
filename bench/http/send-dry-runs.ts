/**
 * Sends a burst of dry runs for each line of input, each naming a picture of 120 megapixels nine times, and prints their
 * HTTP statuses. A separate program, so that sending does not slow the measuring process.
 */
import { request } from 'node:http';
import { openVariants, vastPng } from '../../testkit/media/hostile-media.ts';
import { dataUrl } from '../../testkit/media/media-fields.ts';
import { noMedium } from './no-medium.ts';

const [url = '', key = '', count = '300', fileId = ''] = process.argv.slice(2);
/** Different bytes each time, where no file id is given. */
const variant = openVariants(await vastPng());

process.stdout.write('ready\n');
process.stdin.on('data', async () => {
  const statuses = await Promise.all(Array.from({ length: Number(count) }, () => send(bodyOf())));
  process.stdout.write(`${JSON.stringify(statuses)}\n`);
});

/** Nine reference images: the most that the model accepts. */
function bodyOf(): Buffer {
  if (fileId === noMedium) return Buffer.from('{"content":[]}');
  const image = fileId || dataUrl(variant());
  const item = { type: 'image_url', image_url: { url: image }, role: 'reference_image' };
  return Buffer.from(JSON.stringify({ content: Array(9).fill(item) }));
}

/** One request on a connection of its own; its HTTP status. */
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
