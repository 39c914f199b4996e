/** Results that come inside an answer, as files on this machine. */

import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProducedFile } from '../../domain/provider.ts';
import { sniff, sniffBytes } from '../../media/sniff.ts';
import type { ProviderDependencies } from './definition.ts';

/** Results that came inside an answer, stored below a directory until the outputs are fetched. */
export interface InlineResults {
  /** Writes the results of one attempt. */
  save(dedupeKey: string, contents: readonly Buffer[]): Promise<readonly ProducedFile[]>;
  /** The files that `save` wrote; null where they are not on this machine any more. */
  find(dedupeKey: string, count: number): Promise<readonly ProducedFile[] | null>;
  /** Deletes the results of one attempt, if there are any. */
  remove(dedupeKey: string): Promise<void>;
}

/** Opens the results below the directory of an account. */
export function openInlineResults({ folder }: Pick<ProviderDependencies, 'folder'>): InlineResults {
  const folderOf = (dedupeKey: string) => join(folder, dedupeKey);
  const pathOf = (dedupeKey: string, index: number) => join(folderOf(dedupeKey), String(index));
  return {
    async save(dedupeKey, contents) {
      await mkdir(folderOf(dedupeKey), { recursive: true });
      const files: ProducedFile[] = [];
      for (const [index, bytes] of contents.entries()) {
        const path = pathOf(dedupeKey, index);
        await writeFile(path, bytes);
        files.push(fileOf(path, index, bytes));
      }
      return files;
    },
    async find(dedupeKey, count) {
      const files: ProducedFile[] = [];
      for (let index = 0; index < count; index++) {
        const path = pathOf(dedupeKey, index);
        const head = await readHead(path);
        if (!head) return null;
        files.push(fileOf(path, index, head));
      }
      return files;
    },
    remove: dedupeKey => rm(folderOf(dedupeKey), { recursive: true, force: true }),
  };
}

/** The file at a path; its type is read from its first bytes. */
const fileOf = (path: string, index: number, head: Buffer): ProducedFile => ({
  role: 'primary',
  index,
  mimeType: sniff(head)?.mimeType ?? 'application/octet-stream',
  source: { kind: 'path', path },
});

/** As many bytes as the media type is read from; null where the file is gone. */
async function readHead(path: string): Promise<Buffer | null> {
  try {
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(sniffBytes), 0, sniffBytes, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    return null;
  }
}
