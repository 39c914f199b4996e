/** A list of gates that a draft passes one after the other, checked by the compiler where the list is written. */
import type { AdmissionContext } from './draft.ts';

/**
 * One check on the way from a request to a job. Throws the refusal, or passes the draft on with what it found out.
 * It returns a promise only where it has something to wait for, so that a gate without work costs nothing.
 */
export type Gate<Needs, Adds = unknown> = <Draft extends Needs>(
  context: AdmissionContext,
  draft: Draft,
) => (Draft & Adds) | Promise<Draft & Adds>;

/** Gates in order. The types say what a draft needs before the list and what it has after it. */
export interface GateList<In, Out> {
  /** The list with one more gate, which may use all that the gates before it added. */
  and<Next>(gate: (context: AdmissionContext, draft: Out) => Next | Promise<Next>): GateList<In, Next>;
  /** Rejects with the refusal of the first gate that throws. */
  pass(context: AdmissionContext, draft: In): Promise<Out>;
}

/** An empty list for drafts of one kind. */
export const gates = <Draft>(): GateList<Draft, Draft> => listOf([]);

/** Within the list the types of drafts are erased: `and` checked them. */
type AnyGate = (context: AdmissionContext, draft: never) => unknown;

/** A list never changes: `and` makes another one, so that lists can share their beginning. */
function listOf<In, Out>(list: readonly AnyGate[]): GateList<In, Out> {
  return {
    and: gate => listOf([...list, gate]),
    async pass(context, draft) {
      let passed: unknown = draft;
      for (const gate of list) {
        // `and` accepted each gate only for the draft that the one before it returns.
        const next = gate(context, passed as never);
        passed = next instanceof Promise ? await next : next;
      }
      return passed as Out;
    },
  };
}
