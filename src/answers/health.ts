/** Liveness and readiness of a process. */

import { z } from 'zod';

/** Needs no key, and says nothing that a stranger could use. */
export const healthySchema = z
  .object({ status: z.literal('ok') })
  .meta({ id: 'Healthy', description: 'The process answers, or is ready.' });

/** `warning` is a few words of ours, as `reason` is. */
export const readySchema = z
  .object({ status: z.literal('ok'), warning: z.string().exactOptional() })
  .meta({ id: 'Ready', description: 'The process is ready to take requests.' });

/** `reason` is one of a few words, such as `database unavailable`, and never an address. */
export const notReadySchema = z
  .object({ status: z.literal('unavailable'), reason: z.string() })
  .meta({ id: 'NotReady', description: 'The process is not ready to take requests.' });
