/** Runs one job at a provider without a queue: prepare, submit, poll to the end. For recordings and their replay. */
import { z } from 'zod';
import type { PollResult, Production, Provider, ProviderError, ProviderTask } from '../../domain/provider.ts';

/** The end of a job, as far as it follows from the upstream's answers alone. */
export const drivenOutcome = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('succeeded'),
    /** Role and media type of each file. */
    files: z.array(z.tuple([z.string(), z.string()])),
    /** Unit and quantity of each line that the upstream reported. */
    usage: z.array(z.tuple([z.string(), z.number()])),
  }),
  /** `refused`: certainly nothing was created; `unknown`: it may be charged; `failed`, `unreadable`: the run ended so. */
  z.strictObject({
    kind: z.enum(['refused', 'unknown', 'failed', 'unreadable']),
    code: z.string(),
    /** Set for errors of the account instead of the job. */
    trouble: z.enum(['rate', 'account', 'upstream']).optional(),
  }),
  z.strictObject({ kind: z.enum(['cancelled', 'missing', 'lost', 'unfinished']) }),
]);
/** The end of a driven job as cassettes keep it. */
export type DrivenOutcome = z.output<typeof drivenOutcome>;

/** How the driver waits between polls, and how often it polls at most. */
export interface Driving {
  readonly wait: (ms: number) => Promise<void>;
  readonly maxPolls: number;
  readonly signal: AbortSignal;
}

/** Exactly one billable call, whatever comes of it. */
export async function driveJob(
  provider: Provider,
  task: ProviderTask,
  driving: Driving,
): Promise<DrivenOutcome> {
  const ready = await provider.prepare?.(task, driving.signal);
  if (ready?.kind === 'refused') return erred('refused', ready.error);
  const submitted = await provider.submit(task, ready?.prepared);
  switch (submitted.kind) {
    case 'refused':
    case 'unknown':
      return erred(submitted.kind, submitted.error);
    case 'done':
      return succeeded(submitted.production);
    case 'accepted':
      await driving.wait(submitted.firstPollMs);
      return pollToEnd(provider, task, submitted.ref, driving);
  }
}

/** Polls as often as the provider allows, or the upstream requests. */
async function pollToEnd(
  provider: Provider,
  task: ProviderTask,
  ref: unknown,
  { wait, maxPolls, signal }: Driving,
): Promise<DrivenOutcome> {
  const { minPollMs } = provider.traits(task.modelId);
  for (let polls = 0; polls < maxPolls && !signal.aborted; polls++) {
    const polled = await provider.poll(task, ref);
    const end = endOf(polled);
    if (end) return end;
    const asked = 'nextPollMs' in polled ? (polled.nextPollMs ?? 0) : 0;
    await wait(Math.max(minPollMs, asked));
  }
  return { kind: 'unfinished' };
}

/** Null while the job goes on. */
function endOf(polled: PollResult): DrivenOutcome | null {
  switch (polled.kind) {
    case 'running':
    case 'unreachable':
      return null;
    case 'succeeded':
      return succeeded(polled.production);
    case 'failed':
    case 'unreadable':
      return erred(polled.kind, polled.error);
    default:
      return { kind: polled.kind };
  }
}

/** Files by role and type alone: their addresses are gone when the cassette is played. */
const succeeded = ({ files, usage = [] }: Production): DrivenOutcome => ({
  kind: 'succeeded',
  files: files.map(({ role, mimeType }) => [role, mimeType]),
  usage: usage.map(({ unit, quantity }) => [unit, quantity]),
});

/** By the code alone: sentences of upstreams change. */
const erred = (
  kind: 'refused' | 'unknown' | 'failed' | 'unreadable',
  { code, trouble }: ProviderError,
): DrivenOutcome => ({ kind, code, ...(trouble && { trouble }) });
