import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { callApi } from '../../api/call-api.ts';
import { type JobFilter, overviewQuery } from '../../api/queries.ts';
import { Confirm } from '../../components/dialog.tsx';
import { counted } from '../../components/format.ts';
import { toast, toastFailure } from '../../components/toasts.tsx';
import { useMay } from '../../shell/session.ts';

interface Came {
  readonly cancelled: number;
  readonly requested: number;
  readonly left: boolean;
}

/** Cancels whatever waits or runs of what the list is narrowed to, after its name was typed. */
export function CancelMany({ filter }: { readonly filter: JobFilter }) {
  const queries = useQueryClient();
  const mayCancel = useMay('admin');
  const [isAsking, setAsking] = useState(false);
  // Counted when it is query for: a list asks for its lines alone.
  const overview = useQuery({ ...overviewQuery, enabled: isAsking, refetchInterval: false });
  const { model, key } = filter;
  const cancel = useMutation({
    mutationFn: async () => {
      let [cancelled, requested] = [0, 0];
      for (let left = true; left; ) {
        const came = await callApi<Came>('POST', 'jobs/cancel', {
          body: { state: 'unfinished', ...(model && { model }), ...(key && { key }) },
        });
        cancelled += came.cancelled;
        requested += came.requested;
        left = came.left;
      }
      return { cancelled, requested };
    },
    onSuccess: ({ cancelled, requested }) =>
      toast(`${counted(cancelled, 'job')} cancelled, ${requested.toLocaleString()} that ran query to stop.`),
    onError: toastFailure,
    onSettled: () => queries.invalidateQueries(),
  });
  if (!mayCancel) return null;
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
        says={`${overview.data ? `${counted(unfinished, 'job')} of all models and keys ${unfinished === 1 ? 'is' : 'are'} unfinished now. ` : ''}What ran may have been charged. This cannot be taken back.`}
        action="Cancel them"
        typed={model ?? 'cancel'}
        isOpen={isAsking}
        close={() => setAsking(false)}
        confirm={() => cancel.mutate()}
      />
    </>
  );
}
