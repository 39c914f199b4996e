/** One range of bytes, as the header Range names it. */

/** Both ends are included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Null for the whole, which also answers several ranges; `outside` where nothing of the content is in it. */
export function readByteRange(header: string | undefined, bytes: number): ByteRange | 'outside' | null {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '');
  if (!match || (match[1] === '' && match[2] === '')) return null;
  const last = bytes - 1;
  // RFC 9110, 14.1.2: `-500` is the last 500 bytes.
  const start = match[1] === '' ? Math.max(0, bytes - Number(match[2])) : Number(match[1]);
  const end = match[1] === '' || match[2] === '' ? last : Math.min(last, Number(match[2]));
  if (start > last || (match[1] === '' && Number(match[2]) === 0)) return 'outside';
  return end < start ? null : { start, end };
}
