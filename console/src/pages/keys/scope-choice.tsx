/** The scopes that a key is limited to. */

/** Scopes of keys, as the API names them. */
const scopes = ['jobs:create', 'jobs:read', 'files', 'webhook-secret'] as const;

/** A controlled choice of scopes. */
interface ChoiceProps {
  /** Null: not limited to scopes. */
  readonly chosen: readonly string[] | null;
  readonly choose: (scopes: readonly string[] | null) => void;
  /** Whether the key is limited to models, which takes the webhook secret from it. */
  readonly isOfSomeModels: boolean;
}

/** Chips, one for each scope; with none chosen the key is not limited. */
export function ScopeChoice({ chosen, choose, isOfSomeModels }: ChoiceProps) {
  const toggle = (scope: string) => {
    const before = chosen ?? [];
    const next = before.includes(scope) ? before.filter(other => other !== scope) : [...before, scope];
    choose(next.length === 0 ? null : next);
  };
  return (
    <fieldset className="field">
      <legend className="label">Scopes</legend>
      <p className="small soft">{scopeText(chosen, isOfSomeModels)}</p>
      <div className="chips">
        {scopes.map(scope => (
          <button
            key={scope}
            type="button"
            className="chip"
            aria-pressed={chosen?.includes(scope) ?? false}
            onClick={() => toggle(scope)}
          >
            {scope}
          </button>
        ))}
      </div>
    </fieldset>
  );
}

/** A key that is limited to models never gets the webhook secret, unless its scopes name it. */
function scopeText(chosen: readonly string[] | null, isOfSomeModels: boolean): string {
  if (chosen !== null) return `${chosen.length} allowed, and no other.`;
  if (isOfSomeModels)
    return 'All but webhook-secret, because the key is limited to models. Choose some to allow no other.';
  return 'All. Choose some to allow no other.';
}
