import { useContext, useState } from 'react';
import { countBelow, FaultsOfForm } from './faults.ts';
import { Field } from './field.tsx';
import type { FieldParts } from './field-frame.tsx';
import { isMembers, type Members as MembersOf, titleOf, withMember } from './input-value.ts';
import { WholeFormContext } from './whole-form.ts';

/** A field with fields in it: folded until it is needed. */
export function ObjectField(parts: FieldParts) {
  const { schema, path, value, isRequired } = parts;
  const name = String(path.at(-1));
  const faults = countBelow(useContext(FaultsOfForm), path);
  const isTelling = Object.values(schema.properties ?? {}).some(({ widget }) => widget === 'voice');
  const isSmall = Object.keys(schema.properties ?? {}).length === 1;
  const [isOpen, setOpen] = useState(isRequired || isTelling || value !== undefined || path.length > 1);
  if (isSmall) return <Members {...parts} />;
  return (
    <details
      className="fold"
      open={isOpen || faults > 0}
      onToggle={event => setOpen(event.currentTarget.open)}
    >
      <summary>
        <span className="label">{titleOf(schema, name)}</span>
        {isRequired && <span className="must">*</span>}
        {faults > 0 && <span className="badge bad">{faults} at fault</span>}
        <code className="soft">{name}</code>
      </summary>
      {schema.description && <p className="small soft">{schema.description}</p>}
      <Members {...parts} />
    </details>
  );
}

export function Members({ schema, path, value, change }: FieldParts) {
  const members = isMembers(value) ? value : {};
  const required = schema.required ?? [];
  const { input } = useContext(WholeFormContext);
  return (
    <div className="stack members">
      {Object.entries(schema.properties ?? {}).map(([name, member]) => (
        <Field
          key={name}
          schema={member}
          path={[...path, name]}
          value={members[name]}
          isRequired={required.includes(name) || isWanted(member, input)}
          change={next => change(withMember(members, name, next))}
        />
      ))}
    </div>
  );
}

/** A field that another one may replace is required while that one is empty. */
function isWanted({ requiredUnless: other }: FieldParts['schema'], input: MembersOf): boolean {
  if (other === undefined) return false;
  const instead = input[other];
  return !Array.isArray(instead) || instead.length === 0;
}
