import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { link, mkdir, rm } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CommandError } from '../command-error.ts';
import { isRecord } from './input-fields.ts';

interface RemoteFile {
  readonly url: string;
  /** As the gateway calls it. */
  readonly name: string;
}

/** Downloads every file of a result into a folder; resolves to their paths. Nothing is written over. */
export async function saveResult(result: object, folder: string): Promise<readonly string[]> {
  await mkdir(folder, { recursive: true }).catch(failure => {
    throw new CommandError(`${folder} cannot be made: ${failure.message}.`);
  });
  const paths: string[] = [];
  for (const remote of filesOf(result)) paths.push(await downloadFile(remote, folder));
  return paths;
}

/** The core keys of a result, whatever its family adds. */
function filesOf(result: object): readonly RemoteFile[] {
  const { video, images, audio, last_frame, watermarked_url }: Readonly<Record<string, unknown>> = {
    ...result,
  };
  const pictures = Array.isArray(images) ? images : [];
  const watermarked = typeof watermarked_url === 'string' ? { url: watermarked_url } : null;
  return [video, ...pictures, audio, last_frame, watermarked].flatMap(file => {
    if (!isRecord(file) || typeof file.url !== 'string') return [];
    const { file_name: told } = file;
    const inAddress = decodeURIComponent(new URL(file.url).pathname.split('/').at(-1) ?? '');
    return [{ url: file.url, name: safeName(typeof told === 'string' ? told : inAddress) }];
  });
}

/** A name within the folder, whatever the gateway says. */
function safeName(name: string): string {
  const plain = basename(name.replaceAll('\\', '/')).replace(/[\p{Cc}<>:"|?*]/gu, '_');
  return /^\.*$/.test(plain) ? 'result' : plain;
}

async function downloadFile({ url, name }: RemoteFile, folder: string): Promise<string> {
  const answer = await fetch(url);
  if (!answer.ok || answer.body === null)
    throw new CommandError(`${name} was not downloaded: ${url.split('?', 1)[0]} answered ${answer.status}.`);
  const part = join(folder, `.${randomBytes(6).toString('hex')}.part`);
  try {
    await pipeline(Readable.from(answer.body), createWriteStream(part, { flags: 'wx' }));
    return await linkUnderFreeName(part, folder, name);
  } finally {
    await rm(part, { force: true });
  }
}

const maxNameAttempts = 1_000;

/** Under its name, or under that with a number where there is such a file. */
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
