/** Turns the inline media of a valid input into files of its job. */
import { replaceMedia } from '../catalog/media.ts';
import { newFile, type StoredFile } from '../domain/file.ts';
import type { JobId } from '../domain/ids.ts';
import type { Principal } from '../domain/key.ts';
import type { MediaContext, ValidatedMedia } from './inspect-media.ts';
import { removeUncommittedBlobs } from './store-upload.ts';

/** An input whose media are all URLs or ids of files, and the new files; their rows are not inserted yet. */
export interface StoredMedia {
  readonly input: unknown;
  readonly files: readonly StoredFile[];
}

/** Moves the media to the blob storage. On a failure none of them stays there; the spool files go either way. */
export async function storeMedia(
  { blobs, clock }: MediaContext,
  input: unknown,
  media: ValidatedMedia,
  { userId, keyId }: Principal,
  jobId: JobId,
): Promise<StoredMedia> {
  await using spooled = media;
  let stored = input;
  const files: StoredFile[] = [];
  try {
    for (const item of spooled.items) {
      if (item.kind === 'unchanged') continue;
      if (item.kind === 'file') {
        stored = replaceMedia(stored, item.found.path, item.fileId);
        continue;
      }
      const blob = await blobs.put(item.spooled.path, item.spooled);
      const { facts } = item;
      const { mimeType, image, video } = facts;
      const source = { userId, keyId, source: 'input', jobId } as const;
      const file = newFile({ blob, ...source, mimeType, dimensions: image ?? video, facts }, clock.now());
      files.push(file);
      stored = replaceMedia(stored, item.found.path, file.id);
    }
    return { input: stored, files };
  } catch (failure) {
    await removeUncommittedBlobs(blobs, files, failure);
    throw failure;
  }
}
