/** The page of models: every model that is served, with a search. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ModelLine } from '../../api/answers.ts';
import { modelsQuery } from '../../api/queries.ts';
import { formatCost, formatDuration } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { Empty, Loaded, PageHead } from '../../components/page-states.tsx';
import { Switcher } from '../../components/switcher.tsx';

/** What a model makes; `All` is of this page alone. */
const kinds = ['All', 'video', 'image', 'speech'] as const;

/** Filtered by kind and by words of id, title and summary. */
export function ModelsPage({ title = 'Models' }: { readonly title?: string }) {
  const query = useQuery(modelsQuery);
  const [kind, setKind] = useState<(typeof kinds)[number]>('All');
  const [words, setWords] = useState('');
  // Words are searched as one text, without case; the catalog is small enough to filter here.
  const fits = (model: ModelLine) =>
    (kind === 'All' || model.kind === kind) &&
    `${model.id} ${model.title} ${model.summary}`.toLowerCase().includes(words.trim().toLowerCase());
  return (
    <>
      <PageHead title={title} says="Choose a model to open it in the playground.">
        <input
          className="input find-model"
          aria-label="Find a model"
          placeholder="Find a model"
          value={words}
          onChange={event => setWords(event.target.value)}
        />
        <Switcher label="Kind" options={kinds} value={kind} choose={setKind} />
      </PageHead>
      <Loaded query={query} what="the models">
        {({ data }) => {
          const shown = data.filter(fits);
          if (shown.length === 0)
            return <Empty title="No model fits">Try other words, or another kind.</Empty>;
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

/** Accepted media, median and 95th percentile of the run time, and prices. */
function factsOf({ takes, run_ms, price, currency }: ModelLine): readonly string[] {
  return [
    ...(takes.length > 0 ? [`Takes ${takes.join(', ')}`] : []),
    ...(run_ms ? [`runs ${formatDuration(run_ms.p50)} (p95 ${formatDuration(run_ms.p95)})`] : []),
    ...(price ?? []).flatMap(({ when, units }) =>
      Object.entries(units).map(([unit, amount]) =>
        [
          `${formatCost({ amount, currency: currency ?? '' })} per ${unit.replace('_', ' ')}`,
          ...Object.entries(when).map(([field, value]) => `${field} ${value}`),
        ].join(', '),
      ),
    ),
  ];
}

/** A link to the playground with the facts that decide between models. */
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
        <span className="small soft">{factsOf(model).join(' · ')}</span>
      </span>
    </Link>
  );
}
