/** Short messages in the corner of the page. Their list lives outside React, so any code can add one. */
import { useSyncExternalStore } from 'react';

/** A message at the edge of the page. */
interface Toast {
  readonly id: number;
  readonly words: string;
  /** A failure, shown in red. */
  readonly isBad: boolean;
}

/** Long enough for a sentence; a failure is also shown where it happened. */
const shownMs = 6_000;
/** The visible messages, the oldest first; at most four. */
let toasts: readonly Toast[] = [];
/** Numbers of messages, which React needs to know them apart. */
let made = 0;
/** Outside of React's tree, so that any module can show a message. */
const listeners = new Set<() => void>();

/** Shows a message for six seconds; screen readers announce it. */
export function toast(words: string, { isBad = false }: { readonly isBad?: boolean } = {}): void {
  const id = ++made;
  change([...toasts.slice(-3), { id, words, isBad }]);
  setTimeout(() => change(toasts.filter(shown => shown.id !== id)), shownMs);
}

/** Shows the message of an error. */
export const toastFailure = (failure: unknown): void =>
  toast(failure instanceof Error ? failure.message : String(failure), { isBad: true });

/** Replaces the list and notifies the component. */
function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

/** For React: returns how to end the subscription. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The messages that are visible; mounted once, by the shell. */
export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map(({ id, words, isBad }) => (
        <div key={id} className={isBad ? 'toast bad' : 'toast'}>
          {words}
        </div>
      ))}
    </div>
  );
}
