/** Fields with a fixed set of values: a switch, a row of chips, a list, a grid of sizes. */
import { useId } from 'react';
import { useFault } from './faults.ts';
import { described, FieldFrame, FieldNotes, type FieldProps, FieldTools, nameOf } from './field-frame.tsx';
import { simple, titleOf } from './input-value.ts';
import { SizeGrid } from './size-grid.tsx';

/** More options than this, or more letters in all of them, become a drop-down list. */
const maxChips = 7;
/** Letters of all options together, up to which chips fit in two lines. */
const maxChipLetters = 60;

/** One of a fixed set of values, shown as chips, as a list or as a grid of sizes. */
export function ChoiceField(props: FieldProps) {
  const { schema } = props;
  const options = simple(schema).enum ?? [];
  if (schema.widget === 'size') return <SizeGrid {...props} />;
  const isShort = options.length <= maxChips && options.join('').length <= maxChipLetters;
  return isShort ? <Chips {...props} /> : <List {...props} />;
}

/** An empty string is a value of its own and needs a label. */
const wordOf = (option: string | number): string => (option === '' ? 'empty' : String(option));

/** A press chooses; `reset` in the head of the field unsets it. */
function Chips(props: FieldProps) {
  const id = useId();
  const { schema, value, change } = props;
  const options = simple(schema).enum ?? [];
  return (
    <FieldFrame field={props} id={id} isGroup>
      <div className="chips">
        {options.map(option => (
          <button
            key={option}
            type="button"
            className="chip"
            aria-pressed={value === option}
            data-default={value === undefined && schema.default === option}
            onClick={() => change(option)}
          >
            {wordOf(option)}
            {value === undefined && schema.default === option && (
              <span className="visually-hidden"> (default)</span>
            )}
          </button>
        ))}
        {schema.unit && <span className="soft small">{schema.unit}</span>}
      </div>
    </FieldFrame>
  );
}

/** Values have a prefix in the DOM, so that an empty string differs from "not set". */
function List(props: FieldProps) {
  const id = useId();
  const { schema, path, value, change } = props;
  const options = simple(schema).enum ?? [];
  const placeholder =
    schema.default === undefined || schema.default === null ? 'not set' : `${schema.default} (default)`;
  return (
    <FieldFrame field={props} id={id}>
      <select
        {...described(id, props, useFault(path))}
        className="input"
        data-untouched={value === undefined}
        value={value === undefined ? '' : `=${value}`}
        onChange={event => change(options.find(option => `=${option}` === event.target.value))}
      >
        <option value="">{placeholder}</option>
        {options.map(option => (
          <option key={option} value={`=${option}`}>
            {wordOf(option)}
          </option>
        ))}
      </select>
    </FieldFrame>
  );
}

/** On or off; an unset field shows its default. */
export function SwitchField(props: FieldProps) {
  const id = useId();
  const { schema, path, value, change } = props;
  const fault = useFault(path);
  // What is not set shows what will happen, and sends nothing.
  const isOn = typeof value === 'boolean' ? value : schema.default === true;
  return (
    <div className="field switch" data-fault={fault !== undefined}>
      <div className="field-head">
        <label className="switch-label" htmlFor={id}>
          <input
            {...described(id, props, fault)}
            type="checkbox"
            checked={isOn}
            data-untouched={value === undefined}
            onChange={event => change(event.target.checked)}
          />
          <span className="label">{titleOf(schema, nameOf(path))}</span>
        </label>
        <FieldTools field={props} />
      </div>
      <FieldNotes field={props} id={id} fault={fault} />
    </div>
  );
}
