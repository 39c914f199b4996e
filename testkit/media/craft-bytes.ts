/** A picture of that size, as far as its header goes. */
export function pngHeader(width: number, height: number): Buffer {
  const bytes = Buffer.from('89504e470d0a1a0a0000000d4948445200000000000000000802000000', 'hex');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

/** The boxes of a phone's picture that say how large it is and how it was held. */
export function heic(width: number, height: number, quarters: number): Buffer {
  const size = Buffer.alloc(12);
  size.writeUInt32BE(width, 4);
  size.writeUInt32BE(height, 8);
  const properties = box('ipco', box('ispe', size), box('irot', Buffer.from([quarters])));
  const meta = box('meta', Buffer.alloc(4), box('hdlr', Buffer.alloc(24)), box('iprp', properties));
  return Buffer.concat([
    box('ftyp', Buffer.from('heic\0\0\0\0mif1heic')),
    meta,
    box('mdat', Buffer.alloc(64)),
  ]);
}

export interface TiledPicture {
  /** AVIF files of one size and one picture each, row by row. */
  readonly tiles: readonly Buffer[];
  readonly columns: number;
  /** What is shown of them together. */
  readonly width: number;
  readonly height: number;
  /** Quarters against the clock. */
  readonly quarters?: number;
  /** 0: upside down, 1: left and right exchanged. */
  readonly mirror?: number;
}

/** A picture cut into tiles, as phones write theirs. */
export function tiled({ tiles, columns, width, height, quarters, mirror }: TiledPicture): Buffer {
  const rows = Math.ceil(tiles.length / columns);
  const grid = bytesOf([0, 0, rows - 1, columns - 1], u16(width), u16(height));
  const main = tiles.length + 1;
  const [configuration, size] = ['av1C', 'ispe'].map(name => boxOf(tiles[0]!, name));
  const turns = [
    ...(quarters === undefined ? [] : [box('irot', bytesOf([quarters]))]),
    ...(mirror === undefined ? [] : [box('imir', bytesOf([mirror]))]),
  ];
  const whole = box('ispe', bytesOf([0, 0, 0, 0], u32(width), u32(height)));
  const properties = box('ipco', configuration!, size!, whole, ...turns);
  const uses = [
    ...tiles.map((_, index) => bytesOf(u16(index + 1), [2, 0x81, 2])),
    bytesOf(u16(main), [1 + turns.length, 3, ...turns.map((_, index) => 0x84 + index)]),
  ];
  const about = (id: number, kind: string) =>
    box('infe', bytesOf([2, 0, 0, 0], u16(id), u16(0)), Buffer.from(`${kind}\0`));
  const contents = tiles.map(tile => boxOf(tile, 'mdat').subarray(8));
  const meta = (from: number) => {
    let at = from;
    const places = contents.map((content, index) => {
      const place = bytesOf(u16(index + 1), u16(0), u16(0), u16(1), u32(at), u32(content.length));
      at += content.length;
      return place;
    });
    places.push(bytesOf(u16(main), u16(1), u16(0), u16(1), u32(0), u32(grid.length)));
    return box(
      'meta',
      Buffer.alloc(4),
      box('hdlr', Buffer.alloc(8), Buffer.from('pict'), Buffer.alloc(13)),
      box('pitm', bytesOf([0, 0, 0, 0], u16(main))),
      box(
        'iinf',
        bytesOf([0, 0, 0, 0], u16(main)),
        ...tiles.map((_, index) => about(index + 1, 'av01')),
        about(main, 'grid'),
      ),
      box(
        'iref',
        Buffer.alloc(4),
        box('dimg', bytesOf(u16(main), u16(tiles.length), ...tiles.map((_, index) => u16(index + 1)))),
      ),
      box('iprp', properties, box('ipma', bytesOf([0, 0, 0, 0], u32(main), ...uses))),
      box('idat', grid),
      box('iloc', bytesOf([1, 0, 0, 0, 0x44, 0], u16(main), ...places)),
    );
  };
  const head = box('ftyp', Buffer.from('avif\0\0\0\0mif1avifmiaf'));
  return Buffer.concat([head, meta(head.length + meta(0).length + 8), box('mdat', ...contents)]);
}

type Bytes = readonly number[] | Buffer;
const bytesOf = (...parts: readonly Bytes[]): Buffer => Buffer.concat(parts.map(part => Buffer.from(part)));
const u16 = (value: number): Bytes => [value >> 8, value & 255];
const u32 = (value: number): Bytes => [...u16(value >>> 16), ...u16(value & 0xffff)];

/** The first box of that name, with its header. */
function boxOf(file: Buffer, name: string): Buffer {
  const at = file.indexOf(name) - 4;
  return file.subarray(at, at + file.readUInt32BE(at));
}

function box(name: string, ...contents: readonly Buffer[]): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt32BE(8 + contents.reduce((sum, { length }) => sum + length, 0));
  header.write(name, 4);
  return Buffer.concat([header, ...contents]);
}

/** The last chunk of the sound claims four thousand million samples; counting them takes the reader minutes. */
export function busyFilm(film: Buffer): Buffer {
  const bytes = Buffer.from(film);
  const table = bytes.lastIndexOf('stsc');
  const entries = bytes.readUInt32BE(table + 8);
  bytes.writeUInt32BE(0xffffffff, table + 12 + (entries - 1) * 12 + 4);
  return bytes;
}

/** Two thousand million samples of the sound, each of which the reader lists because a second table moves them. */
export function greedyFilm(film: Buffer): Buffer {
  const bytes = Buffer.from(film);
  const spare = bytes.lastIndexOf('sgpd');
  const table = bytes.lastIndexOf('stts');
  if (spare < 0 || table < 0) throw new Error('expected a sound with the boxes sgpd and stts');
  bytes.write('ctts', spare);
  bytes.writeUInt32BE(1, spare + 8);
  bytes.writeUInt32BE(0x7fffffff, table + 12);
  return bytes;
}
