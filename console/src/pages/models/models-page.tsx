import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ModelLine } from '../../api/answers.ts';
import { modelsQuery } from '../../api/queries.ts';
import { formatCost, formatDuration } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { Empty, Loaded, PageHead } from '../../components/page-states.tsx';
import { Switcher } from '../../components/switcher.tsx';

const kinds = ['All', 'video', 'image', 'speech'] as const;

/** Every model that is served, by what it makes. */
export function ModelsPage({ title = 'Models' }: { readonly title?: string }) {
  const query = useQuery(modelsQuery);
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
      <Loaded query={query} what="the models">
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

/** What it takes, how long half of its runs and nearly all of them took, and what it costs. */
function factsOf({ takes, run_ms, price, currency }: ModelLine): readonly string[] {
  return [
    ...(takes.length > 0 ? [`Takes ${takes.join(', ')}`] : []),
    ...(run_ms
      ? [`runs ${formatDuration(run_ms.p50)}, at most ${formatDuration(run_ms.p95)} as a rule`]
      : []),
    ...Object.entries(price ?? {}).map(
      ([unit, amount]) => `${formatCost({ amount, currency: currency ?? '' })} per ${unit.replace('_', ' ')}`,
    ),
  ];
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
        <span className="small soft">{factsOf(model).join(' · ')}</span>
      </span>
    </Link>
  );
}
