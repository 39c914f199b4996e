/** Recognises the type of a file by its first bytes. */

/** How many bytes at the start of a file are inspected. */
export const sniffBytes = 4100;

/** A recognised type. */
export interface Sniffed {
  readonly mimeType: string;
  /** Present for containers of both audio and video: the tracks decide between audio/* and video/*. */
  readonly tracksDecide?: 'mp4' | 'webm';
}

/** The type by the magic number of the first bytes; null when there is none. Text has none: see `looksLikeText`. */
export function sniff(head: Uint8Array): Sniffed | null {
  const bytes = head.subarray(0, sniffBytes);
  return (
    sniffPlain(bytes) ??
    sniffRiff(bytes) ??
    sniffBmp(bytes) ??
    sniffIsoMedia(bytes) ??
    sniffEbml(bytes) ??
    sniffOgg(bytes) ??
    sniffMp3(bytes) ??
    sniffAdts(bytes)
  );
}

/**
 * Whether the head (the first `sniffBytes` bytes, or the whole of a shorter file) can be text: valid UTF-8, with no
 * control characters but tab, newline and carriage return.
 */
export function looksLikeText(head: Uint8Array): boolean {
  const bytes = head.subarray(0, sniffBytes);
  const isWhole = bytes.length < sniffBytes;
  for (const byte of bytes) {
    if ((byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) || byte === 0x7f) return false;
  }
  try {
    // A character may be cut in two by the end of the head, but not by the end of the file.
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: !isWhole });
    return true;
  } catch {
    return false;
  }
}

/** Whether it begins with the byte order mark of UTF-16, little or big endian. */
export const hasUtf16Mark = (head: Uint8Array): boolean =>
  (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);

/** Formats whose first bytes name them. TIFF has four: two byte orders, and BigTIFF of each. */
const plainMagic: readonly (readonly [mimeType: string, magic: readonly number[]])[] = [
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['image/gif', codes('GIF87a')],
  ['image/gif', codes('GIF89a')],
  ['image/tiff', [0x49, 0x49, 0x2a, 0x00]],
  ['image/tiff', [0x4d, 0x4d, 0x00, 0x2a]],
  ['image/tiff', [0x49, 0x49, 0x2b, 0x00]],
  ['image/tiff', [0x4d, 0x4d, 0x00, 0x2b]],
  ['application/pdf', codes('%PDF-')],
  ['application/pdf', [0xef, 0xbb, 0xbf, ...codes('%PDF-')]],
  ['audio/flac', codes('fLaC')],
];

/** A format that its first bytes alone identify. */
function sniffPlain(bytes: Uint8Array): Sniffed | null {
  for (const [mimeType, magic] of plainMagic) {
    if (magic.every((byte, index) => bytes[index] === byte)) return { mimeType };
  }
  return null;
}

/** RIFF and its 64-bit form: the fourth word says what the container holds. */
function sniffRiff(bytes: Uint8Array): Sniffed | null {
  const container = ascii(bytes, 0, 4);
  if (container !== 'RIFF' && container !== 'RF64') return null;
  switch (ascii(bytes, 8, 12)) {
    case 'WAVE':
      return { mimeType: 'audio/wav' };
    case 'WEBP':
      return { mimeType: 'image/webp' };
    case 'AVI ':
      return { mimeType: 'video/x-msvideo' };
    default:
      return null;
  }
}

/** Lengths of the second header of a BMP, one for each version of the format. */
const bmpHeaderBytes = new Set([12, 16, 40, 52, 56, 64, 108, 124]);

function sniffBmp(bytes: Uint8Array): Sniffed | null {
  // Two letters begin many a text, so the length of the second header must be one that exists.
  if (ascii(bytes, 0, 2) !== 'BM' || bytes.length < 18) return null;
  return bmpHeaderBytes.has(view(bytes).getUint32(14, true)) ? { mimeType: 'image/bmp' } : null;
}

