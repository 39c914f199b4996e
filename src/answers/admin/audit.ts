/** The audit log: what was done, by whom and to what. */

import { z } from 'zod';
import { anyObject, listOf, unixSecondsWithFraction } from '../values.ts';

/** `number` counts without gaps, so that a removed entry shows. */
export const auditLineSchema = z
  .object({
    number: z.int(),
    at: unixSecondsWithFraction,
    actor: z.string(),
    action: z.string(),
    subject: z.string(),
    details: anyObject,
  })
  .meta({ id: 'AdminAuditLine', description: 'One entry of the audit log.' });

/** Newest first. */
export const auditListSchema = listOf(auditLineSchema).meta({ id: 'AdminAuditList' });

/** One entry of the audit log. */
export type AuditLine = z.infer<typeof auditLineSchema>;
