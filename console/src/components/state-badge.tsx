/** The badge of the state of a job. */
import type { JobLine, JobState } from '../api/answers.ts';
import { Icon, type IconName } from './icon.tsx';

/** Tone, label and icon of each state; a running job has a spinner instead of an icon. */
const looks: Readonly<
  Record<JobState, { readonly tone: string; readonly words: string; readonly icon: IconName | null }>
> = {
  available: { tone: '', words: 'Queued', icon: 'clock' },
  running: { tone: 'run', words: 'Running', icon: null },
  completed: { tone: 'ok', words: 'Completed', icon: 'check' },
  failed: { tone: 'bad', words: 'Failed', icon: 'cross' },
  cancelled: { tone: 'wait', words: 'Cancelled', icon: 'stop' },
};

/** An icon and a word, never a colour alone. A running job with a requested cancel is "Cancelling". */
export function StateBadge({
  state,
  cancel_requested = false,
}: Pick<JobLine, 'state'> & { readonly cancel_requested?: boolean }) {
  const { tone, words, icon } = looks[state];
  const isStopping = state === 'running' && cancel_requested;
  return (
    <span className={`badge ${tone}`}>
      {icon === null ? <span className="spin" aria-hidden="true" /> : <Icon name={icon} />}
      {isStopping ? 'Cancelling' : words}
    </span>
  );
}
