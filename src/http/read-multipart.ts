import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { refuse } from '../domain/refusal.ts';

/** The one file of a form. */
export interface FilePart {
  readonly content: Readable;
  /** Undefined where the part named none. */
  readonly fileName: string | undefined;
  readonly declaredMimeType: string;
}

export interface Form<Kept> {
  /** What became of the part named `file`; null when there is none. */
  readonly file: Kept | null;
  readonly fields: ReadonlyMap<string, string>;
}

const limits = {
  fields: 100,
  parts: 200,
  fieldSize: 16 * 1024,
  fieldNameSize: 200,
  headerPairs: 50,
  headerSize: 16 * 1024,
};

/**
 * Reads a form with one file, which `take` consumes while it streams. Whatever goes wrong, the file's stream
 * is ended, `take` is waited for, and what it kept is given to `drop`.
 */
export async function readMultipart<Kept>(
  message: IncomingMessage,
  take: (part: FilePart) => Promise<Kept>,
  drop: (kept: Kept) => Promise<void>,
): Promise<Form<Kept>> {
  const parser = openParser(message);
  const fields = new Map<string, string>();
  let content: Readable | null = null;
  let taking: Promise<Kept> | null = null;

  try {
    await new Promise<void>((resolve, reject) => {
      parser.on('file', (name, stream, fileName, _, mimeType) => {
        // It may fail before anybody reads it: a failure that nobody listens to would end the process.
        stream.on('error', () => {});
        if (name !== 'file') return void stream.resume();
        if (content) {
          stream.resume();
          return reject(
            refuse('file_request_invalid', { subject: 'Only one file per request', param: 'file' }),
          );
        }
        content = stream;
        taking = take({ content: stream, fileName: fileName || undefined, declaredMimeType: mimeType });
        // Refused before its end: the rest of the form is of no interest.
        taking.catch(reject);
      });
      parser.on('field', (name, value) => void (fields.size < limits.fields && fields.set(name, value)));
      parser.on('partsLimit', () => reject(malformed('too many parts')));
      parser.on('fieldsLimit', () => reject(malformed('too many fields')));
      parser.on('error', cause => reject(malformed(cause)));
      parser.on('finish', resolve);
      message.on('error', cause => reject(malformed(cause)));
      message.on('close', () => message.complete || reject(malformed('the connection was closed')));
      message.pipe(parser);
    });
    return { file: taking && (await taking), fields };
  } catch (failure) {
    message.unpipe(parser);
    // What the parser still holds may begin another file, which nobody would drop.
    parser.removeAllListeners('file');
    message.resume();
    (content as Readable | null)?.destroy(new Error('the form was refused'));
    await (taking as Promise<Kept> | null)?.then(drop, () => {});
    throw failure;
  }
}

function openParser(message: IncomingMessage): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...message.headers, 'content-type': message.headers['content-type'] ?? '' },
      limits,
      // A part named `file` is the file, also without a name.
      isPartAFile: (name, _, fileName) => name === 'file' || fileName !== undefined,
    });
  } catch (cause) {
    throw malformed(cause);
  }
}

const malformed = (cause: unknown) =>
  refuse('file_request_invalid', { subject: 'The multipart form is malformed', cause });
