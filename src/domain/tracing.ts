/** The port to tracing: finished steps of jobs as spans. */
import type { Clock } from './clock.ts';
import type { JobId } from './ids.ts';

/** The steps of a job. */
export type SpanName = 'create' | 'queue' | 'submit' | 'poll' | 'store_outputs' | 'callback';

/** Counts, our own words and ids: never text of a client or an upstream, and no URL. */
export type SpanAttributes = Readonly<Record<string, string | number>>;

/** A finished step. The steps of a job form one trace, identified by the job's id in every process. */
export interface FinishedSpan {
  readonly job: JobId;
  readonly name: SpanName;
  /** Epoch ms. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: SpanAttributes;
  /** Why it failed, in one word; absent on success. */
  readonly failure?: string;
  /** Header `traceparent` of the request, where it had one. */
  readonly traceparent?: string | undefined;
}

export interface Tracing {
  recordSpan(span: FinishedSpan): void;
}

/** For gateways without tracing. */
export const noTracing: Tracing = { recordSpan: () => {} };

/** How a step ended. */
export type SpanResult = Pick<FinishedSpan, 'attributes' | 'failure'>;

/** Runs the work and records a span of it, also when it throws. `resultOf` describes its value. */
export async function withSpan<T>(
  { tracing, clock }: { readonly tracing: Tracing; readonly clock: Clock },
  span: Pick<FinishedSpan, 'job' | 'name'>,
  work: () => Promise<T>,
  resultOf: (value: T) => SpanResult,
): Promise<T> {
  const startedAt = clock.now();
  const record = (result: SpanResult) =>
    tracing.recordSpan({ ...span, startedAt, endedAt: clock.now(), ...result });
  try {
    const value = await work();
    record(resultOf(value));
    return value;
  } catch (failure) {
    record({ attributes: {}, failure: 'thrown' });
    throw failure;
  }
}
