import type { Clock } from './clock.ts';
import type { JobId } from './ids.ts';

/** What the way of a job is made of. */
export type StepName = 'create' | 'queue' | 'submit' | 'follow' | 'collect' | 'callback';

/** Counts, our own words and ids: never what a client or an upstream wrote, and no address. */
export type StepFacts = Readonly<Record<string, string | number>>;

/** A step that is over. The steps of a job are one trace, which is named after the job wherever they happen. */
export interface TracedStep {
  readonly job: JobId;
  readonly name: StepName;
  /** Epoch ms. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly facts: StepFacts;
  /** Why it went wrong, in a word; absent when it did not. */
  readonly failure?: string;
  /** `traceparent` of the request that asked for it, where it had one. */
  readonly caller?: string | undefined;
}

export interface Tracing {
  tell(step: TracedStep): void;
}

export const noTracing: Tracing = { tell: () => {} };

/** What came of a step. */
export type Told = Pick<TracedStep, 'facts' | 'failure'>;

/** Does the work and tells of it, also when it throws. */
export async function traced<T>(
  { tracing, clock }: { readonly tracing: Tracing; readonly clock: Clock },
  step: Pick<TracedStep, 'job' | 'name'>,
  work: () => Promise<T>,
  telling: (value: T) => Told,
): Promise<T> {
  const startedAt = clock.now();
  const tell = (told: Told) => tracing.tell({ ...step, startedAt, endedAt: clock.now(), ...told });
  try {
    const value = await work();
    tell(telling(value));
    return value;
  } catch (failure) {
    tell({ facts: {}, failure: 'thrown' });
    throw failure;
  }
}
