/** The tools of the mask editor: tool, brush size, tint, undo and redo, invert, clear. */
import { Switcher } from '../components/switcher.tsx';
import { maxBrush, minBrush, type Tools, tints } from './tools.ts';
import type { OperationHistory } from './use-operations.ts';

/** The state of the editor, which the toolbar shows and changes. */
interface ToolbarProps {
  readonly tools: Tools;
  readonly setTools: (tools: Tools) => void;
  readonly history: OperationHistory;
}

/** The buttons have no shortcuts of their own; those are in the editor. */
export function MaskToolbar({ tools, setTools, history }: ToolbarProps) {
  return (
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
          min={minBrush}
          max={maxBrush}
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
      <HistoryButtons history={history} />
    </div>
  );
}

/** Steps back and forward, and acts on the whole mask. Inverting is a step of its own, so it can be undone. */
function HistoryButtons({ history }: Pick<ToolbarProps, 'history'>) {
  // Nothing to undo or to clear.
  const isEmpty = history.operations.length === 0;
  return (
    <>
      <button type="button" className="button slim" disabled={isEmpty} onClick={history.undo}>
        Undo
      </button>
      <button type="button" className="button slim" disabled={!history.canRedo} onClick={history.redo}>
        Redo
      </button>
      <button type="button" className="button slim" onClick={() => history.add({ kind: 'invert' })}>
        Invert
      </button>
      <button type="button" className="button slim" disabled={isEmpty} onClick={history.clear}>
        Clear
      </button>
    </>
  );
}
