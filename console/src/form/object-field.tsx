/** The field of an object value: a fold with the fields of its members. */
import { useContext, useState } from 'react';
import { Sentence } from '../components/sentence.tsx';
import { countBelow, FaultsContext } from './faults.ts';
import type { FieldProps } from './field-frame.tsx';
import { titleOf } from './input-value.ts';
import { MemberFields } from './member-fields.tsx';

/**
 * An object: its members, folded until one of them is set or at fault. An object with one member is drawn as that
 * member.
 */
export function ObjectField(props: FieldProps) {
  const { schema, path, value, isRequired } = props;
  const name = String(path.at(-1));
  const faults = countBelow(useContext(FaultsContext), path);
  // The voice is what a client of speech most often chooses: its object is open from the start.
  const hasVoice = Object.values(schema.properties ?? {}).some(({ widget }) => widget === 'voice');
  const isSmall = Object.keys(schema.properties ?? {}).length === 1;
  const [isOpen, setOpen] = useState(isRequired || hasVoice || value !== undefined || path.length > 1);
  if (isSmall) return <MemberFields {...props} />;
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
      {schema.description && (
        <p className="small soft">
          <Sentence text={schema.description} />
        </p>
      )}
      <MemberFields {...props} />
    </details>
  );
}
