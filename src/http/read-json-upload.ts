/** An upload as JSON: base64 is decoded into the spool while it arrives. */

import type { IncomingMessage } from 'node:http';
import { senderOf } from '../admission/sender.ts';
import { type CheckedUpload, spoolUpload, type UploadDependencies } from '../admission/store-upload.ts';
import { Base64Error, openBase64Decoder } from '../body/base64.ts';
import { freeBuffer } from '../body/chunks.ts';
import { type JsonObject, openJsonBody } from '../body/json-body.ts';
import { JsonTooLong } from '../body/json-stream.ts';
import type { BodyReservation } from '../body/memory-budget.ts';
import { readPieces } from '../body/read-body.ts';
import { maxUploadBytes } from '../domain/file.ts';
import type { Principal } from '../domain/key.ts';
import { Refusal, type RefusalName, refuse } from '../domain/refusal.ts';

/** An upload that begins, and whose it is. */
export interface IncomingUpload {
  readonly message: IncomingMessage;
  readonly principal: Principal;
  readonly reservation: BodyReservation;
}

/** A file that arrived, and what its sender said of it. */
export interface ReceivedUpload {
  readonly checked: CheckedUpload;
  readonly fileName: string | undefined;
  readonly purpose: string | null;
}

/** Room for 40 MiB in base64 (decisions 6). */
const maxJsonBytes = 56 * 1024 * 1024;
/** Characters beside `data`. */
const maxBufferedCharacters = 256 * 1024;
/** Characters; `purpose` is echoed and never read. */
const maxPurposeLength = 256;

/** Contract 2.4: a file in JSON. Its base64 is decoded on its way to the disk, whatever stands before or behind it. */
export async function readJsonUpload(
  context: UploadDependencies,
  { message, principal, reservation }: IncomingUpload,
): Promise<ReceivedUpload> {
  const data = openDataField();
  const tooLarge = () => refuse('file_too_large', { param: 'data' });
  const body = openJsonBody({ diverted: { key: 'data', take: data.take }, maxBufferedCharacters });
  let fields: UploadFields | null = null;
  async function* content(): AsyncGenerator<Uint8Array> {
    for await (const piece of readPieces(message, { maxBytes: maxJsonBytes, tooLarge, reservation })) {
      body.push(piece);
      yield* data.decoded();
      freeBuffer(piece);
    }
    fields = readUploadFields(body.end(), data);
    yield* data.decoded();
  }
  const checked = await spoolUpload(context, senderOf(message, principal), content(), () =>
    requireFields(fields),
  ).catch(asFileRefusal);
  const { fileName, purpose } = requireFields(fields);
  return { checked, fileName, purpose };
}

/** The members of the body beside `data`. */
interface UploadFields {
  readonly declaredMimeType: string;
  readonly typeField: 'mime_type';
  readonly fileName: string | undefined;
  readonly purpose: string | null;
}

/** Throws where the body was not read to its end. */
function requireFields(fields: UploadFields | null): UploadFields {
  if (!fields) throw new Error('expected the body to be read to its end');
  return fields;
}

/** The checked members; throws a 400 that names the field. */
function readUploadFields(body: JsonObject, content: DataField): UploadFields {
  const mimeType = textField(body, 'mime_type');
  const data = textField(body, 'data');
  if (mimeType === undefined)
    throw refuse('file_request_invalid', { subject: 'mime_type is required', param: 'mime_type' });
  if (!/^[^\s/;]+\/[^\s/;]+\s*(?:;|$)/.test(mimeType.trim()))
    throw refuse('file_request_invalid', { subject: 'mime_type must be a MIME type', param: 'mime_type' });
  if (data === undefined)
    throw refuse('file_request_invalid', { subject: 'data is required', param: 'data' });
  const fileName = optionalTextField(body, 'filename');
  const purpose = readPurpose(optionalTextField(body, 'purpose'));
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

/** Decisions 9: null in an optional field is read as omitted. */
const optionalTextField = (body: JsonObject, name: string): string | undefined =>
  body[name] === null ? undefined : textField(body, name);

/** A member that must be text; undefined where it is absent. */
function textField(body: JsonObject, name: string): string | undefined {
  const value = body[name];
  if (value === undefined || typeof value === 'string') return value;
  throw refuse('file_request_invalid', { subject: `${name} must be a string`, param: name });
}

/** Refusals of a JSON body, which on the file endpoint have the file body. */
const bodyRefusals: readonly RefusalName[] = ['body_not_object', 'content_encoding_unsupported'];

/** The gates of a body speak in detail bodies; this endpoint has its own. */
function asFileRefusal(failure: unknown): never {
  if (failure instanceof JsonTooLong) {
    throw refuse('file_request_invalid', { subject: 'The fields beside data are too long', cause: failure });
  }
  if (failure instanceof Refusal && bodyRefusals.includes(failure.refusal)) {
    throw refuse('file_request_invalid', { subject: failure.message, cause: failure });
  }
  throw failure;
}

/** The content of `data` as it arrives: base64, or a data URL with it. */
interface DataField {
  take(piece: Uint8Array): void;
  /** The bytes of the file in what was taken last. */
  decoded(): Generator<Uint8Array>;
  /** Throws what is wrong with it. */
  end(mimeType: string): void;
}

/** The longest beginning of a data URL, up to its comma. */
const maxHead = 1024;
/** Ends the head of a data URL. */
const comma = ','.charCodeAt(0);

/** Decodes `data` piece by piece while it arrives. */
function openDataField(): DataField {
  const base64 = openBase64Decoder();
  /** What stands before the base64; null until that is known. */
  let head: string | null = null;
  let start = Buffer.alloc(0);
  let bytes = 0;
  let isTooLong = false;
  let fault: Base64Error | null = null;
  let ready: readonly Uint8Array[] = [];

  /** What is wrong or too much is no longer decoded. */
  function decode(next: () => Uint8Array): void {
    if (fault || isTooLong) return;
    try {
      const decoded = next();
      bytes += decoded.length;
      isTooLong = bytes > maxUploadBytes;
      if (!isTooLong) ready = [...ready, decoded];
    } catch (failure) {
      if (!(failure instanceof Base64Error)) throw failure;
      fault = failure;
    }
  }

  function endHead(): void {
    const length = /^data:/i.test(start.toString('latin1', 0, 5)) ? start.indexOf(comma) + 1 : 0;
    head = start.toString('utf8', 0, length);
    const rest = start.subarray(length);
    decode(() => base64.push(rest));
    start = Buffer.alloc(0);
  }

  return {
    take(piece) {
      if (head !== null) return decode(() => base64.push(piece));
      start = Buffer.concat([start, piece]);
      const mayBeHead = 'data:'.startsWith(start.toString('latin1', 0, 5).toLowerCase());
      if (!mayBeHead || start.includes(comma) || start.length > maxHead) endHead();
    },
    *decoded() {
      const given = ready;
      ready = [];
      yield* given;
    },
    end(mimeType) {
      if (head === null) endHead();
      if (head) refuseOtherType(head, mimeType);
      decode(base64.end);
      if (isTooLong) throw refuse('file_too_large', { param: 'data' });
      if (fault) throw refuse('invalid_base64', { cause: fault });
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

/** A MIME type without its parameters. */
const essence = (mimeType: string): string => mimeType.split(';', 1)[0]!.trim().toLowerCase();
