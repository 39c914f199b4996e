/** Uploads and lists files. */

import type { FileObject, Page } from './bodies.ts';
import { ValidationError } from './errors.ts';
import type { CallOptions, Exchange } from './exchange.ts';
import { queryText } from './query-text.ts';

/** What can be uploaded; a stream is read to its end first. */
export type FileSource =
  | Blob
  | ArrayBuffer
  | Uint8Array<ArrayBuffer>
  | ReadableStream<Uint8Array<ArrayBuffer>>;

/** Options of one upload. */
export interface UploadOptions extends CallOptions {
  /** The name of a File, else one that the gateway makes. */
  readonly filename?: string;
  /** The gateway looks at the bytes first. */
  readonly mimeType?: string;
  /** How long the upload may take; ten minutes by default. */
  readonly timeoutMs?: number;
}

/** Filters and the page of a list of files. */
export interface FileListOptions extends CallOptions {
  /** Default: 20; at most 100. */
  readonly limit?: number | undefined;
  readonly order?: 'asc' | 'desc' | undefined;
  /** The `last_id` of the page before. */
  readonly after?: string | undefined;
}

/** The user's uploaded files. */
export interface Files {
  /** Uploads one file, of at most 40 MiB; it lives seven days. Its id stands for it in every media field. */
  create(source: FileSource, options?: UploadOptions): Promise<FileObject>;
  /** The file again, with a fresh address. */
  get(id: string, options?: CallOptions): Promise<FileObject>;
  /** One's own uploads. */
  list(options?: FileListOptions): Promise<Page<FileObject>>;
  delete(id: string, options?: CallOptions): Promise<void>;
}

/** Ten minutes: 40 MB by a slow line. */
const uploadTimeoutMs = 600_000;
/** Of the protocol. */
const maxBytes = 40 * 1024 * 1024;

/** Calls about files. */
export function openFiles(ask: Exchange): Files {
  return {
    async create(source, { filename, mimeType, timeoutMs = uploadTimeoutMs, signal } = {}) {
      const content = await blobOf(source, mimeType);
      const form = new FormData();
      const name = filename ?? (source instanceof Blob && 'name' in source ? String(source.name) : undefined);
      if (name === undefined) form.set('file', content);
      else form.set('file', content, name);
      const path = '/v1/files';
      const { body } = await ask({
        method: 'POST',
        path,
        body: form,
        repeatable: 'refused',
        timeoutMs,
        signal,
      });
      return body as FileObject;
    },
    async get(id, { signal } = {}) {
      return (await ask({ method: 'GET', path: pathOf(id), repeatable: 'read', signal })).body as FileObject;
    },
    async list({ signal, ...filters } = {}) {
      const path = `/v1/files${queryText(filters)}`;
      return (await ask({ method: 'GET', path, repeatable: 'read', signal })).body as Page<FileObject>;
    },
    async delete(id, { signal } = {}) {
      // A repetition after a lost answer would say that there is no such file.
      await ask({ method: 'DELETE', path: pathOf(id), repeatable: 'refused', signal });
    },
  };
}

const pathOf = (id: string): string => `/v1/files/${encodeURIComponent(id)}`;

async function blobOf(source: FileSource, mimeType: string | undefined): Promise<Blob> {
  const type = mimeType ?? (source instanceof Blob ? source.type : '');
  const parts = source instanceof ReadableStream ? await readAll(source) : [source];
  return source instanceof Blob && source.type === type ? source : new Blob(parts, { type });
}

/** Nothing is gathered beyond what the gateway takes. */
async function readAll(stream: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return parts;
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      await reader.cancel();
      throw tooLarge();
    }
    parts.push(value);
  }
}

function tooLarge(): ValidationError {
  const message = 'The file exceeds 40MB';
  const facts = { kind: 'file', status: 413, code: 'file_too_large' } as const;
  return new ValidationError(message, facts, [{ path: 'file', message }]);
}
