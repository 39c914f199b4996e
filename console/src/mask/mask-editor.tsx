/** The mask editor: paints over a picture what a model is to repaint. Loaded when it is first opened. */
import { type KeyboardEvent, useEffect, useState } from 'react';
import { MaskCanvas } from './mask-canvas.tsx';
import { MaskToolbar } from './mask-toolbar.tsx';
import { asAreas, asPng, drawMask, type Operation } from './operations.ts';
import { maxBrush, minBrush, readTools, type Tools, useSavedTools } from './tools.ts';
import { useOperations } from './use-operations.ts';

/** A finished mask: polygons as coordinates, anything painted as a black and white picture. */
export type MaskMade =
  | { readonly kind: 'areas'; readonly areas: readonly unknown[] }
  | { readonly kind: 'picture'; readonly png: Blob };

/** The picture to paint over, and what happens at the end. */
interface EditorProps {
  /** Of the picture; a file of this gateway. */
  readonly address: string;
  readonly done: (made: MaskMade) => void;
  readonly leave: () => void;
}

/** Brush, eraser and polygon over a picture; every step can be undone. */
export default function MaskEditor({ address, done, leave }: EditorProps) {
  const picture = usePicture(address);
  const history = useOperations();
  const [tools, setTools] = useState<Tools>(readTools);
  useSavedTools(tools);

  function onKeyDown(event: KeyboardEvent) {
    // The Command key of a Mac is `metaKey`.
    const isCommand = event.ctrlKey || event.metaKey;
    if (isCommand && event.key.toLowerCase() === 'z') {
      event.preventDefault();
      if (event.shiftKey) history.redo();
      else history.undo();
    }
    // The keys of other editors; the steps are fine enough for a brush of 400 pixels.
    if (event.key === '[') setTools({ ...tools, size: Math.max(minBrush, tools.size - 8) });
    if (event.key === ']') setTools({ ...tools, size: Math.min(maxBrush, tools.size + 8) });
  }

  if (!picture) return <p className="soft">Loading the picture …</p>;
  const finish = async () => done(await maskOf(history.operations, picture));
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: shortcuts beside the buttons.
    <div className="stack tight" onKeyDown={onKeyDown}>
      <MaskToolbar tools={tools} setTools={setTools} history={history} />
      <MaskCanvas picture={picture} operations={history.operations} tools={tools} add={history.add} />
      <p className="small soft">
        <kbd>[</kbd> <kbd>]</kbd> size · <kbd>Ctrl Z</kbd> undo · wheel zooms · drag with <kbd>Space</kbd>{' '}
        moves. A polygon is closed by a click on its first corner. Corners can be typed in the form, too,
        under Areas.
      </p>
      <div className="dialog-actions">
        <button type="button" className="button" onClick={leave}>
          Cancel
        </button>
        <button
          type="button"
          className="button main"
          disabled={history.operations.length === 0}
          onClick={() => void finish()}
        >
          Use this mask
        </button>
      </div>
    </div>
  );
}

/** Null until the picture is loaded. */
function usePicture(address: string): HTMLImageElement | null {
  const [picture, setPicture] = useState<HTMLImageElement | null>(null);
  useEffect(() => {
    const image = new Image();
    image.onload = () => setPicture(image);
    image.src = address;
  }, [address]);
  return picture;
}

/** Polygons stay coordinates, which are exact; everything else becomes a picture. */
async function maskOf(operations: readonly Operation[], picture: HTMLImageElement): Promise<MaskMade> {
  const size = { width: picture.naturalWidth, height: picture.naturalHeight };
  const areas = asAreas(operations, size);
  // Null as soon as a stroke was painted: only polygons have coordinates.
  if (areas) return { kind: 'areas', areas };
  const sheet = document.createElement('canvas');
  sheet.width = size.width;
  sheet.height = size.height;
  drawMask(sheet, operations);
  return { kind: 'picture', png: await asPng(sheet) };
}
