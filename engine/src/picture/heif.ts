/** Reads the boxes of a HEIC, HEIF or AVIF file: the main picture, its tiles and its rotation. */

/** How the main picture of a HEIC, HEIF or AVIF file is stored and shown. */
export interface HeifPicture {
  /** Item id of the picture; the stream of FFmpeg has the same id. */
  readonly itemId: number;
  /** Present where the picture is stored as tiles. */
  readonly grid: Grid | null;
  /** To be applied to the decoded picture, in order. */
  readonly transforms: readonly HeifTransform[];
}

/** A picture made of tiles. */
export interface Grid {
  /** Tiles in a row. */
  readonly columns: number;
  readonly rows: number;
  /** Pixels of the whole picture; the last tiles may extend beyond it. */
  readonly width: number;
  readonly height: number;
  /** Item ids, row by row. */
  readonly tiles: readonly number[];
}

/** One rotation or reflection. */
export type HeifTransform =
  /** Quarter turns, counter-clockwise. */
  | { readonly kind: 'quarters'; readonly count: number }
  | { readonly kind: 'upside-down' }
  | { readonly kind: 'left-right' };

/** Null where the file has no picture item. Throws where a box is incomplete. */
export function readHeif(bytes: Buffer): HeifPicture | null {
  const meta = boxesIn(bytes).find(({ name }) => name === 'meta');
  if (meta === undefined) return null;
  // `meta` has a version and flags before its boxes.
  const boxes = boxesIn(meta.content.subarray(4));
  const contentOf = (name: string) => boxes.find(box => box.name === name)?.content;
  const primary = contentOf('pitm');
  if (primary === undefined) return null;
  const itemId = primary[0] === 0 ? primary.readUInt16BE(4) : primary.readUInt32BE(4);
  const properties = contentOf('iprp');
  return {
    itemId,
    grid: kindOf(itemId, contentOf('iinf')) === 'grid' ? readGrid(itemId, bytes, contentOf) : null,
    transforms: properties === undefined ? [] : transformsOf(itemId, boxesIn(properties)),
  };
}

/** A box of the ISO base media file format. */
interface Box {
  /** Four letters. */
  readonly name: string;
  /** Without the header. */
  readonly content: Buffer;
}

/** The boxes in these bytes; an incomplete one ends the list. */
function boxesIn(bytes: Buffer): Box[] {
  const boxes: Box[] = [];
  for (let at = 0; at + 8 <= bytes.length; ) {
    // A length of 1 is followed by a 64-bit length; 0 extends to the end of the file.
    const short = bytes.readUInt32BE(at);
    const header = short === 1 ? 16 : 8;
    const length =
      short === 0 ? bytes.length - at : short === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : short;
    if (length < header || at + length > bytes.length) break;
    boxes.push({
      name: bytes.toString('latin1', at + 4, at + 8),
      content: bytes.subarray(at + header, at + length),
    });
    at += length;
  }
  return boxes;
}

/** Four-letter type of an item, from the `iinf` box. */
function kindOf(item: number, infos: Buffer | undefined): string | undefined {
  if (infos === undefined) return undefined;
  for (const { name, content } of boxesIn(infos.subarray(infos[0] === 0 ? 6 : 8))) {
    const version = content[0];
    if (name !== 'infe' || (version !== 2 && version !== 3)) continue;
    const id = version === 2 ? content.readUInt16BE(4) : content.readUInt32BE(4);
    const kindAt = version === 2 ? 8 : 10;
    if (id === item) return content.toString('latin1', kindAt, kindAt + 4);
  }
  return undefined;
}

/** The layout of a grid item is stored in the file or in the `idat` box. */
function readGrid(item: number, file: Buffer, contentOf: (name: string) => Buffer | undefined): Grid {
  const [references, locations] = [contentOf('iref'), contentOf('iloc')];
  if (references === undefined || locations === undefined) throw new Error('expected the tiles of a grid');
  const location = locateItem(item, locations);
  const within = location.inIdat ? contentOf('idat') : file;
  const grid = within?.subarray(location.at, location.at + location.length);
  if (grid === undefined) throw new Error('expected the layout of a grid');
  const isLarge = (grid[1]! & 1) === 1;
  const [rows, columns] = [grid.readUInt8(2) + 1, grid.readUInt8(3) + 1];
  const width = isLarge ? grid.readUInt32BE(4) : grid.readUInt16BE(4);
  const height = isLarge ? grid.readUInt32BE(8) : grid.readUInt16BE(6);
  const tiles = tilesOf(item, references);
  if (tiles.length !== rows * columns)
    throw new Error(`expected ${rows * columns} tiles, got ${tiles.length}`);
  return { columns, rows, width, height, tiles };
}

