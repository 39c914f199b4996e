/** Uploads and jobs by Python requests, curl -F, JSON of a Go struct, and base64. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { picture } from '../../testkit/media/media-maker.ts';

/**
 * What programs send that know nothing of this protocol but its documents: byte for byte the forms of Python's
 * `requests` 2.28 and of curl 7.88, the JSON of a Go struct without `omitempty`, the output of `base64 FILE`.
 */
let gateway: TestGateway;
let key: string;
let png: Buffer;
before(async () => {
  gateway = await startGateway();
  key = await gateway.key();
  png = await picture('png', 320, 320);
});
after(() => gateway.close());

const form = (boundary: string, head: readonly string[], content: Buffer) =>
  Buffer.concat([
    Buffer.from([`--${boundary}`, ...head, '', ''].join('\r\n')),
    content,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);

/** A picture job that starts from that file ends with a picture. */
async function endsWithPicture(image: string, rest: object = {}): Promise<void> {
  const body = { prompt: 'The same in the rain', image, ...rest };
  const made = await gateway.ask('POST', '/v1/queue/gamma-v3-image', { key, body });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  const result = await until(async () => {
    const headers = { prefer: 'wait=30' };
    const answer = await gateway.ask('GET', made.body.response_url, { key, headers });
    return answer.status === 200 && answer.body;
  }, 'the end of the job');
  assert.equal(result.error, null);
  const { status, headers } = await gateway.ask('GET', result.images[0].url);
  assert.deepEqual([status, headers.get('content-type')], [200, 'image/png']);
}

describe('a file is uploaded, and a job made from it,', () => {
  test("by Python's requests, which declares no type of the part", async () => {
    const boundary = 'dcd2a8cd4cb4e1b9a5b8ac2b1d7b4a46';
    const body = form(boundary, ['Content-Disposition: form-data; name="file"; filename="a.png"'], png);
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
    const uploaded = await gateway.ask('POST', '/v1/files', { key, body, headers });
    assert.equal(uploaded.status, 200, JSON.stringify(uploaded.body));
    assert.deepEqual([uploaded.body.mime_type, uploaded.body.filename], ['image/png', 'a.png']);
    await endsWithPicture(uploaded.body.id);
  });

  test('by curl -F', async () => {
    const boundary = '------------------------d74496d66958873e';
    const disposition = 'Content-Disposition: form-data; name="file"; filename="a.png"';
    const body = form(boundary, [disposition, 'Content-Type: image/png'], png);
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
    const uploaded = await gateway.ask('POST', '/v1/files', { key, body, headers });
    assert.equal(uploaded.status, 200, JSON.stringify(uploaded.body));
    await endsWithPicture(uploaded.body.url);
  });

  test('by JSON of a Go struct, every field that was not set null or empty', async () => {
    const body = { data: png.toString('base64'), mime_type: 'image/png', filename: null };
    const uploaded = await gateway.ask('POST', '/v1/files', { key, body });
    assert.equal(uploaded.status, 200, JSON.stringify(uploaded.body));
    const unset = { negative_prompt: '', n: null, aspect_ratio: null, resolution: null, callback_url: '' };
    await endsWithPicture(uploaded.body.id, { ...unset, external_task_id: '' });
  });

  test('by the output of base64, pasted into JSON', async () => {
    const pasted = `${png.toString('base64').replaceAll(/(.{76})/g, '$1\n')}\n`;
    const body = { data: pasted, mime_type: 'image/png', filename: 'a.png' };
    const uploaded = await gateway.ask('POST', '/v1/files', { key, body });
    assert.equal(uploaded.status, 200, JSON.stringify(uploaded.body));
    await endsWithPicture(pasted);
  });
});
