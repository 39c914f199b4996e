/** Every media field of every model, and the ways to name a medium in it. */
import assert from 'node:assert/strict';
import { uploadForm } from '../clients/uploads.ts';
import type { Answer, TestGateway } from '../gateway/gateway.ts';

/** How a test hands a medium in. */
export type Handing = 'raw' | 'data' | 'own' | 'asset' | 'signed';

/** One media field of one model. */
export interface MediaField {
  readonly model: string;
  /** As refusals name it. */
  readonly path: string;
  readonly handing: Handing;
  readonly bodyWith: (value: string) => Readonly<Record<string, unknown>>;
}

export const megabyte = 1024 * 1024;

const mimeTypes: readonly (readonly [magic: string, mimeType: string])[] = [
  ['\x89PNG', 'image/png'],
  ['\xff\xd8', 'image/jpeg'],
  ['GIF8', 'image/gif'],
  ['BM', 'image/bmp'],
  ['II*', 'image/tiff'],
  ['RIFF', 'audio/wav'],
  ['\x1a\x45\xdf\xa3', 'video/webm'],
  ['ID3', 'audio/mpeg'],
  ['OggS', 'audio/ogg'],
];

/** What an honest sender calls it. */
export function mimeTypeOf(medium: Buffer): string {
  const head = medium.toString('latin1', 0, 12);
  if (head.endsWith('WEBP')) return 'image/webp';
  if (head.slice(4, 8) === 'ftyp') {
    const brands: Readonly<Record<string, string>> = {
      heic: 'image/heic',
      mif1: 'image/heif',
      avif: 'image/avif',
      'qt  ': 'video/quicktime',
      'M4A ': 'audio/mp4',
    };
    return brands[head.slice(8)] ?? 'video/mp4';
  }
  return mimeTypes.find(([magic]) => head.startsWith(magic))?.[1] ?? 'application/octet-stream';
}

export const dataUrl = (medium: Buffer, mimeType = mimeTypeOf(medium)): string =>
  `data:${mimeType};base64,${medium.toString('base64')}`;

/** Uploads a medium; the file object. */
export async function upload(gateway: TestGateway, key: string, medium: Buffer): Promise<Answer['body']> {
  const part = { says: 'name="file"; filename="medium"', type: 'application/octet-stream', content: medium };
  const { status, body } = await uploadForm(gateway, key, part);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

/** The value that stands in the body; an upload where the medium is handed in as a file. */
export async function handIn(
  gateway: TestGateway,
  key: string,
  medium: Buffer,
  handing: Handing,
): Promise<string> {
  if (handing === 'raw') return medium.toString('base64');
  if (handing === 'data') return dataUrl(medium);
  const file = await upload(gateway, key, medium);
  return { own: file.id, asset: `asset://${file.id}`, signed: file.url }[handing];
}

/** Creates a job and asks for a dry run with the same body; both must say the same. */
export async function judge(
  gateway: TestGateway,
  key: string,
  model: string,
  body: unknown,
): Promise<{ readonly created: Answer; readonly judged: Answer }> {
  // Written once for both; a text is sent as it is.
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const judged = await gateway.ask('POST', `/v1/models/${model}/validate`, { key, body: bytes });
  const created = await gateway.ask('POST', `/v1/queue/${model}`, { key, body: bytes });
  assert.equal(judged.status, created.status);
  return { created, judged };
}

/** The body is accepted by both. */
export async function passes(
  gateway: TestGateway,
  key: string,
  model: string,
  body: unknown,
): Promise<string> {
  const { created, judged } = await judge(gateway, key, model, body);
  assert.equal(created.status, 200, JSON.stringify(created.body));
  assert.deepEqual(judged.body, { object: 'validation', model, valid: true, billed_jobs: 1, quote: null });
  return created.body.request_id;
}

/** Both refuse it with that sentence, naming those fields, and nothing is left of it on disk. */
export async function isRefused(
  gateway: TestGateway,
  key: string,
  model: string,
  body: unknown,
  detail: string,
): Promise<void> {
  const before = new Set(await gateway.keptFiles());
  const { created, judged } = await judge(gateway, key, model, body);
  assert.equal(created.status, 422, JSON.stringify(created.body));
  assert.deepEqual(created.body, { detail });
  assert.deepEqual(judged.body, { detail });
  const left = (await gateway.keptFiles()).filter(file => !before.has(file));
  assert.deepEqual(left, []);
}

/** A medium that is made when its test runs, and what is said to it; null: it passes. */
export type Edge = readonly [what: string, make: () => Promise<Buffer>, reason: string | null];

/** Sends a body with that one medium and asserts that it passes, or is refused for that reason. */
export async function holdsEdge(
  gateway: TestGateway,
  field: MediaField,
  make: () => Promise<Buffer>,
  reason: string | null,
): Promise<void> {
  const { model, path, handing, bodyWith } = field;
  const key = await gateway.key();
  const body = bodyWith(await handIn(gateway, key, await make(), handing));
  if (reason === null) await passes(gateway, key, model, body);
  else await isRefused(gateway, key, model, body, `${path}: ${reason}`);
}
