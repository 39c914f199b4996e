/** The search dialog: pages, models, and jobs by any id. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useId, useState } from 'react';
import type { JobLine, ModelLine } from '../api/answers.ts';
import { jobsPage, modelsQuery } from '../api/queries.ts';
import { Dialog } from '../components/dialog.tsx';
import { shortId } from '../components/format.ts';
import { Icon, type IconName } from '../components/icon.tsx';
import { pageLinks } from './page-links.ts';

/** One line of the list. */
interface Found {
  readonly id: string;
  readonly icon: IconName;
  readonly words: string;
  readonly more: string;
  readonly go: () => void;
}

/** Jobs in the list of suggestions. */
const mostJobs = 6;
/** Shorter texts are not searched as an id. */
const shortestId = 3;

/** Pages and models are found by name, jobs by any id. */
export function Omnibox({ isOpen, close }: { readonly isOpen: boolean; readonly close: () => void }) {
  return (
    <Dialog title="Find" isOpen={isOpen} close={close}>
      <Finder close={close} />
    </Dialog>
  );
}

/** Arrow keys move the selection, Enter opens it. */
function Finder({ close }: { readonly close: () => void }) {
  const listId = useId();
  const [words, setWords] = useState('');
  // The place of the selection. The list may become shorter under it, so it is bounded where it is used.
  const [at, setAt] = useState(0);
  const found = useFound(words, close);
  const chosen = found[Math.min(at, found.length - 1)];

  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt(before => Math.max(0, Math.min(found.length - 1, before + step)));
    }
    if (event.key === 'Enter' && chosen) chosen.go();
  }

  return (
    <>
      <input
        className="input"
        role="combobox"
        aria-label="A page, a model, or an id of a job, a file or a key"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={chosen?.id}
        placeholder="A page, a model, or an id"
        value={words}
        onChange={event => {
          setWords(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={listId} className="omni-list" role="listbox" aria-label="Found">
        {found.map(one => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles the keys.
          <div
            key={one.id}
            id={one.id}
            role="option"
            tabIndex={-1}
            aria-selected={one === chosen}
            className="omni-option"
            onClick={one.go}
          >
            <Icon name={one.icon} />
            <span className="grow cut">{one.words}</span>
            <span className="small soft cut">{one.more}</span>
          </div>
        ))}
      </div>
      {found.length === 0 && <p className="soft">Nothing has this name or id.</p>}
    </>
  );
}

/** Jobs first, since an id is exact; then pages, then models. */
function useFound(words: string, close: () => void): readonly Found[] {
  const navigate = useNavigate();
  const models = useQuery(modelsQuery).data?.data ?? [];
  const searched = words.trim();
  const jobs = useQuery({
    queryKey: ['find', searched],
    queryFn: ({ signal }) => jobsPage({ q: searched }, null, signal, mostJobs),
    // Not for each letter of a page name: ids are longer.
    enabled: searched.length >= shortestId,
    staleTime: 10_000,
  });
  const fits = (text: string) => text.toLowerCase().includes(searched.toLowerCase());
  const ofPage = (place: (typeof pageLinks)[number]): Found => ({
    id: `find-${place.key}`,
    icon: place.icon,
    words: place.words,
    more: 'page',
    go: () => {
      close();
      void navigate({ to: place.to });
    },
  });
  const ofModel = (model: ModelLine): Found => ({
    id: `find-${model.id}`,
    icon: model.kind,
    words: model.id,
    more: model.title,
    go: () => {
      close();
      void navigate({ to: '/play/$model', params: { model: model.id } });
    },
  });
  const ofJob = (job: JobLine): Found => ({
    id: `find-${job.request_id}`,
    icon: 'jobs',
    words: job.prompt_start || job.model,
    more: shortId(job.request_id),
    go: () => {
      close();
      void navigate({ to: '/jobs/$jobId', params: { jobId: job.request_id } });
    },
  });
  return [
    ...(jobs.data?.data ?? []).map(ofJob),
    ...pageLinks.filter(({ words: name }) => fits(name)).map(ofPage),
    ...(searched === '' ? [] : models.filter(({ id, title }) => fits(id) || fits(title)).map(ofModel)),
    // A list to choose from at a glance; longer names and ids narrow it.
  ].slice(0, 14);
}
