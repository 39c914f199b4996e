/** The types of rules: constraints between fields, and on probed media. */

import type { MediaFacts } from '../domain/media.ts';

/** A constraint between fields. */
export interface Rule<Input> {
  /** ONE sentence: the client's error, the line in the docs, the name of the test. */
  readonly says: string;
  /** The fields that it reads; the first is named in the error. */
  readonly fields: readonly [string, ...string[]];
  readonly holds: (input: Input) => boolean;
  /** A change to the first example that breaks this rule and no other; undefined takes a field out. */
  readonly brokenBy: Readonly<Record<string, unknown>>;
}

/** A constraint on probed media, checked once all media of its fields are probed. */
export interface MediaRule<Input> {
  readonly says: string;
  /** Each medium at or below one of these paths is looked at; the first is named in the error. */
  readonly fields: readonly [string, ...string[]];
  readonly holds: (input: Input, factsAt: FactsAt) => boolean;
  /** A change to the first example, and facts by path, that break this rule and no other. */
  readonly brokenBy: {
    readonly change?: Readonly<Record<string, unknown>>;
    readonly facts: Readonly<Record<string, MediaFacts>>;
  };
}

/** Probed facts by field path; null for a medium that is not probed yet. */
export type FactsAt = (path: string) => MediaFacts | null;
