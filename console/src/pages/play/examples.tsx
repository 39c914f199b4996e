/** The examples of a model, each by the beginning of its words. */
import type { ReactNode } from 'react';
import type { ModelDetail } from '../../api/answers.ts';
import type { Schema } from '../../api/input-schema.ts';
import { isMembers } from '../../form/input-value.ts';
import { canRunHere } from './use-example.ts';

/** Characters of a label. */
const labelLength = 26;

/** A press fills the form; media of an example are samples. */
export function Examples({
  model,
  schema,
  isBusy,
  fill,
  children,
}: {
  readonly model: ModelDetail;
  readonly schema: Schema;
  readonly isBusy: boolean;
  readonly fill: (example: unknown) => void;
  /** More that fills in the form. */
  readonly children: ReactNode;
}) {
  const runnable = model.examples.filter(isMembers).filter(example => canRunHere(schema, example));
  return (
    <div className="row wrap examples">
      {runnable.length > 0 && <span className="small soft">{isBusy ? 'Filling in …' : 'Examples'}</span>}
      {runnable.map((example, index) => (
        <button
          key={JSON.stringify(example)}
          type="button"
          className="chip"
          disabled={isBusy}
          onClick={() => fill(example)}
        >
          {labelOf(example) ?? `Example ${index + 1}`}
        </button>
      ))}
      {children}
    </div>
  );
}

/** The beginning of the longest text that is no address and no word of a choice; undefined where there is none. */
function labelOf(example: unknown): string | undefined {
  const texts = textsIn(example).filter(text => /\s/.test(text) || /\p{Script=Han}/u.test(text));
  const [longest] = texts.toSorted((a, b) => b.length - a.length);
  if (longest === undefined) return undefined;
  const words = [...longest.replace(/<#[\d.]+#>/g, ' ').replace(/\s+/g, ' ')];
  return words.length <= labelLength ? words.join('') : `${words.slice(0, labelLength).join('').trim()} …`;
}

/** Every text of a value, at any depth. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return /^https?:|^\{/.test(value) ? [] : [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
