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
