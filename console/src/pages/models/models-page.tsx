import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { modelsQuery } from '../../api/queries.ts';
import type { ModelLine } from '../../api/shapes.ts';
import { Icon } from '../../parts/icon.tsx';
import { Empty, Loaded, PageHead } from '../../parts/notes.tsx';
import { Switcher } from '../../parts/switcher.tsx';

const kinds = ['All', 'video', 'image', 'speech'] as const;

/** Every model that is served, by what it makes. */
export function ModelsPage({ title = 'Models' }: { readonly title?: string }) {
  const asked = useQuery(modelsQuery);
  const [kind, setKind] = useState<(typeof kinds)[number]>('All');
  const [words, setWords] = useState('');
  const fits = (model: ModelLine) =>
    (kind === 'All' || model.kind === kind) &&
    `${model.id} ${model.title} ${model.summary}`.toLowerCase().includes(words.trim().toLowerCase());
  return (
    <>
      <PageHead title={title} says="Choose what is to be made.">
        <input
          className="input find-model"
          aria-label="Find a model"
          placeholder="Find a model"
          value={words}
          onChange={event => setWords(event.target.value)}
        />
        <Switcher label="Kind" options={kinds} value={kind} choose={setKind} />
      </PageHead>
      <Loaded asked={asked} what="the models">
        {({ data }) => {
          const shown = data.filter(fits);
          if (shown.length === 0)
            return <Empty title="No model fits">Other words, or another kind, may.</Empty>;
          return (
            <ul className="model-cards">
              {shown.map(model => (
                <li key={model.id}>
                  <ModelCard model={model} />
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </>
  );
}

function ModelCard({ model }: { readonly model: ModelLine }) {
  return (
    <Link to="/play/$model" params={{ model: model.id }} className="card model-card">
      <span className={`kind ${model.kind}`}>
        <Icon name={model.kind} />
      </span>
      <span className="model-words">
        <strong>{model.title}</strong>
        <code className="soft">{model.id}</code>
        <span className="small soft">{model.summary}</span>
        {model.takes.length > 0 && <span className="small soft">Takes {model.takes.join(', ')}</span>}
      </span>
    </Link>
  );
}
