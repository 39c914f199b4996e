/** The input as JSON, to be edited as text. */
import { useState } from 'react';
import { parseJson, toJson } from '../../api/lossless-json.ts';
import { isMembers, type Members } from '../../form/input-value.ts';

/** Text that is no JSON object shows its fault and changes nothing. */
export function JsonEditor({
  input,
  change,
}: {
  readonly input: Members;
  readonly change: (next: Members) => void;
}) {
  // The text is kept beside the input: what is typed is not JSON at every moment.
  const [text, setText] = useState(() => toJson(input, 2));
  const [fault, setFault] = useState<string | null>(null);
  // The form is changed by valid JSON alone, so a switch back to it never loses what it had.
  function take(next: string) {
    setText(next);
    try {
      const value: unknown = parseJson(next);
      if (!isMembers(value)) throw new Error('An input is an object: { … }');
      setFault(null);
      change(value);
    } catch (failure) {
      // The sentence of the parser says where the text is broken.
      setFault(failure instanceof Error ? failure.message : String(failure));
    }
  }
  return (
    <div className="field">
      <label htmlFor="json" className="label">
        Input
      </label>
      <textarea
        id="json"
        className="input mono json"
        spellCheck={false}
        value={text}
        aria-invalid={fault !== null}
        onChange={event => take(event.target.value)}
      />
      {fault !== null && <p className="fault">{fault}</p>}
    </div>
  );
}
