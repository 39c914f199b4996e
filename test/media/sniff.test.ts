/** Formats that are recognised by their first bytes. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { looksLikeText, type Sniffed, sniff, sniffBytes } from '../../src/media/sniff.ts';

const latin = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));
const hex = (text: string) => new Uint8Array(Buffer.from(text.replaceAll(' ', ''), 'hex'));
const ftyp = (...brands: string[]) =>
  latin(
    `\0\0\0${String.fromCharCode(8 + 4 * (brands.length + 1))}ftyp${brands[0]}\0\0\0\0${brands.slice(1).join('')}moov`,
  );
const mp4: Sniffed = { mimeType: 'video/mp4', tracksDecide: 'mp4' };
const m4a: Sniffed = { mimeType: 'audio/mp4', tracksDecide: 'mp4' };
const webm: Sniffed = { mimeType: 'video/webm', tracksDecide: 'webm' };
/** MPEG 1 layer III, 128 kbit/s, 44,100 Hz: 417 bytes a frame. */
const mp3Frame = new Uint8Array([0xff, 0xfb, 0x90, 0x00, ...new Uint8Array(413)]);
const join = (...parts: Uint8Array[]) => new Uint8Array(Buffer.concat(parts));

const known: readonly (readonly [what: string, head: Uint8Array, found: Sniffed])[] = [
  ['jpeg', hex('ffd8ffe0 0010'), { mimeType: 'image/jpeg' }],
  ['png', hex('89504e470d0a1a0a 0000000d'), { mimeType: 'image/png' }],
  ['gif 87a', latin('GIF87a\x01\0'), { mimeType: 'image/gif' }],
  ['gif 89a', latin('GIF89a\x01\0'), { mimeType: 'image/gif' }],
  ['webp', latin('RIFF\x10\0\0\0WEBPVP8 '), { mimeType: 'image/webp' }],
  ['bmp', join(latin('BM'), new Uint8Array(12), hex('28000000')), { mimeType: 'image/bmp' }],
  ['tiff, little end first', hex('49492a00 08000000'), { mimeType: 'image/tiff' }],
  ['tiff, big end first', hex('4d4d002a 00000008'), { mimeType: 'image/tiff' }],
  ['heic', ftyp('heic', 'mif1', 'heic'), { mimeType: 'image/heic' }],
  ['heic under the general brand', ftyp('mif1', 'mif1', 'heic'), { mimeType: 'image/heic' }],
  ['heif', ftyp('mif1', 'mif1'), { mimeType: 'image/heif' }],
  ['avif', ftyp('avif', 'mif1', 'miaf'), { mimeType: 'image/avif' }],
  ['avif under the general brand', ftyp('mif1', 'avif'), { mimeType: 'image/avif' }],
  ['pdf', latin('%PDF-1.7\n'), { mimeType: 'application/pdf' }],
  ['mp4 isom', ftyp('isom', 'isom', 'avc1'), mp4],
  ['mp4 mp42', ftyp('mp42'), mp4],
  ['mp4 by a compatible brand', ftyp('zzzz', 'mp42'), mp4],
  ['m4v', ftyp('M4V ', 'mp42'), mp4],
  ['quicktime', ftyp('qt  '), { mimeType: 'video/quicktime' }],
  ['quicktime without ftyp', latin('\0\0\0\x08wide\0\0\0\x10mdat'), { mimeType: 'video/quicktime' }],
  ['m4a', ftyp('M4A ', 'isom'), m4a],
  ['3gp', ftyp('3gp4', 'isom'), { mimeType: 'video/3gpp' }],
  ['webm', hex('1a45dfa3 9f 42868101 42828477 65626d'), webm],
  ['webm, padded', join(hex('1a45dfa3 9f 42828677 65626d0000')), webm],
  ['matroska', join(hex('1a45dfa3 8b 428288'), latin('matroska')), { mimeType: 'video/x-matroska' }],
  ['wav', latin('RIFF\x24\0\0\0WAVEfmt '), { mimeType: 'audio/wav' }],
  ['avi', latin('RIFF\x24\0\0\0AVI LIST'), { mimeType: 'video/x-msvideo' }],
  ['mp3 with a tag', latin('ID3\x04\0\0\0\0\x02\x10TSSE'), { mimeType: 'audio/mpeg' }],
  ['mp3 from its first frame', join(mp3Frame, mp3Frame.subarray(0, 4)), { mimeType: 'audio/mpeg' }],
  ['mp3 of a single frame', mp3Frame, { mimeType: 'audio/mpeg' }],
  ['aac', join(hex('fff15080 011ffc aa fff15080 011ffc')), { mimeType: 'audio/aac' }],
  ['flac', latin('fLaC\0\0\0\x22'), { mimeType: 'audio/flac' }],
  ['ogg', join(latin('OggS\0\x02'), new Uint8Array(22), latin('OpusHead')), { mimeType: 'audio/ogg' }],
  ['ogg film', join(latin('OggS\0\x02'), new Uint8Array(22), latin('\x80theora')), { mimeType: 'video/ogg' }],
];

