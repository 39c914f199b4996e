/** The type of a file, decided from its declaration, its name and its bytes. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fileTypeByMimeType } from '../../src/domain/file.ts';
import { decideFileType, type TypeDecision } from '../../src/media/decide-type.ts';

const latin = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));
const heads = {
  png: latin('\x89PNG\r\n\x1a\n\0\0\0\rIHDR'),
  jpeg: latin('\xff\xd8\xff\xe0'),
  heic: latin('\0\0\0\x18ftypheic\0\0\0\0mif1heic'),
  mp4: latin('\0\0\0\x14ftypisom\0\0\0\0isom'),
  m4a: latin('\0\0\0\x14ftypM4A \0\0\0\0isom'),
  mov: latin('\0\0\0\x14ftypqt  \0\0\0\0qt  '),
  webm: latin('\x1aE\xdf\xa3\x87\x42\x82\x84webm'),
  matroska: latin('\x1aE\xdf\xa3\x8b\x42\x82\x88matroska'),
  wav: latin('RIFF\x24\0\0\0WAVEfmt '),
  mp3: latin('ID3\x04\0\0\0\0\x02\x10TSSE'),
  ogg: latin('OggS\0\x02'),
  pdf: latin('%PDF-1.7'),
  text: latin('a,b\n1,2\n'),
  json: latin('{"a":1}'),
  binary: latin('\0\x01\x02\x03'),
  latin1: latin('caf\xe9 noir'),
  utf16: new Uint8Array(Buffer.from('\ufeffa,b\n1,2\n', 'utf16le')),
  utf16be: new Uint8Array(Buffer.from('\ufeffa,b\n1,2\n', 'utf16le').swap16()),
  escape: latin('\x1b[1mbold\x1b[0m'),
  empty: new Uint8Array(),
};

const decided = (mimeType: string): TypeDecision => ({ kind: 'decided', mimeType });
const open = (mimeType: string, tracksDecide: 'mp4' | 'webm'): TypeDecision => ({
  kind: 'decided',
  mimeType,
  tracksDecide,
});
const contradicted = (declared: string, found: string): TypeDecision => ({
  kind: 'contradicted',
  declared,
  found,
});
const unsupported = (found: string): TypeDecision => ({ kind: 'unsupported', found });
const nothing = 'application/octet-stream';

type Case = readonly [
  head: keyof typeof heads,
  declared: string | undefined,
  filename: string | undefined,
  TypeDecision,
];

const groups: Readonly<Record<string, readonly Case[]>> = {
  'the bytes come first': [
    ['png', 'image/png', 'a.png', decided('image/png')],
    ['png', undefined, undefined, decided('image/png')],
    ['png', '', 'a.jpg', decided('image/png')],
    ['png', 'application/octet-stream', 'a.txt', decided('image/png')],
    ['png', 'Application/Octet-Stream; x=y', undefined, decided('image/png')],
    ['png', 'no type at all', undefined, decided('image/png')],
    ['pdf', undefined, 'a.txt', decided('application/pdf')],
    ['wav', undefined, undefined, decided('audio/wav')],
    ['mp3', undefined, undefined, decided('audio/mpeg')],
    ['mov', undefined, 'a.mp4', decided('video/quicktime')],
  ],
  'bytes that contradict a specific declared type': [
    ['png', 'image/jpeg', undefined, contradicted('image/jpeg', 'image/png')],
    ['png', 'text/plain', undefined, contradicted('text/plain', 'image/png')],
    ['png', 'application/zip', undefined, contradicted('application/zip', 'image/png')],
    ['jpeg', 'IMAGE/PNG; q=1', undefined, contradicted('image/png', 'image/jpeg')],
    ['heic', 'image/jpeg', undefined, contradicted('image/jpeg', 'image/heic')],
    ['mov', 'video/mp4', undefined, contradicted('video/mp4', 'video/quicktime')],
    ['mp4', 'video/webm', undefined, contradicted('video/webm', 'video/mp4')],
    ['matroska', 'video/webm', undefined, contradicted('video/webm', 'video/x-matroska')],
    ['text', 'image/png', 'a.png', contradicted('image/png', 'text/plain')],
    ['binary', 'image/png', 'a.png', contradicted('image/png', nothing)],
    ['binary', 'video/mp4', undefined, contradicted('video/mp4', nothing)],
    ['binary', 'application/pdf', undefined, contradicted('application/pdf', nothing)],
    ['binary', 'text/plain', undefined, contradicted('text/plain', nothing)],
    ['binary', 'application/json', undefined, contradicted('application/json', nothing)],
    ['binary', 'text/html', undefined, contradicted('text/html', nothing)],
  ],
  'the tracks decide between video and audio': [
    ['mp4', undefined, undefined, open('video/mp4', 'mp4')],
    ['mp4', 'video/mp4', undefined, open('video/mp4', 'mp4')],
    ['mp4', 'audio/mp4', undefined, open('video/mp4', 'mp4')],
    ['mp4', 'audio/x-m4a', undefined, open('video/mp4', 'mp4')],
    ['m4a', 'audio/mp4', undefined, open('audio/mp4', 'mp4')],
    ['m4a', 'video/mp4', undefined, open('audio/mp4', 'mp4')],
    ['webm', 'audio/webm', undefined, open('video/webm', 'webm')],
    ['webm', 'video/webm; codecs="vp8"', undefined, open('video/webm', 'webm')],
  ],
  'other names of a type': [
    ['jpeg', 'image/jpg', undefined, decided('image/jpeg')],
    ['mp3', 'audio/mp3', undefined, decided('audio/mpeg')],
    ['wav', 'audio/x-wav', undefined, decided('audio/wav')],
    ['wav', 'audio/wave', undefined, decided('audio/wav')],
    ['m4a', 'audio/m4a', undefined, open('audio/mp4', 'mp4')],
    ['mp4', 'video/x-m4v', undefined, open('video/mp4', 'mp4')],
    ['json', 'text/json', undefined, decided('application/json')],
    ['text', 'text/csv; charset=utf-8', undefined, decided('text/csv')],
    ['text', 'application/vnd.ms-excel', 'a.csv', decided('text/csv')],
  ],
  'text has no magic: the declared type, then the extension': [
    ['text', 'text/plain', 'a.csv', decided('text/plain')],
    ['text', 'text/csv', 'a.txt', decided('text/csv')],
    ['json', 'application/json', undefined, decided('application/json')],
    ['text', undefined, 'a.csv', decided('text/csv')],
    ['json', nothing, 'A.JSON', decided('application/json')],
    ['text', undefined, 'a.txt', decided('text/plain')],
    ['text', undefined, 'README', decided('text/plain')],
    ['text', undefined, undefined, decided('text/plain')],
    ['latin1', 'text/csv', 'a.csv', decided('text/csv')],
    ['latin1', undefined, 'a.csv', decided('text/csv')],
    ['escape', 'text/plain', undefined, decided('text/plain')],
    ['utf16', 'text/plain', undefined, decided('text/plain')],
    ['utf16', undefined, 'a.csv', decided('text/csv')],
    ['utf16', undefined, undefined, decided('text/plain')],
    ['utf16be', 'text/csv', undefined, decided('text/csv')],
    ['empty', 'text/plain', undefined, decided('text/plain')],
    ['empty', undefined, 'a.csv', decided('text/csv')],
  ],
  'not in the table': [
    ['heic', 'image/heic', 'a.heic', unsupported('image/heic')],
    ['heic', 'image/heif', undefined, unsupported('image/heic')],
    ['ogg', 'audio/ogg', undefined, unsupported('audio/ogg')],
    ['ogg', undefined, undefined, unsupported('audio/ogg')],
    ['matroska', undefined, 'a.webm', unsupported('video/x-matroska')],
    ['binary', undefined, undefined, unsupported(nothing)],
    ['latin1', undefined, undefined, unsupported(nothing)],
    ['binary', undefined, 'a.txt', unsupported(nothing)],
    ['binary', 'application/zip', 'a.zip', unsupported('application/zip')],
    ['text', 'text/html', 'a.html', unsupported('text/html')],
    ['text', 'application/vnd.ms-excel', 'a.xls', unsupported('application/vnd.ms-excel')],
    ['text', undefined, 'a.png', unsupported(nothing)],
    ['empty', undefined, undefined, unsupported(nothing)],
    ['empty', 'image/png', 'a.png', unsupported(nothing)],
    ['empty', undefined, 'a.png', unsupported(nothing)],
  ],
};

for (const [group, cases] of Object.entries(groups)) {
  describe(group, () => {
    for (const [head, declaredMimeType, filename, decision] of cases) {
      test(`${head} declared ${declaredMimeType} named ${filename}`, () => {
        const bytes = heads[head];
        const clues = { head: bytes, containsNul: bytes.includes(0), declaredMimeType, filename };
        assert.deepEqual(decideFileType(clues), decision);
      });
    }
  });
}

test('the table is that of Contract 2.3', () => {
  const byClass = Object.groupBy(Object.keys(fileTypeByMimeType), mimeType => fileTypeByMimeType[mimeType]!);
  assert.deepEqual(
    { ...byClass },
    {
      image: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'],
      audio: ['audio/mpeg', 'audio/wav', 'audio/mp4', 'audio/webm'],
      video: ['video/mp4', 'video/quicktime', 'video/webm'],
      document: ['application/pdf'],
      text: ['text/plain', 'text/csv', 'application/json'],
    },
  );
});
