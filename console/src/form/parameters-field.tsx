/** The prompt of the beta models, with chips for the parameters that it may end with. */
import type { FieldProps } from './field-frame.tsx';
import { LongTextField } from './text-fields.tsx';

/** What each chip appends; the numbers are starting values. */
const chips = [
  '--ar 16:9',
  '--no text',
  '--seed 7',
  '--stylize 100',
  '--chaos 10',
  '--weird 100',
  '--repeat 2',
  '--tile',
];

/** Chips edit the text of the prompt; there is no second copy of the parameters. */
export function ParametersField(props: FieldProps) {
  const { value, change } = props;
  const words = value === undefined ? '' : String(value);
  const has = (chip: string) => new RegExp(`(?:^|\\s)${nameOf(chip)}(?=\\s|$)`).test(words);
  return (
    <div className="stack tight">
      <LongTextField {...props} />
      <fieldset className="chips">
        <legend className="visually-hidden">Parameters</legend>
        {chips.map(chip => (
          <button
            key={chip}
            type="button"
            className="chip mono"
            aria-pressed={has(chip)}
            onClick={() =>
              change((has(chip) ? without(words, chip) : `${words} ${chip}`).trim() || undefined)
            }
          >
            {chip}
          </button>
        ))}
      </fieldset>
      {/\{[^}]*,[^}]*\}|--(?:repeat|r) /.test(words) && (
        <p className="small soft">
          Variants in braces and --repeat are billed one by one; Check shows how many.
        </p>
      )}
    </div>
  );
}

/** The name of a parameter, without the value of its chip. */
const nameOf = (chip: string): string => chip.split(' ')[0] ?? chip;

/** Removes the parameter and its value, up to the next parameter. */
const without = (words: string, chip: string): string =>
  words.replace(new RegExp(`(?:^|\\s)${nameOf(chip)}(?:\\s+(?!--)[^\\s]+)*(?=\\s--|$)`), '');
