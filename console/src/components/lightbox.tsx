/** Results over the whole screen, one at a time; the arrow keys lead from one to the next. */
import { Dialog as Base } from '@base-ui/react/dialog';
import type { KeyboardEvent } from 'react';
import type { Output } from '../api/answers.ts';
import { fileAddress } from '../api/call-api.ts';
import { LoopingVideo } from './players.tsx';

/** Pictures and videos; others are heard or read, not seen. */
export const isSeen = ({ mime_type }: Pick<Output, 'mime_type'>): boolean =>
  /^(?:image|video)\//.test(mime_type);

/** `at` is the file that is shown; null closes it. */
export function Lightbox({
  outputs,
  at,
  go,
}: {
  readonly outputs: readonly Output[];
  readonly at: number | null;
  readonly go: (at: number | null) => void;
}) {
  const shown = at === null ? undefined : outputs[at];
  if (at === null || shown === undefined) return null;
  const step = (by: number) => go((at + by + outputs.length) % outputs.length);
  function onKeyDown(event: KeyboardEvent) {
    // A player of its own uses the arrows to seek: they lead on from pictures alone.
    if (event.target instanceof HTMLVideoElement) return;
    if (event.key === 'ArrowRight') step(1);
    if (event.key === 'ArrowLeft') step(-1);
  }
  const address = fileAddress(shown.url);
  return (
    <Base.Root open onOpenChange={open => !open && go(null)}>
      <Base.Portal>
        <Base.Backdrop className="veil dark" />
        <Base.Popup className="lightbox" onKeyDown={onKeyDown}>
          <Base.Title className="visually-hidden">{shown.file_name}</Base.Title>
          {shown.mime_type.startsWith('video/') ? (
            <LoopingVideo address={address} name={shown.file_name} />
          ) : (
            <img src={address} alt={shown.file_name} />
          )}
          <div className="lightbox-bar">
            {outputs.length > 1 && (
              <>
                <button type="button" className="button slim" onClick={() => step(-1)}>
                  Previous
                </button>
                <span className="number small">
                  {at + 1} of {outputs.length}
                </span>
                <button type="button" className="button slim" onClick={() => step(1)}>
                  Next
                </button>
              </>
            )}
            <a className="button slim" href={address} download={shown.file_name}>
              Download
            </a>
            <Base.Close className="button slim">Close</Base.Close>
          </div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
