import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { z } from 'zod';
import { minutes } from '../../domain/clock.ts';
import type { ProducedFile, ProviderTraits } from '../../domain/provider.ts';
import { sniff, sniffBytes } from '../../media/sniff.ts';
import type { ProviderDependencies } from './definition.ts';
import { baseUrlSchema, openUpstream, type Upstream } from './upstream.ts';

/** What an operator writes for an engine on a machine of his own, whatever its protocol. Its address may be private. */
export const selfHostedSettings = (secret: z.ZodType<string>) => ({
  base_url: baseUrlSchema(),
  /** Sent as `Authorization: Bearer`: to the engine itself, or to a proxy before it. */
  api_key: secret.optional(),
});

export const openSelfHostedUpstream = (
  { base_url: baseUrl, api_key: key }: { readonly base_url: string; readonly api_key?: string | undefined },
  { outbound }: Pick<ProviderDependencies, 'outbound'>,
): Upstream =>
  openUpstream({
    baseUrl,
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    secrets: key === undefined ? [] : [key],
    authenticatesResults: true,
    outbound,
  });

/** An engine that is paid for with electricity alone: what is lost, or in doubt, is sent again. */
export const freeTraits: ProviderTraits = {
  dedupe: 'replay',
  dedupeWindowMs: Number.POSITIVE_INFINITY,
  submitTimeoutMs: 1 * minutes,
  billable: false,
  minPollMs: 1000,
};

/** Results that came inside an answer, kept below a folder until they are collected. */
export interface InlineResults {
  save(dedupeKey: string, contents: readonly Buffer[]): Promise<readonly ProducedFile[]>;
  /** The same again, as long as they are on this machine; null after that. */
  find(dedupeKey: string, count: number): Promise<readonly ProducedFile[] | null>;
  remove(dedupeKey: string): Promise<void>;
}

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

const fileOf = (path: string, index: number, head: Buffer): ProducedFile => ({
  role: 'primary',
  index,
  mimeType: sniff(head)?.mimeType ?? 'application/octet-stream',
  source: { kind: 'path', path },
});

/** Null where the file is gone. */
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
