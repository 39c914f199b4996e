/** Pictures and videos of a call as values of media fields. */

import type { Gateway } from './model-call.ts';

/** A medium as the AI SDK gives it. */
export type MediaFile =
  | { readonly type: 'url'; readonly url: string; readonly mediaType?: string }
  | { readonly type: 'file'; readonly mediaType: string; readonly data: string | Uint8Array };

/**
 * The value for a media field: an address, a data URL where the field takes one (so that a repeated start has the same
 * bytes), else the id of an uploaded file.
 */
export async function mediaValue(
  { client }: Gateway,
  file: MediaFile,
  takesDataUrl: boolean,
  signal: AbortSignal | undefined,
): Promise<string> {
  if (file.type === 'url') return file.url;
  const { data, mediaType } = file;
  if (takesDataUrl) return `data:${mediaType};base64,${typeof data === 'string' ? data : base64Of(data)}`;
  const bytes = typeof data === 'string' ? bytesOfBase64(data) : new Uint8Array(data);
  return (await client.files.create(bytes, { mimeType: mediaType, signal })).id;
}

/** Decoded without the Buffer of Node, which browsers lack. */
export const bytesOfBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), sign => sign.charCodeAt(0));

const pieceBytes = 0x8000;

/** In pieces, because a call takes only so many arguments. */
function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += pieceBytes)
    text += String.fromCharCode(...bytes.subarray(at, at + pieceBytes));
  return btoa(text);
}
