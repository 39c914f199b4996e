/** Redelivery of all callbacks that failed within some hours. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { callApi } from '../../api/call-api.ts';
import { Dialog } from '../../components/dialog.tsx';
import { counted } from '../../components/format.ts';
import { toast, toastFailure } from '../../components/toasts.tsx';
import { useMay } from '../../shell/session.ts';

/** The choices, from the last hour to a long weekend. */
const hours = [1, 6, 24, 72] as const;

/** For the time after an outage of a receiver: every failed COMPLETED of the chosen hours is delivered again. */
export function RedeliverFailed() {
  const id = useId();
  const queries = useQueryClient();
  // The gateway refuses other roles in any case; here they are spared a button that cannot work.
  const mayAct = useMay('developer');
  const [isOpen, setOpen] = useState(false);
  // Hours; the choice is a day at first, because that is what Home counts as failed callbacks.
  const [since, setSince] = useState<number>(24);
  const redeliver = useMutation({
    // Unix seconds of now, not of the opening of the dialog, which may stand open for long.
    mutationFn: () =>
      callApi<{ deliveries: number }>('POST', 'deliveries/redeliver', {
        body: { failed_since: Math.floor(Date.now() / 1_000) - since * 3_600 },
      }),
    onSuccess: ({ deliveries }) => {
      toast(`${counted(deliveries, 'callback')} queued again.`);
      setOpen(false);
    },
    onError: toastFailure,
    onSettled: () => queries.invalidateQueries({ queryKey: ['deliveries'] }),
  });
  if (!mayAct) return null;
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        Redeliver failed …
      </button>
      <Dialog title="Redeliver what failed" isOpen={isOpen} close={() => setOpen(false)}>
        <p>
          Every COMPLETED that failed since then is sent again, under its own id and with all attempts of the
          schedule.
        </p>
        <div className="field-line">
          <label htmlFor={id}>Failed within the last</label>
          <select
            id={id}
            className="input"
            value={since}
            onChange={event => setSince(Number(event.target.value))}
          >
            {hours.map(count => (
              <option key={count} value={count}>
                {counted(count, 'hour')}
              </option>
            ))}
          </select>
        </div>
        <div className="dialog-actions">
          <button type="button" className="button" onClick={() => setOpen(false)}>
            Cancel
          </button>
          <button
            type="button"
            className="button main"
            disabled={redeliver.isPending}
            onClick={() => redeliver.mutate()}
          >
            Redeliver
          </button>
        </div>
      </Dialog>
    </>
  );
}
