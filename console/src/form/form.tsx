import { useContext } from 'react';
import type { Schema } from '../api/shapes.ts';
import { countBelow, type Faults, FaultsOfForm } from './faults.ts';
import { Field } from './field.tsx';
import { type Members, withMember } from './input-value.ts';
import { WholeFormContext } from './whole-form.ts';

interface FormParts {
  readonly schema: Schema;
  readonly input: Members;
  readonly change: (next: Members) => void;
}

/** Groups that people come for; the others wait folded. */
const openGroups = ['Shots', 'References'];

/** The whole input of a model: what every run needs first, then its groups. */
export function Form({ schema, input, change, faults }: FormParts & { readonly faults: Faults }) {
  const fields = Object.entries(schema.properties ?? {});
  const plain = fields.filter(([, { group }]) => group === undefined);
  const groups = Map.groupBy(
    fields.filter(([, { group }]) => group !== undefined),
    ([, { group }]) => group ?? '',
  );
  return (
    <WholeFormContext value={{ schema, input, change }}>
      <FaultsOfForm value={faults}>
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
      </FaultsOfForm>
    </WholeFormContext>
  );
}

function Group({
  title,
  ...parts
}: FormParts & { readonly title: string; readonly names: readonly string[] }) {
  const faults = useContext(FaultsOfForm);
  const wrong = parts.names.reduce((sum, name) => sum + countBelow(faults, [name]), 0);
  const isSet = parts.names.some(name => parts.input[name] !== undefined);
  return (
    <details className="fold group" open={wrong > 0 || isSet || openGroups.includes(title)}>
      <summary>
        <span className="label">{title}</span>
        {wrong > 0 && <span className="badge bad">{wrong} at fault</span>}
        <span className="small soft cut">{parts.names.length} fields</span>
      </summary>
      <Fields {...parts} />
    </details>
  );
}

function Fields({ names, schema, input, change }: FormParts & { readonly names: readonly string[] }) {
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
