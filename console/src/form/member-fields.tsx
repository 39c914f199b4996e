/** The fields of the members of an object value. */
import { useContext } from 'react';
import { useField } from './field-component.ts';
import type { FieldProps } from './field-frame.tsx';
import { FormContext } from './form-context.ts';
import { isMembers, type Members, withMember } from './input-value.ts';

/** One field for each member of the schema, in its order. */
export function MemberFields({ schema, path, value, change }: FieldProps) {
  const members = isMembers(value) ? value : {};
  const required = schema.required ?? [];
  const { input } = useContext(FormContext);
  const Field = useField();
  return (
    <div className="stack members">
      {Object.entries(schema.properties ?? {}).map(([name, member]) => (
        <Field
          key={name}
          schema={member}
          path={[...path, name]}
          value={members[name]}
          isRequired={required.includes(name) || isRequiredNow(member, input)}
          change={next => change(withMember(members, name, next))}
        />
      ))}
    </div>
  );
}

/** `requiredUnless`: the field is required while the list that may replace it is empty. */
function isRequiredNow({ requiredUnless: other }: FieldProps['schema'], input: Members): boolean {
  if (other === undefined) return false;
  const replacement = input[other];
  return !Array.isArray(replacement) || replacement.length === 0;
}
