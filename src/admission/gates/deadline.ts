/** Gate: the Cancel-After header is a duration; with the input it decides when the job expires. */
import { hours, minutes, seconds } from '../../domain/clock.ts';
import { refuse } from '../../domain/refusal.ts';
import { type DeadlineDraft, headerOf, type InputDraft } from '../draft.ts';
import type { Gate } from '../gate-list.ts';

/** Decisions 2: of every job without a deadline of its own. */
const defaultDeadlineMs = 48 * hours;
const unitMs: Readonly<Record<string, number>> = { '': seconds, s: seconds, m: minutes, h: hours };
/** Longer than any job may take. */
const maxSeconds = 30 * 24 * 3600;

/**
 * 422 for anything but a duration. The job expires at the earlier of the two deadlines that header and input set, or 48
 * hours after its creation.
 */
export const readDeadline: Gate<InputDraft, Pick<DeadlineDraft, 'deadlineMs'>> = (_context, draft) => {
  const cancelAfterMs = readCancelAfter(
    draft.request.asked?.cancelAfter ?? headerOf(draft.request, 'cancel-after'),
  );
  return { ...draft, deadlineMs: earlierOf(draft.model.deadlineSeconds(draft.input), cancelAfterMs) };
};

/** `90s | 5m | 3600` in milliseconds; null without the header. */
function readCancelAfter(header: string | undefined): number | null {
  if (header === undefined) return null;
  const match = /^(\d{1,9})(s|m|h)?$/.exec(header.trim());
  const ms = match ? Number(match[1]) * unitMs[match[2] ?? '']! : 0;
  if (ms < seconds || ms > maxSeconds * seconds) {
    throw refuse('input_invalid', {
      subject: 'Cancel-After: must be a time such as 90s, 5m or 3600 (seconds), at most 30 days',
      fields: ['Cancel-After'],
    });
  }
  return ms;
}

/** Decisions 8: of two deadlines the earlier wins. */
function earlierOf(inputSeconds: number | null, cancelAfterMs: number | null): number {
  if (inputSeconds === null) return cancelAfterMs ?? defaultDeadlineMs;
  return Math.min(inputSeconds * seconds, cancelAfterMs ?? Number.POSITIVE_INFINITY);
}
