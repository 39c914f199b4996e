/** Files of the gateway: their ids stand for them in every media field. */

import type { FilesV4, FilesV4UploadFileCallOptions } from '@ai-sdk/provider';
import type { FileObject } from 'atelier-client';
import { bytesOfBase64 } from './media-words.ts';
import { called, type Gateway, providerName } from './model-call.ts';

/** Upload, metadata and deletion. */
export function openFiles(gateway: Gateway): FilesV4 {
  const { files } = gateway.client;
  return {
    specificationVersion: 'v4',
    provider: providerName,
    uploadFile: ({ data, mediaType, filename, abortSignal: signal }) =>
      called(gateway, { filename, mediaType }, async () => {
        const named = { mimeType: mediaType, ...(filename !== undefined && { filename }), signal };
        return factsOf(await files.create(sourceOf(data), named));
      }),
    getFileMetadata: ({ file, abortSignal: signal }) =>
      called(gateway, file, async () => factsOf(await files.get(idOf(file), { signal }))),
    deleteFile: ({ file, abortSignal: signal }) =>
      called(gateway, file, async () => {
        await files.delete(idOf(file), { signal });
        return { providerReference: file, deleted: true, warnings: [] };
      }),
  };
}

function sourceOf(data: FilesV4UploadFileCallOptions['data']) {
  switch (data.type) {
    case 'text':
      return new TextEncoder().encode(data.text);
    case 'stream':
      return data.stream as ReadableStream<Uint8Array<ArrayBuffer>>;
    case 'data':
      return typeof data.data === 'string' ? bytesOfBase64(data.data) : new Uint8Array(data.data);
  }
}

const factsOf = ({ id, mime_type, filename, bytes, created_at, expires_at }: FileObject) => ({
  providerReference: { [providerName]: id },
  mediaType: mime_type,
  filename,
  byteSize: bytes,
  createdAt: new Date(created_at * 1000),
  expiresAt: new Date(expires_at * 1000),
  warnings: [],
});

function idOf(reference: Readonly<Record<string, string>>): string {
  const id = reference[providerName];
  if (id === undefined) throw new Error('expected a reference to a file of this provider: { atelier: id }');
  return id;
}
