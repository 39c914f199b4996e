import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Delivery } from '../../api/answers.ts';
import { callApi } from '../../api/call-api.ts';
import { toast, toastFailure } from '../../components/toasts.tsx';
import { useMay } from '../../shell/session.ts';

const looks: Readonly<Record<Delivery['state'], { readonly tone: string; readonly words: string }>> = {
  waiting: { tone: 'run', words: 'Pending' },
  delivered: { tone: 'ok', words: 'Delivered' },
  failed: { tone: 'bad', words: 'Failed' },
  superseded: { tone: '', words: 'Superseded' },
};

export function DeliveryBadge({ state }: Pick<Delivery, 'state'>) {
  const { tone, words } = looks[state];
  return <span className={`badge ${tone}`}>{words}</span>;
}

/** Sends a callback again, under the same id and with its whole schedule before it. */
export function RedeliverButton({ delivery }: { readonly delivery: Delivery }) {
  const queries = useQueryClient();
  const mayAct = useMay('developer');
  const redeliver = useMutation({
    mutationFn: () => callApi('POST', `deliveries/${delivery.id}/redeliver`),
    onSuccess: () => toast('In line again, under the same id.'),
    onError: toastFailure,
    onSettled: () => queries.invalidateQueries(),
  });
  if (!mayAct || delivery.state === 'superseded') return null;
  return (
    <button
      type="button"
      className="button slim"
      disabled={redeliver.isPending || delivery.state === 'waiting'}
      onClick={() => redeliver.mutate()}
    >
      Redeliver
    </button>
  );
}
