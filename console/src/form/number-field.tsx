/** Numbers: a slider where both bounds are known, and a field to type in. */
import { useId } from 'react';
import { useFault } from './faults.ts';
import { described, FieldFrame, type FieldProps } from './field-frame.tsx';
import { simple, titleOf } from './input-value.ts';
import { randomSeed } from './random-seed.ts';

/** With `special`, a chip sets that value instead of a number; with the widget `seed`, a chip draws one. */
export function NumberField(props: FieldProps) {
  const id = useId();
  const { path, value, change } = props;
  const schema = simple(props.schema);
  const { minimum, maximum, special, unit } = schema;
  const hasSlider = schema.widget === 'slider' && minimum !== undefined && maximum !== undefined;
  const isSpecial = special !== undefined && value === special;
  const ghost = typeof schema.default === 'number' ? schema.default : undefined;
  // `any` allows decimals.
  const step = schema.type === 'integer' ? 1 : 'any';
  const shown = typeof value === 'number' || typeof value === 'string' ? value : '';
  const take = (text: string) => {
    const number = text === '' ? Number.NaN : Number(text);
    change(Number.isNaN(number) ? undefined : number);
  };
  const word = titleOf(schema, String(path.at(-1)));
  return (
    <FieldFrame field={props} id={id}>
      <div className="number-line">
        {hasSlider && (
          <input
            type="range"
            aria-label={`${word}, as a slider`}
            min={minimum}
            max={maximum}
            step={step === 1 ? 1 : (maximum - minimum) / 100}
            disabled={isSpecial}
            data-untouched={value === undefined}
            style={{ backgroundSize: `${shareOf(Number(value ?? minimum), minimum, maximum)}% 100%` }}
            value={isSpecial ? minimum : Number(value ?? ghost ?? minimum)}
            onChange={event => take(trimmed(event.target.value))}
          />
        )}
        <input
          {...described(id, props, useFault(path))}
          className={hasSlider ? 'input narrow' : 'input'}
          type="number"
          min={special === undefined ? minimum : undefined}
          max={maximum}
          step={step}
          value={isSpecial ? '' : shown}
          placeholder={isSpecial ? 'auto' : rangeInWords(ghost, hasSlider ? {} : { minimum, maximum })}
          onChange={event => take(event.target.value)}
        />
        {unit && <span className="soft small">{unit}</span>}
        {special !== undefined && (
          <button
            type="button"
            className="chip"
            aria-pressed={isSpecial}
            onClick={() => change(isSpecial ? undefined : special)}
          >
            Auto
          </button>
        )}
        {schema.widget === 'seed' && (
          <button type="button" className="chip" onClick={() => change(randomSeed(minimum, maximum))}>
            Draw one
          </button>
        )}
      </div>
    </FieldFrame>
  );
}

/** The position of a value in its range, in percent. */
const shareOf = (value: number, least: number, most: number): number =>
  Math.max(0, Math.min(100, (100 * (value - least)) / (most - least)));

/** A slider moves in hundredths of its range: two decimals are enough. */
const trimmed = (text: string): string => String(Number(Number(text).toFixed(2)));

/** The placeholder: the default, else the bounds; a bound of a million is none for a person. */
function rangeInWords(
  ghost: number | undefined,
  { minimum, maximum }: { readonly minimum?: number | undefined; readonly maximum?: number | undefined },
): string {
  if (ghost !== undefined) return String(ghost);
  if (minimum === undefined) return '';
  return maximum === undefined || maximum > 1_000_000 ? `from ${minimum}` : `${minimum} to ${maximum}`;
}
