import { z } from 'zod';
import type { PollResult, ProviderTask } from '../domain/provider.ts';

/** Of an account whose upstream calls back: false where it cannot reach this gateway. */
export const callbacksSetting = z.boolean().default(true);

const remembered = z.object({ called: z.literal(true).optional() });

/** What a ref remembers of a submission: whether the upstream was given an address to call. */
export const rememberCall = ({
  callbackUrl,
}: Pick<ProviderTask, 'callbackUrl'>): z.output<typeof remembered> =>
  callbackUrl === null ? {} : { called: true };

/** The polls of a job whose upstream calls are a safety net, also in a process that took it over. */
export const asCalled = (ref: unknown, polled: PollResult): PollResult =>
  polled.kind === 'running' && remembered.parse(ref).called ? { ...polled, callsBack: true } : polled;
