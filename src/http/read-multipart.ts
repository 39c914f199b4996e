/** Reading a multipart form with one file, as a stream. */

import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { Refusal, refuse } from '../domain/refusal.ts';

/** The one file of a form. */
export interface FilePart {
  readonly content: Readable;
  /** Undefined where the part named none. */
  readonly fileName: string | undefined;
  /** Undefined where the part declared none: its bytes alone decide (decisions 9). */
  readonly declaredMimeType: string | undefined;
}

/** A form with at most one file; `Kept` is what `take` made of it. */
export interface Form<Kept> {
  /** What became of the part with the file; null when there is none. */
  readonly file: Kept | null;
  readonly fields: ReadonlyMap<string, string>;
}

const limits = {
  fields: 100,
  context: 200,
  fieldSize: 16 * 1024,
  fieldNameSize: 200,
  headerPairs: 50,
  headerSize: 16 * 1024,
};

/** A file of 40 MiB, and room for whatever else a client puts into its form. */
const maxFormBytes = 48 * 1024 * 1024;

/** What the reader of a form does with the file. */
export interface FormReader<Kept> {
  /** The name of the part with the file; default: `file`. */
  readonly part?: string;
  /** Called before a byte is read; throws when there is no room. */
  readonly reserve: () => void;
  /** Consumes the file while it streams. */
  readonly take: (part: FilePart) => Promise<Kept>;
  /** Undoes that. */
  readonly drop: (kept: Kept) => Promise<void>;
}

/**
 * Reads a form with one file. Whatever goes wrong, the file's stream is ended, `take` is waited for, and
 * what it kept is given to `drop`.
 */
export async function readMultipart<Kept>(
  message: IncomingMessage,
  { reserve, take, drop, part = 'file' }: FormReader<Kept>,
): Promise<Form<Kept>> {
  if (Number(message.headers['content-length'] ?? 0) > maxFormBytes) throw refuse('file_too_large');
  const parser = openParser(message);
  const declaresType = watchContentTypes(parser);
  reserve();
  // Its end was reported already, and is not reported again.
  if (message.destroyed) throw malformed('the connection was closed');
  const fields = new Map<string, string>();
  let content: Readable | null = null;
  let taking: Promise<Kept> | null = null;

  try {
    await new Promise<void>((resolve, reject) => {
      parser.on('file', (name, stream, fileName, _, mimeType) => {
        // It may fail before it is read: an error without a listener would end the process.
        stream.on('error', () => {});
        if (name !== part) return void stream.resume();
        if (content) {
          stream.resume();
          return reject(
            refuse('file_request_invalid', { subject: 'Only one file per request', param: 'file' }),
          );
        }
        content = stream;
        const declaredMimeType = declaresType() ? mimeType : undefined;
        taking = take({ content: stream, fileName: fileName || undefined, declaredMimeType });
        // Refused before its end: the rest of the form is of no interest.
        taking.catch(reject);
      });
      parser.on('field', (name, value) => void (fields.size < limits.fields && fields.set(name, value)));
      parser.on('partsLimit', () => reject(malformed('too many context')));
      parser.on('fieldsLimit', () => reject(malformed('too many fields')));
      parser.on('error', cause => reject(malformed(cause)));
      parser.on('finish', resolve);
      message.on('error', cause => reject(cause instanceof Refusal ? cause : malformed(cause)));
      message.on('close', () => message.complete || reject(malformed('the connection was closed')));
      message.pipe(parser);
      let bytes = 0;
      message.on('data', (piece: Buffer) => {
        bytes += piece.length;
        if (bytes > maxFormBytes) reject(refuse('file_too_large'));
      });
    });
    return { file: taking && (await taking), fields };
  } catch (failure) {
    message.unpipe(parser);
    // The parser's buffer may begin another file, which would never be dropped.
    parser.removeAllListeners('file');
    message.resume();
    (content as Readable | null)?.destroy(new Error('the form was refused'));
    await (taking as Promise<Kept> | null)?.then(drop, () => {});
    throw failure;
  }
}

/** A parser with limits; throws the refusal of a malformed header. */
function openParser(message: IncomingMessage): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...message.headers, 'content-type': message.headers['content-type'] ?? '' },
      limits,
      // One piece at a time, and nothing that waits.
      fileHwm: 1,
      // A part named `file` is the file, also without a name.
      isPartAFile: (name, _, fileName) => name === 'file' || fileName !== undefined,
    });
  } catch (cause) {
    throw malformed(cause);
  }
}

/**
 * Whether the part that began last declared a Content-Type. The parser itself reports `text/plain` for a
 * part without one, as RFC 7578 says, and Python's `requests` sends pictures so.
 */
function watchContentTypes(parser: BusboyInstance): () => boolean {
  let isDeclared = false;
  partsOf(parser).prependListener('part', (part: EventEmitter) =>
    part.prependListener('header', (headers: Readonly<Record<string, unknown>>) => {
      isDeclared = headers['content-type'] !== undefined;
    }),
  );
  return () => isDeclared;
}

/** The splitter inside the parser, which no public member names. */
function partsOf(parser: BusboyInstance): EventEmitter {
  const { _parser: ofForm } = parser as { readonly _parser?: { readonly parser?: unknown } };
  if (ofForm?.parser instanceof EventEmitter) return ofForm.parser;
  throw new Error('expected the form parser to split context by an emitter, got none');
}

/** The refusal of a form that cannot be parsed. */
const malformed = (cause: unknown) =>
  refuse('file_request_invalid', { subject: 'The multipart form is malformed', cause });
