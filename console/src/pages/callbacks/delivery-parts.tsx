/** The badge and the Redeliver button of a callback. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Delivery } from '../../api/answers.ts';
import { callApi } from '../../api/call-api.ts';
import { toast, toastFailure } from '../../components/toasts.tsx';
import { useMay } from '../../shell/session.ts';

/** Tone and label of each state. */
const looks: Readonly<Record<Delivery['state'], { readonly tone: string; readonly words: string }>> = {
  waiting: { tone: 'run', words: 'Pending' },
  delivered: { tone: 'ok', words: 'Delivered' },
  failed: { tone: 'bad', words: 'Failed' },
  superseded: { tone: '', words: 'Superseded' },
};

/** `waiting` is shown as Pending: its next attempt is due. */
export function DeliveryBadge({ state }: Pick<Delivery, 'state'>) {
  const { tone, words } = looks[state];
  return <span className={`badge ${tone}`}>{words}</span>;
}

/**
 * Delivers again under the same webhook id, with all attempts of the schedule; a pending callback at once, unless an
 * attempt is in flight. Superseded notices have no button.
 */
export function RedeliverButton({ delivery }: { readonly delivery: Delivery }) {
  const queries = useQueryClient();
  const mayAct = useMay('developer');
  const isPending = delivery.state === 'waiting';
  const redeliver = useMutation({
    mutationFn: () => callApi('POST', `deliveries/${delivery.id}/redeliver`),
    onSuccess: () => toast(isPending ? 'Due now, under the same id.' : 'Queued again, under the same id.'),
    onError: toastFailure,
    onSettled: () => queries.invalidateQueries(),
  });
  if (!mayAct || delivery.state === 'superseded') return null;
  return (
    <button
      type="button"
      className="button slim"
      disabled={redeliver.isPending}
      onClick={() => redeliver.mutate()}
    >
      {isPending ? 'Send now' : 'Redeliver'}
    </button>
  );
}
