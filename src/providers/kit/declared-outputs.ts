/** Where an answer has its results, as operators declare it. */

import { z } from 'zod';
import { jsonPath } from './json-path.ts';

/** Schema of one kind of results in an answer: the path of their addresses, their role and their type. */
export const declaredOutput = z.strictObject({
  at: jsonPath,
  role: z.enum(['primary', 'watermarked', 'last_frame', 'grid', 'cover', 'subtitle']).default('primary'),
  mime: z
    .string()
    .regex(/^[a-z]+\/[a-z0-9.+-]+$/, { error: 'must be a MIME type' })
    .default('application/octet-stream'),
});
/** One of them. */
export type DeclaredOutput = z.output<typeof declaredOutput>;
