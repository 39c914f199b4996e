import { useState } from 'react';
import { toast } from './toasts.tsx';

/** Puts a text into the clipboard and says so. */
export function CopyButton({
  text,
  what,
  words = 'Copy',
}: {
  readonly text: string;
  readonly what: string;
  readonly words?: string;
}) {
  const [isDone, setDone] = useState(false);
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setDone(true);
      setTimeout(() => setDone(false), 1_500);
    } catch {
      toast('The browser did not allow copying here. Select the text and copy it by hand.', { isBad: true });
    }
  }
  return (
    <button type="button" className="button slim" onClick={copy} aria-label={`${words}: ${what}`}>
      {isDone ? 'Copied' : words}
    </button>
  );
}
