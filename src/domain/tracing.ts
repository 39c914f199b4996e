import type { Clock } from './clock.ts';
import type { JobId } from './ids.ts';

/** What the way of a job is made of. */
export type SpanName = 'create' | 'queue' | 'submit' | 'poll' | 'store_outputs' | 'callback';

/** Counts, our own words and ids: never what a client or an upstream wrote, and no address. */
export type SpanAttributes = Readonly<Record<string, string | number>>;

/** A step that is over. The steps of a job are one trace, which is named after the job wherever they happen. */
export interface FinishedSpan {
  readonly job: JobId;
  readonly name: SpanName;
  /** Epoch ms. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: SpanAttributes;
  /** Why it went wrong, in a word; absent when it did not. */
  readonly failure?: string;
  /** `traceparent` of the request that asked for it, where it had one. */
  readonly traceparent?: string | undefined;
}

export interface Tracing {
  recordSpan(step: FinishedSpan): void;
}

export const noTracing: Tracing = { recordSpan: () => {} };

/** What came of a step. */
export type SpanResult = Pick<FinishedSpan, 'attributes' | 'failure'>;

/** Does the work and tells of it, also when it throws. */
export async function withSpan<T>(
  { tracing, clock }: { readonly tracing: Tracing; readonly clock: Clock },
  step: Pick<FinishedSpan, 'job' | 'name'>,
  work: () => Promise<T>,
  telling: (value: T) => SpanResult,
): Promise<T> {
  const startedAt = clock.now();
  const tell = (told: SpanResult) =>
    tracing.recordSpan({ ...step, startedAt, endedAt: clock.now(), ...told });
  try {
    const value = await work();
    tell(telling(value));
    return value;
  } catch (failure) {
    tell({ attributes: {}, failure: 'thrown' });
    throw failure;
  }
}
