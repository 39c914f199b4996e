/** Gate: at least one route accepts the whole input, for no part of an input is ever dropped. */
import type { Reference } from '../../domain/reference.ts';
import { chooseRoutes, type ReferencedJob } from '../../routing/choose-routes.ts';
import type { Statements } from '../../store/db/connection.ts';
import { resolvePinned } from '../../store/jobs/references.ts';
import type { MediaDraft, RoutedDraft } from '../draft.ts';
import type { Gate } from '../gate-list.ts';
import { inputRefusal } from '../input-refusal.ts';

/** 422 with the faults of the route that comes nearest, where none accepts the input. */
export const chooseAccounts: Gate<MediaDraft, Pick<RoutedDraft, 'accounts'>> = ({ db }, draft) => {
  const { ours } = draft.references;
  if (ours.length === 0) return { ...draft, accounts: accountsFor(draft, []) };
  return findOwners(db, ours, draft).then(owned => ({ ...draft, accounts: accountsFor(draft, owned) }));
};

/** Null where each route of the model may take the job, also one that is added later. */
function accountsFor(
  { candidates, input, media }: MediaDraft,
  owned: readonly ReferencedJob[],
): readonly string[] | null {
  const choice = chooseRoutes(candidates, input, owned);
  if (choice.kind === 'refused') throw inputRefusal(choice.faults);
  // A route that is added later may not understand a foreign id: then the accounts of today are listed.
  return choice.accounts ?? (media.isForeign ? candidates.map(({ account }) => account) : null);
}

/** The account at which each referred job was made. */
async function findOwners(
  db: Statements,
  references: readonly Reference[],
  { request }: MediaDraft,
): Promise<readonly ReferencedJob[]> {
  const owned: ReferencedJob[] = [];
  for (const reference of references) {
    const pinned = await resolvePinned(db, reference, request.principal.userId);
    owned.push({ path: reference.path, account: pinned?.account ?? null });
  }
  return owned;
}
