/** The head of a model's page: its title, what it usually takes and costs, its id, and the switch to JSON. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ModelDetail } from '../../api/answers.ts';
import { modelsQuery } from '../../api/queries.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { Switcher } from '../../components/switcher.tsx';
import { usualWords } from '../../components/usual.ts';

/** The same input in both views; a switch loses nothing. */
export type View = 'Form' | 'JSON';

/** Above the form. */
export function PlayHead({
  model,
  view,
  setView,
}: {
  readonly model: ModelDetail;
  readonly view: View;
  readonly setView: (view: View) => void;
}) {
  const line = useQuery(modelsQuery).data?.data.find(({ id }) => id === model.id);
  const usual = line ? usualWords(line) : '';
  return (
    <header className="play-head">
      <div className="row wrap">
        <h1 className="grow">{model.title}</h1>
        <Link to="/play" className="button slim">
          All models
        </Link>
        <Switcher label="How the input is shown" options={['Form', 'JSON']} value={view} choose={setView} />
      </div>
      <p className="soft">{model.summary}</p>
      <p className="row wrap small">
        <code className="anywhere">{model.id}</code>
        <CopyButton text={model.id} what="the model id" />
        {usual !== '' && <span className="badge accent number">{usual}</span>}
      </p>
    </header>
  );
}
