/** The models that a key is limited to. */
import { useQuery } from '@tanstack/react-query';
import { modelsQuery } from '../../api/queries.ts';

/** A controlled choice of model ids. */
interface ChoiceProps {
  /** Null: every model, those of later releases too. */
  readonly chosen: readonly string[] | null;
  readonly choose: (models: readonly string[] | null) => void;
}

/** Chips, one for each model; with none chosen the key is not limited. */
export function ModelChoice({ chosen, choose }: ChoiceProps) {
  const models = useQuery(modelsQuery).data?.data ?? [];
  // No model at all would be a key for nothing: it means every model.
  const toggle = (id: string) => {
    const before = chosen ?? [];
    const next = before.includes(id) ? before.filter(other => other !== id) : [...before, id];
    choose(next.length === 0 ? null : next);
  };
  return (
    <fieldset className="field">
      <legend className="label">Models</legend>
      <p className="small soft">
        {chosen === null ? 'All. Choose some to allow no other.' : `${chosen.length} allowed, and no other.`}
      </p>
      <div className="chips model-choice">
        {models.map(({ id }) => (
          <button
            key={id}
            type="button"
            className="chip"
            aria-pressed={chosen?.includes(id) ?? false}
            onClick={() => toggle(id)}
          >
            {id}
          </button>
        ))}
      </div>
    </fieldset>
  );
}
