/** What can be done with a job: cancel, run again, make the final film of a draft. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { JobDetail, JobLine } from '../../api/answers.ts';
import { callApi } from '../../api/call-api.ts';
import { consoleUser } from '../../api/console-user.ts';
import { toast, toastFailure } from '../../components/toasts.tsx';
import { isMembers } from '../../form/input-value.ts';
import { useMay } from '../../shell/session.ts';

/** What the gateway did with a cancel, by its `outcome`. */
const outcomes: Readonly<Record<string, string>> = {
  cancelled: 'Cancelled.',
  requested: 'It is running: the provider was requested to stop.',
  already_final: 'Too late: it had ended.',
};

/** Opens the form with the input that turns a draft into its final film. Nothing runs before Run is pressed. */
export function FinalButton({ job }: { readonly job: JobDetail }) {
  const isDraft = isMembers(job.input) && job.input.draft === true;
  // A run of the console belongs to its own user, who may not refer to a draft of another user.
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

/** A toast reports the outcome: cancelled, requested, or too late. */
export function CancelButton({ job }: { readonly job: JobLine }) {
  const queries = useQueryClient();
  const mayCancel = useMay('developer');
  const cancel = useMutation({
    mutationFn: () => callApi<{ outcome: string }>('POST', `jobs/${job.request_id}/cancel`),
    onSuccess: ({ outcome }) => toast(outcomes[outcome] ?? outcome),
    onError: toastFailure,
    // Jobs, figures and callbacks may all have changed.
    onSettled: () => queries.invalidateQueries(),
  });
  // A cancel that comes too late is harmless: the gateway answers what became of the job.
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

/** Creates a new job with the same input, for the same key, and opens it. */
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
