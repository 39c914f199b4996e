import { useId } from 'react';
import { useFault } from './faults.ts';
import { described, FieldFrame, type FieldParts } from './field-frame.tsx';
import { simple, titleOf } from './input-value.ts';
import { SizeGrid } from './size-grid.tsx';

/** Up to so many short words stand side by side; more, or longer ones, are a list to choose from. */
const mostChips = 7;
const mostLetters = 60;

export function ChoiceField(parts: FieldParts) {
  const { schema } = parts;
  const options = simple(schema).enum ?? [];
  if (schema.widget === 'size') return <SizeGrid {...parts} />;
  const isShort = options.length <= mostChips && options.join('').length <= mostLetters;
  return isShort ? <Chips {...parts} /> : <List {...parts} />;
}

const wordOf = (option: string | number): string => (option === '' ? 'empty' : String(option));

function Chips(parts: FieldParts) {
  const id = useId();
  const { schema, value, change } = parts;
  const options = simple(schema).enum ?? [];
  return (
    <FieldFrame parts={parts} id={id} isGroup>
      <div className="chips">
        {options.map(option => (
          <button
            key={option}
            type="button"
            className="chip"
            aria-pressed={value === option}
            data-default={value === undefined && schema.default === option}
            onClick={() => change(value === option ? undefined : option)}
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

function List(parts: FieldParts) {
  const id = useId();
  const { schema, path, value, change } = parts;
  const options = simple(schema).enum ?? [];
  const ghost =
    schema.default === undefined || schema.default === null ? 'not set' : `${schema.default} (default)`;
  return (
    <FieldFrame parts={parts} id={id}>
      <select
        {...described(id, parts, useFault(path))}
        className="input"
        data-untouched={value === undefined}
        value={value === undefined ? '' : `=${value}`}
        onChange={event => change(options.find(option => `=${option}` === event.target.value))}
      >
        <option value="">{ghost}</option>
        {options.map(option => (
          <option key={option} value={`=${option}`}>
            {wordOf(option)}
          </option>
        ))}
      </select>
    </FieldFrame>
  );
}

/** On or off; the default is shown until somebody says something. */
export function SwitchField(parts: FieldParts) {
  const id = useId();
  const { schema, path, value, change, isRequired } = parts;
  const fault = useFault(path);
  const name = String(path.at(-1));
  const isOn = typeof value === 'boolean' ? value : schema.default === true;
  return (
    <div className="field switch" data-fault={fault !== undefined}>
      <div className="field-head">
        <label className="switch-label" htmlFor={id}>
          <input
            {...described(id, parts, fault)}
            type="checkbox"
            checked={isOn}
            data-untouched={value === undefined}
            onChange={event => change(event.target.checked)}
          />
          <span className="label">{titleOf(schema, name)}</span>
        </label>
        <span className="field-tools">
          {value !== undefined && !isRequired && (
            <button
              type="button"
              className="reset"
              onClick={() => change(undefined)}
              aria-label={`Reset ${titleOf(schema, name)}`}
            >
              reset
            </button>
          )}
          <code className="soft">{name}</code>
        </span>
      </div>
      {schema.description && (
        <p id={`${id}-says`} className="small soft">
          {schema.description}
        </p>
      )}
      {fault !== undefined && (
        <p id={`${id}-fault`} className="fault">
          {fault}
        </p>
      )}
    </div>
  );
}
