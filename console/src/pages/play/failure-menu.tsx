/** A menu that writes a switch of the local engine into the prompt, so that a failure can be seen before it happens. */
import { useQuery } from '@tanstack/react-query';
import { providersQuery } from '../../api/queries.ts';
import { switches } from './switches.ts';

/** The local engine is the provider that reads switches. */
const localProvider = 'local';

/** Nothing for a model that an upstream may serve: it would read the switch as words, and be paid for it. */
export function FailureMenu({
  model,
  play,
}: {
  readonly model: string;
  /** Receives the text of the switch. */
  readonly play: (text: string) => void;
}) {
  const { data } = useQuery(providersQuery);
  const accounts = (data?.data ?? []).filter(({ models }) => models.includes(model));
  if (accounts.length === 0 || accounts.some(({ provider }) => provider !== localProvider)) return null;
  return (
    <select
      className="input slim-select"
      aria-label="Play a failure"
      value=""
      onChange={event => play(event.target.value)}
    >
      <option value="">Play a failure …</option>
      {switches.map(({ words, text }) => (
        <option key={text} value={text}>
          {words}
        </option>
      ))}
    </select>
  );
}
