/** The form of a whole input: ungrouped fields first, then a fold for each group. */
import { useContext } from 'react';
import type { Schema } from '../api/input-schema.ts';
import { counted } from '../components/format.ts';
import { countBelow, type Faults, FaultsContext } from './faults.ts';
import { Field } from './field.tsx';
import { FieldComponent } from './field-component.ts';
import { FormContext } from './form-context.ts';
import { type Members, withMember } from './input-value.ts';

/** A controlled form: the page has the input. */
interface FormProps {
  readonly schema: Schema;
  /** The input as it would be sent. */
  readonly input: Members;
  readonly change: (next: Members) => void;
}

/** Groups that are open from the start; the others are folded. */
const openGroups = ['Shots', 'References'];

/** `change` receives the whole new input. A group with a fault or a value opens by itself. */
export function Form({ schema, input, change, faults }: FormProps & { readonly faults: Faults }) {
  const fields = Object.entries(schema.properties ?? {});
  const plain = fields.filter(([, { group }]) => group === undefined);
  // In the order of their first field in the schema.
  const groups = Map.groupBy(
    fields.filter(([, { group }]) => group !== undefined),
    ([, { group }]) => group ?? '',
  );
  return (
    <FormContext value={{ schema, input, change }}>
      <FaultsContext value={faults}>
        <FieldComponent value={Field}>
          <div className="stack form">
            <Fields names={plain.map(([name]) => name)} schema={schema} input={input} change={change} />
            {[...groups].map(([group, members]) => (
              <Group
                key={group}
                title={group}
                names={members.map(([name]) => name)}
                schema={schema}
                input={input}
                change={change}
              />
            ))}
          </div>
        </FieldComponent>
      </FaultsContext>
    </FormContext>
  );
}

/** A fold with the number of its fields and of its faults. */
function Group({
  title,
  ...props
}: FormProps & { readonly title: string; readonly names: readonly string[] }) {
  const faults = useContext(FaultsContext);
  const wrong = props.names.reduce((sum, name) => sum + countBelow(faults, [name]), 0);
  // A group that is part of the input must not be hidden.
  const isSet = props.names.some(name => props.input[name] !== undefined);
  return (
    <details className="fold group" open={wrong > 0 || isSet || openGroups.includes(title)}>
      <summary>
        <span className="label">{title}</span>
        {wrong > 0 && <span className="badge bad">{wrong} at fault</span>}
        <span className="small soft cut">{counted(props.names.length, 'field')}</span>
      </summary>
      <Fields {...props} />
    </details>
  );
}

/** The top-level fields of these names, in this order. */
function Fields({ names, schema, input, change }: FormProps & { readonly names: readonly string[] }) {
  return (
    <div className="stack members">
      {names.map(name => {
        const member = schema.properties?.[name];
        return (
          member && (
            <Field
              key={name}
              schema={member}
              path={[name]}
              value={input[name]}
              isRequired={schema.required?.includes(name) ?? false}
              change={next => change(withMember(input, name, next) ?? {})}
            />
          )
        );
      })}
    </div>
  );
}
