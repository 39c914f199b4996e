import { z } from 'zod';
import type { PollResult, ProviderTask } from '../../domain/provider.ts';

/** Of an account whose upstream calls back: false where it cannot reach this gateway. */
export const callbacksSetting = z.boolean().default(true);

const callbackFlagSchema = z.object({ called: z.literal(true).optional() });

/** What a ref remembers of a submission: whether the upstream was given an address to call. */
export const callbackFlag = ({
  callbackUrl,
}: Pick<ProviderTask, 'callbackUrl'>): z.output<typeof callbackFlagSchema> =>
  callbackUrl === null ? {} : { called: true };

/** The polls of a job whose upstream calls are a safety net, also in a process that took it over. */
export const withCallbackFlag = (ref: unknown, polled: PollResult): PollResult =>
  polled.kind === 'running' && callbackFlagSchema.parse(ref).called ? { ...polled, callsBack: true } : polled;
