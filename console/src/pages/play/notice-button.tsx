/** A notice of the browser when a run ends, for a tab in the background. */
import { useEffect, useRef, useState } from 'react';
import type { JobDetail } from '../../api/answers.ts';
import { toast } from '../../components/toasts.tsx';

/** Wanted for every run from the first press on, in this browser. */
const storageKey = 'atelier.notice';

/** What the notice says of each end. */
const endWords: Readonly<Partial<Record<JobDetail['state'], string>>> = {
  completed: 'Done',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

/** A press asks the browser for its permission; nothing does before. */
export function NoticeButton({ job }: { readonly job: JobDetail }) {
  const [isOn, setOn] = useState(isWanted);
  useNotice(job, isOn);
  // A page without a secure context has no notices.
  if (job.completed_at !== null || !('Notification' in window) || isOn) return null;
  async function ask() {
    const answer = await Notification.requestPermission();
    if (answer !== 'granted') return toast('The browser allows no notices of this page.', { isBad: true });
    keepWanted();
    setOn(true);
    toast('You will be notified when a run ends while this tab is in the background.');
  }
  return (
    <button type="button" className="button slim" onClick={() => void ask()}>
      Notify me
    </button>
  );
}

/** Shows the notice once, when the job that was seen running has ended and the tab is hidden. */
function useNotice({ state, completed_at, model, prompt_start, request_id }: JobDetail, isOn: boolean): void {
  const wasRunning = useRef<string | null>(null);
  useEffect(() => {
    if (completed_at === null) wasRunning.current = request_id;
    else if (wasRunning.current === request_id) {
      wasRunning.current = null;
      if (isOn && document.hidden)
        new Notification(`${endWords[state] ?? state} · ${model}`, { body: prompt_start, tag: request_id });
    }
  }, [completed_at, isOn, model, prompt_start, request_id, state]);
}

/** Whether it was wanted before, and is still allowed. */
function isWanted(): boolean {
  try {
    return (
      'Notification' in window &&
      Notification.permission === 'granted' &&
      localStorage.getItem(storageKey) === 'on'
    );
  } catch {
    return false;
  }
}

function keepWanted(): void {
  try {
    localStorage.setItem(storageKey, 'on');
  } catch {
    // The storage is full or disabled: it is asked for again.
  }
}
