/** Uploads as forms and as JSON, and what they are answered. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import type { Answer, TestGateway } from '../gateway/gateway.ts';

/** One part of a form, its disposition written as it is sent. */
export interface Part {
  /** What follows `form-data; `; absent: `name="file"; filename="a.txt"`. */
  readonly says?: string;
  readonly type?: string;
  readonly content?: string | Uint8Array;
}

const boundary = 'the-edge';
export const formHeaders = { 'content-type': `multipart/form-data; boundary=${boundary}` };
export const formEnd = Buffer.from(`\r\n--${boundary}--\r\n`);

/** What stands before the content of a part. */
export function partHead({ says = 'name="file"; filename="a.txt"', type }: Part, edge = boundary): Buffer {
  const typeLine = type === undefined ? '' : `Content-Type: ${type}\r\n`;
  return Buffer.from(`--${edge}\r\nContent-Disposition: form-data; ${says}\r\n${typeLine}\r\n`);
}

/** A form, byte by byte. */
export function formOf(...parts: readonly Part[]): Buffer {
  const separated = parts.map((part, index) =>
    Buffer.concat([
      Buffer.from(index > 0 ? '\r\n' : ''),
      partHead(part),
      Buffer.from(part.content ?? 'hello'),
    ]),
  );
  return Buffer.concat([...separated, formEnd]);
}

/** Uploads a form of those parts. */
export function uploadForm(gateway: TestGateway, key: string, ...parts: readonly Part[]): Promise<Answer> {
  return gateway.ask('POST', '/v1/files', { key, body: formOf(...parts), headers: formHeaders });
}

/** Uploads a small text and gives its file object. */
export async function uploadText(
  gateway: TestGateway,
  key: string,
  content = 'hello',
  name = 'a.txt',
): Promise<Answer['body']> {
  const part = { says: `name="file"; filename="${name}"`, type: 'text/plain', content };
  const { status, body } = await uploadForm(gateway, key, part);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

/** What differs between two uploads. */
export interface ExpectedFile {
  readonly filename: string;
  readonly bytes: number;
  readonly mime_type: string;
  readonly file_type: string;
  readonly dimensions?: { readonly width: number; readonly height: number };
  readonly purpose?: string;
  readonly status?: 'processed';
}

const weekSeconds = 7 * 24 * 60 * 60;

/** The whole file object of Contract 2.3, with no key more. */
export function assertFile(gateway: TestGateway, body: Answer['body'], expected: ExpectedFile): void {
  const { id, created_at, expires_at, url, ...rest } = body;
  assert.deepEqual(rest, {
    object: 'file',
    source: 'upload',
    dimensions: null,
    storage_policy: 'temporary',
    ...expected,
  });
  assert.match(id, /^file_[0-9A-Za-z]{24}$/);
  const nowSeconds = gateway.clock.now() / 1000;
  assert.ok(
    Number.isInteger(created_at) && created_at <= nowSeconds && created_at > nowSeconds - 120,
    `created at ${created_at}`,
  );
  assert.equal(expires_at, created_at + weekSeconds);
  const start = `${gateway.url}/v1/f/${id}/${encodeURIComponent(expected.filename)}?exp=`;
  assert.equal(url.slice(0, start.length), start);
  assert.match(url.slice(start.length), /^\d{10}&sig=[A-Za-z0-9_-]{43}$/);
}

/** The file error body of Contract 7.3. */
export function fileError(
  code: string,
  message: string,
  param: string | null,
  type = 'invalid_request_error',
) {
  return { error: { message, type, param, code } };
}

export const notFound = fileError('file_not_found', 'File not found', 'file_id');
export const unavailable = fileError(
  'storage_unavailable',
  'Storage is unavailable, please try again later',
  null,
  'api_error',
);

/** Everything that an upload could leave behind. */
export async function traceOf({ gateway, keptFiles }: TestGateway) {
  const [row] = await gateway.db.read('SELECT COUNT(*) AS files FROM files', []);
  return { rows: Number(row?.files), kept: (await keptFiles()).toSorted() };
}

/** What `act` gives; afterwards there is neither a row nor a file more than before. */
export async function leavingNothing<T>(gateway: TestGateway, act: () => Promise<T>): Promise<T> {
  const before = await traceOf(gateway);
  const given = await act();
  assert.deepEqual(await traceOf(gateway), before);
  return given;
}

/** The name of a user who has uploaded nothing yet. */
export const freshName = (): string => `user-${randomBytes(8).toString('hex')}`;

/** A POST to /v1/files whose body the test writes piece by piece. */
export function openUpload(
  gateway: TestGateway,
  key: string,
  headers: Readonly<Record<string, string | number>> = formHeaders,
) {
  const sending = request(new URL('/v1/files', gateway.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, ...headers },
  });
  const answered = new Promise<Answer>((resolve, reject) => {
    sending.on('error', reject);
    sending.on('response', async response => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      const fields = Object.entries(response.headers).map(([name, value]): [string, string] => [
        name,
        String(value),
      ]);
      resolve({
        status: response.statusCode ?? 0,
        headers: new Headers(fields),
        body: JSON.parse(Buffer.concat(chunks).toString()),
      });
    });
  });
  // A client that aborts does not wait for an answer.
  answered.catch(() => {});
  const write = (chunk: Uint8Array) => new Promise<void>(resolve => sending.write(chunk, () => resolve()));
  return { write, end: () => void sending.end(), abort: () => void sending.destroy(), answered };
}
