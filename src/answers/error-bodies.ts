/** The three bodies of errors: which one a refusal has stands in `domain/refusal.ts`. */

import { z } from 'zod';

/** Contract 7.1. `code` is stable, `message` is for people, `request_id` is in the log. */
export const gatewayErrorSchema = z
  .object({ error: z.object({ code: z.string(), message: z.string() }), request_id: z.string() })
  .meta({ id: 'GatewayError', description: 'Refused for every endpoint alike: by key, rate or quota.' });

/** Contract 7.2. One sentence; for an input it names each field at fault. */
export const detailErrorSchema = z
  .object({ detail: z.string() })
  .meta({ id: 'DetailError', description: 'Refused by the queue, by the models or by the admin API.' });

/** Contract 7.3: of the file endpoints alone. */
export const fileErrorSchema = z
  .object({
    error: z.object({
      message: z.string(),
      type: z.enum(['invalid_request_error', 'api_error']),
      param: z.string().nullable().describe('The field at fault.'),
      code: z.string(),
    }),
  })
  .meta({ id: 'FileError', description: 'Refused by the file endpoints.' });

/** By the shape of a refusal. */
export const errorBodies = { gateway: gatewayErrorSchema, detail: detailErrorSchema, file: fileErrorSchema };
