/** Calls that s3rver does not support, answered from its folder: lists, lists of uploads, and aborts. */
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type S3rver from 's3rver';
import type { Call } from './faults.ts';

/** Null: s3rver supports the call. */
export type UnsupportedCalls = (call: Call, query: URLSearchParams) => Promise<Reply | null>;

export interface Reply {
  readonly status: number;
  readonly xml: string;
}

/** A multipart upload that was neither completed nor aborted. */
export interface Unfinished {
  readonly name: string;
  readonly id: string;
  readonly begunAt: Date;
}

export function openUnsupportedCalls(store: S3rver['store'], bucket: string): UnsupportedCalls {
  return async ({ operation, name }, query) => {
    switch (operation) {
      case 'list':
        return listObjects(store, bucket, query);
      case 'list-uploads':
        return listUploads(await findUploads(store, bucket), query);
      case 'abort':
        return abort(store, bucket, name, query.get('uploadId') ?? '');
      default:
        return null;
    }
  };
}

const uploadsFolder = (store: S3rver['store'], bucket: string): string =>
  store.getResourcePath(bucket, undefined, 'uploads');

/** Unfinished multipart uploads in the order of the protocol: by name, then by id. */
export async function findUploads(store: S3rver['store'], bucket: string): Promise<readonly Unfinished[]> {
  const folder = uploadsFolder(store, bucket);
  await mkdir(folder, { recursive: true });
  const found: Unfinished[] = [];
  for (const id of await readdir(folder)) {
    const upload = await findUpload(folder, id);
    if (upload) found.push(upload);
  }
  return found.toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
}

/** Null where it was ended meanwhile. */
async function findUpload(folder: string, id: string): Promise<Unfinished | null> {
  try {
    const key = join(folder, id, 'key');
    return { id, name: await readFile(key, 'utf8'), begunAt: (await stat(key)).mtime };
  } catch (failure) {
    if (failure instanceof Error && 'code' in failure && failure.code === 'ENOENT') return null;
    throw failure;
  }
}

const orderOf = ({ name, id }: Pick<Unfinished, 'name' | 'id'>): string => `${name} ${id}`;

/** s3rver encrypts continuation tokens with a cipher that Node no longer has. */
async function listObjects(store: S3rver['store'], bucket: string, query: URLSearchParams): Promise<Reply> {
  const token = query.get('continuation-token');
  const { objects, commonPrefixes, isTruncated } = await store.listObjects(bucket, {
    prefix: query.get('prefix') ?? '',
    delimiter: query.get('delimiter') ?? '',
    startAfter: token === null ? '' : Buffer.from(token, 'base64url').toString(),
    maxKeys: Number(query.get('max-keys') ?? 1000),
  });
  const last = objects.at(-1);
  return answer('ListBucketResult', [
    element('IsTruncated', isTruncated),
    ...(isTruncated && last
      ? [element('NextContinuationToken', Buffer.from(last.key).toString('base64url'))]
      : []),
    ...objects.map(({ key, size, lastModifiedDate }) =>
      element(
        'Contents',
        element('Key', key) + element('LastModified', lastModifiedDate.toISOString()) + element('Size', size),
      ),
    ),
    ...commonPrefixes.map(prefix => element('CommonPrefixes', element('Prefix', prefix))),
  ]);
}

/** One page of unfinished uploads, after the markers of the query. */
function listUploads(uploads: readonly Unfinished[], query: URLSearchParams): Reply {
  const after = { name: query.get('key-marker') ?? '', id: query.get('upload-id-marker') ?? '' };
  const rest = uploads.filter(
    upload => upload.name.startsWith(query.get('prefix') ?? '') && orderOf(upload) > orderOf(after),
  );
  const page = rest.slice(0, Number(query.get('max-uploads') ?? 1000));
  const last = page.at(-1);
  const isTruncated = page.length < rest.length;
  return answer('ListMultipartUploadsResult', [
    element('IsTruncated', isTruncated),
    ...(isTruncated && last
      ? [element('NextKeyMarker', last.name), element('NextUploadIdMarker', last.id)]
      : []),
    ...page.map(({ name, id, begunAt }) =>
      element(
        'Upload',
        element('Key', name) + element('UploadId', id) + element('Initiated', begunAt.toISOString()),
      ),
    ),
  ]);
}

/** Deletes the uploaded parts; 404 for an unknown upload. */
async function abort(store: S3rver['store'], bucket: string, name: string, id: string): Promise<Reply> {
  const found = (await findUploads(store, bucket)).find(upload => upload.id === id && upload.name === name);
  if (!found) return refusal(404, 'NoSuchUpload');
  await rm(join(uploadsFolder(store, bucket), id), { recursive: true });
  return { status: 204, xml: '' };
}

/** An S3 error: its code is also its message. */
export const refusal = (status: number, code: string): Reply => ({
  status,
  xml: `<?xml version="1.0" encoding="UTF-8"?>${element('Error', element('Code', code) + element('Message', code))}`,
});

const answer = (root: string, elements: readonly string[]): Reply => ({
  status: 200,
  xml: `<?xml version="1.0" encoding="UTF-8"?>${element(root, elements.join(''))}`,
});

const element = (name: string, content: string | number | boolean): string => `<${name}>${content}</${name}>`;
