import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { JobDetail, JobLine } from '../../api/answers.ts';
import { callApi } from '../../api/call-api.ts';
import { consoleUser } from '../../api/console-user.ts';
import { toast, toastFailure } from '../../components/toasts.tsx';
import { isMembers } from '../../form/input-value.ts';
import { useMay } from '../../shell/session.ts';

const outcomes: Readonly<Record<string, string>> = {
  cancelled: 'Cancelled.',
  requested: 'It runs: the provider was query to stop.',
  already_final: 'Too late: it had ended.',
};

/** From a draft to the film that it previews: a form to begin with, for nothing is run unasked. */
export function FinalButton({ job }: { readonly job: JobDetail }) {
  const isDraft = isMembers(job.input) && job.input.draft === true;
  // What runs from here belongs to the user of the console, who may not point at a draft of another.
  if (!isDraft || job.state !== 'completed' || job.user !== consoleUser) return null;
  return (
    <Link
      to="/play/$model"
      params={{ model: job.model }}
      search={{ final: job.request_id }}
      className="button slim"
    >
      Make final …
    </Link>
  );
}

/** Says what came of it: cancelled, query for, or too late. */
export function CancelButton({ job }: { readonly job: JobLine }) {
  const queries = useQueryClient();
  const mayCancel = useMay('developer');
  const cancel = useMutation({
    mutationFn: () => callApi<{ outcome: string }>('POST', `jobs/${job.request_id}/cancel`),
    onSuccess: ({ outcome }) => toast(outcomes[outcome] ?? outcome),
    onError: toastFailure,
    onSettled: () => queries.invalidateQueries(),
  });
  if (job.completed_at !== null || !mayCancel) return null;
  return (
    <button
      type="button"
      className="button slim danger"
      disabled={cancel.isPending || job.cancel_requested}
      onClick={() => cancel.mutate()}
    >
      {job.cancel_requested ? 'Cancel requested' : 'Cancel'}
    </button>
  );
}

/** A new job of the same input for the same key. */
export function AgainButton({ job }: { readonly job: JobLine }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const mayRun = useMay('developer');
  const again = useMutation({
    mutationFn: () => callApi<{ request_id: string }>('POST', `jobs/${job.request_id}/again`),
    onSuccess: made => {
      toast('Runs again, as a new job.');
      void queries.invalidateQueries({ queryKey: ['jobs'] });
      void navigate({ to: '/jobs/$jobId', params: { jobId: made.request_id } });
    },
    onError: toastFailure,
  });
  if (!mayRun) return null;
  return (
    <button type="button" className="button" disabled={again.isPending} onClick={() => again.mutate()}>
      Run again
    </button>
  );
}
