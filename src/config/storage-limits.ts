/** Reads `limits.storage` of `atelier.yaml`: sizes such as 20GB, and a share of the disk. */
import { z } from 'zod';
import { parseSize, type StorageLimits, sizePattern, sizeText } from '../domain/storage-limits.ts';

/** The media of the largest body fit the least limit, so that a refused request can succeed once files expire. */
const minBytes = 64 * 1024 * 1024;

const sizeMessage = `must be a size such as 20GB or 500MB, or a number of bytes (${sizeText(minBytes)} at least)`;
const size = z
  .union([z.int().min(minBytes, { error: sizeMessage }), z.string().regex(sizePattern)], {
    error: sizeMessage,
  })
  .transform((written, context): number => {
    const bytes = typeof written === 'number' ? written : parseSize(written);
    if (bytes !== null && bytes >= minBytes && Number.isSafeInteger(bytes)) return bytes;
    context.addIssue({ code: 'custom', message: sizeMessage });
    return z.NEVER;
  });
/** Of the disk of the data folder; 0 to 1 in the result. */
const shareOfDisk = z
  .string()
  .regex(/^(?:100|[1-9]\d?)%$/)
  .transform(text => ({ shareOfDisk: Number(text.slice(0, -1)) / 100 }));
const inAll = z.union([shareOfDisk, size.transform(bytes => ({ bytes }))], {
  error: `${sizeMessage}, or a share of the disk such as 90%`,
});

/** The defaults leave a tenth of the disk to the database, the spool and other programs. */
export const storageSchema = z
  .strictObject({
    per_key: size.prefault('20GB'),
    per_user: size.prefault('100GB'),
    in_all: inAll.prefault('90%'),
  })
  .prefault({})
  .transform(
    ({ per_key, per_user, in_all }): StorageLimits => ({ perKey: per_key, perUser: per_user, inAll: in_all }),
  );
