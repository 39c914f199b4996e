/** Downloads the files of a result into a folder. */
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { link, mkdir, rm } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CommandError } from '../command-error.ts';
import { isRecord } from './input-fields.ts';

/** A file to download. */
interface RemoteFile {
  /** Signed: needs no key. */
  readonly url: string;
  /** File name that the gateway gives it, made safe. */
  readonly name: string;
}

/** Creates the folder where it is missing; resolves with the paths. Existing files are never overwritten. */
export async function saveResult(result: object, folder: string): Promise<readonly string[]> {
  await mkdir(folder, { recursive: true }).catch(failure => {
    throw new CommandError(`${folder} cannot be created: ${failure.message}.`);
  });
  const paths: string[] = [];
  for (const remote of filesOf(result)) paths.push(await downloadFile(remote, folder));
  return paths;
}

/** The files at the keys that all model families share. */
function filesOf(result: object): readonly RemoteFile[] {
  const { video, images, audio, last_frame, watermarked_url }: Readonly<Record<string, unknown>> = {
    ...result,
  };
  const pictures = Array.isArray(images) ? images : [];
  const watermarked = typeof watermarked_url === 'string' ? { url: watermarked_url } : null;
  return [video, ...pictures, audio, last_frame, watermarked].flatMap(file => {
    if (!isRecord(file) || typeof file.url !== 'string') return [];
    const { file_name: fileName } = file;
    const nameInUrl = decodeURIComponent(new URL(file.url).pathname.split('/').at(-1) ?? '');
    return [{ url: file.url, name: safeName(typeof fileName === 'string' ? fileName : nameInUrl) }];
  });
}

/** A name that stays within the folder and is valid on every system. */
function safeName(name: string): string {
  const plain = basename(name.replaceAll('\\', '/')).replace(/[\p{Cc}<>:"|?*]/gu, '_');
  return /^\.*$/.test(plain) ? 'result' : plain;
}

/** Writes to a temporary file first: an interrupted download leaves no file under the final name. */
async function downloadFile({ url, name }: RemoteFile, folder: string): Promise<string> {
  const response = await fetch(url);
  if (!response.ok || response.body === null)
    throw new CommandError(
      `${name} was not downloaded: ${url.split('?', 1)[0]} answered ${response.status}.`,
    );
  const part = join(folder, `.${randomBytes(6).toString('hex')}.part`);
  try {
    await pipeline(Readable.from(response.body), createWriteStream(part, { flags: 'wx' }));
    return await linkUnderFreeName(part, folder, name);
  } finally {
    // After a link the file has two names; the temporary one goes.
    await rm(part, { force: true });
  }
}

/** Numbers that are tried for a free name. */
const maxNameAttempts = 1_000;

/** Under its name, or with a number where that exists. A link fails on an existing file; a rename would replace it. */
async function linkUnderFreeName(part: string, folder: string, name: string): Promise<string> {
  const end = extname(name);
  const stem = name.slice(0, name.length - end.length);
  for (let number = 1; number <= maxNameAttempts; number++) {
    const path = join(folder, number === 1 ? name : `${stem}-${number}${end}`);
    const isFree = await link(part, path).then(
      () => true,
      failure => {
        if (failure.code === 'EEXIST') return false;
        throw failure;
      },
    );
    if (isFree) return path;
  }
  throw new CommandError(
    `${folder} has ${maxNameAttempts} files of the name ${name}: save into another folder.`,
  );
}
