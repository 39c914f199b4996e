import { useId } from 'react';
import { useFault } from './faults.ts';
import { described, FieldFrame, type FieldProps } from './field-frame.tsx';
import { simple, titleOf } from './input-value.ts';

/** A number: a slider where both ends are known, and always a field to type it in. */
export function NumberField(props: FieldProps) {
  const id = useId();
  const { path, value, change } = props;
  const schema = simple(props.schema);
  const { minimum, maximum, special, unit } = schema;
  const hasSlider = schema.widget === 'slider' && minimum !== undefined && maximum !== undefined;
  const isSpecial = special !== undefined && value === special;
  const ghost = typeof schema.default === 'number' ? schema.default : undefined;
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

/** How far along its range a value is, in hundredths. */
const shareOf = (value: number, least: number, most: number): number =>
  Math.max(0, Math.min(100, (100 * (value - least)) / (most - least)));

/** A slider counts in hundredths: no more digits than anybody can mean. */
const trimmed = (text: string): string => String(Number(Number(text).toFixed(2)));

function rangeInWords(
  ghost: number | undefined,
  { minimum, maximum }: { readonly minimum?: number | undefined; readonly maximum?: number | undefined },
): string {
  if (ghost !== undefined) return String(ghost);
  if (minimum === undefined) return '';
  return maximum === undefined || maximum > 1_000_000 ? `from ${minimum}` : `${minimum} to ${maximum}`;
}

/** Another one each time; left out, the model draws its own. */
const randomSeed = (least = 0, most = 2 ** 31 - 1): number => {
  const [drawn = 0] = crypto.getRandomValues(new Uint32Array(1));
  return least + (drawn % (most - least + 1));
};
