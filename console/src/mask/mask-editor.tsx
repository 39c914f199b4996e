import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Switcher } from '../parts/switcher.tsx';
import { MaskCanvas } from './mask-canvas.tsx';
import { asAreas, asPng, drawMask, type Operation } from './operations.ts';
import { readTools, type Tools, tints, useKeptTools } from './tools.ts';

/** What a mask becomes: polygons as they are, anything painted as a picture. */
export type MaskMade =
  | { readonly kind: 'areas'; readonly areas: readonly unknown[] }
  | { readonly kind: 'picture'; readonly png: Blob };

/** Paints what is to be repainted over a picture: brush, eraser and polygon, each step of which can be undone. */
export default function MaskEditor({
  address,
  done,
  leave,
}: {
  readonly address: string;
  readonly done: (made: MaskMade) => void;
  readonly leave: () => void;
}) {
  const [picture, setPicture] = useState<HTMLImageElement | null>(null);
  const [operations, setOperations] = useState<readonly Operation[]>([]);
  const [undone, setUndone] = useState<readonly Operation[]>([]);
  const [tools, setTools] = useState<Tools>(readTools);
  const mask = useRef<HTMLCanvasElement>(null);
  useKeptTools(tools);
  useEffect(() => {
    const image = new Image();
    image.onload = () => setPicture(image);
    image.src = address;
  }, [address]);

  const add = (operation: Operation) => {
    setOperations(before => [...before, operation]);
    setUndone([]);
  };
  const undo = () => {
    const last = operations.at(-1);
    if (!last) return;
    setOperations(operations.slice(0, -1));
    setUndone([...undone, last]);
  };
  const redo = () => {
    const next = undone.at(-1);
    if (!next) return;
    setOperations([...operations, next]);
    setUndone(undone.slice(0, -1));
  };
  function hear(event: KeyboardEvent) {
    const isCommand = event.ctrlKey || event.metaKey;
    if (isCommand && event.key.toLowerCase() === 'z') {
      event.preventDefault();
      if (event.shiftKey) redo();
      else undo();
    }
    if (event.key === '[') setTools({ ...tools, size: Math.max(4, tools.size - 8) });
    if (event.key === ']') setTools({ ...tools, size: Math.min(400, tools.size + 8) });
  }
  async function finish() {
    if (!picture) return;
    const size = { width: picture.naturalWidth, height: picture.naturalHeight };
    const areas = asAreas(operations, size);
    if (areas) return done({ kind: 'areas', areas });
    const sheet = mask.current ?? document.createElement('canvas');
    sheet.width = size.width;
    sheet.height = size.height;
    drawMask(sheet, operations);
    done({ kind: 'picture', png: await asPng(sheet) });
  }

  if (!picture) return <p className="soft">Loading the picture …</p>;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: shortcuts beside the buttons.
    <div className="stack tight" onKeyDown={hear}>
      <div className="row wrap">
        <Switcher
          label="Tool"
          options={['Brush', 'Eraser', 'Polygon']}
          value={tools.tool}
          choose={tool => setTools({ ...tools, tool })}
        />
        <label className="row small">
          Size
          <input
            type="range"
            min={4}
            max={400}
            value={tools.size}
            onChange={event => setTools({ ...tools, size: Number(event.target.value) })}
          />
          <span className="number">{tools.size} px</span>
        </label>
        <Switcher
          label="Colour of the mask"
          options={tints}
          value={tools.tint}
          choose={tint => setTools({ ...tools, tint })}
        />
        <button type="button" className="button slim" disabled={operations.length === 0} onClick={undo}>
          Undo
        </button>
        <button type="button" className="button slim" disabled={undone.length === 0} onClick={redo}>
          Redo
        </button>
        <button type="button" className="button slim" onClick={() => add({ kind: 'invert' })}>
          Invert
        </button>
        <button
          type="button"
          className="button slim"
          disabled={operations.length === 0}
          onClick={() => setOperations([])}
        >
          Clear
        </button>
      </div>
      <MaskCanvas picture={picture} operations={operations} tools={tools} add={add} />
      <p className="small soft">
        <kbd>[</kbd> <kbd>]</kbd> size · <kbd>Ctrl Z</kbd> undo · wheel zooms · drag with <kbd>Space</kbd>{' '}
        moves. A polygon is closed by a click on its first corner. Corners can be typed in the form, too,
        under Areas.
      </p>
      <div className="dialog-actions">
        <button type="button" className="button" onClick={leave}>
          Leave it
        </button>
        <button
          type="button"
          className="button main"
          disabled={operations.length === 0}
          onClick={() => void finish()}
        >
          Use this mask
        </button>
      </div>
    </div>
  );
}