describe('known by its first bytes', () => {
  for (const [what, head, found] of known) {
    test(what, () => assert.deepEqual(sniff(head), found));
    test(`${what} cut after two bytes is not`, () => assert.equal(sniff(head.subarray(0, 2)), null));
  }
});

const unknown: readonly (readonly [what: string, head: Uint8Array])[] = [
  ['nothing', new Uint8Array()],
  ['a text about a car', latin('BMW builds cars, and has for years.')],
  ['a text that begins like a box', latin('The free encyclopaedia')],
  ['a text that names a brand', latin('see ftypisom for more')],
  ['a text about tags', latin('ID3 tags are at the front')],
  ['a text that speaks of RIFF', latin('RIFF and WAVE are words')],
  ['UTF-16 text', hex('fffe 4800 6900')],
  ['two bytes of sync without a next frame', join(mp3Frame, latin('nothing'))],
  ['a frame of a bit rate that does not exist', hex('fffbf000')],
  ['an EBML file of another kind', hex('1a45dfa3 87 42828474657374')],
  ['an EBML header whose lengths lead out', hex('1a45dfa3 ff 4282ff')],
  ['a box of an unknown brand', ftyp('zzzz', 'yyyy')],
  ['zeros', new Uint8Array(5000)],
  ['a zip', hex('504b0304 14000000')],
  ['an svg', latin('<svg xmlns="http://www.w3.org/2000/svg"/>')],
];

describe('not known', () => {
  for (const [what, head] of unknown) test(what, () => assert.equal(sniff(head), null));
});

test('only the head is looked at', () => {
  const far = new Uint8Array(sniffBytes + 100).fill(0x20);
  far.set(hex('1a45dfa3 08 00 00 00 00 00 00 20 00 ec 50 00'));
  far.set(hex('42828477 65626d'), sniffBytes);
  assert.equal(sniff(far), null);
});

describe('text', () => {
  const split = join(new Uint8Array(sniffBytes - 1).fill(0x61), latin('\xc3\xa9 and on'));
  const cases: readonly (readonly [what: string, head: Uint8Array, isText: boolean])[] = [
    ['ASCII with tab, newline and return', latin('a\tb\r\nc'), true],
    ['UTF-8', new Uint8Array(Buffer.from('köln 東京 🙂')), true],
    ['UTF-8 with its mark', hex('efbbbf 61'), true],
    ['nothing', new Uint8Array(), true],
    ['a character cut by the end of the head', split, true],
    ['a character cut by the end of the file', latin('caf\xc3'), false],
    ['Latin 1', latin('caf\xe9 noir'), false],
    ['a NUL', latin('a\0b'), false],
    ['an escape', latin('a\x1b[31m'), false],
    ['a delete', latin('a\x7f'), false],
    ['an overlong slash', hex('2e2e c0af'), false],
    ['a lone surrogate', hex('eda080'), false],
    ['UTF-16', hex('fffe 4800 6900'), false],
  ];
  for (const [what, head, isText] of cases) test(what, () => assert.equal(looksLikeText(head), isText));
});
