/** Gate that refuses nothing: finds the routes of the model, which decide what references and media may be foreign. */
import { commonForeignKinds } from '../../routing/choose-routes.ts';
import type { CandidatesDraft, InputDraft } from '../draft.ts';
import type { Gate } from '../gate-list.ts';

/** Routes come from the settings of this moment: a reload affects the next request. */
export const findCandidates: Gate<InputDraft, Pick<CandidatesDraft, 'candidates' | 'foreignKinds'>> = (
  { candidatesOf },
  draft,
) => {
  const candidates = candidatesOf(draft.model);
  return { ...draft, candidates, foreignKinds: commonForeignKinds(candidates) };
};
