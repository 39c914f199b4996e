/** Reads the flags of a benchmark from its command line. */
import { parseArgs } from 'node:util';
import { type Dialect, dialects } from '../../testkit/databases/databases.ts';

/** The value of each flag, and the databases to measure. */
export type Flags<Name extends string> = Readonly<Record<Name, number>> & {
  /** Both unless `--database` names one. */
  readonly databases: readonly Dialect[];
};

/** Reads `--NAME 5` for each name; `defaults` has the value of each flag that is not given. */
export function readFlags<Name extends string>(defaults: Readonly<Record<Name, number>>): Flags<Name> {
  const names = Object.keys(defaults) as Name[];
  const option = { type: 'string' } as const;
  const { values } = parseArgs({
    options: Object.fromEntries(['database', ...names].map(name => [name, option])),
  });
  const { database } = values;
  const databases = dialects.filter(dialect => database === undefined || database === dialect);
  if (databases.length === 0) throw new Error(`--database must be one of ${dialects.join(', ')}`);
  const numbers = names.map(name => [name, numberOf(name, values[name] ?? defaults[name])] as const);
  return { ...(Object.fromEntries(numbers) as Record<Name, number>), databases };
}

/** Throws for anything but a positive integer. */
function numberOf(name: string, text: unknown): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new Error(`--${name} must be a whole number from 1`);
  return number;
}
