/** A button that copies a text to the clipboard. */
import { useState } from 'react';
import { toast } from './toasts.tsx';

/** Copies `text`; `what` names it for screen readers. Shows "Copied" for a moment, or a toast where it failed. */
export function CopyButton({
  text,
  what,
  words = 'Copy',
}: {
  readonly text: string;
  /** Names the text for screen readers, as "the request_id". */
  readonly what: string;
  /** The label; "Copy" unless given. */
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