/** Brands of ISO base media files that are not MP4, or that are more specific than it. */
const brandTypes: Readonly<Record<string, string>> = {
  avif: 'image/avif',
  avis: 'image/avif',
  heic: 'image/heic',
  heix: 'image/heic',
  heim: 'image/heic',
  heis: 'image/heic',
  hevc: 'image/heic',
  hevx: 'image/heic',
  mif1: 'image/heif',
  msf1: 'image/heif',
  'qt  ': 'video/quicktime',
  'M4A ': 'audio/mp4',
  'M4B ': 'audio/mp4',
  'M4P ': 'audio/mp4',
  'crx ': 'image/x-canon-cr3',
  'jp2 ': 'image/jp2',
  'jpx ': 'image/jpx',
};
/** Brands of files that are MP4, whatever their tracks. */
const mp4Brand =
  /^(?:iso[0-9a-z]|mp4[0-9a-z]|avc1|hvc1|av01|dash|cmf.|msdh|msix|mmp4|MSNV|M4V.|F4V |XAVC|NDS.)$/;
const threeGpBrand = /^3g[a-z0-9]{2}$/;

/** MP4, QuickTime, HEIF and similar formats: a first box of a known type. */
function sniffIsoMedia(bytes: Uint8Array): Sniffed | null {
  if (bytes.length < 12) return null;
  // A text may well begin "The free …"; the length of a true first box is far below what letters give.
  const isBoxLength =
    bytes[0]! < 0x09 && (bytes[0] !== 0 || bytes[1] !== 0 || bytes[2] !== 0 || bytes[3]! > 0);
  if (!isBoxLength) return null;
  switch (ascii(bytes, 4, 8)) {
    case 'ftyp':
      return sniffBrands(bytes);
    case 'moov':
    case 'mdat':
    case 'wide':
    case 'free':
    case 'skip':
    case 'pnot':
      // QuickTime before 2001 had no ftyp box, and cameras write such files to this day.
      return { mimeType: 'video/quicktime' };
    default:
      return null;
  }
}

/** The first known brand, the major one before the compatible ones. */
function sniffBrands(bytes: Uint8Array): Sniffed | null {
  const end = Math.min(view(bytes).getUint32(0), bytes.length);
  const compatible: string[] = [];
  for (let at = 16; at + 4 <= end; at += 4) compatible.push(ascii(bytes, at, at + 4));
  const major = ascii(bytes, 8, 12);
  // mif1 means any image: the compatible brands name the format.
  const isGeneric = major === 'mif1' || major === 'msf1';
  const brands = isGeneric ? [...compatible.filter(brand => brand !== major), major] : [major, ...compatible];
  for (const brand of brands) {
    const found = sniffBrand(brand);
    if (found && !(isGeneric && found.tracksDecide)) return found;
  }
  return null;
}

/** The type of one brand; null for one that says nothing about the format. */
function sniffBrand(brand: string): Sniffed | null {
  const mimeType = brandTypes[brand];
  if (mimeType === 'audio/mp4') return { mimeType, tracksDecide: 'mp4' };
  if (mimeType) return { mimeType };
  if (mp4Brand.test(brand)) return { mimeType: 'video/mp4', tracksDecide: 'mp4' };
  if (threeGpBrand.test(brand)) return { mimeType: 'video/3gpp' };
  return null;
}

/** The EBML element that distinguishes WebM and Matroska. */
const docTypeId = 0x4282;

/** WebM and Matroska, by the document type in the header. */
function sniffEbml(bytes: Uint8Array): Sniffed | null {
  if (bytes.length < 8 || view(bytes).getUint32(0) !== 0x1a45dfa3) return null;
  const header = readVint(bytes, 4, true);
  if (!header) return null;
  const end = Math.min(header.next + header.value, bytes.length);
  let at = header.next;
  while (at < end) {
    const id = readVint(bytes, at, false);
    const length = id && readVint(bytes, id.next, true);
    if (!id || !length) return null;
    at = length.next + length.value;
    if (id.value !== docTypeId) continue;
    // Strings may be padded with NULs.
    const docType = ascii(bytes, length.next, Math.min(at, end)).replace(/\0+$/, '');
    if (docType === 'webm') return { mimeType: 'video/webm', tracksDecide: 'webm' };
    return docType === 'matroska' ? { mimeType: 'video/x-matroska' } : null;
  }
  return null;
}

