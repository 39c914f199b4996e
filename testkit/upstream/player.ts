/** Plays the script of a scripted upstream: counts its requests and chooses the rule that each of them meets. */
import {
  type Operation,
  openPicker,
  operations,
  type Rule,
  type Script,
  type Subject,
  script,
} from './script.ts';

/** How many requests there were of each operation. */
export type Counts = Readonly<Record<Operation, number>>;

export interface Player {
  /** Replaces the script; rules count matching requests from zero again. Throws for an invalid script. */
  play(wanted: unknown): void;
  /** How long jobs of the present script wait and run. */
  timing(): Pick<Script, 'queueMs' | 'runMs'>;
  /** Counts the request; the rule that it meets, null where it is answered truly. */
  meet(subject: Subject): Rule | null;
  counts(): Counts;
}

export function openPlayer(): Player {
  const counts = Object.fromEntries(operations.map(name => [name, 0])) as Record<Operation, number>;
  let played = script.parse({});
  let pick = openPicker(played);
  return {
    play(wanted) {
      played = script.parse(wanted);
      pick = openPicker(played);
    },
    timing: () => played,
    meet(subject) {
      counts[subject.on]++;
      return pick(subject);
    },
    counts: () => ({ ...counts }),
  };
}
