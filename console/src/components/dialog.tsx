/** Modal dialogs: any content, and the confirmation of an irreversible act. */
import { Dialog as Base } from '@base-ui/react/dialog';
import { type ReactNode, useId, useState } from 'react';

/** Traps the focus, closes on Escape, and returns the focus to where it was. */
export function Dialog({
  title,
  isOpen,
  close,
  isWide = false,
  children,
}: {
  readonly title: string;
  readonly isOpen: boolean;
  readonly close: () => void;
  /** For tiles and long texts. */
  readonly isWide?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <Base.Root open={isOpen} onOpenChange={open => !open && close()}>
      <Base.Portal>
        <Base.Backdrop className="veil" />
        <Base.Popup className={isWide ? 'dialog wide' : 'dialog'}>
          <Base.Title render={<h2>{title}</h2>} />
          {children}
          {/* Last, so that the focus begins at the content. */}
          <Base.Close className="dialog-close" aria-label="Dismiss">
            ×
          </Base.Close>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** The confirmation of an act that cannot be undone. `typed` is a text that has to be typed first. */
export function Confirm({
  title,
  says,
  action,
  typed,
  isOpen,
  close,
  confirm,
}: {
  readonly title: string;
  /** What will happen. */
  readonly says: string;
  /** The label of the button that does it. */
  readonly action: string;
  /** Absent: nothing has to be typed. */
  readonly typed?: string;
  readonly isOpen: boolean;
  readonly close: () => void;
  readonly confirm: () => void;
}) {
  const id = useId();
  const [written, setWritten] = useState('');
  // Compared as it stands, but for the space around it.
  const isReady = typed === undefined || written.trim() === typed;
  return (
    <Dialog title={title} isOpen={isOpen} close={close}>
      <p>{says}</p>
      {typed !== undefined && (
        <div className="field-line">
          <label htmlFor={id}>Type {typed} to confirm</label>
          <input
            id={id}
            className="input"
            value={written}
            onChange={event => setWritten(event.target.value)}
          />
        </div>
      )}
      <div className="dialog-actions">
        <button type="button" className="button" onClick={close}>
          Cancel
        </button>
        <button
          type="button"
          className="button danger"
          disabled={!isReady}
          onClick={() => {
            confirm();
            close();
          }}
        >
          {action}
        </button>
      </div>
    </Dialog>
  );
}
