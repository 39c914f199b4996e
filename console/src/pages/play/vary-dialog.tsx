/** Runs one input several times, each with another value of one field. */
import { useId, useState } from 'react';
import type { Schema } from '../../api/input-schema.ts';
import { Dialog } from '../../components/dialog.tsx';
import { counted } from '../../components/format.ts';
import { isMembers, type Members, pathText, withValueAt } from '../../form/input-value.ts';
import { readValues, type Value, variableFields } from './variable-fields.ts';

/** Runs of one press: as many as can be compared side by side. */
const mostRuns = 4;

/** `run` receives the inputs, which differ in one field. */
export function VaryDialog({
  schema,
  input,
  close,
  run,
}: {
  readonly schema: Schema;
  readonly input: Members;
  readonly close: () => void;
  readonly run: (inputs: readonly Members[]) => void;
}) {
  const id = useId();
  const fields = variableFields(schema);
  const [name, setName] = useState(() => (fields[0] ? pathText(fields[0].path) : ''));
  const [chosen, setChosen] = useState<readonly Value[]>([]);
  const [text, setText] = useState('');
  const field = fields.find(({ path }) => pathText(path) === name);
  const typed = field && field.options === null ? readValues(text, field.isNumber) : [];
  const values = field?.options ? chosen : (typed ?? []);
  const isReady = values.length >= 2 && values.length <= mostRuns;
  function start() {
    if (!field) return;
    const inputs = values.map(value => withValueAt(input, field.path, value));
    run(inputs.filter(isMembers));
    close();
  }
  return (
    <Dialog title="Vary one field" isOpen close={close}>
      <div className="field-line">
        <label htmlFor={`${id}-field`}>Field</label>
        <select
          id={`${id}-field`}
          className="input"
          value={name}
          onChange={event => {
            setName(event.target.value);
            setChosen([]);
            setText('');
          }}
        >
          {fields.map(({ path, title }) => (
            <option key={pathText(path)} value={pathText(path)}>
              {title}
            </option>
          ))}
        </select>
      </div>
      {field?.options ? (
        <Choices options={field.options} chosen={chosen} choose={setChosen} />
      ) : (
        <div className="field-line">
          <label htmlFor={`${id}-values`}>
            {field?.isNumber ? `Numbers, with commas${field.bounds && `: ${field.bounds}`}` : 'One a line'}
          </label>
          <textarea
            id={`${id}-values`}
            className="input"
            rows={4}
            value={text}
            aria-invalid={typed === undefined}
            onChange={event => setText(event.target.value)}
          />
        </div>
      )}
      <p className="small soft">
        Two to four values; everything else stays as it is. Each is a job that is billed as usual.
      </p>
      <div className="dialog-actions">
        <button type="button" className="button" onClick={close}>
          Cancel
        </button>
        <button type="button" className="button main" disabled={!isReady} onClick={start}>
          {isReady ? `Run ${counted(values.length, 'job')}` : 'Run'}
        </button>
      </div>
    </Dialog>
  );
}

/** Chips, of which at most four are chosen. */
function Choices({
  options,
  chosen,
  choose,
}: {
  readonly options: readonly Value[];
  readonly chosen: readonly Value[];
  readonly choose: (values: readonly Value[]) => void;
}) {
  return (
    <fieldset className="chips">
      <legend className="visually-hidden">Values</legend>
      {options.map(option => {
        const isChosen = chosen.includes(option);
        return (
          <button
            key={String(option)}
            type="button"
            className="chip"
            aria-pressed={isChosen}
            disabled={!isChosen && chosen.length >= mostRuns}
            onClick={() => choose(isChosen ? chosen.filter(value => value !== option) : [...chosen, option])}
          >
            {typeof option === 'boolean' ? (option ? 'on' : 'off') : String(option)}
          </button>
        );
      })}
    </fieldset>
  );
}
