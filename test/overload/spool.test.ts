/** The spool budget for incoming files. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  fileError,
  formHeaders,
  leavingNothing,
  partHead,
  uploadForm,
} from '../../testkit/clients/uploads.ts';
import type { Answer, TestGateway } from '../../testkit/gateway/gateway.ts';
import { until } from '../../testkit/gateway/gateway.ts';
import {
  figureOf,
  type OpenPost,
  openPost,
  refusedFor,
  startLimited,
} from '../../testkit/gateway/limited.ts';
import { dataUrl, upload } from '../../testkit/media/media-fields.ts';
import { padTo, picture } from '../../testkit/media/media-maker.ts';

const megabyte = 1024 * 1024;
const perKey = 64 * megabyte;
const soon = /^[3-7]$/;

describe('the spool budget for incoming files', () => {
  let gateway: TestGateway;
  before(async () => {
    const spool = { bytes_per_key: perKey, bytes_in_all: 96 * megabyte };
    gateway = await startLimited({ spool }, { isAlone: true });
  });
  after(() => gateway.close());

  const untilSpooled = (least: number, most: number) =>
    until(async () => {
      const bytes = await figureOf(gateway, 'atelier_spool_bytes');
      return bytes >= least && bytes <= most;
    }, `${least} to ${most} bytes to lie in the spool`);

  /** An upload of which so many bytes have come, and no more do. */
  async function keepUploading(key: string, bytes: number): Promise<OpenPost> {
    const before = await figureOf(gateway, 'atelier_spool_bytes');
    const post = openPost(gateway, '/v1/files', { authorization: `Bearer ${key}`, ...formHeaders });
    await post.write(partHead({ type: 'text/plain' }));
    for (let sent = 0; sent < bytes; sent += megabyte) await post.write(Buffer.alloc(megabyte, 'A'));
    // The parser keeps back what may be the beginning of the end.
    await untilSpooled(before + bytes - 1024, before + bytes);
    return post;
  }
  async function dropAll(posts: readonly OpenPost[]): Promise<void> {
    for (const post of posts) post.abort();
    await untilSpooled(0, 0);
  }

  function assertRefused({ status, headers, body }: Answer, expected: [number, unknown]): void {
    assert.deepEqual([status, body], expected);
    assert.match(headers.get('retry-after') ?? '', soon);
  }
  const rate = fileError(
    'rate_limit_exceeded',
    'Request rate exceeded, please try again later',
    null,
    'api_error',
  );

  test('an upload beyond that of its key is refused with 429, and nothing of it is left', async () => {
    const key = await gateway.key();
    const uploads = [await keepUploading(key, 38 * megabyte)];
    const refusals = await figureOf(gateway, refusedFor('spool_of_key_full'));
    const large = { type: 'text/plain', content: Buffer.alloc(30 * megabyte, 'A') };
    assertRefused(await leavingNothing(gateway, () => uploadForm(gateway, key, large)), [429, rate]);
    const json = { data: large.content.toString('base64'), mime_type: 'text/plain' };
    const ask = () => gateway.ask('POST', '/v1/files', { key, body: json });
    assertRefused(await leavingNothing(gateway, ask), [429, rate]);
    assert.equal(await figureOf(gateway, refusedFor('spool_of_key_full')), refusals + 2);
    const others = { type: 'text/plain', content: Buffer.alloc(30 * megabyte, 'A') };
    assert.equal((await uploadForm(gateway, await gateway.key(), others)).status, 200);
    await dropAll(uploads);
    assert.equal((await uploadForm(gateway, key, large)).status, 200);
    await untilSpooled(0, 0);
  });

  test('a medium inline beyond it is refused with 429, and nothing of it is left', async () => {
    const key = await gateway.key();
    const uploads = [await keepUploading(key, 38 * megabyte)];
    const image = padTo(await picture('png', 400, 400), 27 * megabyte);
    const body = {
      content: [{ type: 'image_url', image_url: { url: dataUrl(image) }, role: 'reference_image' }],
    };
    const ask = () => gateway.ask('POST', '/v1/models/alpha-2-0-mini/validate', { key, body });
    const refused = await leavingNothing(gateway, ask);
    assertRefused(refused, [
      429,
      {
        error: { code: 'RATE_LIMIT_EXCEEDED', message: 'Too much is sent at once, please try again later' },
        request_id: refused.headers.get('x-request-id'),
      },
    ]);
    await dropAll(uploads);
    assert.equal((await ask()).status, 200);
    await untilSpooled(0, 0);
  });

  test('what is beyond that of all is refused with 503, and nothing of it is left', async () => {
    const uploads = [];
    for (let keys = 0; keys < 2; keys++)
      uploads.push(await keepUploading(await gateway.key(), 38 * megabyte));
    const key = await gateway.key();
    const file = { type: 'text/plain', content: Buffer.alloc(21 * megabyte, 'A') };
    const error = fileError('service_unavailable', 'Service temporarily unavailable', null, 'api_error');
    assertRefused(await leavingNothing(gateway, () => uploadForm(gateway, key, file)), [503, error]);
    assert.equal(await figureOf(gateway, refusedFor('spool_full')), 1);
    await upload(gateway, key, await picture('png', 400, 400));
    await dropAll(uploads);
    assert.equal((await uploadForm(gateway, key, file)).status, 200);
  });
});
