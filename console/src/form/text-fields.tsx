/** Text in one line or several, integers beyond 2^53, and lists of numbers. */
import { useId } from 'react';
import { useFault } from './faults.ts';
import { described, FieldFrame, type FieldProps } from './field-frame.tsx';

/** A number that a draft has as text is shown as it was typed. */
const textOf = (value: unknown): string => (value === undefined || value === null ? '' : String(value));
/** The default is shown, but not sent. */
const placeholderOf = (schema: FieldProps['schema']): string =>
  schema.default === undefined || schema.default === null || schema.default === ''
    ? ''
    : `${schema.default} (default)`;

/** One line of text, with suggestions where the schema has examples. */
export function TextField(props: FieldProps) {
  const id = useId();
  const { schema, path, value, change } = props;
  return (
    <FieldFrame field={props} id={id}>
      <input
        {...described(id, props, useFault(path))}
        className="input"
        type={schema.format === 'uri' ? 'url' : 'text'}
        list={schema.examples && `${id}-known`}
        value={textOf(value)}
        placeholder={placeholderOf(schema)}
        onChange={event => change(event.target.value === '' ? undefined : event.target.value)}
      />
      {schema.examples && (
        <datalist id={`${id}-known`}>
          {schema.examples.map(known => (
            <option key={known} value={known} />
          ))}
        </datalist>
      )}
    </FieldFrame>
  );
}

/** Several lines, with the count of characters where there is a limit. */
export function LongTextField(props: FieldProps) {
  const id = useId();
  const { schema, path, value, change } = props;
  const text = textOf(value);
  // Code points, as the gateway counts them: an emoji is one.
  const used = [...text].length;
  return (
    <FieldFrame field={props} id={id}>
      <textarea
        {...described(id, props, useFault(path))}
        className="input"
        rows={3}
        value={text}
        placeholder={placeholderOf(schema)}
        onChange={event => change(event.target.value === '' ? undefined : event.target.value)}
      />
      {schema.maxLength !== undefined && (
        <p className={used > schema.maxLength ? 'fault number right-text' : 'small soft number right-text'}>
          {used.toLocaleString()} / {schema.maxLength.toLocaleString()}
        </p>
      )}
    </FieldFrame>
  );
}

/** An integer of any length; beyond 2^53 it becomes a bigint. */
export function DigitsField(props: FieldProps) {
  const id = useId();
  const { path, value, change } = props;
  const take = (text: string) => {
    if (text === '') return change(undefined);
    if (!/^-?\d{1,40}$/.test(text)) return;
    const number = Number(text);
    change(Number.isSafeInteger(number) ? number : BigInt(text));
  };
  return (
    <FieldFrame field={props} id={id}>
      <input
        {...described(id, props, useFault(path))}
        className="input"
        inputMode="numeric"
        value={textOf(value)}
        onChange={event => take(event.target.value.trim())}
      />
    </FieldFrame>
  );
}

/** Numbers, typed with commas between them. */
export function NumberListField(props: FieldProps) {
  const id = useId();
  const { path, value, change } = props;
  const take = (text: string) => {
    const numbers = text
      .split(/[\s,;]+/)
      .filter(part => part !== '')
      .map(Number);
    change(numbers.length === 0 ? undefined : numbers);
  };
  return (
    <FieldFrame field={props} id={id}>
      <textarea
        {...described(id, props, useFault(path))}
        className="input mono"
        rows={2}
        defaultValue={Array.isArray(value) ? value.join(', ') : ''}
        placeholder="0, 0, 100, 0, 100, 100"
        onBlur={event => take(event.target.value)}
      />
    </FieldFrame>
  );
}
