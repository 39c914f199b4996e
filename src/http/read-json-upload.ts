import type { IncomingMessage } from 'node:http';
import { Base64Fault, openBase64 } from '../admission/base64.ts';
import type { Room } from '../admission/bodies.ts';
import { openJsonBody } from '../admission/json-body.ts';
import { JsonTooLong } from '../admission/json-feed.ts';
import { type Judged, spoolUpload, type UploadParts } from '../admission/keep-upload.ts';
import { readPieces } from '../admission/read-body.ts';
import { maxUploadBytes } from '../domain/file.ts';
import { Refusal, type RefusalName, refuse } from '../domain/refusal.ts';
import { release } from '../media/release.ts';

/** A file that arrived, and what its sender said of it. */
export interface Arrived {
  readonly judged: Judged;
  readonly fileName: string | undefined;
  readonly purpose: string | null;
}

/** Room for 40 MiB in base64 (decisions 6). */
const maxJsonBytes = 56 * 1024 * 1024;
/** Characters beside `data`. */
const maxKept = 256 * 1024;
const maxPurposeLength = 256;

/** Contract 2.4: a file in JSON. Its base64 is decoded on its way to the disk, whatever stands before or behind it. */
export async function readJsonUpload(
  parts: UploadParts,
  message: IncomingMessage,
  room: Room,
): Promise<Arrived> {
  const data = openData();
  const tooLarge = () => refuse('file_too_large', { param: 'data' });
  const body = openJsonBody({ diverted: { key: 'data', take: data.take }, maxKept });
  let told: Told | null = null;
  async function* content(): AsyncGenerator<Uint8Array> {
    for await (const piece of readPieces(message, { maxBytes: maxJsonBytes, tooLarge, room })) {
      body.push(piece);
      yield* data.decoded();
      release(piece);
    }
    told = readTold(body.end(), data);
    yield* data.decoded();
  }
  const judged = await spoolUpload(parts, content(), () => toldOf(told)).catch(asFileRefusal);
  const { fileName, purpose } = toldOf(told);
  return { judged, fileName, purpose };
}

interface Told {
  readonly declaredMimeType: string;
  readonly typeField: 'mime_type';
  readonly fileName: string | undefined;
  readonly purpose: string | null;
}

function toldOf(told: Told | null): Told {
  if (!told) throw new Error('expected the body to be read to its end');
  return told;
}

function readTold(body: Readonly<Record<string, unknown>>, content: Data): Told {
  const mimeType = textField(body, 'mime_type');
  const data = textField(body, 'data');
  if (mimeType === undefined)
    throw refuse('file_request_invalid', { subject: 'mime_type is required', param: 'mime_type' });
  if (!/^[^\s/;]+\/[^\s/;]+\s*(?:;|$)/.test(mimeType.trim()))
    throw refuse('file_request_invalid', { subject: 'mime_type must be a MIME type', param: 'mime_type' });
  if (data === undefined)
    throw refuse('file_request_invalid', { subject: 'data is required', param: 'data' });
  // Decisions 9: null says what leaving it out says.
  const fileName = body.filename === null ? undefined : textField(body, 'filename');
  const purpose = readPurpose(textField(body, 'purpose'));
  content.end(mimeType);
  return { declaredMimeType: mimeType, typeField: 'mime_type', fileName, purpose };
}

/** Echoed, never used; PostgreSQL keeps no NUL. */
export function readPurpose(purpose: string | undefined): string | null {
  if (purpose === undefined) return null;
  if (purpose.length <= maxPurposeLength && !purpose.includes('\0')) return purpose.toWellFormed();
  throw refuse('file_request_invalid', {
    subject: `purpose must be a text of at most ${maxPurposeLength} characters`,
    param: 'purpose',
  });
}

function textField(body: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = body[name];
  if (value === undefined || typeof value === 'string') return value;
  throw refuse('file_request_invalid', { subject: `${name} must be a string`, param: name });
}

const ofBody: readonly RefusalName[] = ['body_not_object', 'content_encoding_unsupported'];

/** The gates of a body speak in detail bodies; this endpoint has its own. */
function asFileRefusal(failure: unknown): never {
  if (failure instanceof JsonTooLong) {
    throw refuse('file_request_invalid', { subject: 'The fields beside data are too long', cause: failure });
  }
  if (failure instanceof Refusal && ofBody.includes(failure.refusal)) {
    throw refuse('file_request_invalid', { subject: failure.message, cause: failure });
  }
  throw failure;
}

/** What `data` holds as it comes: base64, or a data URL with it. */
interface Data {
  take(piece: Uint8Array): void;
  /** The bytes of the file in what was taken last. */
  decoded(): Generator<Uint8Array>;
  /** Throws what is wrong with it. */
  end(mimeType: string): void;
}

/** The longest beginning of a data URL, up to its comma. */
const maxHead = 1024;
const maxCharacters = Math.ceil(maxUploadBytes / 3) * 4;
const comma = ','.charCodeAt(0);

function openData(): Data {
  const base64 = openBase64();
  /** What stands before the base64; null until that is known. */
  let head: string | null = null;
  let start = Buffer.alloc(0);
  let characters = 0;
  let bytes = 0;
  let fault: Base64Fault | null = null;
  let ready: Uint8Array | null = null;

  /** What is wrong or too much is counted on, and no longer decoded. */
  function decode(piece: Uint8Array): void {
    characters += piece.length;
    if (fault || characters > maxCharacters) return;
    try {
      const decoded = base64.push(piece);
      bytes += decoded.length;
      if (bytes <= maxUploadBytes) ready = decoded;
    } catch (failure) {
      if (!(failure instanceof Base64Fault)) throw failure;
      fault = failure;
    }
  }

  function endHead(): void {
    const length = /^data:/i.test(start.toString('latin1', 0, 5)) ? start.indexOf(comma) + 1 : 0;
    head = start.toString('utf8', 0, length);
    decode(start.subarray(length));
    start = Buffer.alloc(0);
  }

  return {
    take(piece) {
      if (head !== null) return decode(piece);
      start = Buffer.concat([start, piece]);
      const mayBeHead = 'data:'.startsWith(start.toString('latin1', 0, 5).toLowerCase());
      if (!mayBeHead || start.includes(comma) || start.length > maxHead) endHead();
    },
    *decoded() {
      const given = ready;
      ready = null;
      if (given) yield given;
    },
    end(mimeType) {
      if (head === null) endHead();
      if (head) refuseOtherType(head, mimeType);
      if (characters > maxCharacters) throw refuse('file_too_large', { param: 'data' });
      try {
        if (fault) throw fault;
        base64.end();
      } catch (cause) {
        throw refuse('invalid_base64', { cause });
      }
      if (bytes > maxUploadBytes) throw refuse('file_too_large', { param: 'data' });
      if (bytes === 0) throw refuse('invalid_base64');
    },
  };
}

/** Contract 2.4: a data URL must be of the type that mime_type says. */
function refuseOtherType(head: string, mimeType: string): void {
  const match = /^data:([^;,]*)((?:;[^;,]*)*);base64,$/i.exec(head);
  if (!match) throw refuse('invalid_base64');
  if (essence(match[1]!) !== essence(mimeType)) {
    throw refuse('file_request_invalid', {
      subject: `data is ${match[1]}, but mime_type is ${mimeType}`,
      param: 'mime_type',
    });
  }
}

const essence = (mimeType: string): string => mimeType.split(';', 1)[0]!.trim().toLowerCase();
