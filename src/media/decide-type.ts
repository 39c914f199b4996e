/** Decides the MIME type of an upload by its bytes, its declared type and its file name. */
import { fileTypeByMimeType } from '../domain/file.ts';
import { hasUtf16Mark, looksLikeText, sniff } from './sniff.ts';

/** What is known of an upload before it is probed. */
export interface FileClues {
  /** The first `sniffBytes` bytes, or the whole of a shorter file. */
  readonly head: Uint8Array;
  /** Whether the file contains a NUL byte anywhere. */
  readonly containsNul: boolean;
  /** As sent by the client, including parameters. */
  readonly declaredMimeType?: string | undefined;
  readonly filename?: string | undefined;
}

/** The type, or why there is none. `found` is what the bytes are. */
export type TypeDecision =
  | {
      readonly kind: 'decided';
      readonly mimeType: string;
      /** Present while audio/* or video/* is undecided: the prober's `mimeType` is final. */
      readonly tracksDecide?: 'mp4' | 'webm';
    }
  | { readonly kind: 'contradicted'; readonly declared: string; readonly found: string }
  | { readonly kind: 'unsupported'; readonly found: string };

/** The bytes first, then the declared type, then the extension. */
export function decideFileType(clues: FileClues): TypeDecision {
  const declared = normaliseMimeType(clues.declaredMimeType, clues.filename);
  const sniffed = sniff(clues.head);
  if (!sniffed) return decideWithoutMagic(clues, declared);
  const found = sniffed.mimeType;
  if (declared && family(declared) !== family(found)) return { kind: 'contradicted', declared, found };
  return fileTypeByMimeType[found] ? { kind: 'decided', ...sniffed } : { kind: 'unsupported', found };
}

/** What clients send for "some bytes". */
const unknownBytes = 'application/octet-stream';

/** Bytes without a magic number: text, or nothing that is accepted. */
function decideWithoutMagic(clues: FileClues, declared: string | null): TypeDecision {
  // Decisions 9: declared text is text whatever its encoding, unless it contains a NUL; UTF-16 needs a BOM.
  const mayBeText = !clues.containsNul || hasUtf16Mark(clues.head);
  const isText = mayBeText && (looksLikeText(clues.head) || hasUtf16Mark(clues.head));
  const isEmpty = clues.head.length === 0;
  if (declared && (fileTypeByMimeType[declared] === 'text' || declared.startsWith('text/'))) {
    if (!mayBeText) return { kind: 'contradicted', declared, found: unknownBytes };
    return fileTypeByMimeType[declared]
      ? { kind: 'decided', mimeType: declared }
      : { kind: 'unsupported', found: declared };
  }
  if (declared && hasMagic(declared)) {
    if (isEmpty) return { kind: 'unsupported', found: unknownBytes };
    return { kind: 'contradicted', declared, found: isText ? 'text/plain' : unknownBytes };
  }
  if (declared) return { kind: 'unsupported', found: declared };
  const named = typeOfExtension(clues.filename);
  if (named && mayBeText && fileTypeByMimeType[named] === 'text') return { kind: 'decided', mimeType: named };
  if (!isText || (named && hasMagic(named))) return { kind: 'unsupported', found: unknownBytes };
  if (named) return { kind: 'unsupported', found: named };
  return isEmpty ? { kind: 'unsupported', found: unknownBytes } : { kind: 'decided', mimeType: 'text/plain' };
}

/** Whether every file of that type starts with bytes that `sniff` recognises. */
function hasMagic(mimeType: string): boolean {
  return fileTypeByMimeType[mimeType]
    ? fileTypeByMimeType[mimeType] !== 'text'
    : recognisedTypes.has(mimeType);
}

/** Recognised so that a wrong declaration is noticed, though none of them is accepted. */
const recognisedTypes = new Set([
  'image/bmp',
  'image/tiff',
  'image/heic',
  'image/heif',
  'image/avif',
  'audio/aac',
  'audio/flac',
  'audio/ogg',
  'video/ogg',
  'video/3gpp',
  'video/x-matroska',
  'video/x-msvideo',
]);

/** Names in use for types of Contract 2.3, and the name that the contract has for each. */
const aliases: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-png': 'image/png',
  'image/x-ms-bmp': 'image/bmp',
  'audio/mp3': 'audio/mpeg',
  'audio/x-mp3': 'audio/mpeg',
  'audio/x-mpeg': 'audio/mpeg',
  'audio/mpeg3': 'audio/mpeg',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/x-pn-wav': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'audio/m4a': 'audio/mp4',
  'audio/x-m4a': 'audio/mp4',
  'audio/x-aac': 'audio/aac',
  'audio/x-flac': 'audio/flac',
  'application/ogg': 'audio/ogg',
  'video/x-m4v': 'video/mp4',
  'application/x-pdf': 'application/pdf',
  'text/x-csv': 'text/csv',
  'application/csv': 'text/csv',
  'text/json': 'application/json',
};

/** Declarations that say nothing: the bytes decide alone. */
const genericTypes = new Set([unknownBytes, 'binary/octet-stream', 'application/x-binary']);
const mimeTypeShape = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/;

/** Lower case, without parameters, one name per type; null where nothing specific was declared. */
function normaliseMimeType(declared: string | undefined, filename: string | undefined): string | null {
  const bare = (declared ?? '').split(';', 1)[0]!.trim().toLowerCase();
  if (!mimeTypeShape.test(bare) || genericTypes.has(bare)) return null;
  // Windows gives every .csv this type once a spreadsheet program is installed, and browsers repeat it.
  if (bare === 'application/vnd.ms-excel' && typeOfExtension(filename) === 'text/csv') return null;
  return Object.hasOwn(aliases, bare) ? aliases[bare]! : bare;
}

/** Types that first bytes cannot distinguish. */
const families: Readonly<Record<string, string>> = {
  'audio/mp4': 'mp4',
  'video/mp4': 'mp4',
  'audio/webm': 'webm',
  'video/webm': 'webm',
  'audio/ogg': 'ogg',
  'video/ogg': 'ogg',
  'image/heic': 'heif',
  'image/heif': 'heif',
};

/** Types of one family do not contradict each other: they differ by tracks, not by the first bytes. */
function family(mimeType: string): string {
  return families[mimeType] ?? mimeType;
}

/** The last clue (decisions 6), used where bytes and declaration say nothing. */
const extensionTypes: Readonly<Record<string, string>> = {
  txt: 'text/plain',
  csv: 'text/csv',
  json: 'application/json',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  m4a: 'audio/mp4',
  mp4: 'video/mp4',
  m4v: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
  pdf: 'application/pdf',
  // Text that a browser executes; listed so that it is not accepted as plain text.
  htm: 'text/html',
  html: 'text/html',
  svg: 'image/svg+xml',
};

/** Null for a name without an extension, or with an unknown one. */
function typeOfExtension(filename: string | undefined): string | null {
  const extension = /\.([a-z0-9]+)$/i.exec(filename ?? '')?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(extensionTypes, extension) ? extensionTypes[extension]! : null;
}
