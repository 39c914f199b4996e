/** Gate: the body is a valid input of the model, by its schema and by the rules between fields. */
import type { BodyDraft, InputDraft } from '../draft.ts';
import type { Gate } from '../gate-list.ts';
import { inputRefusal } from '../input-refusal.ts';

/**
 * 422 with every fault: a type, a bound, an unknown field, a rule between fields. The result has the defaults of the
 * fields that the client did not send.
 */
export const parseInput: Gate<BodyDraft, Pick<InputDraft, 'input' | 'given'>> = (_context, draft) => {
  const parsed = draft.model.parse(draft.body);
  if (!parsed.ok) throw inputRefusal(parsed.faults, draft.body);
  return { ...draft, input: parsed.input, given: parsed.given };
};
