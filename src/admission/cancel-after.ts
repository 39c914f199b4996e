import { hours, minutes, seconds } from '../domain/clock.ts';
import { refuse } from '../domain/refusal.ts';

const unitMs: Readonly<Record<string, number>> = { '': seconds, s: seconds, m: minutes, h: hours };
/** Longer than any job may take. */
const maxSeconds = 30 * 24 * 3600;

/** `Cancel-After: 90s | 5m | 3600` in milliseconds; null without the header. */
export function readCancelAfter(header: string | undefined): number | null {
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
