/** Cancellation of every unfinished job of the present filter. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { callApi } from '../../api/call-api.ts';
import { type JobFilter, overviewQuery } from '../../api/queries.ts';
import { Confirm } from '../../components/dialog.tsx';
import { counted } from '../../components/format.ts';
import { toast, toastFailure } from '../../components/toasts.tsx';
import { useMay } from '../../shell/session.ts';

/** `left`: more jobs fit than one request cancels. */
interface CancelOutcome {
  /** Waiting jobs, which have ended. */
  readonly cancelled: number;
  /** Running jobs, which are requested to stop and may still complete. */
  readonly requested: number;
  readonly left: boolean;
}

/** Model and key of the filter apply, other filters do not. The name of the model has to be typed first. */
export function CancelMany({ filter }: { readonly filter: JobFilter }) {
  const queries = useQueryClient();
  const mayCancel = useMay('admin');
  const [isAsking, setAsking] = useState(false);
  // Loaded when the dialog opens: the list itself needs no counts.
  const overview = useQuery({ ...overviewQuery, enabled: isAsking, refetchInterval: false });
  const { model, key } = filter;
  const cancel = useMutation({
    mutationFn: async () => {
      let [cancelled, requested] = [0, 0];
      // Each request cancels a bounded number of jobs.
      for (let left = true; left; ) {
        const outcome = await callApi<CancelOutcome>('POST', 'jobs/cancel', {
          body: { state: 'unfinished', ...(model && { model }), ...(key && { key }) },
        });
        cancelled += outcome.cancelled;
        requested += outcome.requested;
        left = outcome.left;
      }
      return { cancelled, requested };
    },
    onSuccess: ({ cancelled, requested }) =>
      toast(
        `${counted(cancelled, 'job')} cancelled, ${requested.toLocaleString()} running ones requested to stop.`,
      ),
    onError: toastFailure,
    // Jobs, their details and the figures of Home: all of them may have changed.
    onSettled: () => queries.invalidateQueries(),
  });
  if (!mayCancel) return null;
  // Of all models and keys, as the sentence says: the overview has no counts by filter.
  const unfinished = (overview.data?.waiting ?? 0) + (overview.data?.running ?? 0);
  const which = [model && `of ${model}`, key && `of key ${key}`].filter(Boolean).join(' ');
  return (
    <>
      <button
        type="button"
        className="button danger"
        disabled={cancel.isPending}
        onClick={() => setAsking(true)}
      >
        {cancel.isPending ? 'Cancelling …' : `Cancel all ${which || 'unfinished'}`}
      </button>
      <Confirm
        title={`Cancel every queued and running job ${which}`}
        says={`${overview.data ? `${counted(unfinished, 'job')} of all models and keys ${unfinished === 1 ? 'is' : 'are'} unfinished now. ` : ''}Running jobs may have been charged. This cannot be undone.`}
        action="Cancel jobs"
        typed={model ?? 'cancel'}
        isOpen={isAsking}
        close={() => setAsking(false)}
        confirm={() => cancel.mutate()}
      />
    </>
  );
}
