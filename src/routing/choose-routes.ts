/** Chooses the accounts that can take an input without dropping any part of it. */
import type { Fault, Faults } from '../catalog/faults.ts';
import type { ForeignKind } from '../catalog/foreign-jobs.ts';

/** A route as admission sees it: without an open account. */
export interface RouteCandidate {
  readonly account: string;
  /** Whether the jobs that an input refers to must have run at this same account. */
  readonly requiresSameAccount: boolean;
  /** Kinds of foreign ids that its upstream resolves itself. */
  readonly foreignKinds: readonly ForeignKind[];
  /** What its upstream does not accept of a valid input. */
  faults(input: unknown): Faults;
}

/** An earlier job that an input refers to. */
export interface ReferencedJob {
  /** The field with the reference. */
  readonly path: string;
  /** The account that made it; null where it was made on this machine. */
  readonly account: string | null;
}

/** The kinds that all of these routes resolve. */
export const commonForeignKinds = (candidates: readonly RouteCandidate[]): ReadonlySet<ForeignKind> => {
  const [first, ...others] = candidates.map(({ foreignKinds }) => foreignKinds);
  return new Set(first?.filter(kind => others.every(kinds => kinds.includes(kind))));
};

/** The accounts that may take the job, or why none can. */
export type RouteChoice =
  /** Null: every route may take the job. */
  | { readonly kind: 'chosen'; readonly accounts: readonly string[] | null }
  /** The faults of the route that has the fewest. */
  | { readonly kind: 'refused'; readonly faults: Faults };

/** Accounts that ran a job which the input refers to are preferred: they alone, where they accept the input. */
export function chooseRoutes(
  candidates: readonly RouteCandidate[],
  input: unknown,
  owned: readonly ReferencedJob[],
): RouteChoice {
  const checked = candidates.map(candidate => ({
    candidate,
    faults: [...candidate.faults(input), ...otherAccountFaults(candidate, owned)],
  }));
  const accepting = checked
    .filter(({ faults }) => faults.length === 0)
    .map(({ candidate }) => candidate.account);
  if (accepting.length === 0) {
    const [nearest] = checked.toSorted((a, b) => a.faults.length - b.faults.length);
    return { kind: 'refused', faults: nearest?.faults ?? [] };
  }
  const owners = accepting.filter(account => owned.some(one => one.account === account));
  if (owners.length > 0) return { kind: 'chosen', accounts: owners };
  return { kind: 'chosen', accounts: accepting.length === candidates.length ? null : accepting };
}

const otherAccountFaults = (
  { requiresSameAccount, account }: RouteCandidate,
  owned: readonly ReferencedJob[],
): readonly Fault[] =>
  requiresSameAccount
    ? owned
        .filter(one => one.account !== account)
        .map(({ path }) => ({
          path,
          reason: 'the referenced job ran at an account that has no route for this model',
        }))
    : [];
