/** Reading a multipart form with its files, as a stream. */

import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { Refusal, refuse } from '../domain/refusal.ts';

/** A file of a form. */
export interface FilePart {
  /** Of its field. */
  readonly name: string;
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

/** Of a field whose text is used: no prompt is longer. */
const longFieldBytes = 256 * 1024;

/** A file of 40 MiB, and room for whatever else a client puts into its form. */
const maxFormBytes = 48 * 1024 * 1024;

/** A form with any number of files, in their order. */
interface FilesForm<Kept> {
  readonly files: readonly Kept[];
  /** In their order: a name that is repeated is a list. */
  readonly fields: readonly (readonly [name: string, value: string])[];
}

/** Which parts a reader takes as files. */
interface FileRules {
  /** The part is a file also without a file name; null: parts with a file name alone are files. */
  readonly name: string | null;
  /** Throws the refusal of a file that is not taken; false: its bytes are passed over. */
  readonly takes: (name: string, before: number) => boolean;
  /** Whether a field that is longer than its limit is refused; else it is cut. */
  readonly refusesLongFields: boolean;
}

/** What the reader of a form does with the file. */
export interface FormReader<Kept> {
  /** The name of the part with the only file; default: `file`. */
  readonly part?: string;
  /** Called before a byte is read; throws when there is no room. */
  readonly reserve: () => void;
  /** Consumes the file while it streams. */
  readonly take: (part: FilePart) => Promise<Kept>;
  /** Undoes that. */
  readonly drop: (kept: Kept) => Promise<void>;
}

/** Reads a form with one file; files of other parts are passed over. */
export async function readMultipart<Kept>(
  message: IncomingMessage,
  reader: FormReader<Kept>,
): Promise<Form<Kept>> {
  const { part = 'file' } = reader;
  const takes = (name: string, before: number) => {
    if (name === part && before > 0)
      throw refuse('file_request_invalid', { subject: 'Only one file per request', param: 'file' });
    return name === part;
  };
  const { files, fields } = await readForm(message, reader, {
    // Our own endpoint takes a part of that name as the file also without a file name.
    name: 'file',
    takes,
    refusesLongFields: false,
  });
  return { file: files[0] ?? null, fields: new Map(fields) };
}

/** Reads a form with at most so many files, under any names. */
export const readMultipartFiles = <Kept>(
  message: IncomingMessage,
  reader: FormReader<Kept>,
  maxFiles: number,
): Promise<FilesForm<Kept>> =>
  readForm(message, reader, {
    name: null,
    takes: (name, before) => {
      if (before < maxFiles) return true;
      throw refuse('file_request_invalid', { subject: `At most ${maxFiles} files per request`, param: name });
    },
    refusesLongFields: true,
  });

/**
 * Reads a form. Whatever goes wrong, the streams of its files are ended, `take` is waited for, and what it kept is
 * given to `drop`.
 */
async function readForm<Kept>(
  message: IncomingMessage,
  { reserve, take, drop }: FormReader<Kept>,
  rules: FileRules,
): Promise<FilesForm<Kept>> {
  if (Number(message.headers['content-length'] ?? 0) > maxFormBytes) throw refuse('file_too_large');
  const parser = openParser(message, rules);
  const declaresType = watchContentTypes(parser);
  reserve();
  // Its end was reported already, and is not reported again.
  if (message.destroyed) throw malformed('the connection was closed');
  const fields: (readonly [name: string, value: string])[] = [];
  const contents: Readable[] = [];
  const taking: Promise<Kept>[] = [];

  try {
    await new Promise<void>((resolve, reject) => {
      parser.on('file', (name, stream, fileName, _, mimeType) => {
        // It may fail before it is read: an error without a listener would end the process.
        stream.on('error', () => {});
        try {
          if (!rules.takes(name, taking.length)) return void stream.resume();
        } catch (refusal) {
          stream.resume();
          return reject(refusal);
        }
        contents.push(stream);
        const declaredMimeType = declaresType() ? mimeType : undefined;
        const kept = take({ name, content: stream, fileName: fileName || undefined, declaredMimeType });
        taking.push(kept);
        // Refused before its end: the rest of the form is of no interest.
        kept.catch(reject);
      });
      parser.on('field', (name, value, _, isCut) => {
        if (isCut && rules.refusesLongFields) reject(tooLong(name));
        else if (fields.length < limits.fields) fields.push([name, value]);
      });
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
    return { files: await Promise.all(taking), fields };
  } catch (failure) {
    message.unpipe(parser);
    // The parser's buffer may begin another file, which would never be dropped.
    parser.removeAllListeners('file');
    message.resume();
    for (const content of contents) content.destroy(new Error('the form was refused'));
    for (const kept of taking) await kept.then(drop, () => {});
    throw failure;
  }
}

/** The refusal of a field that is longer than a form may have it. */
const tooLong = (name: string): Refusal =>
  refuse('file_request_invalid', {
    subject: `${name} is longer than ${longFieldBytes} bytes, which a form may have; send it as JSON`,
    param: name,
  });

/** A parser with limits; throws the refusal of a malformed header. */
function openParser(message: IncomingMessage, rules: FileRules): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...message.headers, 'content-type': message.headers['content-type'] ?? '' },
      limits: rules.refusesLongFields ? { ...limits, fieldSize: longFieldBytes } : limits,
      // One piece at a time, and nothing that waits.
      fileHwm: 1,
      isPartAFile: (name, _, fileName) => name === rules.name || fileName !== undefined,
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
