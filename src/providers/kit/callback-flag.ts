/** Remembers in a ref whether the upstream was given an address for webhooks, so that polls are only a safety net. */

import { z } from 'zod';
import type { PollResult, ProviderTask } from '../../domain/provider.ts';

/** Setting of an account whose upstream sends webhooks; false where it cannot reach this gateway. */
export const callbacksSetting = z.boolean().default(true);

/** The members of a ref that say so; a ref without them was submitted without an address. */
const callbackFlagSchema = z.object({ called: z.literal(true).optional() });

/** The members of a ref that record whether the upstream was given an address to call. */
export const callbackFlag = ({
  callbackUrl,
}: Pick<ProviderTask, 'callbackUrl'>): z.output<typeof callbackFlagSchema> =>
  callbackUrl === null ? {} : { called: true };

/** The result of a poll, marked where the upstream sends a webhook: also in a process that resumed the job. */
export const withCallbackFlag = (ref: unknown, polled: PollResult): PollResult =>
  polled.kind === 'running' && callbackFlagSchema.parse(ref).called ? { ...polled, callsBack: true } : polled;
