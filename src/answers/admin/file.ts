/** Files of all users. Their URLs are relative to the gateway. */

import { z } from 'zod';
import { fileObjectSchema } from '../file-object.ts';

/**
 * The file object of the public protocol; its address works for a browser at whatever name the gateway is
 * reached by.
 */
export const consoleUploadSchema = z
  .object({ ...fileObjectSchema.shape, url: z.string().describe('Relative to the gateway.') })
  .meta({ id: 'AdminUpload', description: 'A file that was uploaded by the console.' });

/** With whose it is, and which job produced it. */
export const fileLineSchema = z
  .object({
    ...consoleUploadSchema.shape,
    request_id: z.string().nullable().describe('The job that produced it; null for uploads.'),
    user: z.string().nullable(),
  })
  .meta({ id: 'AdminFile', description: 'A stored file.' });

/** `next_after` is what `after` of the next request takes; null on the last page. */
export const fileListSchema = z
  .object({
    object: z.literal('list'),
    data: z.array(fileLineSchema),
    has_more: z.boolean(),
    next_after: z.string().nullable(),
  })
  .meta({ id: 'AdminFileList' });

/** A stored file. */
export type FileLine = z.infer<typeof fileLineSchema>;
