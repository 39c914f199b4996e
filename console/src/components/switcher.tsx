/** A row of buttons of which one is pressed: tabs, filters, modes. */

/** `label` names the group; `options` are shown as they are. */
export function Switcher<const Option extends string>({
  label,
  options,
  value,
  choose,
}: {
  readonly label: string;
  readonly options: readonly Option[];
  /** The pressed one. */
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
