/** A few views of one thing, of which one is shown. */
export function Switcher<const Option extends string>({
  label,
  options,
  value,
  choose,
}: {
  readonly label: string;
  readonly options: readonly Option[];
  readonly value: Option;
  readonly choose: (option: Option) => void;
}) {
  return (
    <fieldset className="switcher" aria-label={label}>
      {options.map(option => (
        <button key={option} type="button" aria-pressed={option === value} onClick={() => choose(option)}>
          {option}
        </button>
      ))}
    </fieldset>
  );
}
