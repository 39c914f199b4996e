/** The secret that the callbacks (webhooks) of a user are signed with. */

import { z } from 'zod';

/** The secret of one user in the form of Standard Webhooks: `whsec_` and base64. */
export const callbackSecretSchema = z
  .object({ key: z.string().describe('whsec_…') })
  .meta({ id: 'CallbackSecret', description: 'For a verifier of Standard Webhooks.' });