/** Item ids of the tiles, from the `dimg` reference of the picture. */
function tilesOf(item: number, references: Buffer): number[] {
  const idBytes = references[0] === 0 ? 2 : 4;
  for (const { name, content } of boxesIn(references.subarray(4))) {
    if (name !== 'dimg' || content.readUIntBE(0, idBytes) !== item) continue;
    const count = content.readUInt16BE(idBytes);
    return Array.from({ length: count }, (_, index) =>
      content.readUIntBE(idBytes + 2 + index * idBytes, idBytes),
    );
  }
  return [];
}

/** Bytes of an item, in the `idat` box or in the file. */
interface ItemLocation {
  /** In the `idat` box instead of the file. */
  readonly inIdat: boolean;
  /** Bytes from the beginning of that. */
  readonly at: number;
  readonly length: number;
}

/** Location of the first extent of an item. The head of the table says how wide its numbers are. */
function locateItem(item: number, table: Buffer): ItemLocation {
  const version = table[0]!;
  const [offsetBytes, lengthBytes] = [table[4]! >> 4, table[4]! & 15];
  const [baseBytes, indexBytes] = [table[5]! >> 4, version === 0 ? 0 : table[5]! & 15];
  let at = 6;
  const read = (width: number): number => {
    const value =
      width === 8 ? Number(table.readBigUInt64BE(at)) : width === 0 ? 0 : table.readUIntBE(at, width);
    at += width;
    return value;
  };
  const idBytes = version < 2 ? 2 : 4;
  for (let left = read(idBytes); left > 0; left--) {
    const id = read(idBytes);
    const method = version === 0 ? 0 : read(2) & 15;
    read(2);
    const base = read(baseBytes);
    const pieces = Array.from({ length: read(2) }, () => {
      read(indexBytes);
      return { at: base + read(offsetBytes), length: read(lengthBytes) };
    });
    if (id === item && pieces[0] !== undefined) return { inIdat: method === 1, ...pieces[0] };
  }
  throw new Error('expected the place of a grid');
}

/** The `irot` and `imir` properties of the item, in order. */
function transformsOf(item: number, properties: readonly Box[]): HeifTransform[] {
  const known = properties.find(({ name }) => name === 'ipco');
  const lists = properties.find(({ name }) => name === 'ipma')?.content;
  if (known === undefined || lists === undefined) return [];
  const boxes = boxesIn(known.content);
  return propertiesOf(item, lists).flatMap((index): HeifTransform[] => {
    const box = boxes[index - 1];
    const value = box?.content[0] ?? 0;
    if (box?.name === 'irot') return [{ kind: 'quarters', count: value & 3 }];
    if (box?.name === 'imir') return [{ kind: (value & 1) === 0 ? 'upside-down' : 'left-right' }];
    return [];
  });
}

/** Indexes of the item's properties, from 1. */
function propertiesOf(item: number, lists: Buffer): number[] {
  const idBytes = lists[0] === 0 ? 2 : 4;
  const numberBytes = (lists[3]! & 1) === 1 ? 2 : 1;
  let at = 8;
  for (let left = lists.readUInt32BE(4); left > 0; left--) {
    const id = lists.readUIntBE(at, idBytes);
    const count = lists.readUInt8(at + idBytes);
    at += idBytes + 1;
    // The highest bit marks a property as essential; it is not part of the index.
    const numbers = Array.from(
      { length: count },
      (_, index) =>
        lists.readUIntBE(at + index * numberBytes, numberBytes) & (numberBytes === 2 ? 0x7fff : 0x7f),
    );
    if (id === item) return numbers;
    at += count * numberBytes;
  }
  return [];
}
