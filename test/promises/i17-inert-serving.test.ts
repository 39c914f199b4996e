/** Promise I17: served files cannot run anything in a browser. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { pathOf, speech } from '../../testkit/clients/queue.ts';
import { uploadForm } from '../../testkit/clients/uploads.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';
import { clip, picture, sound } from '../../testkit/media/media-maker.ts';

const script = '<!doctype html><script>fetch("/v1/files")</script>';
const drawing = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>';
/** The only types that anything is ever served as. */
const shown = ['image', 'video', 'audio'];

type Make = () => Promise<string | Buffer>;
const followedBy =
  (medium: () => Promise<Buffer>, tail: string): Make =>
  async () =>
    Buffer.concat([await medium(), Buffer.from(tail)]);
const says =
  (text: string): Make =>
  async () =>
    text;

/** Files that mean to be more than they say: how they are declared, and as what they are served. */
const hostile: readonly (readonly [what: string, declared: string, make: Make, servedAs: string])[] = [
  ['a PNG with a page behind it', 'image/png', followedBy(() => picture('png', 8, 8), script), 'image/png'],
  [
    'a GIF with a script behind it',
    'image/gif',
    followedBy(() => picture('gif', 8, 8), '=1;alert(1)'),
    'image/gif',
  ],
  [
    'a JPEG with a page behind it',
    'image/jpeg',
    followedBy(() => picture('jpeg', 8, 8), script),
    'image/jpeg',
  ],
  [
    'a WebP with a drawing behind it',
    'image/webp',
    followedBy(() => picture('webp', 8, 8), drawing),
    'image/webp',
  ],
  ['a WAV with a page behind it', 'audio/wav', followedBy(() => sound('wav', 1), script), 'audio/wav'],
  ['an MP4 with a page behind it', 'video/mp4', followedBy(() => clip({ seconds: 1 }), script), 'video/mp4'],
  [
    'a PDF with a script',
    'application/pdf',
    says('%PDF-1.4\n1 0 obj<</S/JavaScript/JS(app.alert(1))>>\n'),
    'application/pdf',
  ],
  ['a page called a text', 'text/plain', says(script), 'text/plain'],
  ['a drawing called a text', 'text/plain', says(drawing), 'text/plain'],
  [
    'a table of formulas',
    'text/csv',
    says('=HYPERLINK("http://a.test"),"<script>alert(1)</script>"'),
    'text/csv',
  ],
  ['a page in JSON', 'application/json', says(JSON.stringify({ page: script })), 'application/json'],
  ['a page called a table', 'text/csv', says(script), 'text/csv'],
];
/** Files that only a browser that runs them wants: they are not taken at all. */
const refused: readonly (readonly [what: string, name: string, declared: string, content: string])[] = [
  ['a page', 'a.html', 'text/html', script],
  ['a page without a type', 'a.html', 'application/octet-stream', script],
  ['a drawing', 'a.svg', 'image/svg+xml', drawing],
  ['a drawing without a type', 'a.svg', 'application/octet-stream', drawing],
  ['a drawing called a picture', 'a.png', 'image/png', drawing],
  ['a page called a picture', 'a.png', 'image/png', script],
  [
    'XHTML',
    'a.xhtml',
    'application/xhtml+xml',
    `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>`,
  ],
  ['XML', 'a.xml', 'text/xml', '<?xml-stylesheet href="data:,a"?><a/>'],
  ['a script', 'a.js', 'text/javascript', 'alert(1)'],
  ['a module', 'a.mjs', 'application/javascript', 'alert(1)'],
  ['a web bundle', 'a.swf', 'application/x-shockwave-flash', 'CWS'],
  ['a message', 'a.mht', 'message/rfc822', `Content-Type: text/html\n\n${script}`],
];

describe('I17 inert serving', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({ role: 'api' });
  });
  after(() => gateway.close());

  for (const [what, type, make, servedAs] of hostile) {
    test(`I17 ${what} is served as ${servedAs} and can run nothing`, async () => {
      const says = `name="file"; filename="<script>alert(1)</script>.html"`;
      const { status, body } = await uploadForm(gateway, await gateway.key(), {
        says,
        type,
        content: await make(),
      });
      assert.equal(status, 200, JSON.stringify(body));
      for (const headers of [{}, { range: 'bytes=0-3' }] as const) {
        const answer = await fetch(body.url, { headers });
        await answer.arrayBuffer();
        assert.equal(answer.headers.get('content-type'), servedAs);
        assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
        assert.equal(answer.headers.get('content-security-policy'), "sandbox; default-src 'none'");
        assert.equal(answer.headers.get('referrer-policy'), 'no-referrer');
        const disposition = shown.includes(servedAs.split('/')[0]!) ? 'inline' : 'attachment';
        assert.equal(answer.headers.get('content-disposition')?.split(';')[0], disposition);
      }
    });
  }

  for (const [what, name, type, content] of refused) {
    test(`I17 ${what} is not taken`, async () => {
      const part = { says: `name="file"; filename="${name}"`, type, content };
      const { status, headers } = await uploadForm(gateway, await gateway.key(), part);
      assert.equal(status, 400);
      assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
    });
  }

  test('I17 words of a client in a refusal come back as JSON, never as a page', async () => {
    const key = await gateway.key();
    const words = encodeURIComponent(script);
    const requests: readonly (readonly [method: string, path: string, body?: unknown])[] = [
      ['POST', `/v1/queue/${words}`, { text: 'a' }],
      ['GET', `/v1/models/${words}`],
      ['GET', `/v1/queue/${speech}/requests?status=${words}`],
      ['GET', `/v1/files?order=${words}`],
      ['GET', pathOf(words, '/status')],
      ['POST', `/v1/queue/${speech}`, { [script]: 1 }],
      ['POST', '/v1/files', { data: 'aGVsbG8=', mime_type: script }],
      ['GET', `/${words}`],
    ];
    for (const [method, path, body] of requests) {
      const { status, headers } = await gateway.ask(method, path, { key, body });
      assert.ok(status >= 400 && status < 500, `${path}: ${status}`);
      assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
    }
  });
});
