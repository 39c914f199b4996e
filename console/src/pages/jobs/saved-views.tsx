/** Views of the list of jobs: those that everybody has, and those that a person saved in this browser. */
import { useState } from 'react';
import type { JobFilter } from '../../api/queries.ts';
import { Dialog } from '../../components/dialog.tsx';
import type { Explorer } from './use-explorer.ts';

/** A filter with its name. */
interface SavedView {
  readonly name: string;
  readonly filter: JobFilter;
}

const common: readonly SavedView[] = [
  { name: 'All', filter: {} },
  { name: 'Running', filter: { state: 'running' } },
  { name: 'Failed in 24 h', filter: { state: 'failed', within: '24h' } },
];
/** Where the browser keeps them, and how many. */
const storageKey = 'atelier-job-views';
const most = 20;
const longestName = 40;

/** A row of views; the one that is shown is pressed. */
export function SavedViews({ explorer }: { readonly explorer: Explorer }) {
  const [saved, setSaved] = useState(readViews);
  const [isNaming, setNaming] = useState(false);
  const shown = textOf(explorer.filter);
  const keep = (views: readonly SavedView[]) => {
    setSaved(views);
    writeViews(views);
  };
  const isKnown = [...common, ...saved].some(({ filter }) => textOf(filter) === shown);
  return (
    <div className="chips views">
      {[...common, ...saved].map(({ name, filter }) => (
        <button
          key={name}
          type="button"
          className="chip"
          aria-pressed={textOf(filter) === shown}
          onClick={() => explorer.show(filter)}
        >
          <span className="cut">{name}</span>
        </button>
      ))}
      {!isKnown && saved.length < most && (
        <button type="button" className="button slim" onClick={() => setNaming(true)}>
          Save view
        </button>
      )}
      {saved.some(({ filter }) => textOf(filter) === shown) && (
        <button
          type="button"
          className="button slim quiet"
          onClick={() => keep(saved.filter(({ filter }) => textOf(filter) !== shown))}
        >
          Forget this view
        </button>
      )}
      {isNaming && (
        <NameDialog
          close={() => setNaming(false)}
          save={name =>
            keep([...saved.filter(view => view.name !== name), { name, filter: explorer.filter }])
          }
        />
      )}
    </div>
  );
}

function NameDialog({ close, save }: { readonly close: () => void; readonly save: (name: string) => void }) {
  const [name, setName] = useState('');
  const isTaken = common.some(view => view.name === name.trim());
  return (
    <Dialog title="Save this view" isOpen close={close}>
      <form
        className="stack"
        onSubmit={event => {
          event.preventDefault();
          save(name.trim());
          close();
        }}
      >
        <p className="soft">It stays in this browser, for whoever uses it.</p>
        <label className="stack tight">
          Name of the view
          <input
            className="input"
            maxLength={longestName}
            value={name}
            onChange={event => setName(event.target.value)}
          />
        </label>
        <div className="dialog-actions">
          <button type="submit" className="button main" disabled={name.trim() === '' || isTaken}>
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Equal for equal filters. */
const textOf = (filter: JobFilter): string => JSON.stringify(Object.entries(filter).sort());

/** None where the browser keeps nothing, or keeps something else under this name. */
function readViews(): readonly SavedView[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isView).slice(0, most) : [];
  } catch {
    return [];
  }
}

const isView = (value: unknown): value is SavedView =>
  typeof value === 'object' &&
  value !== null &&
  typeof Reflect.get(value, 'name') === 'string' &&
  typeof Reflect.get(value, 'filter') === 'object' &&
  Reflect.get(value, 'filter') !== null;

/** A browser that keeps nothing has its views until the page is left. */
function writeViews(views: readonly SavedView[]): void {
  try {
    localStorage.setItem(storageKey, JSON.stringify(views));
  } catch {
    // The storage is full, or forbidden.
  }
}
