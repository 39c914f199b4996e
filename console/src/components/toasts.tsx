import { useSyncExternalStore } from 'react';

interface Toast {
  readonly id: number;
  readonly words: string;
  readonly isBad: boolean;
}

const shownMs = 6_000;
let toasts: readonly Toast[] = [];
let made = 0;
const listeners = new Set<() => void>();

/** Says something for a few seconds; read out by screen readers. */
export function toast(words: string, { isBad = false }: { readonly isBad?: boolean } = {}): void {
  const id = ++made;
  change([...toasts.slice(-3), { id, words, isBad }]);
  setTimeout(() => change(toasts.filter(shown => shown.id !== id)), shownMs);
}

export const toastFailure = (failure: unknown): void =>
  toast(failure instanceof Error ? failure.message : String(failure), { isBad: true });

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

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
