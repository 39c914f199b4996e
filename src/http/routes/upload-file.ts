import type { IncomingMessage } from 'node:http';
import {
  dropSpooled,
  type Judged,
  keepUpload,
  refuseOverUploadRate,
  spoolUpload,
  type UploadParts,
} from '../../admission/keep-upload.ts';
import { isJson, parseJsonObject, readBody } from '../../admission/read-body.ts';
import { maxUploadBytes } from '../../domain/file.ts';
import { Refusal, refuse } from '../../domain/refusal.ts';
import { fileObject } from '../file-object.ts';
import { type HttpParts, identify, type Route } from '../parts.ts';
import { readMultipart } from '../read-multipart.ts';

/** Room for 40 MiB in base64 (decisions 6). */
const maxJsonBytes = 56 * 1024 * 1024;
const maxPurposeLength = 256;

/** A file that arrived, and what its sender said of it. */
interface Arrived {
  readonly judged: Judged;
  readonly fileName: string | undefined;
  readonly purpose: string | null;
}

/** Contract 4.2: one file a request, as a form or as JSON. */
export const uploadFile = (parts: HttpParts): Route => ({
  method: 'POST',
  path: '/v1/files',
  errors: 'file',
  async handle(request) {
    const principal = await identify(parts, request);
    await refuseOverUploadRate(parts, principal);
    const arrived = await readUpload(parts, request.raw);
    const file = await keepUpload(parts, principal, arrived.judged, arrived);
    return fileObject(parts, file);
  },
});

async function readUpload(parts: UploadParts, message: IncomingMessage): Promise<Arrived> {
  const contentType = message.headers['content-type'];
  if (isJson(contentType)) return readJsonUpload(parts, message);
  if (/^multipart\/form-data\s*;/i.test(contentType?.trim() ?? '')) return readFormUpload(parts, message);
  throw refuse('file_request_invalid', {
    subject: 'Content-Type must be multipart/form-data with a boundary, or application/json',
  });
}

async function readFormUpload(parts: UploadParts, message: IncomingMessage): Promise<Arrived> {
  const { file, fields } = await readMultipart(
    message,
    async ({ content, fileName, declaredMimeType }) => ({
      fileName,
      judged: await spoolUpload(parts, { content, fileName, declaredMimeType, typeField: 'file' }),
    }),
    ({ judged }) => dropSpooled(judged),
  );
  if (!file) throw refuse('file_required');
  try {
    return { ...file, purpose: readPurpose(fields.get('purpose')) };
  } catch (failure) {
    await dropSpooled(file.judged);
    throw failure;
  }
}

async function readJsonUpload(parts: UploadParts, message: IncomingMessage): Promise<Arrived> {
  const bytes = await readBody(message, maxJsonBytes, () =>
    refuse('file_too_large', { param: 'data' }),
  ).catch(asFileRefusal);
  const body = parseBody(bytes);
  const mimeType = textField(body, 'mime_type');
  const data = textField(body, 'data');
  if (mimeType === undefined)
    throw refuse('file_request_invalid', { subject: 'mime_type is required', param: 'mime_type' });
  if (!/^[^\s/;]+\/[^\s/;]+\s*(?:;|$)/.test(mimeType.trim()))
    throw refuse('file_request_invalid', { subject: 'mime_type must be a MIME type', param: 'mime_type' });
  if (data === undefined)
    throw refuse('file_request_invalid', { subject: 'data is required', param: 'data' });
  const fileName = textField(body, 'filename');
  const purpose = readPurpose(textField(body, 'purpose'));
  const content = decodeBase64(withoutDataPrefix(data, mimeType));
  const judged = await spoolUpload(parts, {
    content: inChunks(content),
    declaredMimeType: mimeType,
    fileName,
    typeField: 'mime_type',
  });
  return { judged, fileName, purpose };
}

/** Echoed, never used; PostgreSQL keeps no NUL. */
function readPurpose(purpose: string | undefined): string | null {
  if (purpose === undefined) return null;
  if (purpose.length <= maxPurposeLength && !purpose.includes('\0')) return purpose.toWellFormed();
  throw refuse('file_request_invalid', {
    subject: `purpose must be a text of at most ${maxPurposeLength} characters`,
    param: 'purpose',
  });
}

function parseBody(bytes: Buffer): Readonly<Record<string, unknown>> {
  try {
    return parseJsonObject(bytes);
  } catch (failure) {
    return asFileRefusal(failure);
  }
}

/** The gates of a body speak in detail bodies; this endpoint has its own. */
function asFileRefusal(failure: unknown): never {
  if (failure instanceof Refusal && failure.entry.shape === 'detail') {
    throw refuse('file_request_invalid', { subject: failure.message, cause: failure });
  }
  throw failure;
}

function textField(body: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = body[name];
  if (value === undefined || typeof value === 'string') return value;
  throw refuse('file_request_invalid', { subject: `${name} must be a string`, param: name });
}

/** Contract 2.4: a data URL must be of the type that mime_type says. */
function withoutDataPrefix(data: string, mimeType: string): string {
  if (!/^data:/i.test(data)) return data;
  const comma = data.indexOf(',');
  const head = /^data:([^;,]*)((?:;[^;,]*)*);base64$/i.exec(data.slice(0, Math.max(0, comma)));
  if (!head) throw refuse('invalid_base64');
  if (essence(head[1]!) !== essence(mimeType)) {
    throw refuse('file_request_invalid', {
      subject: `data is ${head[1]}, but mime_type is ${mimeType}`,
      param: 'mime_type',
    });
  }
  return data.slice(comma + 1);
}

const essence = (mimeType: string): string => mimeType.split(';', 1)[0]!.trim().toLowerCase();

/** Strict: no blanks, no other alphabet, right padding. What is far too large is refused before it is decoded. */
function decodeBase64(text: string): Buffer {
  if (text.length > Math.ceil(maxUploadBytes / 3) * 4) throw refuse('file_too_large', { param: 'data' });
  if (text === '' || text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text))
    throw refuse('invalid_base64');
  const content = Buffer.from(text, 'base64');
  if (content.length > maxUploadBytes) throw refuse('file_too_large', { param: 'data' });
  return content;
}

async function* inChunks(content: Buffer): AsyncIterable<Uint8Array> {
  const chunkBytes = 1024 * 1024;
  for (let at = 0; at < content.length; at += chunkBytes) yield content.subarray(at, at + chunkBytes);
}
