/** The playground's first page: every model that is served, each with an example, what it usually takes and costs. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ModelLine } from '../../api/answers.ts';
import { modelsQuery } from '../../api/queries.ts';
import { ExampleLoop, ExampleThumbnail } from '../../components/example-view.tsx';
import { formatCost } from '../../components/format.ts';
import { Empty, Loaded, PageHead } from '../../components/page-states.tsx';
import { Switcher } from '../../components/switcher.tsx';
import { usualWords } from '../../components/usual.ts';

const route = getRouteApi('/play');

/** What a model makes; `All` is of this page alone. */
const kinds = ['All', 'video', 'image', 'speech'] as const;

/** Filtered by kind, which is in the address, and by words of id, title and summary. */
export function ModelsPage() {
  const query = useQuery(modelsQuery);
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const kind = kinds.find(one => one === search.kind) ?? 'All';
  const [words, setWords] = useState('');
  // Words are searched as one text, without case; the catalog is small enough to filter here.
  const fits = (model: ModelLine) =>
    (kind === 'All' || model.kind === kind) &&
    `${model.id} ${model.title} ${model.summary}`.toLowerCase().includes(words.trim().toLowerCase());
  return (
    <>
      <PageHead title="Playground" says="Choose a model. Each opens with an example that runs as it stands.">
        <input
          className="input find-model"
          type="search"
          aria-label="Find a model"
          placeholder="Find a model"
          value={words}
          onChange={event => setWords(event.target.value)}
        />
        <Switcher
          label="Kind"
          options={kinds}
          value={kind}
          choose={one => void navigate({ search: one === 'All' ? {} : { kind: one }, replace: true })}
        />
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

/** Accepted media, and prices by tier. */
function factsOf({ takes, price, currency }: ModelLine): readonly string[] {
  return [
    ...(takes.length > 0 ? [`Takes ${takes.map(kindWord).join(', ')}`] : []),
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

/** `job` stands for a picture that is named by its job. */
const kindWord = (kind: string): string => (kind === 'job' ? 'an earlier picture' : kind);

/** A link to the page of the model with what decides between models. */
function ModelCard({ model }: { readonly model: ModelLine }) {
  const [isOver, setOver] = useState(false);
  const usual = usualWords(model);
  return (
    <Link
      to="/play/$model"
      params={{ model: model.id }}
      className="card model-card"
      onMouseEnter={() => setOver(true)}
      onMouseLeave={() => setOver(false)}
    >
      <span className="example-frame">
        <ExampleThumbnail model={model} />
        {isOver && <ExampleLoop model={model.id} />}
        <span className="badge kind-badge">{model.kind}</span>
      </span>
      <span className="model-words">
        <strong>{model.title}</strong>
        {usual !== '' && <span className="small number">{usual}</span>}
        <span className="small soft">{model.summary}</span>
        <span className="small soft">{factsOf(model).join(' · ')}</span>
        <code className="small soft cut">{model.id}</code>
      </span>
    </Link>
  );
}
