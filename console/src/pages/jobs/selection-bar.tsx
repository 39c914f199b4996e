/** The acts on the jobs that are selected in the table. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { JobLine } from '../../api/answers.ts';
import { callApi } from '../../api/call-api.ts';
import { counted } from '../../components/format.ts';
import { toast, toastFailure } from '../../components/toasts.tsx';
import { useMay } from '../../shell/session.ts';

/** Cancels or repeats the selected jobs one after the other. Nothing while none is selected. */
export function SelectionBar({
  jobs,
  clear,
}: {
  readonly jobs: readonly JobLine[];
  readonly clear: () => void;
}) {
  const queries = useQueryClient();
  // Viewers may select, and read the count.
  const mayAct = useMay('developer');
  const each = useMutation({
    mutationFn: async ({
      what,
      on,
    }: {
      /** The last part of the path of the admin API. */
      readonly what: 'cancel' | 'again';
      readonly on: readonly JobLine[];
    }) => {
      // One after the other: a refusal stops the rest, and its sentence is shown.
      for (const job of on) await callApi('POST', `jobs/${job.request_id}/${what}`);
      return on.length;
    },
    onSuccess: (count, { what }) => {
      toast(
        what === 'cancel'
          ? `Cancel requested for ${counted(count, 'job')}.`
          : `${counted(count, 'job')} run again.`,
      );
      clear();
    },
    onError: toastFailure,
    onSettled: () => queries.invalidateQueries({ queryKey: ['jobs'] }),
  });
  if (jobs.length === 0) return null;
  // Only these can be cancelled.
  const unfinished = jobs.filter(
    ({ completed_at, cancel_requested }) => completed_at === null && !cancel_requested,
  );
  return (
    <div className="notice row wrap selection">
      <strong className="grow">{counted(jobs.length, 'job')} selected</strong>
      <button
        type="button"
        className="button slim danger"
        disabled={!mayAct || unfinished.length === 0 || each.isPending}
        onClick={() => each.mutate({ what: 'cancel', on: unfinished })}
      >
        {unfinished.length === 0 ? 'Cancel' : `Cancel ${unfinished.length}`}
      </button>
      <button
        type="button"
        className="button slim"
        disabled={!mayAct || each.isPending}
        onClick={() => each.mutate({ what: 'again', on: jobs })}
      >
        Run again
      </button>
      <button type="button" className="button slim quiet" onClick={clear}>
        Clear
      </button>
    </div>
  );
}