/** EBML's number of variable length; an id keeps its marker bit, a length does not. */
function readVint(
  bytes: Uint8Array,
  at: number,
  dropMarker: boolean,
): { value: number; next: number } | null {
  const first = bytes[at];
  if (!first) return null;
  const extra = Math.clz32(first) - 24;
  if (at + extra >= bytes.length) return null;
  let value = dropMarker ? first & (0x7f >> extra) : first;
  for (let index = 1; index <= extra; index++) value = value * 256 + bytes[at + index]!;
  return { value, next: at + extra + 1 };
}

/** Ogg with sound or with Theora; byte 4 is the version, which is 0. */
function sniffOgg(bytes: Uint8Array): Sniffed | null {
  if (ascii(bytes, 0, 4) !== 'OggS' || bytes[4] !== 0) return null;
  // The first packet of a stream names its codec; a film's picture stream comes first.
  return ascii(bytes, 29, 35) === 'theora' ? { mimeType: 'video/ogg' } : { mimeType: 'audio/ogg' };
}

/** An ID3 tag, or two frames in a row. */
function sniffMp3(bytes: Uint8Array): Sniffed | null {
  if (ascii(bytes, 0, 3) === 'ID3' && bytes.length >= 10) {
    const isTag = bytes[3]! < 0x10 && bytes[4]! < 0xff && bytes.subarray(6, 10).every(byte => byte < 0x80);
    return isTag ? { mimeType: 'audio/mpeg' } : null;
  }
  const frameBytes = mp3FrameBytes(bytes, 0);
  if (frameBytes === null) return null;
  // Eleven set bits are no proof. The next frame must be where this one says, or the file must end there.
  const isFrame = frameBytes === bytes.length || mp3FrameBytes(bytes, frameBytes) !== null;
  return isFrame ? { mimeType: 'audio/mpeg' } : null;
}

/** Layer III, by the index in a frame header; index 0 is "free" and is not accepted. */
const kilobitsMpeg1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const kilobitsMpeg2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
/** Of MPEG 1, in Hz; MPEG 2 has half of them, MPEG 2.5 a quarter. */
const sampleRates = [44100, 48000, 32000];

/** Length of the layer III frame that begins there; null when none does. */
function mp3FrameBytes(bytes: Uint8Array, at: number): number | null {
  const [sync, kind, rates] = [bytes[at], bytes[at + 1], bytes[at + 2]];
  if (sync === undefined || kind === undefined || rates === undefined) return null;
  if (sync !== 0xff || (kind & 0xe0) !== 0xe0 || (kind & 0x06) !== 0x02) return null;
  const version = (kind >> 3) & 3; // 3 is MPEG 1, 2 is MPEG 2, 0 is MPEG 2.5, 1 does not exist.
  const kilobits = (version === 3 ? kilobitsMpeg1 : kilobitsMpeg2)[rates >> 4];
  const baseRate = sampleRates[(rates >> 2) & 3];
  if (version === 1 || !kilobits || !baseRate) return null;
  const sampleRate = version === 3 ? baseRate : version === 2 ? baseRate / 2 : baseRate / 4;
  const samples = version === 3 ? 1152 : 576;
  return Math.floor((samples * kilobits * 125) / sampleRate) + ((rates >> 1) & 1);
}

/** AAC without a container: two frames in a row, as for MP3. */
function sniffAdts(bytes: Uint8Array): Sniffed | null {
  const frameBytes = adtsFrameBytes(bytes, 0);
  if (frameBytes === null) return null;
  const isFrame = frameBytes === bytes.length || adtsFrameBytes(bytes, frameBytes) !== null;
  return isFrame ? { mimeType: 'audio/aac' } : null;
}

/** Length of the ADTS frame that begins there, its header of 7 bytes included; null when none does. */
function adtsFrameBytes(bytes: Uint8Array, at: number): number | null {
  if (at + 7 > bytes.length || bytes[at] !== 0xff || (bytes[at + 1]! & 0xf6) !== 0xf0) return null;
  const frameBytes = ((bytes[at + 3]! & 3) << 11) | (bytes[at + 4]! << 3) | (bytes[at + 5]! >> 5);
  return frameBytes > 7 ? frameBytes : null;
}

/** Bytes as text; beyond the end there are none. */
function ascii(bytes: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...bytes.subarray(from, to));
}

function codes(text: string): number[] {
  return Array.from(text, character => character.charCodeAt(0));
}

/** For numbers of more than one byte, big endian unless said otherwise. */
function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
