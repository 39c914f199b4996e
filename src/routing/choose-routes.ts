import type { Fault, Faults } from '../catalog/faults.ts';
import type { ForeignKind } from '../catalog/foreign-jobs.ts';

/** A route as admission sees it: nothing of it is open yet. */
export interface RouteCandidate {
  readonly account: string;
  /** Whether what an input points at must have been made at this very account. */
  readonly requiresSameAccount: boolean;
  /** What it understands though only an upstream may know it. */
  readonly foreignKinds: readonly ForeignKind[];
  /** What its upstream cannot take of a valid input. */
  faults(input: unknown): Faults;
}

/** An earlier job that an input points at. */
export interface ReferencedJob {
  /** The field that does. */
  readonly path: string;
  /** The account that made it; null where it was made on this machine. */
  readonly account: string | null;
}

/** What every one of these routes understands. */
export const commonForeignKinds = (candidates: readonly RouteCandidate[]): ReadonlySet<ForeignKind> => {
  const [first, ...others] = candidates.map(({ foreignKinds }) => foreignKinds);
  return new Set(first?.filter(kind => others.every(kinds => kinds.includes(kind))));
};

export type RouteChoice =
  /** Null: each of them may take the job. */
  | { readonly kind: 'chosen'; readonly accounts: readonly string[] | null }
  /** What stands in the way of the route that comes nearest. */
  | { readonly kind: 'refused'; readonly faults: Faults };

/** The accounts that take an input whole: the one that owns what it points at before all others. */
export function chooseRoutes(
  candidates: readonly RouteCandidate[],
  input: unknown,
  owned: readonly ReferencedJob[],
): RouteChoice {
  const judged = candidates.map(candidate => ({
    candidate,
    faults: [...candidate.faults(input), ...otherAccountFaults(candidate, owned)],
  }));
  const takers = judged.filter(({ faults }) => faults.length === 0).map(({ candidate }) => candidate.account);
  if (takers.length === 0) {
    const [nearest] = judged.toSorted((a, b) => a.faults.length - b.faults.length);
    return { kind: 'refused', faults: nearest?.faults ?? [] };
  }
  const owners = takers.filter(account => owned.some(one => one.account === account));
  if (owners.length > 0) return { kind: 'chosen', accounts: owners };
  return { kind: 'chosen', accounts: takers.length === candidates.length ? null : takers };
}

const otherAccountFaults = (
  { requiresSameAccount, account }: RouteCandidate,
  owned: readonly ReferencedJob[],
): readonly Fault[] =>
  requiresSameAccount
    ? owned
        .filter(one => one.account !== account)
        .map(({ path }) => ({ path, reason: 'what it points at was made where this model is not made now' }))
    : [];
