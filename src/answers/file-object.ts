/** An uploaded or produced file, as the file endpoints answer it. */

import { z } from 'zod';
import { pageOf, unixSeconds, url } from './values.ts';

/**
 * Contract 2.3. `bytes` and times are whole numbers; figures of media are absent for files of another kind.
 */
export const fileObjectSchema = z
  .object({
    id: z.string(),
    object: z.literal('file'),
    filename: z.string(),
    bytes: z.int(),
    mime_type: z.string(),
    file_type: z.enum(['image', 'audio', 'video', 'document', 'text']),
    source: z.enum(['upload', 'input', 'output']),
    dimensions: z
      .object({ width: z.int(), height: z.int() })
      .nullable()
      .describe('Pixels as displayed; null for all but JPEG, PNG and GIF.'),
    storage_policy: z.literal('temporary'),
    created_at: unixSeconds,
    expires_at: unixSeconds,
    url: url.describe('Signed, valid for an hour.'),
    purpose: z.string().exactOptional().describe('As it was sent; absent where none was.'),
    status: z.literal('processed').exactOptional().describe('Only beside `purpose`.'),
  })
  .meta({ id: 'File', description: 'A stored file with a fresh signed URL.' });

/** Without files that jobs produced: those are in their results. */
export const filePageSchema = pageOf(fileObjectSchema).meta({
  id: 'FilePage',
  description: 'Uploads of one user.',
});

/** The id answers like a missing one from now on. */
export const fileDeletionSchema = z
  .object({ id: z.string(), object: z.literal('file'), deleted: z.literal(true) })
  .meta({ id: 'Deletion', description: 'A file that was deleted.' });
