/** The spans of the timeline of a job, computed from its times and attempts, and those of its callbacks. */
import type { JobDetail } from '../../api/answers.ts';

/** A phase of a job, in epoch ms. `isOpen`: it still lasts, and `to` is now. */
export interface Span {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** The colour: waiting, preparing, at the upstream, succeeded, failed. */
  readonly tone: 'wait' | 'run' | 'main' | 'ok' | 'bad';
  /** Beside the duration; empty where there is nothing to add. */
  readonly says: string;
  readonly isOpen: boolean;
  /** 0 to 1, of a span that still lasts; absent where it is unknown. */
  readonly progress?: number;
}

/** The admin API gives seconds with milliseconds after the decimal point. */
const ms = (seconds: number): number => Math.round(seconds * 1_000);

/** In order: queue, preparation, each submission, the upstream, storing the result. */
export function spansOf(job: JobDetail, now: number): readonly Span[] {
  const end = job.completed_at === null ? now : ms(job.completed_at);
  const firstCall = job.attempts[0] ? ms(job.attempts[0].started_at) : null;
  const begun = job.started_at === null ? end : ms(job.started_at);
  // Earlier attempts were refused or failed; the last accepted one made the result.
  const lastAnswer = job.attempts.findLast(({ answer }) => answer === 'accepted' || answer === 'done');
  // When the upstream had the job.
  const accepted = lastAnswer?.answered_at == null ? null : ms(lastAnswer.answered_at);
  const isOpen = job.completed_at === null;
  // When the upstream was done: the gateway fetches and stores the outputs after that.
  const made =
    accepted === null || job.inference_ms === null ? null : Math.min(end, accepted + job.inference_ms);
  return [
    span('Queued', ms(job.created_at), begun, 'wait', {
      isOpen: job.state === 'available' && job.started_at === null,
    }),
    ...(firstCall !== null && firstCall - begun > 20
      ? // Shorter is noise: a worker needs some milliseconds for every job.
        [span('Inputs and preparation', begun, firstCall, 'run')]
      : []),
    ...job.attempts.map(attempt => {
      const isRight = attempt.answer === 'accepted' || attempt.answer === 'done';
      const says = attempt.error?.message ?? (attempt.answer === null ? 'no answer yet' : '');
      return span(
        `Submit, attempt ${attempt.number}`,
        ms(attempt.started_at),
        attempt.answered_at === null ? end : ms(attempt.answered_at),
        isRight || attempt.answer === null ? 'run' : 'bad',
        {
          says: isRight ? '' : `${attempt.answer ?? 'open'} ${says}`,
          isOpen: isOpen && attempt.answer === null,
        },
      );
    }),
    ...(accepted === null
      ? []
      : [
          span(`At ${lastAnswer?.account}`, accepted, made ?? end, 'main', {
            isOpen: isOpen && made === null,
            progress: job.progress,
          }),
        ]),
    // Shorter is noise, as above.
    ...(made === null || end - made < 5 ? [] : [span('Store the result', made, end, 'ok')]),
    // The admin API lists the newest first.
  ];
}

/** Each attempt of each callback (webhook), in order. Retries may go on for days after the job has ended. */
export function callbackSpansOf(job: JobDetail): readonly Span[] {
  return job.deliveries
    .toReversed()
    .flatMap(delivery =>
      delivery.tries.map(({ at, took_ms, code, number }) =>
        span(
          `Callback ${delivery.status}`,
          ms(at),
          ms(at) + (took_ms ?? 0),
          code !== null && code >= 200 && code < 300 ? 'ok' : 'bad',
          { says: `attempt ${number}${code === null ? '' : ` · ${code}`}` },
        ),
      ),
    )
    .toSorted((a, b) => a.from - b.from);
}

/** A span never ends before it starts, even where two clocks disagree. */
const span = (
  name: string,
  from: number,
  to: number,
  tone: Span['tone'],
  {
    says = '',
    isOpen = false,
    progress = null,
  }: { readonly says?: string; readonly isOpen?: boolean; readonly progress?: number | null } = {},
): Span => ({
  name,
  from,
  to: Math.max(from, to),
  tone,
  says: says.trim(),
  isOpen,
  ...(isOpen && progress !== null && { progress }),
});
