/** The media that a scripted upstream produces: real, small, and different for each job. */
import { createHash } from 'node:crypto';
import { findModel } from '../../src/catalog/index.ts';
import { clip, picture, sound } from '../media/media-maker.ts';

/** A short real medium. */
export interface Medium {
  readonly bytes: Buffer;
  readonly contentType: string;
  readonly name: string;
  readonly sha256: string;
}

export type Kind = 'image' | 'video' | 'speech';

/** Models that the catalog does not have produce speech. */
export const kindOf = (model: string): Kind => findModel(model)?.kind ?? 'speech';

/** Contains the job's id, so that a test detects the medium of another job by its hash. */
export async function mediumFor(kind: Kind, id: string): Promise<Medium> {
  switch (kind) {
    case 'speech':
      return medium(signSound(await sound('wav', 0.25), id), 'audio/wav', 'result.wav');
    case 'image':
      // Decoders of a PNG ignore bytes after its end.
      return medium(
        Buffer.concat([await picture('png', 64, 64), Buffer.from(id)]),
        'image/png',
        'result.png',
      );
    case 'video':
      return medium(
        Buffer.concat([await clip({ seconds: 1, width: 320, height: 240 }), freeBox(id)]),
        'video/mp4',
        'result.mp4',
      );
  }
}

const medium = (bytes: Buffer, contentType: string, name: string): Medium => ({
  bytes,
  contentType,
  name,
  sha256: sha256(bytes),
});

export const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');

/** Noise from the id in place of the first 64 bytes of samples. */
function signSound(silence: Buffer, id: string): Buffer {
  const bytes = Buffer.from(silence);
  createHash('sha512').update(id).digest().copy(bytes, 44);
  return bytes;
}

/** An MP4 box that players skip. */
function freeBox(text: string): Buffer {
  const box = Buffer.alloc(8 + text.length);
  box.writeUInt32BE(box.length);
  box.write(`free${text}`, 4);
  return box;
}
