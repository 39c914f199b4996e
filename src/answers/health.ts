/** Liveness and readiness of a process. */

import { z } from 'zod';

export const healthySchema = z
  .object({ status: z.literal('ok') })
  .meta({ id: 'Healthy', description: 'The process answers, or is ready.' });

export const notReadySchema = z
  .object({ status: z.literal('unavailable'), reason: z.string() })
  .meta({ id: 'NotReady', description: 'The process is not ready to take requests.' });
