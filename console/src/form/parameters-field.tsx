import type { FieldProps } from './field-frame.tsx';
import { LongTextField } from './text-fields.tsx';

/** What stands behind each chip; the number is one to begin with. */
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

/** A prompt that may end with parameters: chips write into the same words, and the words stay the truth. */
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
          Variants in braces and --repeat are billed one by one; Check tells how many.
        </p>
      )}
    </div>
  );
}

const nameOf = (chip: string): string => chip.split(' ')[0] ?? chip;

/** The parameter goes with its value, up to the next one. */
const without = (words: string, chip: string): string =>
  words.replace(new RegExp(`(?:^|\\s)${nameOf(chip)}(?:\\s+(?!--)[^\\s]+)*(?=\\s--|$)`), '');
