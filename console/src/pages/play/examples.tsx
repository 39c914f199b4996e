/** The examples of a model that can be run as they are. */
import type { ModelDetail } from '../../api/answers.ts';
import { isMembers, type Members } from '../../form/input-value.ts';

/** The host of placeholder addresses: nothing is there. */
const standIn = /^https:\/\/files\.test\//;

/** Examples without placeholders; `take` receives the input. */
export function Examples({
  model,
  take,
}: {
  readonly model: ModelDetail;
  readonly take: (input: Members) => void;
}) {
  const runnable = model.examples.filter(isMembers).filter(example => !hasStandIn(example));
  if (runnable.length === 0) return null;
  return (
    <div className="row wrap examples">
      <span className="small soft">Examples</span>
      {runnable.map((example, index) => (
        <button key={JSON.stringify(example)} type="button" className="chip" onClick={() => take(example)}>
          {index + 1}
          <span className="visually-hidden"> of the examples</span>
        </button>
      ))}
    </div>
  );
}

/** A placeholder address, or the id of a job that exists in no installation. */
function hasStandIn(value: unknown): boolean {
  if (typeof value === 'string') return standIn.test(value) || value.startsWith('019e0000-0000-7000-8000');
  return typeof value === 'object' && value !== null && Object.values(value).some(hasStandIn);
}
