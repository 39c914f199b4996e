/** The step of the setup that runs an example. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { callApi } from '../../api/call-api.ts';
import { jobQuery, modelsQuery } from '../../api/queries.ts';
import { toastFailure } from '../../components/toasts.tsx';
import { Timeline } from '../job/timeline.tsx';
import { RunView } from '../play/run-view.tsx';
import { Step } from './step.tsx';

/** One of each kind; all end within seconds on any machine. */
const examples = [
  { model: 'gamma-v3-image', words: 'A picture', input: { prompt: 'A lighthouse above the sea at dusk' } },
  {
    model: 'eta2.6-t2v',
    words: 'A film',
    input: { prompt: 'A lighthouse above the sea at dusk', size: '1280*720', duration: 3 },
  },
  {
    model: 'theta-3.1-flash-tts-preview',
    words: 'A voice',
    input: { text: 'Welcome. This is your first job.' },
  },
] as const;

/** Runs an example and shows its result and timeline. `last` is the newest job of the installation, if any. */
export function FirstJob({ last }: { readonly last: string | null }) {
  const models = useQuery(modelsQuery);
  const run = useMutation({
    mutationFn: ({ model, input }: (typeof examples)[number]) =>
      callApi<{ request_id: string }>('POST', `models/${model}/run`, {
        body: input,
        // A new key for each click: a second click is meant as a second job, a repeated request is not.
        headers: { 'idempotency-key': crypto.randomUUID() },
      }),
    onError: toastFailure,
  });
  // The page may be opened again later: it then shows the last job, and the step stays done.
  const jobId = run.data?.request_id ?? last;
  // The settings may have switched models off.
  const served = examples.filter(({ model }) => models.data?.data.some(({ id }) => id === model));
  return (
    <Step title="Your first job" state={jobId === null ? 'open' : 'done'}>
      <p>Run an example and watch its timeline.</p>
      <div className="row wrap">
        {served.map(example => (
          <button
            key={example.model}
            type="button"
            className={jobId === null ? 'button main' : 'button'}
            disabled={run.isPending}
            onClick={() => run.mutate(example)}
          >
            {example.words}
          </button>
        ))}
      </div>
      {jobId !== null && (
        <div className="stack">
          <RunView jobId={jobId} />
          <JobTimeline jobId={jobId} />
        </div>
      )}
    </Step>
  );
}

/** The same query as the run above, so it costs no request of its own. */
function JobTimeline({ jobId }: { readonly jobId: string }) {
  const { data } = useQuery(jobQuery(jobId));
  return data ? <Timeline job={data} /> : null;
}
